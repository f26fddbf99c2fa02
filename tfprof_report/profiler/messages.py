"""The messages of TensorFlow's profiler as classes of this package's own pool: they never collide with TensorFlow's."""

from __future__ import annotations

from typing import Any

from tfprof_report.ingest.descriptors import message_class


def _tfprof(name: str) -> Any:
    return message_class(f"tensorflow.tfprof.{name}")


AdviceProto = _tfprof("AdviceProto")
AdvisorOptionsProto = _tfprof("AdvisorOptionsProto")
GraphNodeProto = _tfprof("GraphNodeProto")
MultiGraphNodeProto = _tfprof("MultiGraphNodeProto")
OpLogEntry = _tfprof("OpLogEntry")
OpLogProto = _tfprof("OpLogProto")
OptionsProto = _tfprof("OptionsProto")
ProfileProto = _tfprof("ProfileProto")
