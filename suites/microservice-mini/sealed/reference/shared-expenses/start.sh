#!/bin/sh
# The jar is made by `mvn package`.
set -eu
cd "$(dirname "$0")"
exec java -Xmx256m -Dmicronaut.server.port="${PORT:-8108}" -jar target/shared-expenses-1.0.jar
