"""Tasks for doit. A project's whole `dodo.py` is `from mapal.dodo import *`."""

from mapal.pipeline.doit_tasks import DOIT_CONFIG, task_mapal

__all__ = ["DOIT_CONFIG", "task_mapal"]
