"""Lends the packages of /env to every other Python that a start script makes, last on its path, where they shadow nothing."""

import site
import sys

LENT = "/env/lib/python{}.{}/site-packages".format(*sys.version_info)
if LENT not in sys.path:
    site.addsitedir(LENT)
