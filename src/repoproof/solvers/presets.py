"""The two ways of sampling that results are usually published with."""

from __future__ import annotations

from ..core.base import Frozen
from ..models.base import Sampling


class Preset(Frozen):
    """How many attempts at each task, and how their tokens are chosen."""

    samples: int
    sampling: Sampling


PRESETS = {
    "greedy": Preset(samples=1, sampling=Sampling(temperature=0.0)),
    "sampled": Preset(samples=20, sampling=Sampling(temperature=0.4, top_p=0.95)),
}
