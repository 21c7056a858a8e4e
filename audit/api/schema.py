"""The shape of a report as JSON, for the OpenAPI document; audit/export_json.py says it in words."""

from __future__ import annotations

from rest_framework import serializers


class ReportSection(serializers.Serializer):
    """One table of the report."""

    key = serializers.CharField()
    title = serializers.CharField()
    note = serializers.CharField()
    empty = serializers.CharField()
    columns = serializers.ListField(child=serializers.DictField())
    rows = serializers.ListField(child=serializers.DictField())
    totals = serializers.DictField(allow_null=True)


class ShiftReportAnswer(serializers.Serializer):
    """A report: amounts are whole minor units of `currency`, which has `exponent` decimals."""

    format = serializers.CharField()
    identity = serializers.CharField()
    made_from = serializers.CharField()
    title = serializers.CharField()
    subtitle = serializers.CharField()
    facts = serializers.ListField(child=serializers.ListField(child=serializers.CharField()))
    currency = serializers.CharField()
    exponent = serializers.IntegerField()
    zone = serializers.CharField()
    code = serializers.CharField(allow_null=True)
    sections = ReportSection(many=True)
    printed = serializers.DictField()
    sha256 = serializers.CharField()


class ReportLine(serializers.Serializer):
    """A report of the catalogue."""

    key = serializers.CharField()
    title = serializers.CharField()
    what = serializers.CharField()
    filters = serializers.ListField(child=serializers.CharField())
