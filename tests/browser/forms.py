"""Forms: arguments that are typed into the fields, and the request that then would be sent, which is that of the command."""

import json
import pathlib
import subprocess
import urllib.error
import urllib.parse
import urllib.request

import yaml

from pages import Watched
from world import ROOT, Sidecar, shared

FILL = (pathlib.Path(__file__).parent / "fill.js").read_text(encoding="utf-8")


# The calls that the fields could not say.
UNSAID = []


class Digits(str):
    """A number as its digits."""


def read(text):
    return json.loads(text, parse_float=Digits, parse_int=Digits)


def dumps(value):
    """JSON with the digits of its numbers."""
    if isinstance(value, Digits):
        return str(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(name)}: {dumps(member)}" for name, member in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(dumps, value)) + "]"
    return json.dumps(value)


def marked(value):
    """A value for the script that fills in the form: it keeps digits and the order of members."""
    if isinstance(value, Digits):
        return {"$digits": str(value)}
    if isinstance(value, dict):
        return {"$object": [[name, marked(member)] for name, member in value.items()]}
    if isinstance(value, list):
        return [marked(item) for item in value]
    return value


def type_into(watched, console, tool, schema, arguments):
    """Types arguments into the form of a tool, and returns what was written as JSON or was lost."""
    page = watched.open(f"{console}/tools/{tool}")
    for _ in range(60):
        done = page.evaluate("([given, root]) => {" + FILL + "}", [marked(arguments), schema])
        if done["press"] is None:
            return page, done
        with page.expect_navigation():
            page.evaluate("at => [...document.querySelectorAll('button[name=open]')].find(it => it.value === at).click()", done["press"])
    return page, {"lost": ["more rows than sixty"], "nJson": 0}


def request_of(callgate, folder, tool, arguments):
    """The request that the command shows."""
    command = [callgate, "call", "callgate.yaml", tool, "--args", dumps(arguments), "--dry-run", "--json"]
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    try:
        return plain(read(ran.stdout))
    except ValueError:
        return {"refused": ran.stderr}


def plain(result):
    """A request whose body is compared as JSON where it is JSON; otherwise the code of the refusal."""
    request = result.get("request")
    if not request:
        return {"error": result.get("error", {}).get("code")}
    body = request.get("body")
    if isinstance(body, str):
        try:
            body = read(body)
        except ValueError:
            pass
    return {"method": request["method"], "url": request["url"], "headers": request.get("headers"), "body": body}


def shown_request(page, sidecar, tool):
    """The dry run that the sidecar makes of the JSON that the form writes."""
    pairs = page.evaluate("[...new FormData(document.querySelector('form[data-trial]'))]")
    body = urllib.parse.urlencode([tuple(pair) for pair in pairs]).encode()
    try:
        written = urllib.request.urlopen(f"{sidecar.console}/tools/{tool}/arguments", body).read().decode()
    except urllib.error.HTTPError as error:
        return None, error.read().decode()
    return read(written), dry_run(sidecar, tool, written)


def dry_run(sidecar, tool, arguments):
    """The request that the sidecar shows for JSON."""
    call = f'{{"dryRun": true, "calls": [{{"tool": {json.dumps(tool)}, "args": {arguments}}}]}}'
    request = urllib.request.Request(sidecar.origin + "/v1/calls", call.encode(), {"content-type": "application/json"})
    return plain(read(urllib.request.urlopen(request).read().decode())["results"][0])


def compare(watched, sidecar, tool, arguments, name, is_valid=False):
    """Types arguments, and compares the request with that of the command. Returns the values that were written as JSON."""
    with urllib.request.urlopen(f"{sidecar.origin}/v1/tools/{tool}") as answer:
        schema = json.load(answer)["inputSchema"]
    page, done = type_into(watched, sidecar.console, tool, schema, arguments)
    if done["lost"]:
        # What no field can say is written on the other side of the form.
        page.check("input[name=source][value=json]")
        page.fill("[name=json]", dumps(arguments))
        UNSAID.append(f"{name}: {done['lost']}")
    written, shown = (arguments, dry_run(sidecar, tool, dumps(arguments))) if done["lost"] else shown_request(page, sidecar, tool)
    wanted = request_of(sidecar.callgate, sidecar.folder.name, tool, arguments)
    if written != arguments or shown != wanted:
        watched.faults.append(f"{name}: typed {dumps(arguments)[:400]}, written {dumps(written)[:400]}, sent {str(shown)[:400]}, by the command {str(wanted)[:400]}")
    if is_valid and not wanted.get("url"):
        watched.faults.append(f"{name}: no valid call: {wanted}")
    return done["nJson"]


