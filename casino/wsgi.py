"""The WSGI door."""

import gc
import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "casino.settings")
application = get_wsgi_application()

from ledger.checks import tell_alarm  # noqa: E402 - once the settings are read

tell_alarm("the web")

from django.urls import get_resolver  # noqa: E402

get_resolver().url_patterns  # noqa: B018 - loads every module of every address, which the first request would wait for
gc.collect()
gc.freeze()  # what is loaded by now stays: looking through all of it for garbage would stop a request for a tenth of a second
