"""The public Python API. Every command is a few lines over it; `docs/api.md` shows it in use."""

from .aggregate import aggregate
from .building import build_from_reference
from .host import doctor, gc
from .importing import import_repogenesis
from .models import check_model, endpoints, local_model, scripted_server
from .one import label, rerun, shell, show, show_log, verdict
from .repogenesis import run_evaluation
from .runs import check, compare, report, score
from .solve import solve
from .suites import add, build, find_suite, load_suite, new, seal
from .validation import validate

__all__ = [
    "add",
    "aggregate",
    "build",
    "build_from_reference",
    "check",
    "check_model",
    "compare",
    "doctor",
    "endpoints",
    "find_suite",
    "gc",
    "import_repogenesis",
    "label",
    "load_suite",
    "local_model",
    "new",
    "report",
    "rerun",
    "run_evaluation",
    "score",
    "scripted_server",
    "seal",
    "shell",
    "show",
    "show_log",
    "solve",
    "validate",
    "verdict",
]
