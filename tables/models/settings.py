"""What a property changed of its settings, from a gaming day on: added to, never edited. Source: spec/night.md, "Every threshold is a setting"."""

from __future__ import annotations

import uuid

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from casino.append_only import RecordedAt


class PropertySetting(models.Model):
    """One setting as it is from gaming day `from_day` on; the last row of a name that has begun counts, before the first what the property was
    made with. Gaming days that have begun keep theirs, so no figure changes afterwards. Nobody approves what they proposed.
    """

    class Name(models.TextChoices):
        EXPLAIN_OVER = "explain_over", _("a variance is explained from")
        REPORT_OVER = "report_over", _("a variance stands in a signed report from")
        NOTIFY_OVER = "notify_over", _("a variance goes to the regulator from")
        ASK_PATRON_FROM = "ask_patron_from", _("a patron is asked for from")
        FORM_ABOVE = "form_above", _("cash of a gaming day needs the form above")
        DROP_PER = "drop_per", _("boxes are pulled every")
        RAKE_TO = "rake_to", _("a pot game's rake goes to the")
        CHIP_VALUES = "chip_values", _("values of chips")
        NOTE_VALUES = "note_values", _("values of notes")
        SHIFT_HOURS = "shift_hours", _("hours of the shifts")

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    property = models.ForeignKey("tables.Property", models.PROTECT, related_name="settings")
    name = models.CharField(max_length=20, choices=Name.choices)
    value = models.JSONField(help_text=_("minor units, a word, a list of minor units, or hours by shift"))
    from_day = models.DateField()
    note = models.CharField(max_length=300, blank=True)
    proposed_by = models.ForeignKey("casino.User", models.PROTECT, related_name="+")
    approved_by = models.ForeignKey("casino.User", models.PROTECT, related_name="+")
    recorded_at = RecordedAt()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["property", "name", "from_day"], name="tables_propertysetting_once"),
            models.CheckConstraint(condition=~Q(proposed_by=F("approved_by")), name="tables_propertysetting_two_people"),
            models.CheckConstraint(
                condition=Q(
                    name__in=[
                        "explain_over",
                        "report_over",
                        "notify_over",
                        "ask_patron_from",
                        "form_above",
                        "drop_per",
                        "rake_to",
                        "chip_values",
                        "note_values",
                        "shift_hours",
                    ]
                ),
                name="tables_propertysetting_known",
            ),
        ]
        ordering = ["property", "name", "from_day"]

    def __str__(self) -> str:
        return gettext("%(name)s, from %(day)s") % {"name": self.get_name_display(), "day": self.from_day}
