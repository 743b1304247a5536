"""The cases that are kept back though the generator means them to be sent, and why, as `kept-back.json` says: places that are no
arguments, without which the case is sent and counted as such; arguments that are refused, by description and operation; and
classes of cases, each told apart by what the description and the case say. A case kept back for anything else is not
explained, and an explanation of a place or an argument that explains nothing fails a run over everything."""

import base64
import copy
import json
import re
from pathlib import Path

DATA = Path(__file__).with_name("kept-back.json")


class Reasons:
    """What is said about one description, as the judge reads it."""

    def __init__(self, file, spec):
        # Places that are no arguments, whatever is described, and arguments whose value is refused.
        self.spec, self.closed, self.refused, self.used = spec, set(), set(), set()
        self.classes = []
        for entry in json.loads(DATA.read_text()):
            place = next(key for key in ("argument", "class", "header", "query") if key in entry)
            if place == "class":
                self.classes.append(CLASSES[entry["class"]])
                continue
            for description, operations in entry["operations"].items():
                if str(file).endswith(f"/{description}"):
                    places = self.refused if place == "argument" else self.closed
                    places |= {(operation, place, entry[place]) for operation in operations}

    def explain(self, case, result):
        """Whether the case is kept back for a reason that is told, and no other."""
        at_fault = {problem["at"].lower() for problem in result.get("error", {}).get("problems") or []}
        if any(is_of(self.spec.op(case["op"]), case, at_fault) for is_of in self.classes):
            return True
        told = {each for each in self.refused if each[0] == case["op"] and each[2].lower() in at_fault}
        if not at_fault or at_fault != {each[2].lower() for each in told}:
            return False
        self.used |= told
        return True

    def without(self, case):
        """The case without the places that are no arguments, told like one without a credential."""
        names = {(place, name.lower()): (place, name) for operation, place, name in self.closed if operation == case["op"]}
        given = [(place, name) for place in ("header", "query") for name in case["args"].get(place) or {}]
        left_out = [(place, name) for place, name in given if (place, name.lower()) in names]
        if not left_out or "expect" in case:
            return case
        self.used |= {(case["op"], *names[place, name.lower()]) for place, name in left_out}
        variant = copy.deepcopy(case)
        for place, name in left_out:
            del variant["args"][place][name]
        return variant | {"withheld": left_out}

    def given(self, cases):
        """The cases, those whose body is none that the schema allows with one that it does: the value that is sent as JSON. It
        must arrive as its text. An object that is given as a JSON patch is given as another patch."""
        cases = [self.as_merge_patch(case) for case in cases]
        by_name = {case["case"]: case for case in cases}
        return [self.with_value(case, by_name.get("-".join(case["case"].split("-")[:2]))) for case in cases]

    def as_merge_patch(self, case):
        """The case with another patch of the operation in the place of a JSON patch, if its body is an object."""
        operation = self.spec.op(case["op"])
        others = [media for media in operation.bodies if "merge-patch+json" in media]
        if "expect" in case or not others or not object_as_json_patch(operation, case, {"body"}):
            return case
        variant = copy.deepcopy(case) | {"given": case["args"]["body"]}
        variant["args"]["content_type"] = others[0]
        return variant

    def with_value(self, case, like):
        value = like["args"].get("body") if like else None
        if "given" in case:
            return case
        is_raw = beside_the_schema(self.spec.op(case["op"]), case, set())
        if not is_raw or not isinstance(value, (dict, list)) or "$base64" in value:
            return case
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        variant = copy.deepcopy(case) | {"given": value}
        is_text = isinstance(case["args"]["body"], str)
        variant["args"]["body"] = text if is_text else {"$base64": base64.b64encode(text.encode()).decode()}
        return variant

    def closes(self, case):
        """The place and name that the case is to be refused for lack of, where it is no argument."""
        missing = {(place, name) for operation, place, name in self.closed if operation == case["op"]}
        return {each for each in missing if case["mode"] == "neg:missing-{}-{}".format(*each)}

    def unused(self):
        """What is said of cases that are not kept back."""
        return sorted((self.closed | self.refused) - self.used)


def beside_the_schema(operation, case, _at_fault):
    """Raw bytes or text are given where the schema of the media type says that the body is an object or a list: of media types
    that are no JSON, XML or form, the generator does not read the schema."""
    body, media = case["args"].get("body"), case["args"].get("content_type")
    is_raw = isinstance(body, str) or isinstance(body, dict) and set(body) == {"$base64"}
    if not is_raw or "expect" in case or media not in operation.bodies:
        return False
    # What is bytes by its name alone is bytes, whatever the schema says.
    is_bytes = media.split("/")[0] in ("audio", "font", "image", "video") or media.split("/")[-1] in BYTES
    schema, _, _ = operation.bodies[media]
    return not is_bytes and is_structure(operation, schema)