def settings_of(folder):
    """The settings of a fixture with the paths of its files."""
    settings = yaml.safe_load((folder / "toolset.yaml").read_text())
    if "openapi" not in settings:
        return None
    settings["openapi"] = str(folder / settings["openapi"])
    if "overlays" in settings:
        settings["overlays"] = [str(folder / name) for name in settings["overlays"]]
    return settings


def fixtures(browser, _, given, faults):
    """The calls of fixtures that a tool accepts."""
    n_cases = n_json = 0
    names = sorted(path.parent.name for path in ROOT.glob("fixtures/*/toolset.yaml")) if given.whole else ["pets", "styles"]
    watched = Watched(browser, faults)
    for name in names:
        settings = settings_of(ROOT / "fixtures" / name)
        if settings is None:
            continue
        with Sidecar(given.callgate, configuration={"listen": "127.0.0.1:0", "toolsets": {"it": settings}}) as sidecar:
            cases = sorted((ROOT / "fixtures" / name / "cases").glob("*/request.http"))
            for file in cases if given.whole else cases[::3]:
                call = read((file.parent / "call.json").read_text())
                if (file.parent / "session.json").exists() or not isinstance(call.get("arguments"), dict):
                    continue
                n_cases += 1
                n_json += compare(watched, sidecar, f"it-{call['tool']}", call["arguments"], f"{name}/{file.parent.name}")
    watched.close()
    return f"{n_cases} calls, {n_json} values as JSON, {len(UNSAID)} calls on the side of the JSON: {UNSAID}"


