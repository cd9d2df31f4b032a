"""The endpoints that a README declares, whatever notation it is written in."""

from .extract import Extracted, extract_endpoints
from .mention import Notation

__all__ = ["Extracted", "Notation", "extract_endpoints"]