def is_structure(operation, schema, depth=8):
    schema = operation.spec.deref(schema)[0] if isinstance(schema, dict) else None
    if not isinstance(schema, dict) or not depth:
        return False
    return (
        schema.get("type") in ("array", "object")
        or "properties" in schema
        or any(is_structure(operation, part, depth - 1) for part in schema.get("allOf") or [])
    )


def bytes_of_a_range(operation, case, at_fault):
    """The schema says bytes, under a range of media types that the generator takes for JSON: it gives a text."""
    ranges = [body for media, body in operation.bodies.items() if media.endswith("/*")]
    is_binary = any(part.get("format") == "binary" for body in ranges for part, _ in parts(operation, *body[:2]))
    return is_binary and isinstance(case["args"].get("body"), str) and at_fault == {"body"}


def is_no_media_type(_operation, case, _at_fault):
    """The name under `content` is none of a media type, so that no `Content-Type` can be made of it."""
    return "/" not in case["args"].get("content_type", "/")


def whole_query_and_more(operation, case, at_fault):
    """A whole query string and single parameters of it are given, which no description may declare together (OpenAPI 3.2.0
    §4.12.1): a reader of the whole takes the others for parts of it."""
    wholes = {each.name.lower() for each in operation.params if each.loc == "querystring"}
    return at_fault == wholes and bool(case["args"].get("querystring")) and bool(case["args"].get("query"))


def object_as_json_patch(_operation, case, at_fault):
    """An object is given as `application/json-patch+json`, which is a list of operations (RFC 6902 §3)."""
    is_patch = case["args"].get("content_type", "").startswith("application/json-patch+json")
    return is_patch and isinstance(case["args"].get("body"), dict) and at_fault == {"body"}


def route_variable(operation, case, at_fault):
    """The path is written as a framework's route, `/<name>`: its variable is asked for, and the case does not give it."""
    names = {name.lower() for name in re.findall(r"<(?:\w+:)?(\w+)>", operation.path)}
    return bool(at_fault) and at_fault <= names - {name.lower() for name in case["args"].get("path") or {}}


def two_writers(operation, case, at_fault):
    """A member of an exploded object has the name of another parameter that is given: one key would have two writers."""
    for place in ("cookie", "query"):
        given = case["args"].get(place) or {}
        exploded = [each for each in operation.params if each.loc == place and each.explode and each.style in ("cookie", "form")]
        members = {each.name: given[each.name] for each in exploded if isinstance(given.get(each.name), dict)}
        for name, value in members.items():
            others = set(given) - {name} | {key for other, more in members.items() if other != name for key in more}
            if name.lower() in at_fault and set(value) & others:
                return True
    return False


def set_by_the_service(operation, case, at_fault):
    """The members that are refused are `readOnly`, by one of the schemas that hold together: the generator reads the first alone."""
    bodies = list(operation.bodies.items())
    media = case["args"].get("content_type")
    body = next((body for name, body in bodies if name == media), bodies[0][1] if bodies else (None, None))
    names = [[name for name in re.split(r"[.\[\]]+", at) if name and name != "body"] for at in at_fault]
    return bool(names) and all(is_read_only(operation, body[:2], each) for each in names)


def is_read_only(operation, place, names):
    places = [place]
    for name in names:
        every = [part for place in places for part in parts(operation, *place)]
        if name.isdigit():
            places = [(schema["items"], base) for schema, base in every if "items" in schema]
        else:
            members = [(member, base) for schema, base in every for member in (schema.get("properties") or {}).items()]
            places = [(value, base) for (key, value), base in members if key.lower() == name]
    return any(schema.get("readOnly") is True for place in places for schema, _ in parts(operation, *place))


def parts(operation, schema, base, depth=8):
    """A schema with all that hold beside it, each with the document that it stands in."""
    if not isinstance(schema, dict) or not depth:
        return
    yield schema, base
    if "$ref" in schema:
        yield from parts(operation, *operation.spec.deref(schema, base), depth - 1)
    for keyword in ("allOf", "anyOf", "oneOf"):
        for part in schema.get(keyword) or []:
            yield from parts(operation, part, base, depth - 1)


# Subtypes whose values are bytes.
BYTES = ("gzip", "octet-stream", "pdf", "x-gzip", "x-tar", "x-zip-compressed", "zip")
CLASSES = {
    "beside the schema": beside_the_schema,
    "bytes of a range": bytes_of_a_range,
    "no media type": is_no_media_type,
    "object as a JSON patch": object_as_json_patch,
    "set by the service": set_by_the_service,
    "variable of a route": route_variable,
    "two writers": two_writers,
    "whole query and more": whole_query_and_more,
}
