"""Which values a call is filled with where its arguments leave them out, told by the description alone, and what the judge
says of a request once it is told those values. This is our rule, written a second time from the documentation: a default of
an input is sent where its schema allows it, and so is the only legal value of a required one (not of what a body with PUT,
PATCH or DELETE leaves out). A request
that differs from its arguments by exactly these values is told apart from one that is wrong."""

import copy
import re
import sys
from urllib.parse import parse_qsl

from asked import FORMS, empty_form

ABSENT = object()
DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


class Rule:
    """The rule for one description, read by the judge's own reader of descriptions."""

    def __init__(self, file, judge):
        sys.path.insert(0, str(judge))
        from gen_args import Checker
        from judge import judge as verdict_of
        from oas import Spec

        self.spec = Spec(str(file))
        self.checker = Checker(self.spec)
        self.verdict_of = verdict_of

    def explains(self, case, request, closed):
        """Whether the request is right for the case's arguments with the filled values added to them. A case to be refused
        lacks one of those values, or one of the places in `closed`, which are no arguments."""
        operation = self.spec.op(case["op"])
        if is_fixed(operation, case["mode"]):
            return self.verdict_of(self.spec, operation, case["args"], request, case["base"])["verdict"] in ("pass", "undefined")
        args = self.filled(operation, case, closed)
        if case.get("expect") == "refuse" and not closed and not is_filled(case["mode"], args):
            return False
        return self.verdict_of(self.spec, operation, args, request, case["base"])["verdict"] in ("pass", "undefined")

    def filled(self, operation, case, closed):
        args = copy.deepcopy(case["args"])
        for parameter in operation.params:
            place, name = parameter.loc, parameter.name
            if name not in args.get(place, {}) and (place, name) not in closed:
                value = self.value(parameter.schema, parameter.base, parameter.required, True)
                if value is not ABSENT:
                    args.setdefault(place, {})[name] = value
        if "body" not in args and operation.body_required and "expect" not in case:
            # The generator leaves out a form without a field; here it is an empty one.
            media = empty_form(case, operation) or next((each for each in operation.bodies if each in FORMS), None)
            args |= {"body": {}, "content_type": media} if media else {}
        if "body" in args:
            schema, base, _ = operation.bodies.get(args["content_type"]) or ({}, self.spec.doc.path, {})
            # No body of a write is made of defaults alone.
            keeps_defaults = operation.method not in ("DELETE", "PATCH", "PUT") and args["body"] != {}
            self.fill(schema, base, args["body"], set(), keeps_defaults)
        return args

    def fill(self, schema, base, value, required, keeps_defaults):
        """Fills a value in place; `keeps_defaults` says whether optional properties have theirs."""
        schema, base = self.spec.deref(schema, base)
        if not isinstance(schema, dict):
            return
        if isinstance(value, list) and isinstance(schema.get("items"), dict):
            for item in value:
                self.fill(schema["items"], base, item, set(), False)
        if not isinstance(value, dict) or set(value) == {"$base64"}:
            return
        parts = schema.get("allOf") or []
        required = required | set(schema.get("required") or [])
        required |= {name for part in parts for name in self.spec.deref(part, base)[0].get("required") or []}
        for name, member in (schema.get("properties") or {}).items():
            if name in value:
                self.fill(member, base, value[name], set(), False)
                continue
            filling = self.value(member, base, name in required, keeps_defaults)
            if filling is not ABSENT and not self.says(member, base, "readOnly"):
                value[name] = filling
        for part in parts + only_branch(schema):
            self.fill(part, base, value, required, False)

    def value(self, schema, base, required, keeps_default):
        """The default, where it is kept and legal, or the only legal value of what is required."""
        default = self.says(schema, base, "default", ABSENT)
        if default is not ABSENT and (required or keeps_default):
            if self.is_legal(schema, base, default):
                return default
        if not required:
            return ABSENT
        options = self.says(schema, base, "enum") or []
        return self.says(schema, base, "const", options[0] if len(options) == 1 else ABSENT)

    def is_legal(self, schema, base, value):
        # The judge's validator leaves formats out; of those we check, defaults break these.
        is_day = self.says(schema, base, "format") in ("date", "date-time") and self.says(schema, base, "pattern") is None
        if is_day and isinstance(value, str) and not DAY.match(value):
            return False
        return value is not ABSENT and self.checker.check(schema, base, value) is None

    def says(self, schema, base, keyword, otherwise=None):
        """What a schema, or the one it refers to, says by a keyword."""
        for node in (schema, self.spec.deref(schema, base)[0] if isinstance(schema, dict) else None):
            if isinstance(node, dict) and keyword in node:
                return node[keyword]
        return otherwise


def only_branch(schema):
    """The branches of `anyOf` and `oneOf` beside `null`, where each has one."""
    branches = []
    for keyword in ("anyOf", "oneOf"):
        real = [each for each in schema.get(keyword) or [] if not (isinstance(each, dict) and each.get("type") == "null")]
        branches += real if len(real) == 1 else []
    return branches


def is_fixed(operation, mode):
    """Whether the key of the path itself has the query parameter that `neg:missing-query-name` leaves out."""
    names = {name for name, _ in parse_qsl(operation.path.partition("?")[2], keep_blank_values=True)}
    return mode.startswith("neg:missing-query-") and mode.removeprefix("neg:missing-query-") in names


def is_filled(mode, args):
    """Whether what `neg:missing-query-name` leaves out is filled."""
    if not mode.startswith("neg:missing-") or "-" not in mode.removeprefix("neg:missing-"):
        return False
    place, name = mode.removeprefix("neg:missing-").split("-", 1)
    holder = args.get("body" if place == "bodyprop" else place)
    return isinstance(holder, dict) and name in holder
