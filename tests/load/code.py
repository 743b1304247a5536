"""The CPU of a hundred calls that a program makes, against the same hundred calls in one request to `/v1/calls`, together and one after the
other (`ratio` is to the first), and that of keeping the journal of a program that has waited. Counts the sidecar with its workers, not the service. Needs a build with the feature `monty`.

Usage: code.py --callgate PATH [--requests N]. Prints one line of JSON."""

import argparse
import http.client
import http.server
import json
import os
import pathlib
import subprocess
import tempfile
import threading
import time

TOKEN = "token-of-kim-0123456789"
SPEC = """openapi: 3.0.3
info: {title: pets, version: '1'}
paths:
  /pets/{id}:
    get:
      operationId: get
      parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
      responses: {'200': {description: d, content: {application/json: {schema: {type: object}}}}}
  /orders:
    post:
      operationId: order
      requestBody: {required: true, content: {application/json: {schema: {type: object, properties: {number: {type: integer}}}}}}
      responses: {'200': {description: d, content: {application/json: {schema: {type: object}}}}}
  /first:
    post: {operationId: first, responses: {'200': {description: d}}}
"""
LOOP = "n = 0\nfor i in range(100):\n    n += (await pets.get(id=i))['id']\nn"
GATHER = "import asyncio\nall = await asyncio.gather(*[pets.get(id=i) for i in range(100)])\nsum([pet['id'] for pet in all])"
WRITES = "await pets.first()\nfor i in range(150):\n    await pets.order(body={'number': i})\n"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.answer({"id": int(self.path.rsplit("/", 1)[1]), "name": "Rex", "tags": ["a", "b"]})

    def do_POST(self):
        self.rfile.read(int(self.headers.get("content-length") or 0))
        self.answer({"made": True, "text": "x" * 400})

    def answer(self, value):
        body = json.dumps(value).encode()
        head = f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
        self.wfile.write(head.encode() + body)

    def log_message(self, *_):
        pass


def configuration(port, own_port, state):
    return {
        "listen": f"127.0.0.1:{own_port}",
        "access": {"bearer": f"literal:{TOKEN}"},
        "state": {"file": str(state)},
        "toolsets": {
            "pets": {"openapi": "spec.yaml", "auth": "none", "server": f"http://127.0.0.1:{port}", "confirm": {"tools": {"first": "always"}}},
            "code": {
                "code_interpreter": {"engine": "monty", "calls": {"effects": ["read", "write"]}},
                "limits": {"calls": 1000},
            },
        },
    }


class Sidecar:
    def __init__(self, callgate, folder, own_port):
        self.port = own_port
        self.process = subprocess.Popen([callgate, "serve", "callgate.json"], cwd=folder, stderr=subprocess.DEVNULL)
        for _ in range(100):
            try:
                http.client.HTTPConnection("127.0.0.1", own_port, timeout=5).connect()
                break
            except OSError:
                time.sleep(0.1)
        self.connection = http.client.HTTPConnection("127.0.0.1", own_port, timeout=120)

    def send(self, body, path="/v1/calls"):
        headers = {"content-type": "application/json", "authorization": f"Bearer {TOKEN}"}
        self.connection.request("POST", path, json.dumps(body), headers)
        answer = self.connection.getresponse()
        text = answer.read().decode()
        assert answer.status == 200, text
        return json.loads(text)

    def run(self, code):
        call = {"id": "1", "tool": "code-generate_and_execute", "args": {"input": code}}
        return self.send({"calls": [call]})["results"][0]

    def seconds(self):
        """The CPU of the sidecar and of its workers, those that have ended too."""
        total = 0
        for pid in [self.process.pid, *children(self.process.pid)]:
            fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
            total += sum(int(field) for field in fields[11 : 15 if pid == self.process.pid else 13])
        return total / os.sysconf("SC_CLK_TCK")


def children(pid):
    found = []
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            if stat.read_text().rsplit(")", 1)[1].split()[1] == str(pid):
                found.append(int(stat.parent.name))
        except OSError:
            pass
    return found


def measure(sidecar, n_requests, send):
    send()
    began, wall = sidecar.seconds(), time.monotonic()
    for _ in range(n_requests):
        send()
    return (sidecar.seconds() - began) / n_requests * 1000, (time.monotonic() - wall) / n_requests * 1000


def answered(result, expected):
    assert result["response"]["execution_result"] == expected, result


def waiting(sidecar):
    """Runs the loop of writes, which goes on after one approval; the program keeps its journal three hundred times."""
    result = sidecar.run(WRITES)
    pending = result["pending"]["id"]
    began = sidecar.seconds()
    result = sidecar.send({"decision": "approve"}, f"/v1/approvals/{pending}")
    assert result["response"]["execution_error"] == "", result
    return sidecar.seconds() - began


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--callgate", required=True)
    parser.add_argument("--requests", type=int, default=60)
    arguments = parser.parse_args()
    # A hundred connections come at once: more than a server of Python takes by itself.
    http.server.ThreadingHTTPServer.request_queue_size = 256
    service = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    service.daemon_threads = True
    threading.Thread(target=service.serve_forever, daemon=True).start()
    own = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    own_port = own.server_port
    own.server_close()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "spec.yaml").write_text(SPEC)
        written = json.dumps(configuration(service.server_port, own_port, folder / "state.db"))
        (folder / "callgate.json").write_text(written)
        sidecar = Sidecar(os.path.abspath(arguments.callgate), folder, own_port)
        try:
            print(json.dumps(figures(sidecar, arguments.requests)))
        finally:
            sidecar.process.terminate()
            sidecar.process.wait()


def figures(sidecar, n_requests):
    calls = [{"id": str(i), "tool": "pets-get", "args": {"id": i}} for i in range(100)]

    def direct(mode="parallel"):
        results = sidecar.send({"calls": calls, "mode": mode})["results"]
        assert all("response" in result for result in results), results

    rows = {}
    for name, send in [
        ("one request", direct),
        ("one request, one by one", lambda: direct("sequential")),
        ("gather", lambda: answered(sidecar.run(GATHER), "4950")),
        ("loop", lambda: answered(sidecar.run(LOOP), "4950")),
    ]:
        cpu, wall = measure(sidecar, n_requests, send)
        rows[name] = {"cpu_ms": round(cpu, 2), "wall_ms": round(wall, 2)}
    for name in ["one request, one by one", "gather", "loop"]:
        rows[name]["ratio"] = round(rows[name]["cpu_ms"] / rows["one request"]["cpu_ms"], 2)
    never = "for i in range(150):\n    await pets.order(body={'number': i})\n"
    began = sidecar.seconds()
    answered(sidecar.run(never), "")
    plain = sidecar.seconds() - began
    rows["kept"] = {"cpu_ms_per_event": round((waiting(sidecar) - plain) / 300 * 1000, 3)}
    return rows


if __name__ == "__main__":
    main()
