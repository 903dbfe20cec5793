#!/bin/sh
# docs/schemas/log-record.schema.json and the tables of docs/LOG_FORMAT.md say what common/record_schema.h does, and no
# field of a hook's is called like a key of every call.
#
# Usage: log_schema_is_current.sh LOG_SCHEMA SOURCE
set -eu
status=0
"$1" json | diff -u "$2/docs/schemas/log-record.schema.json" - || status=1
[ $status = 0 ] || echo "run: tests/schemas/log_schema json >docs/schemas/log-record.schema.json"
"$1" keys | python3 -c '
import re, sys

schema = {}
for line in sys.stdin:
    record, key, kind = line.rstrip("\n").split(" ", 2)
    schema.setdefault(record, {})[key] = kind
rows = {}  # of each record, as the document has them
records = []
for line in open(sys.argv[1]):
    if line.startswith("#"):
        records = re.findall("`([a-z]+)`", line) if line.startswith("### `") else []
        table = None
    elif line.startswith("| ") and records:
        cells = line.split(" | ")
        if len(cells) > 2 and table is None:
            table = cells[:2] == ["| key", "type"]
            continue
        keys = re.findall("`([a-z_]+)`", cells[0])
        if not table or len(cells) < 3:
            continue
        kinds = cells[1].split(", ")
        for i, key in enumerate(keys):
            for record in records:
                rows.setdefault(record, {})[key] = kinds[i if len(kinds) > 1 else 0]
    elif not line.strip():
        table = None
bad = []
for record in schema:
    for key, kind in schema[record].items():
        if rows.get(record, {}).get(key) != kind:
            bad.append(f"{record}.{key} is {kind}, the document says {rows.get(record, {}).get(key)}")
for record in rows:
    known = {key for one in schema if one == record or {one, record} <= {"rank", "launcher", "clock", "threads", "forks"}
             for key in schema[one]}
    bad += [f"{record}.{key} is not in the schema" for key in rows[record] if key not in known]
heads = [line.partition("**: ")[0].partition("): ")[0] for line in open(sys.argv[2]) if line.startswith("- **")]
bad += [f"{head[2:]}) is a key of every call" for head in heads
        for field in re.findall("`([a-z_]+)`", head) if field in schema["call"]]
bad += [] if any("`" in head for head in heads) else ["HOOKS.md shows no fields"]
print("\n".join(bad), end="\n" if bad else "")
sys.exit(1 if bad or len(schema) < 20 else 0)
' "$2/docs/LOG_FORMAT.md" "$2/docs/HOOKS.md" || status=1
exit $status
