"""Microservice benchmarks of others, in the layouts that they are published in."""
