from plugins.boxes import box, docker_engine, python, run

__all__ = ["box", "docker_engine", "python", "run"]
