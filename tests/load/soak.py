"""An even load on a sidecar for a long time, while its configuration changes each minute. Called by `soak`.

Single calls, two at a time, event streams, idempotency keys, stored sessions and lists of tools; the audit file is on and is
moved away each minute. Exits with 1 where a call failed, or where more is held at the end than at the start.
"""

import argparse
import asyncio
import http.client
import json
import multiprocessing
import os
import pathlib
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

THREADS = 16
WARM_UP = 20
# Longer than connections to the service are kept.
REST = 8
# MiB and descriptors that may be more at the end than at the start.
MOST_RESIDENT = 16
MOST_DESCRIPTORS = 8

DESCRIPTION = """
openapi: 3.1.0
info: {title: Pets, version: "1"}
paths:
  /pets/{petId}:
    get:
      operationId: getPet
      parameters:
        - {name: petId, in: path, required: true, schema: {type: integer, minimum: 1}}
        - {name: store, in: query, schema: {type: integer, x-agent-input-parameter: storeNumber}}
      responses:
        "200": {description: The pet, content: {application/json: {schema: {type: object}}}}
    delete:
      operationId: deletePet
      parameters:
        - {name: petId, in: path, required: true, schema: {type: integer, minimum: 1}}
      responses: {"204": {description: Gone}}
"""
CONFIGURATION = """
log: {{ level: warn }}
listen: 127.0.0.1:0
audit: {{ file: {folder}/audit.jsonl, key: "literal:0123456789abcdef0123456789abcdef" }}
toolsets:
  pets:
    openapi: pets.yaml
    server: http://127.0.0.1:{port}
    auth: {{ api_key: {{ in: header, name: X-Api-Key, value: "literal:soak-key" }} }}
    egress: {{ allow: [127.0.0.0/8] }}
    limits: {{ timeout: {timeout}s }}
    {tools}
"""


class Service(asyncio.Protocol):
    """Answers every request of a connection with a pet."""

    BODY = b'{"id":7,"name":"Rex"}'
    ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (len(BODY), BODY)

    def __init__(self):
        self.seen = b""

    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        *heads, self.seen = (self.seen + data).split(b"\r\n\r\n")
        for _ in heads:
            self.transport.write(self.ANSWER)


def serve(told):
    async def run():
        server = await asyncio.get_running_loop().create_server(Service, "127.0.0.1", 0)
        told.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()
    asyncio.run(run())


class Sidecar:
    def __init__(self, callgate, folder, port):
        self.folder, self.port = folder, port
        (folder / "pets.yaml").write_text(DESCRIPTION)
        self.write(0)
        self.log = open(folder / "log", "w+b")
        self.process = subprocess.Popen([callgate, "serve", folder / "callgate.yaml"], stderr=self.log)
        self.address = self.listening()

    def write(self, number):
        """A configuration that differs from the one before in what is sent and in what is offered."""
        tools = "tools: { exclude: [deletePet] }" if number % 2 else ""
        text = CONFIGURATION.format(folder=self.folder, port=self.port, timeout=20 + number % 5, tools=tools)
        beside = self.folder / "callgate.new"
        beside.write_text(text)
        beside.rename(self.folder / "callgate.yaml")

    def listening(self):
        for _ in range(200):
            self.log.seek(0)
            found = re.search(rb"http://127\.0\.0\.1:(\d+)", self.log.read())
            if found:
                return ("127.0.0.1", int(found[1]))
            time.sleep(0.05)
        self.log.seek(0)
        raise SystemExit(f"the sidecar does not say where it listens: {self.log.read().decode()}")

    def resident(self):
        text = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", text)[1]) / 1024

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def n_reloads(self):
        client = http.client.HTTPConnection(*self.address, timeout=10)
        client.request("GET", "/metrics")
        text = client.getresponse().read().decode()
        found = {outcome: int(count) for outcome, count in
                 re.findall(r'callgate_reloads_total\{outcome="(\w+)"\} (\d+)', text)}
        return found.get("replaced", 0), found.get("refused", 0)


class Load:
    """Calls at an even rate, on as many connections as there are threads."""

    def __init__(self, address, rate):
        self.address, self.rate = address, rate
        self.latencies, self.failures = [], []
        self.n_calls = 0
        self.is_over = threading.Event()
        self.lock = threading.Lock()
        self.threads = [threading.Thread(target=self.run, args=(at,)) for at in range(THREADS)]

    def start(self):
        for thread in self.threads:
            thread.start()

    def end(self):
        self.is_over.set()
        for thread in self.threads:
            thread.join()

    def run(self, at):
        client = http.client.HTTPConnection(*self.address, timeout=40)
        interval = THREADS / self.rate
        due = time.monotonic() + interval * at / THREADS
        number = at
        while not self.is_over.is_set():
            time.sleep(max(0, due - time.monotonic()))
            due += interval
            began = time.monotonic()
            failure = ask(client, number)
            took = (time.monotonic() - began) * 1000
            number += THREADS
            with self.lock:
                self.n_calls += 1
                self.latencies.append(took)
                if failure:
                    self.failures.append(failure)
        client.close()

    def taken(self):
        """The latencies since the last time."""
        with self.lock:
            latencies, self.latencies = self.latencies, []
        return latencies


