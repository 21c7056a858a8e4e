"""The names of models and fields in the reader's language, also those that Django makes of the code: "recorded at" of `recorded_at`.

Done once, when all models are known. What migrations compare is what the models declare, and stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.apps import apps
from django.db.models import Field, Model
from django.db.models.enums import ChoicesType
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy, override

APPS = ("casino", "ledger", "tables", "audit")


def speak_names() -> None:
    """Make the names of our models, of their fields and of their choices speak the language of whoever reads."""
    for model in _models():
        meta = model._meta
        meta.verbose_name, plural = _lazy(meta.verbose_name), str(meta.verbose_name_plural)
        if "verbose_name_plural" not in meta.original_attrs:  # Django's own: the singular with an s, which is no German
            meta.verbose_name_plural = gettext_lazy(plural)
        for field in _fields(model):
            field.verbose_name = _lazy(field.verbose_name)
            if field.choices:
                field.choices = [(value, _lazy(label)) for value, label in field.flatchoices]
        for choices in vars(model).values():  # as forms offer them: `Shift.Kind.choices`
            if isinstance(choices, ChoicesType):
                _speak_labels(choices)


def _speak_labels(choices: Any) -> None:
    for member in choices:
        member._label_ = _lazy(member.label)


def names() -> set[str]:
    """Return every such name as it is written: of models, fields, choices' labels, and choices' codes as words."""
    found = set()
    with override("en"):
        for model in _models():
            found |= {str(model._meta.verbose_name), str(model._meta.verbose_name_plural)}
            for field in _fields(model):
                found.add(str(field.verbose_name))
                found |= {str(label) for _, label in field.flatchoices} | {str(value).replace("_", " ") for value, _ in field.flatchoices}
    return found - {""}


def _models() -> Iterator[type[Model]]:
    return (model for model in apps.get_models() if model._meta.app_label in APPS)


def _fields(model: type[Model]) -> Iterator[Field]:
    return (field for field in model._meta.get_fields() if isinstance(field, Field) and field.model is model)


def _lazy(name: Any) -> Any:
    return name if isinstance(name, Promise) or not name else gettext_lazy(str(name))
