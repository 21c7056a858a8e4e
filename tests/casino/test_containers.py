"""compose.yaml and the Dockerfile say what they must; no engine is needed to read them."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text())


def test_web_worker_beat_postgresql_and_valkey_are_there() -> None:
    assert {"web", "worker", "beat", "postgres", "valkey"} <= COMPOSE["services"].keys()


def test_every_command_of_ours_is_an_installed_program() -> None:
    for name in ("worker", "beat"):
        assert importlib.util.find_spec(COMPOSE["services"][name]["command"][0])
    docker = (ROOT / "Dockerfile").read_text()
    assert '"gunicorn", "casino.wsgi:application"' in docker
    assert importlib.util.find_spec("gunicorn")


def test_the_sealing_worker_alone_has_the_key_and_writes_the_checkpoints() -> None:
    services = COMPOSE["services"]
    assert "--queues seal" in services["sealer"]["command"][-1]
    with_key = [name for name, service in services.items() if any("seal-key" in volume for volume in service.get("volumes", []))]
    writing = [name for name, service in services.items() if "checkpoints:/srv/pitbook/checkpoints" in service.get("volumes", [])]
    reading = [name for name, service in services.items() if "checkpoints:/srv/pitbook/checkpoints:ro" in service.get("volumes", [])]
    assert (with_key, writing) == (["sealer"], ["sealer"])
    assert {"web", "worker"} <= set(reading)
    assert "PITBOOK_SEAL_KEY" not in services["web"]["environment"]


def test_nothing_listens_beyond_loopback_and_no_password_is_written_down() -> None:
    assert COMPOSE["services"]["web"]["ports"] == ["127.0.0.1:8000:8000"]
    assert all("ports" not in service for name, service in COMPOSE["services"].items() if name != "web")
    environment = COMPOSE["services"]["setup"]["environment"]
    assert all("${" in value for key, value in environment.items() if key.endswith(("_URL", "SECRET_KEY")))


def test_the_users_six_packages_are_pinned() -> None:
    pinned = {line.partition("==")[0].lower() for line in (ROOT / "requirements.txt").read_text().splitlines() if "==" in line}
    assert {"django", "djangorestframework", "celery", "redis", "psycopg", "pytest-django"} <= pinned
    loose = [line for line in (ROOT / "requirements.txt").read_text().splitlines() if line and not line.startswith("#") and "==" not in line]
    assert loose == []
