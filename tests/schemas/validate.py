#!/usr/bin/env python3
"""Holds JSON against a schema: of JSON Schema (draft 2020-12) what the schemas of docs/schemas use.

Usage: validate.py SCHEMA FILE...    a file that ends in .jsonl or .ranks holds a document a line
"""

import json
import re
import sys

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
KNOWN = {
    "$schema",
    "$defs",
    "$ref",
    "title",
    "description",
    "type",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "enum",
    "const",
    "pattern",
    "minimum",
    "oneOf",
    "anyOf",
}


def is_type(value, name):
    if name in ("integer", "number"):
        return isinstance(value, int if name == "integer" else (int, float)) and not isinstance(
            value, bool
        )
    return isinstance(value, TYPES[name])


def errors_of_parts(value, schema, root, at):
    """The same of what the value holds."""
    if isinstance(value, list) and "items" in schema:
        for i, item in enumerate(value):
            yield from errors(item, schema["items"], root, f"{at}[{i}]")
    if isinstance(value, dict):
        for name in schema.get("required", []):
            if name not in value:
                yield f"{at}: {name!r} is missing"
        known = schema.get("properties", {})
        others = schema.get("additionalProperties", True)
        for name, item in value.items():
            if name in known:
                yield from errors(item, known[name], root, f"{at}.{name}")
            elif others is False:
                yield f"{at}: {name!r} is not in the schema"
            elif others is not True:
                yield from errors(item, others, root, f"{at}.{name}")


def errors_of_choices(value, schema, root, at):
    """The same where the schema has several forms."""
    for word in ("oneOf", "anyOf"):
        if word not in schema:
            continue
        found = [list(errors(value, one, root, at)) for one in schema[word]]
        fitting = sum(not one for one in found)
        if fitting == 0 or (word == "oneOf" and fitting > 1):
            yield from min(
                found, key=lambda one: (any(".t: " in line for line in one), len(one))
            ) or [f"{at}: is several"]


def errors(value, schema, root, at="$"):
    """What of the value the schema does not allow, one line each."""
    if unknown := set(schema) - KNOWN:
        raise SystemExit(f"validate.py does not know {sorted(unknown)}")
    if "$ref" in schema:
        yield from errors(value, root["$defs"][schema["$ref"].removeprefix("#/$defs/")], root, at)
    if "const" in schema and value != schema["const"]:
        yield f"{at}: {value!r} is not {schema['const']!r}"
    if "enum" in schema and value not in schema["enum"]:
        yield f"{at}: {value!r} is not in {schema['enum']}"
    names = schema.get("type", [])
    names = [names] if isinstance(names, str) else names
    if names and not any(is_type(value, name) for name in names):
        yield f"{at}: {value!r} is no {' or '.join(names)}"
        return
    if isinstance(value, str) and not re.search(schema.get("pattern", ""), value):
        yield f"{at}: {value!r} does not match {schema['pattern']}"
    if is_type(value, "number") and value < schema.get("minimum", value):
        yield f"{at}: {value} is below {schema['minimum']}"
    yield from errors_of_parts(value, schema, root, at)
    yield from errors_of_choices(value, schema, root, at)


def documents(name):
    with open(name, encoding="utf-8") as file:
        if not name.endswith((".jsonl", ".ranks")):
            return [(name, json.load(file))]
        # The last line of a process that was killed may be cut.
        lines = file.read().split("\n")[:-1]
        return [(f"{name}:{i + 1}", json.loads(line)) for i, line in enumerate(lines) if line]


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        schema = json.load(file)
    bad = [
        f"{where} {line}"
        for name in sys.argv[2:]
        for where, value in documents(name)
        for line in errors(value, schema, schema)
    ]
    print("\n".join(bad[:20]), end="\n" if bad else "", file=sys.stderr)
    return 1 if bad or len(sys.argv) < 3 else 0


if __name__ == "__main__":
    sys.exit(main())
