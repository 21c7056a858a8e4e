"""Settings, all from the environment. Imports no app.

`DATABASE_URL` (the application's log-in), `DATABASE_OWNER_URL` (the owner's) and `REDIS_URL` point at servers elsewhere; without them
the embedded ones of `PITBOOK_STATE` are used and started when needed. See README, "Settings".
"""

from __future__ import annotations

import hmac
import os
import sys
from pathlib import Path
from typing import Any

import dj_database_url
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from casino import embedded

BASE_DIR = Path(__file__).resolve().parent.parent
STATE = Path(os.environ.get("PITBOOK_STATE") or BASE_DIR / ".pitbook").absolute()
DURABLE = os.environ.get("PITBOOK_DURABLE", "1") != "0"


EMBEDDED = not (os.environ.get("DATABASE_URL") and os.environ.get("REDIS_URL"))
SERVERS = embedded.locate(STATE) if EMBEDDED else None


def _secret_key() -> str:
    """Return the environment's key, or one that stays the same for this state folder's servers."""
    if key := os.environ.get("SECRET_KEY"):
        return key
    if SERVERS is None:
        raise ImproperlyConfigured("SECRET_KEY must be set where DATABASE_URL and REDIS_URL point at servers elsewhere.")
    return hmac.new(SERVERS.app_password.encode(), b"django secret key", "sha512").hexdigest()


DEBUG = os.environ.get("PITBOOK_DEBUG", "0") == "1"
SECRET_KEY = _secret_key()
ALLOWED_HOSTS = [host for host in os.environ.get("PITBOOK_HOSTS", "127.0.0.1,localhost,[::1]").split(",") if host]
CSRF_TRUSTED_ORIGINS = [origin for origin in os.environ.get("PITBOOK_ORIGINS", "").split(",") if origin]
BEHIND_TLS = os.environ.get("PITBOOK_TLS", "0") == "1"

INSTALLED_APPS = [
    "casino.apps.CasinoConfig",
    "casino.apps.PitbookAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "rest_framework",
    "django_filters",
    "drf_spectacular",
    "csp",
    "ledger.apps.LedgerConfig",
    "tables.apps.TablesConfig",
    "audit.apps.AuditConfig",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "casino.doors.RefusalsMiddleware",
    "casino.typed_forms.TypedFormsMiddleware",
    "casino.bearer.TokenWritesMiddleware",
]

ROOT_URLCONF = "casino.urls"
WSGI_APPLICATION = "casino.wsgi.application"
ASGI_APPLICATION = "casino.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]


def _database(url_name: str, role: str) -> dict[str, Any]:
    """Return the alias's settings: the server of the environment's `url_name`, else the embedded one as `role`."""
    common = {"CONN_MAX_AGE": 60, "CONN_HEALTH_CHECKS": True, "ATOMIC_REQUESTS": False, "TIME_ZONE": "UTC"}
    prepares = {"prepare_threshold": 0 if os.environ.get("PITBOOK_PREPARE", "1") == "1" else None}
    if url := os.environ.get(url_name):
        there: dict[str, Any] = dict(dj_database_url.parse(url))
        return {**there, "ENGINE": "django.db.backends.postgresql", "OPTIONS": {**prepares, **there.get("OPTIONS", {})}, **common}
    if os.environ.get("DATABASE_URL"):
        raise ImproperlyConfigured(f"DATABASE_URL is set, so {url_name} must be too: migrations run as the owner, the application owns nothing.")
    assert SERVERS is not None
    return {
        "ENGINE": "casino.pg",
        "NAME": SERVERS.database,
        "USER": getattr(SERVERS, role),
        "PASSWORD": getattr(SERVERS, f"{role}_password"),
        "HOST": SERVERS.postgres_host,
        "PORT": SERVERS.postgres_port,
        "OPTIONS": {"EMBEDDED_STATE": str(STATE), "EMBEDDED_DURABLE": DURABLE, **prepares},
        **common,
    }


DATABASES = {
    "default": _database("DATABASE_URL", "app"),
    "owner": _database("DATABASE_OWNER_URL", "owner"),
}
DATABASE_ROUTERS: list[str] = []
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

REDIS_URL = os.environ.get("REDIS_URL", "")  # redis://, rediss:// or unix://
EMBEDDED_BROKER = not REDIS_URL
CELERY_BROKER_URL = REDIS_URL or (SERVERS.broker_url() if SERVERS else "")
if CELERY_BROKER_URL.startswith("unix://"):  # the same socket, as kombu writes it
    CELERY_BROKER_URL = CELERY_BROKER_URL.replace("unix://", "redis+socket://", 1).replace("?db=", "?virtual_host=")
