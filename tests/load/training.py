"""What a command is trained with before it is published: the calls of every case of the pets fixture, over `/v1/calls` and over MCP,
to a service on loopback, by a sidecar with tokens and an audit and by a plain one; then what people do with it on a command line.
Called by `trained`. Fails where a command does.
"""

import argparse
import http.client
import http.server
import json
import pathlib
import re
import signal
import socket
import subprocess
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PET = b'{"id":7,"name":"Rex","species":"dog","weightKg":12.50,"nickname":null,"status":"available"}'
CONFIG = """
log: {{ level: warn }}
{more}
toolsets:
  pets:
    openapi: {description}
    server: http://127.0.0.1:{service}
    prefix: ""
    auth: {{ api_key: {{ in: header, name: X-Api-Key, value: "env:TRAINING_KEY" }} }}
    egress: {{ allow: [127.0.0.0/8] }}
"""
GUARDED = """
access: {{ bearer: "env:TRAINING_TOKEN" }}
audit: {{ file: {folder}/audit.jsonl, key: "env:TRAINING_AUDIT" }}
"""
SECRETS = {"TRAINING_KEY": "key-of-the-service", "TRAINING_TOKEN": "t" * 40, "TRAINING_AUDIT": "a" * 40}
VERSION = "2026-07-28"
WAYS_IN = ["/v1/calls", "/mcp"]
CALLERS, ROUNDS = 16, 12
COPIES = 50


class Pets(http.server.BaseHTTPRequestHandler):
    """Answers every request with one pet."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def answer(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(PET)))
        self.end_headers()
        self.wfile.write(PET)

    do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = answer

    def log_message(self, *_):
        pass


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--callgate", required=True)
    parser.add_argument("--counts", required=True, help="the folder where the sidecars write what they counted")
    given = parser.parse_args()
    service = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Pets)
    threading.Thread(target=service.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        for name, config, ways in sidecars(folder, service.server_port):
            counts = {"LLVM_PROFILE_FILE": f"{given.counts}/served-{name}-%p.profraw"}
            serve(given.callgate, config, counts, requests(ways) * ROUNDS)
        command_line(given.callgate, large(folder))


def sidecars(folder, service):
    """The name, configuration and ways of each."""
    guarded = GUARDED.format(folder=folder)
    for name, more, ways in (("calls", "", ["/v1/calls"]), ("both", "", WAYS_IN), ("guarded", guarded, WAYS_IN)):
        config = pathlib.Path(folder) / f"{name}.yaml"
        config.write_text(CONFIG.format(more=more, description=ROOT / "fixtures/pets/spec.yaml", service=service))
        yield name, config, ways


def serve(command, config, more, made):
    """Has a sidecar answer these requests of every caller, and ends it as its operator would."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    arguments = ["serve", config, "--listen", f"127.0.0.1:{port}"]
    sidecar = subprocess.Popen([command, *arguments], env=SECRETS | more, stderr=subprocess.DEVNULL)
    try:
        wait(port, sidecar)
        callers = [threading.Thread(target=call, args=(port, made)) for _ in range(CALLERS)]
        for caller in callers:
            caller.start()
        for caller in callers:
            caller.join()
    finally:
        sidecar.send_signal(signal.SIGTERM)
    if sidecar.wait(60) != 0:
        raise SystemExit(f"the sidecar ended with {sidecar.returncode}")


def wait(port, sidecar):
    for _ in range(300):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        if sidecar.poll() is not None:
            break
        time.sleep(0.1)
    raise SystemExit("the sidecar does not listen")


def requests(ways):
    """Path, headers and body of a request for each case over each of these ways."""
    made = []
    for case in sorted((ROOT / "fixtures/pets/cases").iterdir()):
        wanted = json.loads((case / "call.json").read_text())
        tool, arguments = wanted["tool"], wanted.get("arguments", {})
        stored = case / "session.json"
        session = json.loads(stored.read_text()) if stored.exists() else {}
        session = {name: session[name] for name in ("id", "parameters", "payload") if name in session}
        calls = {"calls": [{"id": "1", "tool": tool, "args": arguments}], "session": session}
        made.append(("/v1/calls", {}, calls))
        meta = {
            "io.modelcontextprotocol/protocolVersion": VERSION,
            "io.modelcontextprotocol/clientCapabilities": {},
            "callgate/session": session,
        }
        params = {"name": tool, "arguments": arguments, "_meta": meta}
        headers = {
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": VERSION,
            "Mcp-Method": "tools/call",
            "Mcp-Name": tool,
        }
        made.append(("/mcp", headers, {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}))
    return [request for request in made if request[0] in ways]


def call(port, made):
    """One caller, which keeps its connection."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    usual = {"Content-Type": "application/json", "Authorization": f"Bearer {SECRETS['TRAINING_TOKEN']}"}
    for path, headers, body in made:
        connection.request("POST", path, json.dumps(body), usual | headers)
        connection.getresponse().read()
    connection.close()


def large(folder):
    """A description with the paths of the pets fixture many times, so that reading one counts as what runs often."""
    before, rest = (ROOT / "fixtures/pets/spec.yaml").read_text().split("\npaths:\n")
    paths, after = re.split(r"\n(?=components:\n)", rest)
    copies = []
    for n in range(COPIES):
        copy = re.sub(r"^  /", f"  /copy{n}/", paths, flags=re.MULTILINE)
        copies.append(re.sub(r"(operationId: \w+)", rf"\g<1>{n}", copy))
    file = pathlib.Path(folder) / "large.yaml"
    file.write_text(before + "\npaths:\n" + "\n".join(copies) + "\n" + after)
    return str(file)


def command_line(callgate, large):
    """What people run; each once, beside the many calls of a sidecar."""
    pets = "fixtures/pets/spec.yaml"
    for arguments in (
        ["--version"],
        ["test", "fixtures"],
        ["check", pets],
        ["check", large],
        ["tools", pets],
        ["tools", pets, "getPet"],
        ["call", "config/demo.yaml", "pets-getPet", "petId=7"],
    ):
        ended = subprocess.run([callgate, *arguments], cwd=ROOT, env=SECRETS, capture_output=True, text=True)
        # `check` finds something.
        if ended.returncode != int(arguments[0] == "check"):
            raise SystemExit(f"callgate {' '.join(arguments)}: {ended.stderr}")


if __name__ == "__main__":
    main()
