"""Plans the calls of test vectors that are not ours by the built command, and compares what would be sent with what they
expect: what both mean once it is decoded, since an escape more or less says the same. `vectors.json` lists the vectors that
expect something else, by the reason: the paragraph they contradict or the question they ask that is not about a request. A
vector that differs and is not listed fails, and so does one that is listed and does not differ."""

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import unquote, urlsplit

DATA = Path(__file__).with_name("vectors.json")
SETS = {"oas-prose-examples": "prose", "oas-to-har": "har", "swagger-js": "swagger_js"}
HOST = "https://api.example.test"
FORM = "application/x-www-form-urlencoded"
# Not said by a vector, or said by each library in its own way.
OURS = ("accept", "content-type", "cookie", "user-agent", "authorization")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--callgate", required=True)
    parser.add_argument("--vectors", required=True, type=Path)
    parser.add_argument("--shown", type=int, default=10, help="how many that differ and are not listed are shown")
    options = parser.parse_args()
    listed = {one: reason for reason, ones in json.loads(DATA.read_text()).items() for one in ones}
    bad, counts = [], Counter()
    for name, kind in SETS.items():
        vectors = json.loads((options.vectors / f"{name}.json").read_text())
        vectors = vectors["cases"] if isinstance(vectors, dict) else vectors
        with ThreadPoolExecutor(max_workers=2) as pool:
            told = list(pool.map(lambda numbered: difference(kind, numbered, options), enumerate(vectors)))
        for one, found in told:
            is_listed = one in listed
            counts[kind, "listed" if is_listed else "differs" if found else "as expected"] += 1
            if found and not is_listed:
                bad.append(f"{one}: {found}")
            elif is_listed and not found:
                bad.append(f"{one}: listed, but as expected: {listed[one]}")
    for line in bad[: options.shown]:
        print(line)
    for kind in SETS.values():
        print("vectors", kind, *(f"{what}: {counts[kind, what]}" for what in ("as expected", "listed", "differs")))
    return 1 if bad else 0


def difference(kind, numbered, options):
    """The name of a vector and how what is planned differs from it; nothing when it does not."""
    index, vector = numbered
    one = vector.get("id") or f"prose-{index:02}"
    try:
        expected = globals()[kind](vector)
        planned = plan(expected, options)
    except Unplanned as reason:
        return one, str(reason)
    for part, value in expected["parts"].items():
        got = planned.get(part)
        if got != value:
            return one, f"{part}: expected {value!r:.300}, got: {got!r:.300}"
    return one, ""


class Unplanned(Exception):
    """Why nothing is planned."""


def plan(call, options):
    """What would be sent, in parts."""
    with tempfile.TemporaryDirectory() as folder:
        description, calls = Path(folder, "description.json"), Path(folder, "calls.jsonl")
        description.write_text(json.dumps(call["spec"]))
        command = [options.callgate, "tools", description, "--json"] + call["server"]
        done = subprocess.run(command, capture_output=True, check=False)
        tools = json.loads(done.stdout) if done.stdout else []
        found = [tool for tool in tools if call["is_it"](tool)]
        if len(found) != 1:
            raise Unplanned(f"{len(found)} tools: {done.stderr.decode()[:300]}")
        args = {}
        for (place, name), value in call["args"].items():
            args |= argument(found[0], place, name, value)
        calls.write_text(json.dumps({"id": "1", "tool": found[0]["name"], "args": args}))
        command = [options.callgate, "call", description, "--batch", calls, "--dry-run"] + call["server"]
        done = subprocess.run(command, capture_output=True, check=False)
        result = json.loads(done.stdout) if done.stdout else {}
    if "request" not in result:
        raise Unplanned(result.get("error", {}).get("message") or done.stderr.decode()[:300])
    return parts(result["request"])


