"""Makes a large description like those of cloud directories: many operations whose bodies and answers refer to deep schemas
that all refer to each other, each with a required property that has a default.

    python tests/interop/large.py --scale 1 > target/large.json

A scale of 1 is 11,500 operations and about 20 MB; what callgate takes for it must grow with the size and no faster."""

import argparse
import json
import sys

OPERATIONS = 11_500
SCHEMAS = 2_600
PROPERTIES = 24
LINKS = 4
WORDS = "the entity that this value belongs to, as the directory of the organisation knows it; read the guide before use. "


def text(number, length):
    words = f"Item {number}: {WORDS}"
    return (words * (1 + length // len(words)))[:length]


def name(number):
    return f"example.entity{number}"


def schema(number, total):
    properties = {"@odata.type": {"type": "string", "default": f"#{name(number)}"}}
    for at in range(PROPERTIES):
        kind = ("string", "integer", "boolean", "number")[at % 4]
        properties[f"value{at}"] = {"type": kind, "description": text(at, 90)}
    for link in range(LINKS):
        # Near and far ones, so that all schemas reach each other within a few steps.
        to = (number * (link + 2) + link + 1) % total
        reference = {"$ref": f"#/components/schemas/{name(to)}"}
        properties[f"link{link}"] = {"type": "array", "items": reference} if link % 2 else reference
    return {"title": f"entity{number}", "type": "object", "required": ["@odata.type"], "properties": properties}


def operation(number, method, entity):
    reference = {"$ref": f"#/components/schemas/{name(entity)}"}
    content = {"application/json": {"schema": reference}}
    described = {
        "operationId": f"{method}Entity{number}",
        "summary": f"Do {method} with entity {entity}",
        "description": text(number, 420),
        "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}]
        + [{"$ref": f"#/components/parameters/{option}"} for option in ("top", "skip", "select")],
        "responses": {"200": {"description": "fine", "content": content}},
    }
    if method in ("post", "patch"):
        described["requestBody"] = {"required": True, "content": content}
    return described


def description(scale):
    total = int(SCHEMAS * scale)
    paths, number = {}, 0
    while number < int(OPERATIONS * scale):
        methods = ("get", "post", "patch", "delete")[: int(OPERATIONS * scale) - number]
        entity = (number // 4) % total
        paths[f"/entities{number // 4}/{{id}}"] = {
            method: operation(number + at, method, entity) for at, method in enumerate(methods)
        }
        number += len(methods)
    option = {"in": "query", "schema": {"type": "integer", "minimum": 0}, "description": text(0, 80)}
    return {
        "openapi": "3.0.4",
        "info": {"title": "Large", "version": "1"},
        "servers": [{"url": "https://directory.example.com/v1"}],
        "paths": paths,
        "components": {
            "parameters": {one: {"name": f"${one}", **option} for one in ("top", "skip", "select")},
            "schemas": {name(at): schema(at, total) for at in range(total)},
        },
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scale", type=float, default=1.0)
    json.dump(description(parser.parse_args().scale), sys.stdout, separators=(",", ":"))
