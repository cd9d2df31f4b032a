#!/bin/sh
setsid nohup waitress-serve --host="$HOST" --port="$PORT" --call library:create_app >service.log 2>&1 &
echo "started in the background"
exit 0