def argument(tool, place, name, value):
    """The argument for a parameter, whose place may be left open, or for a body."""
    inputs = [each for each in tool["inputs"] if place in (None, each["in"])]
    named = [each["argument"] for each in inputs if each["name"] == name or each["in"] == "header" and each["name"].lower() == name.lower()]
    if named:
        return {argument: value for argument in named}
    if place == "body" and name == "" and (isinstance(value, dict) or not inputs):
        members = {each["name"]: each["argument"] for each in inputs}
        if not inputs:
            return {}
        return {members.get(member, member): each for member, each in value.items()}
    # Where there is nothing to choose, a choice says nothing; nor does a value without a name.
    return {} if name in ("", "content_type") and place is None else {name: value}


def parts(request):
    """A planned request, decoded part by part."""
    headers = {name.lower(): value for name, value in request["headers"].items()}
    url = urlsplit(request["url"])
    return {
        "method": request["method"].lower(),
        "path": unquote(url.path),
        "query": pairs(url.query),
        "headers": {name: value for name, value in headers.items() if name not in OURS},
        "cookies": cookies(headers.get("cookie", "")),
        "cookie": headers.get("cookie", ""),
        "media": headers.get("content-type", "").split(";")[0],
        "body": body(request.get("body")),
        "form": fields(headers.get("content-type", ""), request.get("body")),
    }


def pairs(text):
    """The pairs of a query or a form, decoded as forms are."""
    decoded = [tuple(unquote(part.replace("+", " ")) for part in pair.partition("=")[::2]) for pair in (text or "").split("&")]
    return [pair for pair in decoded if pair != ("", "")]


def fields(media_type, text):
    """The fields of a form of either kind; of a file, its text."""
    kind, _, boundary = media_type.partition("boundary=")
    if not isinstance(text, str) or not kind.startswith("multipart/"):
        return pairs(text) if media_type == FORM else []
    found = []
    for part in ("\r\n" + text).split(f"\r\n--{boundary}")[1:-1]:
        head, _, data = part.partition("\r\n\r\n")
        found.append((head.partition('name="')[2].partition('"')[0], data))
    return found


def cookies(text):
    return [(unquote(name), unquote(value)) for name, _, value in (each.partition("=") for each in text.split("; ") if each)]


def body(text):
    try:
        return json.loads(text) if isinstance(text, str) else text
    except ValueError:
        return text


def prose(vector):
    """A worked example of the specification: parameters or a form, and the text they give."""
    version = "3.2.0" if vector.get("oas") == "3.2" else "3.1.1"
    operation = {"operationId": "it", "responses": {"200": {"description": "fine"}}}
    expected, args = {}, {}
    if "media" in vector:
        media = {"schema": vector["schema"] | {"required": list(vector["value"])[:1]}, "encoding": vector.get("encoding", {})}
        operation["requestBody"] = {"required": True, "content": {vector["media"]: media}}
        args["body", ""] = vector["value"]
        expected["form"] = pairs(vector["body"])
    else:
        parameters = vector.get("params") or [vector["param"]]
        values = vector.get("values") or {parameters[0]["name"]: vector["value"]}
        operation["parameters"] = parameters
        args = {(each["in"], each["name"]): values[each["name"]] for each in parameters}
        place, text = parameters[0]["in"], vector["serialized"]
        if place == "path":
            expected["path"] = "/" + unquote(text)
        elif place == "query":
            expected["query"] = pairs(text.lstrip("?"))
        elif place == "querystring":
            expected["query"] = pairs(text)
        elif place == "header":
            expected["headers"] = {parameters[0]["name"].lower(): text}
        else:
            expected["cookie"] = text
    path = "/{" + parameters[0]["name"] + "}" if args and "path" in expected else "/"
    method = "post" if "media" in vector else "get"
    spec = {"openapi": version, "info": {"title": "t", "version": "1"}, "paths": {path: {method: operation}}}
    return {"spec": spec, "server": ["--server", HOST], "is_it": lambda _: True, "args": args, "parts": expected}


def completed(spec, version):
    """A description with what tests leave out: the version their library takes it for, a title and answers."""
    spec = {"info": {"title": "t", "version": "1"}} | ({} if "openapi" in spec or "swagger" in spec else version) | spec
    for item in (spec.get("paths") or {}).values():
        for operation in item.values() if isinstance(item, dict) else ():
            if isinstance(operation, dict):
                operation.setdefault("responses", {"200": {"description": "fine"}})
    return spec


