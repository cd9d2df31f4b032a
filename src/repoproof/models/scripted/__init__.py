"""A scripted server stands for a model in tests and first steps: deterministic, free, and as unreliable as it is told to be."""

from .rule import Rule, Spoiled
from .rules import read_rules
from .script import Counts
from .server import ScriptedServer, scripted_server

__all__ = ["Counts", "Rule", "ScriptedServer", "Spoiled", "read_rules", "scripted_server"]
