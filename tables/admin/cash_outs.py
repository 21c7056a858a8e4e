"""Cash-outs at the cage: recorded on a page of their own, then only looked at."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from casino import roles, shown
from casino.day_range import DayRange
from casino.models import User
from casino.read_only import ReadOnlyAdmin
from tables.admin.act import Act, answer
from tables.admin.act_forms import BuyInForm
from tables.admin.figures import figure
from tables.house_settings import settings_now
from tables.models import CashOut, Property
from tables.services import chips


@admin.register(CashOut)
class CashOutAdmin(ReadOnlyAdmin):
    """Chips changed into cash, newest first."""

    action = "read_cash_outs"
    list_display = ("at", "sum", "patron", "declined", "by")
    list_filter = (DayRange,)
    list_select_related = ("property", "by")
    ordering = ("-id",)
    fields = ("at", "sum", "patron", "declined", "by", "uuid")

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Return whether they are the cage."""
        return isinstance(request.user, User) and roles.may(request.user.roles, "cash_out")

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Answer the page where a cash-out is recorded; of several properties `?property=` names one."""
        if not self.has_add_permission(request):
            raise PermissionDenied
        code = (request.GET.get("property") or "").replace("\x00", "")
        house = Property.objects.filter(**({"code": code} if code else {})).order_by("code").first()
        if house is None:
            raise PermissionDenied

        def perform(form: BuyInForm, at: Any, by: User) -> str:
            said = form.cleaned_data
            kept = chips.cash_out(house, said["amount"], at=at, by=by, uuid=form.key, patron=said["patron"], declined=said["declined"])
            return gettext("Cash-out of %(amount)s recorded.") % {"amount": shown.money(kept.amount, house)}

        here = reverse("admin:tables_cashout_changelist")
        lead = gettext("From %(amount)s on, ask who the patron is.") % {
            "amount": shown.money(settings_now(house, timezone.now()).ask_patron_from, house)
        }
        act = Act(
            gettext("%(house)s · cash-out") % {"house": house},
            gettext("Record the cash-out"),
            BuyInForm,
            house,
            perform,
            here,
            (gettext("Cash-outs"), here),
            lead,
        )
        return answer(request, act, self.admin_site, CashOut)

    @admin.display(description=_("at"))
    def at(self, cashed: CashOut) -> str:
        """Return when, by the house's clock."""
        return shown.stamp(cashed.occurred_at, cashed.property)

    @admin.display(description=_("amount"))
    def sum(self, cashed: CashOut) -> SafeString:
        """Return the amount."""
        return figure(shown.money(cashed.amount, cashed.property))