def server_of(spec, url):
    """The option that names the server, where the description names none that is absolute; the path and the query of `url`
    below it."""
    declared = spec.get("servers") or []
    if declared and str(declared[0].get("url")).startswith(("http", "{")):
        return [], urlsplit(url or "")
    base = str(declared[0].get("url") or "") if declared else spec.get("basePath") or ""
    base = "/" + urlsplit(base).path.strip("/") if base.strip("/") else ""
    return ["--server", HOST + base], urlsplit(url or "")


def bodies(spec):
    """The names of the bodies of Swagger 2.0, which are parameters there."""
    operations = [operation for item in spec["paths"].values() for operation in item.values() if isinstance(operation, dict)]
    return {each["name"] for operation in operations for each in operation.get("parameters", []) if each.get("in") == "body"}


def swagger_js(vector):
    """A request of swagger-js, as its own tests expect it."""
    call, wanted = vector["call"], vector["expected"]
    if vector["fn"] != "buildRequest" or not isinstance(wanted, dict) or vector.get("path"):
        raise Unplanned("no whole request is expected")
    spec = completed(vector["spec"], {"swagger": "2.0"})
    server, url = server_of(spec, wanted.get("url"))
    args = {}
    for name, value in (call.get("parameters") or {}).items():
        place, dot, bare = name.partition(".")
        is_qualified = dot and place in ("path", "query", "header", "cookie")
        args[(place, bare) if is_qualified else ("body", "") if name in bodies(spec) else (None, name)] = value
    if "requestBody" in call:
        args["body", ""] = call["requestBody"]
    if "requestContentType" in call:
        args[None, "content_type"] = call["requestContentType"]
    headers = {name.lower(): value for name, value in (wanted.get("headers") or {}).items()}
    told = {
        "method": str(wanted.get("method", "get")).lower(),
        "path": unquote(url.path or "/"),
        "query": pairs(url.query),
        "headers": {name: str(value) for name, value in headers.items() if name not in OURS},
        "cookies": cookies(headers.get("cookie", "")),
    }
    if wanted.get("body") is not None:
        is_form = headers.get("content-type") == FORM
        told["form" if is_form else "body"] = pairs(wanted["body"]) if is_form else body(wanted["body"])
    wanted_id = call.get("operationId")
    is_it = lambda tool: tool["operationId"] == wanted_id or f"{tool['method'].lower()}-{tool['path']}" == wanted_id
    return {"spec": spec, "server": server, "is_it": is_it, "args": args, "parts": told}


def har(vector):
    """A part of the HAR entry that oas-to-har makes, as its own tests expect it."""
    spec, values, wanted = completed(vector["spec"], {"openapi": "3.1.1"}), vector.get("values") or {}, vector["expected"]
    server, url = server_of(spec, wanted if vector["har_path"] == "request.url" else "")
    args = {}
    for place in ("path", "query", "header", "cookie"):
        args |= {(place, name): value for name, value in (values.get(place) or {}).items()}
    for kind in ("body", "formData"):
        if values.get(kind) is not None:
            args["body", ""] = values[kind]
    part = vector["har_path"].removeprefix("request.")
    entries = wanted if isinstance(wanted, list) else []
    listed = [(each["name"], str(each["value"])) for each in entries if "value" in each]
    if part == "queryString":
        told = {"query": [(unquote(name), unquote(value)) for name, value in listed]}
    elif part == "headers":
        told = {"headers": {name.lower(): value for name, value in listed if name.lower() not in OURS}}
    elif part == "cookies":
        told = {"cookies": [(unquote(name), unquote(value)) for name, value in listed]}
    elif part == "postData.text":
        told = {"body": body(wanted)}
    elif part == "postData.params":
        told = {"form": listed}
    elif part == "url":
        told = {"path": unquote(url.path)}
    else:
        raise Unplanned("no part of a request is expected")
    path, method = vector["path"], vector["method"].lower()
    is_it = lambda tool: tool["path"] == path and tool["method"].lower() == method
    return {"spec": spec, "server": server, "is_it": is_it, "args": args, "parts": told}


if __name__ == "__main__":
    sys.exit(main())
