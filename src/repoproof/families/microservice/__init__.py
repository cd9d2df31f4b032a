"""README in, deployed microservice out: deployment, golden HTTP tests, API coverage."""

from .family import Microservice
from .task import MicroserviceTask, SealedMicroservice

FAMILY = Microservice()

__all__ = ["FAMILY", "Microservice", "MicroserviceTask", "SealedMicroservice"]
