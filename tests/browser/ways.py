"""The same call elsewhere: what the page of a tool prints is run as it stands, and the service gets the same request each time."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import urllib.request

from pages import Watched
from world import TOKEN, Sidecar, serve

# The requests that the service got.
SEEN = []
# What shells, JSON, forms and Python read otherwise than a person means it.
TEXTS = {
    "quotes": """it's "so" `here` \\ and \\n ''""",
    "shell": "$HOME ${PATH} $(id) !! !1 * ~ ; & | > #",
    "lines": "\n two\nlines\r\n and\ta tab \n",
    "letters": "Grüße, 犬, עברית, 👩‍👩‍👧 é",
    "at": "@/etc/hostname",
    "percent": "100 % of %41 + a=b&c=d",
    "nothing": "",
    "dashes": "--data -X DELETE",
}
DIGITS = '{"no": 9223372036854775808, "much": 12.50, "tiny": 1e-30, "note": null, "given": true, "list": [1.0, 2]}'


def reply(request, _):
    headers = {name: request.headers.get(name) for name in ("content-type", "x-note", "cookie")}
    SEEN.append((request.command, request.path, headers, request.sent))
    return 200, {"content-type": "application/json"}, '{"said": 12.50}'


def description():
    """Tools whose requests have nothing in common: a path, a query, a header, a cookie, JSON, a form, a text."""
    text = {"type": "string"}
    anything = {"type": "object", "properties": {"no": {"type": "integer"}, "note": {"type": ["string", "null"]}}, "additionalProperties": True}

    def body(media_type, schema):
        return {"requestBody": {"required": True, "content": {media_type: {"schema": schema}}}}

    def parameter(name, place, schema=text):
        return {"name": name, "in": place, "required": place == "path", "schema": schema}

    look = [parameter("it's a name", "query"), parameter("x-note", "header"), parameter("taste", "cookie"), parameter("each", "query", {"type": "array", "items": text})]
    taken = {"responses": {"200": {"description": "Taken"}}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Echo", "version": "1"},
        "paths": {
            "/look/{what}": {"get": {"operationId": "look", "parameters": [parameter("what", "path"), *look], **taken}},
            "/keep": {"post": {"operationId": "keep", **body("application/json", anything), **taken}},
            "/write": {"put": {"operationId": "write", **body("application/x-www-form-urlencoded", {"type": "object", "properties": {"a b": text, "c'd": text}}), **taken}},
            "/say": {"post": {"operationId": "say", **body("text/plain", text), **taken}},
        },
    }


def calls():
    """The name of each call, its tool, and its arguments as JSON."""
    for name, text in TEXTS.items():
        # A path takes no control characters.
        yield f"look at {name}", "look", json.dumps({"what": " ".join(text.split()) or "x", "it_s_a_name": text, "each": [text, "b"]})
        yield f"keep {name}", "keep", json.dumps({"body": {"text": text, text or "a": {text: [text]}}}, ensure_ascii=name == "letters")
        yield f"write {name}", "write", json.dumps({"body": {"a b": text, "c'd": text}})
        yield f"say {name}", "say", json.dumps({"body": text})
    yield "headers", "look", json.dumps({"what": "x", "x_note": """it's "so" $HOME !!""", "taste": "a b"})
    yield "digits", "keep", f'{{"body": {DIGITS}}}'
    yield "nothing", "keep", '{"body": {}}'


def ways(browser, _, given, faults):
    origin = serve(reply)
    n_run = 0
    for access in (None, {"principals": {"ops": {"bearer": f"literal:{TOKEN}", "admin": True}}}):
        toolset = {"openapi": "echo.json", "server": origin}
        configuration = {"listen": "127.0.0.1:0", "toolsets": {"echo": toolset}} | ({"access": access} if access else {})
        files = {"echo.json": json.dumps(description())}
        with Sidecar(given.callgate, configuration=configuration, files=files) as sidecar:
            watched = Watched(browser, faults)
            if access:
                page = watched.open(sidecar.console)
                page.fill("#token", TOKEN)
                watched.press("text=Sign in >> nth=-1")
            chosen = list(calls())
            # Each tool with another text, where all are too many.
            for name, tool, arguments in chosen[:2] if access else chosen if given.whole else [*chosen[::9], *chosen[-3:]]:
                n_run += run_everywhere(watched, sidecar, name, tool, arguments)
            watched.close()
    return f"{n_run} ways run"


def run_everywhere(watched, sidecar, name, tool, arguments):
    """Makes a call on its page, and then in each way that the page prints. Returns the number of ways."""
    page = watched.open(f"{sidecar.console}/tools/echo-{tool}")
    page.check("input[name=source][value=json]")
    page.fill("[name=json]", arguments)
    SEEN.clear()
    watched.press("button.primary[value=call]")
    if tool != "look":
        page.wait_for_selector("form.confirm")
        watched.press("button[value=confirmed]")
    page.wait_for_selector("section.outcome h2:has-text('Result')")
    if len(SEEN) != 1:
        watched.look(False, f"{name}: {len(SEEN)} requests; {page.inner_text('section.outcome')[:300]}")
        return 0
    wanted = SEEN[0]
    printed = dict(page.evaluate("[...document.querySelectorAll('.ways h3')].map(it => [it.textContent, it.nextElementSibling.querySelector('code').textContent])"))
    watched.look(len(printed) == 5, f"{name}: {list(printed)}")
    for way, text in printed.items():
        SEEN.clear()
        said = run(sidecar, way, text)
        watched.look(SEEN == [wanted] and "12.5" in said, f"{name}, {way}: {text[:300]}\n  the service got {SEEN}\n  in place of {wanted}\n  said: {said[:300]}")
    return len(printed)


def run(sidecar, way, text):
    """Runs a way as it is printed, and returns what it says."""
    if way == "MCP":
        headers = {"content-type": "application/json", "accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-11-25", "authorization": f"Bearer {TOKEN}"}
        return urllib.request.urlopen(urllib.request.Request(sidecar.origin + "/mcp", text.encode(), headers)).read().decode()
    tools = pathlib.Path(sidecar.folder.name) / "bin"
    if not tools.exists():
        tools.mkdir()
        (tools / "callgate").symlink_to(sidecar.callgate)
    environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "TOKEN": TOKEN}
    program = [sys.executable, "-c", text] if way == "Python" else [shutil.which("bash"), "-c", text]
    ran = subprocess.run(program, cwd=sidecar.folder.name, env=environment, capture_output=True, text=True)
    return ran.stdout + ran.stderr