CELERY_RESULT_BACKEND = None
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_TIME_LIMIT = 1800
CELERY_BROKER_TRANSPORT_OPTIONS = {"visibility_timeout": 3600, "socket_connect_timeout": 3, "socket_timeout": 30}
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TIMEZONE = "UTC"
CELERY_WORKER_HIJACK_ROOT_LOGGER = False

REPORTS = Path(os.environ.get("PITBOOK_REPORTS") or STATE / "reports")

EMAIL_HOST = os.environ.get("EMAIL_HOST", "")
EMAIL_PORT = int(os.environ.get("EMAIL_PORT") or 25)
EMAIL_HOST_USER = os.environ.get("EMAIL_HOST_USER", "")
EMAIL_HOST_PASSWORD = os.environ.get("EMAIL_HOST_PASSWORD", "")
EMAIL_USE_TLS = os.environ.get("EMAIL_USE_TLS") == "1"
EMAIL_TIMEOUT = 20
DEFAULT_FROM_EMAIL = os.environ.get("EMAIL_FROM") or "pitbook@localhost"
# without a mail server, letters are files beside the reports: nothing is lost, and nobody waits
EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend" if EMAIL_HOST else "django.core.mail.backends.filebased.EmailBackend"
EMAIL_FILE_PATH = REPORTS / "mail"

AUTH_USER_MODEL = "casino.User"
AUTHENTICATION_BACKENDS = ["casino.sign_in.RoleBackend"]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.ScryptPasswordHasher", "django.contrib.auth.hashers.PBKDF2PasswordHasher"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "admin:login"

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("de", "Deutsch")]
"""What pages can be read in. Reports are the same bytes whoever reads them, so their words stay English (docs/decisions)."""
LOCALE_PATHS = [BASE_DIR / "locale"]
LANGUAGE_COOKIE_HTTPONLY = True
LANGUAGE_COOKIE_SAMESITE = "Lax"
TIME_ZONE = "UTC"
USE_I18N = True
USE_TZ = True
USE_THOUSAND_SEPARATOR = False

STATIC_URL = "static/"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = DEBUG
SEAL_KEY = Path(os.environ.get("PITBOOK_SEAL_KEY") or STATE / "seal" / "key.pem")
"""The private key that signs checkpoints. Only the sealing worker needs to read it."""
CHECKPOINTS = Path(os.environ.get("PITBOOK_CHECKPOINTS") or STATE / "checkpoints.ndjson")
"""The append-only file where checkpoints go as soon as they are signed. Off this machine where the house has a place for it."""

SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_AGE = 12 * 3600
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = BEHIND_TLS
SECURE_SSL_REDIRECT = False
SECURE_HSTS_SECONDS = 31_536_000 if BEHIND_TLS else 0
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if BEHIND_TLS else None
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "object-src": [NONE],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
        "form-action": [SELF],
    }
}

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "casino.bearer.BearerAuthentication",
        "rest_framework.authentication.BasicAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_PARSER_CLASSES": ["casino.api.StrictJSONParser"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "casino.api.answer_error",
    "UNICODE_JSON": True,
    "COERCE_DECIMAL_TO_STRING": True,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Pitbook",
    "DESCRIPTION": "Rounds as dealers dealt them, settled and kept; shifts and their reports.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_PERMISSIONS": ["rest_framework.permissions.IsAuthenticated"],
    "COMPONENT_SPLIT_REQUEST": True,
    "ENUM_NAME_OVERRIDES": {
        "JobState": "casino.models.Job.State",
        "ShiftKind": [(kind, kind) for kind in ("day", "swing", "grave")],
        "ShiftState": "tables.models.ShiftEvent.State",
        "FindingState": "audit.models.FindingEvent.State",
        "SessionState": "tables.models.SessionEvent.State",
        "RoundProposalState": "tables.models.RoundProposalEvent.State",
        "RoundState": [(state, state) for state in ("stands", "irregular", "late", "voided", "replaced")],
        "PaytableProposalState": [(state, state) for state in ("proposed", "approved", "refused", "withdrawn")],
    },
}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "stream": sys.stderr, "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": os.environ.get("PITBOOK_LOG", "WARNING")},
}
