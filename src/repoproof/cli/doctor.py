"""`repoproof doctor`."""

from __future__ import annotations

import argparse

from . import INFRASTRUCTURE, options


def arguments(parser: argparse.ArgumentParser) -> None:
    options.output_format(parser, "table", "markdown", "json")


def run(args: argparse.Namespace) -> int:
    from .. import api
    from ..reports.pages import doctor_page
    from .printing import print_page

    found = api.doctor()
    print_page(doctor_page(found), found, args.format)
    return INFRASTRUCTURE if any(finding.needed and not finding.ok for finding in found) else 0
