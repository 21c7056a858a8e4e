"""The house's own API: jobs with their progress, alarms. Below /api/v1/."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.urls import path
from django.utils.translation import gettext
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from casino import jobs, roles
from casino.alarms import acknowledge, alarms_for
from casino.api import PagesByKey
from casino.errors import NotFound
from casino.models import Alarm, Job, User


class JobAnswer(serializers.ModelSerializer):
    """A job: its state, and how far it is while it runs."""

    asked_by = serializers.SlugRelatedField("username", read_only=True, allow_null=True)
    progress = serializers.SerializerMethodField()

    class Meta:
        model = Job
        fields = ("uuid", "kind", "state", "attempts", "asked_by", "asked_at", "due_at", "started_at", "finished_at", "error", "result", "progress")
        read_only_fields = fields

    def get_progress(self, job: Job) -> dict[str, Any] | None:
        """Return `{"done": 3, "total": 12, "what": "UTH-01"}` of a running job whose worker said it."""
        step = jobs.progress_of(job) if job.state == Job.State.RUNNING else None
        return None if step is None else {"done": step.done, "total": step.total, "what": step.what}


class AlarmAnswer(serializers.ModelSerializer):
    """An alarm, and who acknowledged it."""

    acknowledged_by = serializers.CharField(source="acknowledgement.by.username", read_only=True, allow_null=True, default=None)
    acknowledged_at = serializers.DateTimeField(source="acknowledgement.recorded_at", read_only=True, allow_null=True, default=None)
    note = serializers.CharField(source="acknowledgement.note", read_only=True, default="")

    class Meta:
        model = Alarm
        fields = ("uuid", "kind", "message", "pit", "facts", "recorded_at", "acknowledged_by", "acknowledged_at", "note")
        read_only_fields = fields


class AcknowledgementBody(serializers.Serializer):
    """What is said beside an act."""

    note = serializers.CharField(max_length=300, required=False, allow_blank=True)


def _user(request: Request) -> User:
    assert isinstance(request.user, User)
    return request.user


class JobsView(GenericAPIView):
    """One's own jobs."""

    queryset = Job.objects.none()
    serializer_class = JobAnswer
    pagination_class = PagesByKey

    @extend_schema(operation_id="jobs_list", responses={200: JobAnswer(many=True)})
    def get(self, request: Request) -> Response:
        """List them, newest first."""
        page = self.paginate_queryset(jobs.jobs_for(_user(request)).order_by("-id"))
        return self.get_paginated_response(JobAnswer(page, many=True).data)


class JobView(GenericAPIView):
    """One job."""

    queryset = Job.objects.none()
    serializer_class = JobAnswer

    @extend_schema(operation_id="jobs_read", responses={200: JobAnswer})
    def get(self, request: Request, uuid: UUID) -> Response:
        """Read one job. 404 where it is somebody else's."""
        return Response(JobAnswer(_job(request, uuid)).data)


class _JobOrderView(GenericAPIView):
    queryset = Job.objects.none()
    serializer_class = JobAnswer


class JobCancelView(_JobOrderView):
    """Cancels a job; what it has done is kept."""

    @extend_schema(operation_id="jobs_cancel", request=None, responses={200: JobAnswer})
    def post(self, request: Request, uuid: UUID) -> Response:
        """Cancel it. 409 where it is over."""
        return Response(JobAnswer(jobs.cancel(_job(request, uuid), _user(request))).data)


class JobResumeView(_JobOrderView):
    """Takes a job up again that was cancelled or had failed."""

    @extend_schema(operation_id="jobs_resume", request=None, responses={200: JobAnswer})
    def post(self, request: Request, uuid: UUID) -> Response:
        """Queue it again. 409 where it is open or done."""
        return Response(JobAnswer(jobs.resume(_job(request, uuid), _user(request))).data)


class AlarmsView(GenericAPIView):
    """The alarms of one's pits and of the house."""

    queryset = Alarm.objects.none()
    serializer_class = AlarmAnswer
    pagination_class = PagesByKey

    @extend_schema(operation_id="alarms_list", responses={200: AlarmAnswer(many=True)})
    def get(self, request: Request) -> Response:
        """List them, newest first."""
        roles.require(_user(request), "acknowledge_alarms")
        page = self.paginate_queryset(alarms_for(_user(request)))
        return self.get_paginated_response(AlarmAnswer(page, many=True).data)


class AcknowledgeView(GenericAPIView):
    """Acknowledges an alarm by name."""

    queryset = Alarm.objects.none()
    serializer_class = AcknowledgementBody

    @extend_schema(operation_id="alarms_acknowledge", request=AcknowledgementBody, responses={200: AlarmAnswer})
    def post(self, request: Request, uuid: UUID) -> Response:
        """Take the alarm. 409 where somebody else did."""
        body = AcknowledgementBody(data=request.data)
        body.is_valid(raise_exception=True)
        user = _user(request)
        acknowledge(uuid, by=user, note=body.validated_data.get("note", ""))
        return Response(AlarmAnswer(alarms_for(user).get(uuid=uuid)).data)


def _job(request: Request, uuid: UUID) -> Job:
    found = jobs.jobs_for(_user(request)).filter(uuid=uuid).first()
    if found is None:
        raise NotFound("no_job", gettext("There is no such job of yours."))
    return found


urlpatterns = [
    path("jobs", JobsView.as_view(), name="jobs"),
    path("jobs/<uuid:uuid>", JobView.as_view(), name="job"),
    path("jobs/<uuid:uuid>/cancel", JobCancelView.as_view(), name="job-cancel"),
    path("jobs/<uuid:uuid>/resume", JobResumeView.as_view(), name="job-resume"),
    path("alarms", AlarmsView.as_view(), name="alarms"),
    path("alarms/<uuid:uuid>/acknowledge", AcknowledgeView.as_view(), name="alarm-acknowledge"),
]
