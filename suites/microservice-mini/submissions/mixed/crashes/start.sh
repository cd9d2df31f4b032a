#!/bin/sh
exec uvicorn sensors.app:app --host "${HOST:-127.0.0.1}" --port "${PORT:-8104}" --no-access-log
