"""What the pages are tried against: a sidecar of the built command, and real services behind it: pets that answer from recordings, a
service that answers with hostile texts, a database, a folder of documents, an agent on a model that follows a script."""

import contextlib
import http.server
import json
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAYLOADS = [
    line
    for line in (pathlib.Path(__file__).parent / "payloads.txt").read_text().splitlines()
    if line and not line.startswith("#")
]
CANARY = "canary-credential-0123456789"
TOKEN = "a-token-of-operators-0123456789"
AGENT_TOKEN = "a-token-of-an-agent-0123456789"
APPROVER_TOKEN = "a-token-of-an-approver-0123456789"


def shared():
    """The folder of descriptions and databases of other people; `None` where it is absent."""
    folder = pathlib.Path(os.environ.get("CALLGATE_SHARED", ROOT.parent / "shared"))
    return folder if (folder / "corpus").is_dir() else None


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers as its server's `reply` says: a status, headers and a body."""

    protocol_version = "HTTP/1.1"

    def answer(self):
        self.sent = self.rfile.read(int(self.headers.get("content-length") or 0))
        status, headers, text = self.server.reply(self, self.sent.decode(errors="replace"))
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if isinstance(text, str):
            content = text.encode()
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)
            return
        # Pieces, as they come, until the other side leaves.
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True
        with contextlib.suppress(OSError):
            for piece in text:
                self.wfile.write(piece.encode())
                self.wfile.flush()

    do_GET = do_POST = do_PUT = do_DELETE = answer

    def log_message(self, *_):
        pass


def serve(reply):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.reply = reply
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"


def hostile_reply(request, body):
    """Every payload as a value, a name, a header and an error."""
    headers = {"content-type": "application/json", "etag": f'"{PAYLOADS[0]}"'}
    if request.path.startswith("/large"):
        return 200, headers, json.dumps({"rows": ["x" * 1000] * 10_000})
    if request.path.startswith("/broad"):
        return 200, headers, json.dumps([{f"column {number}": "long " * 60 for number in range(25)}])
    if request.path.startswith("/text"):
        return 200, {"content-type": "text/html"}, "\n".join(PAYLOADS)
    values = [{"text": payload, payload: 1} for payload in PAYLOADS]
    status = 422 if request.path.startswith("/fails") else 200
    return status, headers, json.dumps({"message": PAYLOADS[0], "values": values, "said": body})


def hostile_description():
    """A description whose every text is a payload."""
    def at(number):
        return PAYLOADS[number % len(PAYLOADS)]

    members = {
        payload: {"type": "string", "description": payload, "enum": [payload, "b"]}
        for payload in PAYLOADS
        if "/" not in payload
    }
    query = [
        {"name": f"p{number}", "in": "query", "description": payload, "schema": {"type": "string", "title": payload, "default": payload, "pattern": "("}}
        for number, payload in enumerate(PAYLOADS)
    ]
    broken = {"name": "broken", "in": "query", "schema": {"$ref": "#/components/schemas/" + at(3)}}

    def operation(number, **more):
        return {"summary": at(number), "description": " ".join(PAYLOADS), "tags": PAYLOADS, "responses": {"200": {"description": at(number)}}, **more}

    body = {"content": {"application/json": {"schema": {"type": "object", "title": at(5), "properties": members}}}}
    return {
        "openapi": "3.1.0",
        "info": {"title": at(0), "version": at(1)},
        "paths": {
            "/values": {"get": operation(2, operationId="values", parameters=query + [broken])},
            "/fails": {"get": operation(4, operationId="fails")},
            "/text": {"get": operation(6, operationId="text")},
            "/broad": {"get": operation(7, operationId="broad")},
            "/large": {"get": operation(7, operationId="large")},
            "/written": {"post": operation(8, operationId="written", requestBody=body)},
            "/" + at(17).replace("/", "").replace("{", "").replace("?", "").replace("#", ""): {"get": operation(9, operationId="named")},
        },
    }


# The bodies that the service of files got.
UPLOADS = []


