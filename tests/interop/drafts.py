"""Drafts descriptions from examples of services whose real descriptions are known, and compares: the draft is read without a fault,
examples and unseen exchanges of the same operations hold by it, its cases replay, its paths are the real ones, and no planted secret
stands in anything that was written. Exchanges are made by this file alone, from the real description. Usage:
drafts.py --callgate FILE [--validator COMMAND] [--examples N] [--operations N] [--bars] [DESCRIPTION…]"""

import argparse
import json
import os
import pathlib
import random
import re
import string
import subprocess
import tempfile
import urllib.parse
import uuid

import jsonschema
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
CORPUS = pathlib.Path(os.environ.get("CALLGATE_SHARED", ROOT.parent / "shared")) / "corpus/specs"
USUAL = [
    "petstore/petstore3.yaml", "spotify/official-spotify-open-api.yml", "box/openapi.json", "asana/asana_oas.yaml",
    "lob/lob-api-bundled.yml", "qdrant/openapi.json", "notion/notion-openapi.json", "intercom/api.intercom.io.yaml",
    "plaid/2020-09-14.yml", "xero/xero_bankfeeds.yaml", "adyen/CapitalService-v1.yaml", "github/api.github.com.json",
]
METHODS = ["get", "post", "put", "patch", "delete"]
WORDS = "amber basin cedar delta ember fjord grove haven inlet jetty knoll lagoon meadow nectar orchid pebble quarry ridge sable".split()
UNSEEN = 10


