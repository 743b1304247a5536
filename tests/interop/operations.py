"""Counts the operations of an OpenAPI document without any of our code: PyYAML or json, and the words of the
specification. Follows a path item into another file of the same folder, since an item may be a reference."""

import json
from pathlib import Path

import yaml

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
# The methods that a version adds (OpenAPI 3.2.0 §4.9.1).
ADDED = {"3.2": ("query",)}
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def load(path):
    text = Path(path).read_text(encoding="utf-8-sig")
    return json.loads(text) if text.lstrip().startswith("{") else yaml.load(text, Loader=LOADER)


def version(document):
    """`2.0`, `3.0`, `3.1` or `3.2`."""
    return ".".join(str(document.get("openapi") or document.get("swagger")).split(".")[:2])


def count(path):
    document = load(path)
    methods = METHODS + ADDED.get(version(document), ())
    total = 0
    for template, item in (document.get("paths") or {}).items():
        if str(template).startswith("x-"):
            continue
        item = followed(item, document, Path(path))
        total += sum(isinstance(item.get(method), dict) for method in methods)
        if version(document) == "3.2":
            total += len(item.get("additionalOperations") or {})
    return total


def has_absolute_server(document):
    """Whether the root names a server that needs no other address to be one."""
    if "swagger" in document:
        return bool(document.get("host"))
    servers = document.get("servers") or [{}]
    return str(servers[0].get("url") or "").startswith(("http://", "https://", "{"))


def followed(item, document, path):
    """The path item, or the one it refers to."""
    for _ in range(16):
        reference = item.get("$ref") if isinstance(item, dict) else None
        if not isinstance(reference, str):
            break
        file, _, pointer = reference.partition("#")
        if file:
            path = path.parent / file
            document = load(path)
        item = document
        for part in pointer.split("/")[1:]:
            item = item[part.replace("~1", "/").replace("~0", "~")]
    return item if isinstance(item, dict) else {}
