#!/usr/bin/env python3
"""Logs of every format that a release wrote are read for ever: those of tests/logs as expected.json beside each says.

Usage: kept_logs.py DETSHIM LOGS [--write]    --write: writes expected.json of logs that have none yet, to be read
"""

import json
import pathlib
import subprocess
import sys


def summary_of(detshim, folder):
    result = subprocess.run(
        [detshim, "log", str(folder), "--json", "--no-scan"], capture_output=True, text=True
    )
    if result.returncode not in (0, 1):
        raise SystemExit(f"{folder}: {result.stderr}")
    document = json.loads(result.stdout)
    calls = [
        {key: call[key] for key in ("action", "library", "function", "count", "exact", "why")}
        | {"places": sorted(place["at"] for place in call["places"])}
        for call in document["calls"]
    ]
    return {
        key: document[key]
        for key in (
            "run",
            "programs",
            "ranks",
            "processes",
            "threads",
            "totals",
            "lost",
            "noted",
            "environment",
            "damaged_lines",
            "torn_lines",
            "processes_without_counts",
            "unreadable_files",
            "other_format_files",
            "without_end",
        )
    } | {"calls": calls}


def main():
    detshim, logs = sys.argv[1], pathlib.Path(sys.argv[2])
    bad = 0
    folders = sorted(folder for folder in logs.glob("v*/*") if folder.is_dir())
    for folder in folders:
        expected = folder / "expected.json"
        found = summary_of(detshim, folder)
        if "--write" in sys.argv and not expected.exists():
            expected.write_text(json.dumps(found, indent=1) + "\n")
        wanted = json.loads(expected.read_text())
        for key in sorted(found | wanted):
            if found.get(key) != wanted.get(key):
                bad += 1
                print(
                    f"{folder}: {key} is {found.get(key)}, expected is {wanted.get(key)}",
                    file=sys.stderr,
                )
    return 1 if bad or len(folders) < 4 else 0


if __name__ == "__main__":
    sys.exit(main())
