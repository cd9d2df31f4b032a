#!/bin/sh
echo "recipe catalogue listening on port $PORT"
exec sleep 3600