def corpus(browser, given, faults):
    """Generated arguments of tools of other people's descriptions."""
    folder = shared()
    if not folder:
        return "corpus absent"
    n_tools = n_json = 0
    UNSAID.clear()
    watched = Watched(browser, faults)
    for file in DESCRIPTIONS:
        description = folder / "corpus/specs" / file
        if not description.exists():
            continue
        toolset = {"openapi": str(description), "server": "https://api.example.com"}
        with Sidecar(given.callgate, configuration={"listen": "127.0.0.1:0", "toolsets": {"it": toolset}}) as sidecar:
            with urllib.request.urlopen(sidecar.origin + "/v1/tools?limit=1000") as answer:
                tools = json.load(answer)["tools"]
            step = max(1, len(tools) // EACH)
            for tool in tools[::step][:EACH]:
                arguments = generated(tool["inputSchema"], tool["inputSchema"], 0)
                n_tools += 1
                n_json += compare(watched, sidecar, tool["name"], arguments, f"{file} {tool['name']}")
    watched.close()
    if len(UNSAID) > n_tools // 20:
        faults.append(f"the fields cannot say {len(UNSAID)} calls: {UNSAID[:10]}")
    return f"{n_tools} tools, {n_json} values as JSON, {len(UNSAID)} calls on the side of the JSON: {UNSAID[:10]}"


def odd(browser, _, given, faults):
    """Schemas as nobody expects them: names that mean something to browsers, trees, unions, tuples, patterns, digits, nulls; and every
    location and media type of a value."""
    watched = Watched(browser, faults)
    UNSAID.clear()
    n_json, in_json = 0, {name: (body_operation(schema), {"body": arguments}) for name, (schema, arguments) in ODD.items()}
    for version, operations in (("3.1.0", in_json), ("3.1.0", ODD_OPERATIONS), ("3.0.3", ODD_IN_30)):
        paths = {f"/{name}{operation.get('x-path', '')}": {operation.get("x-method", "post"): {"operationId": name, **operation}} for name, (operation, _) in operations.items()}
        description = {"openapi": version, "info": {"title": "Odd", "version": "1"}, "servers": [{"url": "https://a.example"}], "paths": paths, "components": {"schemas": {"Tree": TREE, "Cat": CAT, "Dog": DOG}}}
        with Sidecar(given.callgate, configuration={"listen": "127.0.0.1:0", "toolsets": {"odd": {"openapi": "odd.json"}}}, files={"odd.json": json.dumps(description)}) as sidecar:
            for name, (_, arguments) in operations.items():
                with urllib.request.urlopen(f"{sidecar.origin}/v1/tools/odd-{name}") as answer:
                    inputs = json.load(answer)["inputSchema"]["properties"]
                if set(arguments) == {"body"} and list(inputs) != ["body"]:
                    arguments = arguments["body"]
                n_json += compare(watched, sidecar, f"odd-{name}", read(json.dumps(arguments)), name, is_valid=True)
    watched.close()
    if UNSAID:
        faults.append(f"the fields cannot say {UNSAID}")
    return f"{len(ODD) + len(ODD_OPERATIONS) + len(ODD_IN_30)} schemas, {n_json} values as JSON"


def body_operation(schema, media_type="application/json"):
    return {"requestBody": {"required": True, "content": {media_type: {"schema": schema}}}, "responses": {"200": {"description": "Taken"}}}


def query_operation(*parameters):
    return {"x-method": "get", "parameters": [{"in": "query", **parameter} for parameter in parameters], "responses": {"200": {"description": "Taken"}}}


STRING = {"type": "string"}
TREE = {"type": "object", "required": ["value"], "properties": {"value": STRING, "left": {"$ref": "#/components/schemas/Tree"}, "children": {"type": "array", "items": {"$ref": "#/components/schemas/Tree"}}}}
CAT = {"type": "object", "required": ["kind", "lives"], "properties": {"kind": {"const": "cat"}, "lives": {"type": "integer"}}}
DOG = {"type": "object", "required": ["kind"], "properties": {"kind": {"const": "dog"}, "loud": {"type": "boolean"}}}


def members(**each):
    return {"type": "object", "properties": each}


ODD = {
    "names": (members(**dict.fromkeys(["__proto__", "constructor", "a/b~c", "名前", "שם", "with space", "a+b|c", "0", "+", ""], STRING)), dict.fromkeys(["__proto__", "constructor", "a/b~c", "名前", "שם", "with space", "a+b|c", "0", "+", ""], "כלב")),
    "tree": ({"$ref": "#/components/schemas/Tree"}, {"value": "a", "left": {"value": "b", "left": {"value": "c"}}, "children": [{"value": "d", "children": [{"value": "e"}]}]}),
    "union": (members(pets={"type": "array", "items": {"oneOf": [{"$ref": "#/components/schemas/Cat"}, DOG]}}), {"pets": [{"kind": "cat", "lives": 9}, {"kind": "dog", "loud": False}]}),
    "tuple": (members(at={"type": "array", "prefixItems": [{"type": "number"}, STRING]}), {"at": [1.5, "x"]}),
    "pattern": (members(a=STRING) | {"patternProperties": {"^x-": {"type": "integer"}}}, {"a": "b", "x-1": 2}),
    "free": (members(any={}, all=True, list={"type": "array"}, map={"type": "object"}), {"any": [1, {"a": None}], "all": "x", "list": ["a", 1], "map": {"k": {"z": 1.0}}}),
    "nulls": (members(a={"type": ["string", "null"]}, b={"type": "array", "items": {"type": ["integer", "null"]}}, c={"oneOf": [{"type": "null"}, CAT]}, d={"enum": ["x", None]}), {"a": None, "b": [1, None], "c": None, "d": None}),
    "digits": (members(a={"type": "integer"}, b={"type": "number"}, c={"enum": [1.0, 1.5]}), {"a": 2**63, "b": 1e-30, "c": 1.5}),
    "strings": (members(a=STRING, b=STRING, c=STRING), {"a": "", "b": "\n first\n\nlast\n", "c": "\ttab "}),
    "parts": ({"allOf": [{"$ref": "#/components/schemas/Cat"}, members(name=STRING, more=members(z=STRING))]}, {"kind": "cat", "lives": 3, "name": "Tom", "more": {"z": "1"}}),
    "discriminated": (members(pet={"oneOf": [{"$ref": "#/components/schemas/Cat"}, {"$ref": "#/components/schemas/Dog"}], "discriminator": {"propertyName": "kind", "mapping": {"cat": "#/components/schemas/Cat", "dog": "#/components/schemas/Dog"}}}), {"pet": {"kind": "dog", "loud": True}}),
    "maps": (members(lists={"type": "object", "additionalProperties": {"type": "array", "items": {"type": "integer"}}}, trees={"type": "object", "additionalProperties": {"$ref": "#/components/schemas/Tree"}}), {"lists": {"a b": [1, 2], "c": [3]}, "trees": {"x": {"value": "y"}}}),
    "types": (members(a={"type": ["string", "integer", "boolean"]}, b={"type": ["array", "null"], "items": STRING}, c={"type": ["object", "null"], "properties": {"d": STRING}}), {"a": 7, "b": ["x"], "c": {"d": "e"}}),
    "constants": ({"type": "object", "required": ["kind", "agreed"], "properties": {"kind": {"const": "order"}, "agreed": {"const": True}, "level": {"const": 3}}}, {"kind": "order", "agreed": True, "level": 3}),
    "huge": (members(a={"enum": [f"value {number}" for number in range(3000)]}), {"a": "value 2987"}),
    "mixed": (members(a={"enum": [1, "1", True, None, ""]}, b={"enum": ["", "x"]}), {"a": "1", "b": ""}),
    "directions": ({"type": "object", "required": ["id", "secret"], "properties": {"id": {"type": "integer", "readOnly": True}, "secret": {"type": "string", "writeOnly": True, "format": "password"}, "name": STRING}}, {"secret": "x", "name": "y"}),
    "defaults": (members(a={"type": "object", "default": {"b": 1}, "properties": {"b": {"type": "integer"}, "c": STRING}}, d={"type": "array", "default": [1], "items": {"type": "integer"}}), {"a": {"c": "x"}, "d": [2, 3]}),
    "formats": (members(at={"type": "string", "format": "date-time"}, on={"type": "string", "format": "date"}, id={"type": "string", "format": "uuid"}, bytes={"type": "string", "format": "byte"}, raw={"type": "string", "contentEncoding": "base64"}, big={"type": "integer", "format": "int64"}, ratio={"type": "number", "format": "float"}), {"at": "2026-01-31T23:59:59.123+05:30", "on": "2026-02-28", "id": "c0ffee00-0000-4000-8000-000000000000", "bytes": "aGk=", "raw": "aGk=", "big": 9223372036854775807, "ratio": 0.1}),
    "nested": (members(at={"type": "array", "items": {"type": "array", "items": {"type": "array", "items": {"type": "number"}}}}), {"at": [[[1.5, 2], [3, 4]], [[5, 6.25]]]}),
    "either": (members(to={"oneOf": [STRING, {"type": "array", "items": STRING}]}, meta={"anyOf": [{"type": "object", "additionalProperties": STRING}, {"type": "string", "enum": [""]}]}), {"to": ["a", "b"], "meta": ""}),
    "required": ({**members(a=STRING, b=STRING, c={"type": "integer"}), "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}, {"b": "x", "c": 1}),
    "both": ({"allOf": [members(a=STRING), {"oneOf": [members(b={"type": "integer"}) | {"required": ["b"]}, members(c=STRING) | {"required": ["c"]}]}]}, {"a": "x", "c": "y"}),
    "many": (members(**{f"p{number}": STRING for number in range(300)}), {f"p{number}": "x" for number in range(0, 300, 50)}),
}


DEEP = {"name": "filter", "style": "deepObject", "explode": True, "schema": members(state=STRING, sizes={"type": "array", "items": {"type": "integer"}}, at=members(gte={"type": "integer"}))}
FILE = {"type": "string", "format": "binary"}
ODD_OPERATIONS = {
    "deep": (query_operation({**DEEP, "schema": members(state=STRING, size={"type": "integer"})}), {"filter": {"state": "a&b", "size": 3}}),
    "deeper": (query_operation(DEEP), {"filter": {"state": "x", "sizes": [1, 2], "at": {"gte": 5}}}),
    "lists": (query_operation({"name": "pipes", "style": "pipeDelimited", "explode": False, "schema": {"type": "array", "items": STRING}}, {"name": "spaces", "style": "spaceDelimited", "explode": False, "schema": {"type": "array", "items": STRING}}, {"name": "ids", "explode": False, "schema": {"type": "array", "items": {"type": "integer", "format": "int64"}}}), {"pipes": ["a", "b"], "spaces": ["c", "d"], "ids": [9007199254740993, 2]}),
    "exploded": (query_operation({"name": "free", "style": "form", "explode": True, "schema": {"type": "object", "additionalProperties": STRING}}), {"free": {"a b": "c", "d": "e"}}),
    "written": (query_operation({"name": "where", "content": {"application/json": {"schema": members(a={"type": "array", "items": {"type": "integer"}})}}}), {"where": {"a": [1, 2]}}),
    "places": ({**query_operation({"name": "id", "in": "path", "required": True, "style": "matrix", "schema": {"type": "array", "items": STRING}}, {"name": "X-Trace", "in": "header", "schema": {"type": "array", "items": STRING}}, {"name": "taste", "in": "cookie", "schema": STRING}), "x-path": "/{id}"}, {"id": ["a/b", "c"], "X_Trace": ["d", "e"], "taste": "sweet"}),
    "form": (body_operation(members(name=STRING, tags={"type": "array", "items": STRING}, address=members(city=STRING), agreed={"type": "boolean"}), "application/x-www-form-urlencoded"), {"body": {"name": "a b&c", "tags": ["x", "y"], "address": {"city": "Köln"}, "agreed": True}}),
    "parts": (body_operation({"type": "object", "required": ["file"], "properties": {"file": FILE, "files": {"type": "array", "items": FILE}, "meta": members(a={"type": "integer"}), "words": STRING}}, "multipart/form-data"), {"body": {"file": {"data": "aGk=", "filename": "a.txt", "content_type": "text/plain"}, "files": [{"data": "eA==", "filename": "b.bin"}], "meta": {"a": 1}, "words": "x"}}),
    "octets": (body_operation(FILE, "application/octet-stream"), {"body": {"data": "AAEC"}}),
    "text": (body_operation(STRING, "text/plain"), {"body": "two\nlines"}),
    "lone": (body_operation({"type": "array", "items": {"type": "integer"}}), {"body": [1, 2]}),
}
ODD_IN_30 = {
    "nullable": (body_operation(members(a={"type": "string", "nullable": True}, b={"type": "object", "nullable": True, "properties": {"c": STRING}}, d={"allOf": [{"$ref": "#/components/schemas/Dog"}], "nullable": True}, e={"type": "string", "nullable": True, "enum": ["x", None]})), {"body": {"a": None, "b": None, "d": None, "e": None}}),
    "exclusive": (body_operation(members(a={"type": "number", "minimum": 0, "exclusiveMinimum": True}, b={"type": "string", "format": "byte"})), {"body": {"a": 0.5, "b": "aGk="}}),
}


def generated(schema, root, depth):
    """A value of a schema: required members and every second optional one, the second alternative where there is one."""
    if not isinstance(schema, dict):
        return "any"
    if "$ref" in schema:
        target = root
        for part in schema["$ref"].removeprefix("#/").split("/"):
            target = target[part.replace("~1", "/").replace("~0", "~")]
        return generated(target, root, depth + 1)
    if "const" in schema:
        return read(json.dumps(schema["const"]))
    if "enum" in schema:
        return read(json.dumps(schema["enum"][-1]))
    for several in ("oneOf", "anyOf"):
        if schema.get(several) and "properties" not in schema:
            return generated(schema[several][min(1, len(schema[several]) - 1)], root, depth + 1)
    if "allOf" in schema:
        merged = {}
        for part in schema["allOf"] + [schema.get("properties") and {"properties": schema["properties"]} or {}]:
            value = generated(part, root, depth + 1) if part else {}
            merged |= value if isinstance(value, dict) else {}
        return merged
    kind = schema.get("type")
    kind = next((it for it in kind if it != "null"), "null") if isinstance(kind, list) else kind
    if kind == "object" or "properties" in schema:
        members, required = schema.get("properties", {}), schema.get("required", [])
        if depth > 5:
            members = {name: member for name, member in members.items() if name in required and depth < 9}
        chosen = [name for at, name in enumerate(members) if name in required or at % 2 == 0]
        value = {name: generated(members[name], root, depth + 1) for name in chosen}
        if not members and isinstance(schema.get("additionalProperties"), dict):
            value["a/b"] = generated(schema["additionalProperties"], root, depth + 1)
        return value
    if kind == "array":
        return [generated(schema.get("items", {}), root, depth + 1)] * (2 if depth < 4 else 1)
    return {"integer": Digits("9007199254740993"), "number": Digits("12.50"), "boolean": True, "null": None}.get(kind, TEXT)


TEXT = 'a "text" & <more>\nö'


DESCRIPTIONS = [
    "stripe/stripe.com.json",
    "github/api.github.com.json",
    "petstore/petstore3.yaml",
    "adyen/CapitalService-v1.yaml",
    "box/openapi.json",
    "slack/slack_web_openapi_v2.json",
    "twilio/twilio_messaging_v1.json",
    "openai/openapi.yaml",
    "qdrant/openapi.json",
    "asana/asana_oas.yaml",
]
EACH = 45
