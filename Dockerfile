# Web, worker and beat are this one image with three commands: see compose.yaml.
FROM python:3.13-slim

ENV PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 PIP_NO_CACHE_DIR=1
RUN useradd --system --uid 10001 --create-home --home-dir /srv/pitbook --shell /usr/sbin/nologin pitbook
WORKDIR /srv/pitbook/app
COPY requirements.txt .
RUN pip install -r requirements.txt
COPY --chown=pitbook:pitbook . .
RUN mkdir -p /srv/pitbook/reports /srv/pitbook/checkpoints && mkdir -m 0700 /srv/pitbook/seal \
    && chown pitbook:pitbook /srv/pitbook/reports /srv/pitbook/checkpoints /srv/pitbook/seal
USER 10001
ENV PITBOOK_REPORTS=/srv/pitbook/reports PITBOOK_STATE=/srv/pitbook/state
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/healthz', timeout=4)"]
CMD ["gunicorn", "casino.wsgi:application", "--bind", "0.0.0.0:8000", "--worker-class", "gthread", "--workers", "2", "--threads", "8"]