def files_reply(request, body):
    UPLOADS.append(request.sent)
    return 200, {"content-type": "application/json"}, json.dumps({"taken": len(request.sent)})


def files_description():
    binary = {"type": "string", "format": "binary"}
    parts = {"type": "object", "required": ["photo"], "properties": {"photo": binary, "note": {"type": "string"}, "more": {"type": "array", "items": binary}}}
    taken = {"responses": {"200": {"description": "Taken"}}}
    return {
        "openapi": "3.0.3",
        "info": {"title": "Files", "version": "1"},
        "paths": {
            "/parts": {"post": {"operationId": "parts", "requestBody": {"required": True, "content": {"multipart/form-data": {"schema": parts}}}, **taken}},
            "/whole": {"post": {"operationId": "whole", "requestBody": {"required": True, "content": {"application/octet-stream": {"schema": binary}}}, **taken}},
        },
    }


# The requests to the model, and the moment at which a reply that is streamed goes on.
ASKED = []
GO_ON = threading.Event()


def streamed_reply(last):
    """A call, and then words of which the last come later."""
    def event(delta, reason=None):
        return "data: " + json.dumps({"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}) + "\n\n"

    if last["role"] == "user":
        function = {"name": "pets-getPet", "arguments": '{"petId": 7}'}
        yield event({"role": "assistant", "tool_calls": [{"index": 0, "id": "c1", "type": "function", "function": function}]})
        yield event({}, "tool_calls")
    else:
        yield event({"role": "assistant", "content": "It is "})
        GO_ON.wait(300)
        yield event({"content": "Rex. " + " ".join(PAYLOADS)})
        yield event({}, "stop")
    yield "data: [DONE]\n\n"


# The calls of the model, by a word of the person.
CALLS = {"Delete": ("pets-deletePet", {"petId": 9}), "Search": ("handbook-search", {"query": "holiday"})}


def model_reply(request, body):
    """Calls a tool after words of a person, and answers after its result."""
    asked = json.loads(body)
    ASKED.append(asked)
    last = asked["messages"][-1]
    if asked.get("stream"):
        return 200, {"content-type": "text/event-stream"}, streamed_reply(last)
    if last["role"] == "user":
        tool, arguments = next((call for word, call in CALLS.items() if word in last["content"]), ("pets-getPet", {"petId": 7}))
        function = {"name": tool, "arguments": json.dumps(arguments)}
        message = {"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "type": "function", "function": function}]}
    else:
        message = {"role": "assistant", "content": "It is Rex. " + " ".join(PAYLOADS)}
    usage = {"prompt_tokens": 5, "completion_tokens": 2}
    return 200, {"content-type": "application/json"}, json.dumps({"choices": [{"message": message}], "usage": usage})


def make_database(folder):
    """Chinook where it is there, and rows of payloads."""
    connection = sqlite3.connect(folder / "shop.db")
    corpus = shared()
    tables = {"notes": "notes"}
    if corpus and (corpus / "corpus/databases/chinook.sqlite.sql").exists():
        script = (corpus / "corpus/databases/chinook.sqlite.sql").read_text(encoding="utf-8-sig")
        connection.executescript(script)
        tables |= {"albums": "Album", "tracks": "Track"}
    connection.execute("create table notes (no integer primary key, text text not null)")
    connection.executemany("insert into notes values (?, ?)", list(enumerate(PAYLOADS)))
    connection.commit()
    connection.close()
    return tables


def make_documents(folder):
    (folder / "handbook").mkdir()
    for number, payload in enumerate(PAYLOADS):
        (folder / "handbook" / f"page-{number}.md").write_text(f"# Holiday {payload}\n\nOn holiday {payload} one writes.\n")


def write_configuration(folder, access):
    hostile = serve(hostile_reply)
    model = serve(model_reply)
    files = serve(files_reply)
    (folder / "hostile.json").write_text(json.dumps(hostile_description()))
    (folder / "files.json").write_text(json.dumps(files_description()))
    tables = make_database(folder)
    make_documents(folder)
    # Beside the configuration, where a fixture of a turn may read it.
    shutil.copytree(ROOT / "fixtures/pets", folder / "pets")
    key = {"api_key": {"in": "header", "name": "X-Api-Key", "value": f"literal:{CANARY}"}}
    main = {"dialect": "openai", "url": model + "/v1", "model": "m-1", "auth": {"bearer": {"token": f"literal:{CANARY}"}}}
    keeper = {"model": "main", "instructions": "You look after pets.", "tools": {"include": ["pets-getPet", "pets-deletePet"]}}
    large = {"response_bytes": "32MiB"}
    configuration = {
        "listen": "127.0.0.1:0",
        "call_values": True,
        "models": {"main": main, "streamed": {**main, "stream": True}},
        "agents": {"keeper": keeper, "talker": {**keeper, "model": "streamed"}, "reader": {"model": "main", "tools": {"include": ["handbook-search"]}}},
        "toolsets": {
            "pets": {"openapi": "pets/spec.yaml", "server_variables": {"region": "api"}, "auth": key, "upstream": "replay", "confirm": "writes"},
            "hostile": {"openapi": "hostile.json", "server": hostile, "auth": key, "limits": large},
            "wide": {"openapi": "hostile.json", "server": hostile, "tools": {"include": ["large"]}, "limits": {**large, "result_bytes": "16MiB"}},
            "files": {"openapi": "files.json", "server": files},
            "shop": {"database": {"url": "sqlite:shop.db"}, "entities": {name: {"table": table, "description": name} for name, table in tables.items()}},
            "handbook": {"documents": {"folder": "handbook", "description": PAYLOADS[0]}},
        },
    }
    if access:
        ops, agent = {"bearer": f"literal:{TOKEN}", "admin": True}, {"bearer": f"literal:{AGENT_TOKEN}"}
        approver = {"bearer": f"literal:{APPROVER_TOKEN}", "approves": ["pets"], "toolsets": []}
        configuration["access"] = {"four_eyes": True, "principals": {"ops": ops, "agent": agent, "approver": approver}}
    (folder / "callgate.yaml").write_text(json.dumps(configuration))


def processor_time(sidecar):
    """The nanoseconds on a processor of the whole process, by its clock: `clock_getcpuclockid` of POSIX as Linux makes it."""
    return time.clock_gettime_ns(~sidecar.process.pid << 3 | 2)


class Sidecar:
    """A sidecar of the built command; it ends with the block."""

    def __init__(self, callgate, access=False, configuration=None, files=None, is_shown=True):
        self.callgate = pathlib.Path(callgate).resolve()
        self.access, self.configuration, self.is_shown = access, configuration, is_shown
        self.files = files or {}

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="console-")
        folder = pathlib.Path(self.folder.name)
        for name, text in self.files.items():
            (folder / name).write_text(text)
        if self.configuration:
            (folder / "callgate.yaml").write_text(json.dumps(self.configuration))
        else:
            write_configuration(folder, self.access)
        # Files that were just written are read a second time, which takes as long as a start.
        settled = time.time() - 60
        for file in folder.rglob("*"):
            os.utime(file, (settled, settled))
        self.process = subprocess.Popen(
            [self.callgate, "serve", "callgate.yaml"], cwd=folder, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
        )
        self.lines, self.console = [], None
        for line in self.process.stderr:
            self.lines.append(line)
            if found := re.match(r"console: (\S+)", line):
                self.console = found[1]
            if line.startswith("manual:"):
                break
        if bool(self.console) != self.is_shown:
            raise SystemExit(f"the sidecar names the console {self.console}:\n" + "".join(self.lines))
        found = re.search(r"http://127\.0\.0\.1:\d+", "".join(self.lines))
        self.origin = found[0] if found else None
        threading.Thread(target=self.drain, daemon=True).start()
        return self

    def drain(self):
        self.lines.extend(self.process.stderr)

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.folder.cleanup()
