"""The ASGI door."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "casino.settings")
application = get_asgi_application()

from ledger.checks import tell_alarm  # noqa: E402 - once the settings are read

tell_alarm("the web")