class Service:
    """A real description, and what calls of it look like."""

    def __init__(self, path, seed, most, nulls=0.3):
        self.nulls = nulls
        text = path.read_text()
        self.root = json.loads(text) if path.suffix == ".json" else yaml.load(text, yaml.CSafeLoader)
        self.random = random.Random(seed)
        operations = [(path, method) for path, item in self.root["paths"].items() for method in METHODS if method in item and "#" not in path]
        self.operations = self.random.sample(operations, min(most, len(operations)))
        self.secrets = ["".join(self.random.choices(string.ascii_letters + string.digits, k=32)) for _ in range(4)]

    def resolve(self, node):
        for _ in range(20):
            if not isinstance(node, dict) or "$ref" not in node:
                break
            target = self.root
            for name in node["$ref"].split("#/")[-1].split("/"):
                name = urllib.parse.unquote(name.replace("~1", "/").replace("~0", "~"))
                target = target.get(name, {}) if isinstance(target, dict) else {}
            node = target
        return node if isinstance(node, dict) else {}

    def exchange(self, path, method):
        item = self.root["paths"][path]
        operation = item[method]
        url, query, headers = path, [], []
        for parameter in map(self.resolve, item.get("parameters", []) + operation.get("parameters", [])):
            where, name = parameter.get("in"), parameter.get("name")
            schema = self.resolve(parameter.get("schema", {"type": parameter.get("type", "string")}))
            if where == "path":
                value = self.plain(schema, name)
                url = url.replace("{" + name + "}", urllib.parse.quote(value, safe=""))
            elif where in ("query", "header") and (parameter.get("required") or self.random.random() < 0.4):
                value = self.plain(schema, name)
                (query if where == "query" else headers).append({"name": name, "value": value})
        url = re.sub(r"\{[^}]*\}", lambda _: self.word(), url)
        headers.append({"name": "Authorization", "value": f"Bearer {self.secrets[0]}"})
        headers.append({"name": "Cookie", "value": f"session_id={self.secrets[1]}"})
        query.append({"name": "api_key", "value": self.secrets[2]})
        body = self.resolve(operation.get("requestBody", {})).get("content", {}).get("application/json")
        request = {"method": method.upper(), "headers": headers, "url": f"https://api.service.example{url}?"
                   + urllib.parse.urlencode([(pair["name"], pair["value"]) for pair in query])}
        if body:
            sample = self.sample(body.get("schema", {}))
            if isinstance(sample, dict):
                sample["client_secret"] = self.secrets[3]
            request["postData"] = {"mimeType": "application/json", "text": json.dumps(sample)}
        return {"request": request, "response": self.response(operation)}

    def response(self, operation):
        statuses = [status for status in operation.get("responses", {}) if str(status).startswith("2")]
        status = str(statuses[0]) if statuses else "200"
        status = int(status) if status.isdigit() else 200
        response = self.resolve(operation.get("responses", {}).get(statuses[0], {})) if statuses else {}
        schema = response.get("content", {}).get("application/json", {}).get("schema") or response.get("schema")
        text = json.dumps(self.sample(schema)) if schema else ""
        content = {"mimeType": "application/json", "text": text} if text else {"mimeType": "", "text": ""}
        return {"status": status, "headers": [], "content": content}

    def plain(self, schema, name):
        """A value of an address."""
        kind = self.kind(schema)
        if schema.get("enum"):
            return str(self.random.choice(schema["enum"]))
        if kind == "integer":
            return str(self.random.randint(1, 9999))
        if kind == "number":
            return f"{self.random.uniform(1, 99):.2f}"
        if kind == "boolean":
            return self.random.choice(["true", "false"])
        if kind == "array":
            return self.plain(self.resolve(schema.get("items", {})), name)
        if re.search(r"(id|key|gid|sid|ref|sha|hash|number)$", name, re.IGNORECASE):
            return self.random.choice([str(uuid.UUID(int=self.random.getrandbits(128), version=4)), f"x{self.random.randint(10**9, 10**10)}"])
        return self.text(schema)

    def kind(self, schema):
        kind = schema.get("type")
        if isinstance(kind, list):
            kind = next((name for name in kind if name != "null"), "null")
        return kind or ("object" if "properties" in schema else None)

    def word(self):
        return f"{self.random.choice(WORDS)}-{self.random.choice(WORDS)}"

    def text(self, schema):
        day = f"20{self.random.randint(10, 26)}-{self.random.randint(1, 12):02}-{self.random.randint(1, 28):02}"
        made = {"date": day, "date-time": f"{day}T12:30:00Z", "uuid": str(uuid.UUID(int=self.random.getrandbits(128), version=4)),
                "email": f"{self.random.choice(WORDS)}@mail.example", "uri": f"https://site.example/{self.random.choice(WORDS)}"}
        return made.get(schema.get("format")) or self.word()

    def sample(self, schema, depth=0):
        schema = self.resolve(schema)
        if "allOf" in schema:
            parts = [self.sample(part, depth + 1) for part in schema["allOf"]]
            own = self.sample({key: value for key, value in schema.items() if key != "allOf"}, depth + 1)
            merged = {}
            for part in [*parts, own]:
                merged |= part if isinstance(part, dict) else {}
            return merged
        for word in ("oneOf", "anyOf"):
            if schema.get(word):
                return self.sample(schema[word][0], depth + 1)
        if schema.get("enum"):
            return self.random.choice(schema["enum"])
        if (schema.get("nullable") or "null" in (schema.get("type") or [])) and self.random.random() < self.nulls:
            return None
        kind = self.kind(schema)
        if kind == "object" or kind is None and "additionalProperties" in schema:
            required = schema.get("required", []) if isinstance(schema.get("required"), list) else []
            properties = schema.get("properties", {})
            return {name: self.sample(value, depth + 1) for name, value in properties.items()
                    if name in required or (depth < 5 and self.random.random() < 0.5)}
        if kind == "array":
            return [self.sample(schema.get("items", {}), depth + 1) for _ in range(self.random.randint(1, 2) if depth < 6 else 0)]
        if kind == "integer":
            return self.random.randint(0, 99999)
        if kind == "number":
            return round(self.random.uniform(1, 999), 2) + 0.001
        if kind == "boolean":
            return self.random.random() < 0.5
        return self.text(schema)


def archive(entries):
    return json.dumps({"log": {"version": "1.2", "entries": entries}})


def form(path):
    return re.sub(r"\{[^}]*\}", "{}", path)


def match(draft, entry):
    """The operation of the draft that an exchange belongs to."""
    url = urllib.parse.urlsplit(entry["request"]["url"])
    segments = url.path.split("/")
    best = None
    for path, item in draft["paths"].items():
        parts = path.split("/")
        fits = len(parts) == len(segments) and all(
            "{" in part or urllib.parse.unquote(segment) == part for part, segment in zip(parts, segments))
        if fits and entry["request"]["method"].lower() in item and (best is None or path.count("{") < best[0]):
            best = (path.count("{"), item[entry["request"]["method"].lower()])
    return best and best[1]


