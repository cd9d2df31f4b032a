#!/bin/sh
set -e
python manage.py migrate --noinput --verbosity 0
exec waitress-serve --host="${HOST:-127.0.0.1}" --port="${PORT:-8103}" catalogue.wsgi:application