def ask(client, number):
    """One request of the mix; what was wrong with its answer."""
    headers = {"Content-Type": "application/json"}
    session = f"s-{number % 100}"
    call = {"id": str(number), "tool": "pets-getPet", "args": {"petId": number % 1000 + 1}}
    method, path, body = "POST", "/v1/calls", {"calls": [call], "session": {"id": session}}
    expected = b'"Rex"'
    if number % 20 == 1:
        method, path, body, expected = "GET", "/v1/tools", None, b"pets-getPet"
    elif number % 20 == 2:
        method, path, body, expected = "PUT", f"/v1/sessions/{session}", {"parameters": {"storeNumber": number}}, b""
    elif number % 10 == 3:
        headers["Accept"] = "text/event-stream"
    elif number % 10 == 4:
        body["calls"].append({**call, "id": "second"})
    elif number % 100 == 5:
        headers["Idempotency-Key"] = f"key-{number}-{os.getpid()}"
    try:
        client.request(method, path, json.dumps(body) if body else None, headers)
        answer = client.getresponse()
        text = answer.read()
    except (OSError, http.client.HTTPException) as error:
        client.close()
        return f"{method} {path}: {error!r}"
    if answer.status >= 300 or expected not in text or b'"error"' in text:
        return f"{method} {path}: {answer.status} {text[:300]!r}"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--callgate", required=True)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--rate", type=float, default=200)
    given = parser.parse_args()
    hears, told = multiprocessing.Pipe()
    service = multiprocessing.Process(target=serve, args=(told,), daemon=True)
    service.start()
    with tempfile.TemporaryDirectory() as folder:
        sidecar = Sidecar(given.callgate, pathlib.Path(folder), hears.recv())
        try:
            harm = soaked(sidecar, given)
        finally:
            sidecar.process.terminate()
            code = sidecar.process.wait(60)
    service.terminate()
    harm += [f"the sidecar ended with {code}"] * (code != 0)
    for one in harm:
        print(f"FAILED: {one}")
    sys.exit(1 if harm else 0)


def soaked(sidecar, given):
    warm = Load(sidecar.address, given.rate)
    warm.start()
    time.sleep(WARM_UP / 2)
    # A first reload takes what every later one does.
    sidecar.write(1)
    time.sleep(WARM_UP / 2)
    warm.end()
    time.sleep(REST)
    before = sidecar.resident(), sidecar.descriptors()
    load = Load(sidecar.address, given.rate)
    load.start()
    began = time.monotonic()
    until = began + given.minutes * 60
    number = 1
    while (left := until - time.monotonic()) > 0:
        time.sleep(min(60, left))
        number += 1
        told(sidecar, load, number - 1)
        changed(sidecar, number)
    seconds = time.monotonic() - began
    load.end()
    time.sleep(REST)
    after = sidecar.resident(), sidecar.descriptors()
    replaced, refused = sidecar.n_reloads()
    print(f"{load.n_calls} requests in {seconds:.0f} s, {load.n_calls / seconds:.0f} a second, {replaced} reloads, {refused} refused: "
          f"{len(load.failures)} failed; resident {before[0]:.1f} MiB at the start, {after[0]:.1f} at the end; "
          f"descriptors {before[1]} and {after[1]}")
    harm = load.failures[:5]
    harm += [f"resident: {after[0] - before[0]:+.1f} MiB"] * (after[0] - before[0] > MOST_RESIDENT)
    harm += [f"descriptors: {after[1] - before[1]:+d}"] * (after[1] - before[1] > MOST_DESCRIPTORS)
    harm += [f"{replaced} reloads instead of {number}"] * (replaced < number or refused > 0)
    harm += ["the rate was not kept"] * (load.n_calls < given.rate * seconds * 0.95)
    return harm


def changed(sidecar, number):
    """A reload: by the file alone, and every second time by a signal beside it. The audit file is moved away."""
    (sidecar.folder / "audit.jsonl").rename(sidecar.folder / "audit.old")
    sidecar.write(number)
    if number % 2:
        sidecar.process.send_signal(signal.SIGHUP)
    time.sleep(1)


def told(sidecar, load, minute):
    latencies = load.taken() or [0.0, 0.0]
    p = statistics.quantiles(latencies, n=100)
    print(f"minute {minute}: {load.n_calls} requests, {len(load.failures)} failed, p50 {p[49]:.1f} ms, p99 {p[98]:.1f} ms, "
          f"resident {sidecar.resident():.1f} MiB, {sidecar.descriptors()} descriptors", flush=True)


if __name__ == "__main__":
    main()