def holds(draft, entry):
    """Why an exchange is not one of the draft; None where it is."""
    operation = match(draft, entry)
    if operation is None:
        return "no operation"
    query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(entry["request"]["url"]).query))
    declared = {(parameter["in"], parameter["name"]): parameter for parameter in operation.get("parameters", [])}
    keys = {scheme.get("name") for scheme in draft.get("components", {}).get("securitySchemes", {}).values()}
    for (where, name), parameter in declared.items():
        if where == "query" and parameter.get("required") and name not in query:
            return f"query {name} is required"
    for name, value in query.items():
        if name in keys:
            continue
        parameter = declared.get(("query", name))
        if parameter is None:
            return f"query {name} is not declared"
        why = value_fault(parameter["schema"], value)
        if why:
            return f"query {name}: {why}"
    if "postData" in entry["request"]:
        schema = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
        why = fault(draft, schema, json.loads(entry["request"]["postData"]["text"]))
        if why:
            return f"request: {why}"
    response = operation["responses"].get(str(entry["response"]["status"]), {})
    text = entry["response"]["content"]["text"]
    if text:
        why = fault(draft, response.get("content", {}).get("application/json", {}).get("schema", {}), json.loads(text))
        if why:
            return f"response: {why}"
    return None


def value_fault(schema, text):
    kind = schema.get("type")
    if kind in ("integer", "number") and not re.fullmatch(r"-?\d+(\.\d+)?", text):
        return f"{kind}"
    if kind == "boolean" and text not in ("true", "false"):
        return "boolean"
    if "enum" in schema and text not in schema["enum"]:
        return "enum"
    return None


def fault(draft, schema, value):
    checker = jsonschema.Draft202012Validator({**schema, "components": draft.get("components", {})})
    for error in checker.iter_errors(value):
        return f"{'/'.join(map(str, error.absolute_path))}: {error.message[:80]}"
    return None


def places(value, place=()):
    """Every place within a body at which a value stands that is not `null`."""
    if place and value is not None:
        yield place
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, member in inner:
        yield from places(member, (*place, name))


def spoil(randomly, text):
    """A body with one value of a type that it never has."""
    value = json.loads(text)
    where = [place for place in places(value)]
    if not where:
        return None
    *parents, name = randomly.choice(where)
    holder = value
    for parent in parents:
        holder = holder[parent]
    was = holder[name]
    others = [17.5, True, "amber", {"wrong": 1}, ["amber", 17.5]]
    kind = lambda one: float if isinstance(one, (int, float)) and not isinstance(one, bool) else type(one)
    holder[name] = randomly.choice([other for other in others if kind(other) is not kind(was)])
    return json.dumps(value)


def count_refused(draft, unseen, randomly):
    """How many exchanges with one wrong value the draft refuses, of requests and of responses, of those that it accepts unspoilt."""
    counts = {"request": [0, 0], "response": [0, 0]}
    for entry in unseen:
        bodies = {"request": entry["request"].get("postData", {}), "response": entry["response"]["content"]}
        if holds(draft, entry):
            continue
        for side, body in bodies.items():
            spoilt = body.get("text") and spoil(randomly, body["text"])
            if spoilt:
                was, body["text"] = body["text"], spoilt
                counts[side][0] += holds(draft, entry) is not None
                counts[side][1] += 1
                body["text"] = was
    return counts


