"""A figure in a list's cell: at the right, tabular, loud only where it is off."""

from __future__ import annotations

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext


def figure(text: str, tone: str = "") -> SafeString:
    """Return `text` as a figure; `tone` is "", "dim", "bad", "good" or "warn"."""
    return format_html('<span class="figure {}">{}</span>', tone, text)


def chip(text: str, tone: str = "") -> SafeString:
    """Return `text` as a small label, in the reader's language."""
    return format_html('<span class="chip {}">{}</span>', tone, gettext(text) if text else "")
