"""The JSON Schema of `report.json`, published as `report.schema.json` beside this file.

python -m repoproof.reports.schema > src/repoproof/reports/report.schema.json
"""

from __future__ import annotations

import json
from typing import Any

from .report import REPORT_SCHEMA_VERSION, Report


def report_schema() -> dict[str, Any]:
    """JSON Schema 2020-12 of a report as it is written."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:repoproof:report:{REPORT_SCHEMA_VERSION}",
        **Report.model_json_schema(mode="serialization"),
    }


if __name__ == "__main__":
    print(json.dumps(report_schema(), indent=2))