def examine(callgate, path, options):
    service = Service(path, options.seed, options.operations, options.nulls)
    seen = [service.exchange(*operation) for operation in service.operations for _ in range(options.examples)]
    unseen = [service.exchange(*operation) for operation in service.operations for _ in range(UNSEEN)]
    with tempfile.TemporaryDirectory() as home:
        folder = pathlib.Path(home)
        (folder / "all.har").write_text(archive(seen))
        cases = ["--cases", folder / "cases"] if options.cases else []
        ran = subprocess.run([callgate, "draft", "--har", folder / "all.har", "-o", folder / "spec.yaml", *cases], capture_output=True, text=True)
        assert ran.returncode == 0, ran.stderr
        if options.keep:
            pathlib.Path(options.keep).mkdir(exist_ok=True)
            name = path.parent.name
            (pathlib.Path(options.keep) / f"{name}.yaml").write_text((folder / "spec.yaml").read_text())
            (pathlib.Path(options.keep) / f"{name}.har").write_text(archive(seen))
        draft = yaml.load((folder / "spec.yaml").read_text(), yaml.CSafeLoader)
        checked = subprocess.run([callgate, "check", folder / "spec.yaml"], capture_output=True, text=True)
        judged = options.validator and subprocess.run([options.validator, folder / "spec.yaml"], capture_output=True, text=True)
        if judged and judged.returncode:
            print(judged.stdout[-1000:], judged.stderr[-1000:])
        written = ran.stdout + ran.stderr + "".join(file.read_text() for file in folder.rglob("*") if file.is_file() and file.name != "all.har")
        leaked = [secret for secret in service.secrets if secret in written]
        tested = subprocess.run([callgate, "test", folder / "cases"], capture_output=True, text=True) if options.cases else None
    real = {(form(path), method) for path, method in service.operations}
    drafted = {(form(path), method) for path, item in draft["paths"].items() for method in item if method in METHODS}
    bad_seen = [why for entry in seen if (why := holds(draft, entry))]
    bad_unseen = [why for entry in unseen if (why := holds(draft, entry))]
    right = len(real & drafted)
    refused = count_refused(draft, unseen, service.random)
    if options.show:
        for why in (bad_seen + bad_unseen)[: options.show]:
            print("   ", why)
        print("    lacks", sorted(real - drafted)[: options.show], "has", sorted(drafted - real)[: options.show])
        print("   ", checked.stdout[-600:], checked.stderr[-300:])
    return {"name": path.parent.name, "real": len(real), "drafted": len(drafted), "right": right, "seen": len(seen), "bad_seen": len(bad_seen),
            "unseen": len(unseen), "bad_unseen": len(bad_unseen), "leaked": len(leaked), "refused": checked.returncode > 1 or " refused" in checked.stdout and not re.search(r"\b0 refused", checked.stdout),
            "spoilt_requests": refused["request"], "spoilt_responses": refused["response"], "invalid": bool(judged and judged.returncode), "tests": tested.stdout.strip().splitlines()[-1:] if tested else []}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--callgate", required=True)
    parser.add_argument("--examples", type=int, default=10)
    parser.add_argument("--operations", type=int, default=25)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--nulls", type=float, default=0.3, help="the share of values that may be null and are")
    parser.add_argument("--show", type=int, default=0)
    parser.add_argument("--cases", action="store_true")
    parser.add_argument("--validator", help="a command that says by its exit code if a description is one")
    parser.add_argument("--keep", help="a folder for drafts and recordings")
    parser.add_argument("--bars", action="store_true", help="fail where a draft is wrong more often than it may be")
    parser.add_argument("descriptions", nargs="*")
    options = parser.parse_args()
    if not CORPUS.exists():
        print("corpus absent")
        return
    rows = [examine(options.callgate, CORPUS / name, options) for name in options.descriptions or USUAL]
    for row in rows:
        print(" ".join(f"{name} {value}" for name, value in row.items()))
    total = {name: sum(row[name] for row in rows) for name in ("real", "drafted", "right", "seen", "bad_seen", "unseen", "bad_unseen", "leaked")}
    f1 = 2 * total["right"] / (total["real"] + total["drafted"])
    accepted = 1 - total["bad_unseen"] / total["unseen"]
    spoilt = {name: [sum(row[name][at] for row in rows) for at in (0, 1)] for name in ("spoilt_requests", "spoilt_responses")}
    shares = {name: refused / max(1, of) for name, (refused, of) in spoilt.items()}
    print(f"drafts: {options.examples} examples, paths F1 {f1:.3f}, {total['bad_seen']} of {total['seen']} seen wrong, unseen {accepted:.1%} accepted, "
          f"{total['leaked']} secrets; of bodies with a value of a wrong type refused: {shares['spoilt_requests']:.1%} of {spoilt['spoilt_requests'][1]} "
          f"requests, {shares['spoilt_responses']:.1%} of {spoilt['spoilt_responses'][1]} responses")
    faults = [row["name"] for row in rows if row["refused"] or row["leaked"] or row["invalid"] or any(" 0 failed" not in line for line in row["tests"])]
    if options.bars and (faults or f1 < 0.9 or accepted < 0.95 or min(shares.values()) < 0.95 or total["bad_seen"] * 100 > total["seen"]):
        raise SystemExit(f"drafts: a bar is not met {faults}")


if __name__ == "__main__":
    main()
