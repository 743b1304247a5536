"""The sidecar under attack, and an honest client beside it, in a process of its own."""

import http.client
import json
import multiprocessing
import os
import pathlib
import re
import statistics
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
CALL = json.dumps({"calls": [{"id": "1", "tool": "pets-getPet", "args": {"petId": 7}}]}).encode()
JSON = {"Content-Type": "application/json"}


class Victim:
    """A sidecar that serves pets from recordings, with further keys of the configuration and of the toolset."""

    def __init__(self, callgate, limits, more=None, toolset=None):
        self.folder = tempfile.TemporaryDirectory()
        configuration = json.loads(DEMO.replace("ROOT", str(ROOT)))
        configuration |= {"limits": limits, **(more or {})}
        configuration["toolsets"]["pets"] |= toolset or {}
        file = pathlib.Path(self.folder.name, "callgate.json")
        file.write_text(json.dumps(configuration))
        self.log = open(pathlib.Path(self.folder.name, "log"), "w+b")
        command = [callgate, "serve", file, "--listen", "127.0.0.1:0"]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=self.log)
        self.address = self.listening()

    def listening(self):
        for _ in range(2400):
            self.log.seek(0)
            said = self.log.read()
            if found := re.search(rb"http://127\.0\.0\.1:(\d+)", said):
                return ("127.0.0.1", int(found[1]))
            if not self.is_alive():
                break
            time.sleep(0.05)
        raise SystemExit(f"the sidecar does not say where it listens: {said[-500:]!r}")

    @property
    def url(self):
        return f"http://{self.address[0]}:{self.address[1]}"

    def resident(self):
        """MiB that are resident now."""
        return self.status("VmRSS")

    def peak(self):
        """MiB that were resident at most since `forget`."""
        return self.status("VmHWM")

    def forget(self):
        """Begins a new peak."""
        pathlib.Path(f"/proc/{self.process.pid}/clear_refs").write_text("5")

    def status(self, name):
        text = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(rf"{name}:\s+(\d+)", text)[1]) / 1024

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def is_alive(self):
        return self.process.poll() is None

    def stop(self):
        """Its exit code after SIGTERM."""
        self.process.terminate()
        try:
            code = self.process.wait(timeout=60)
        finally:
            self.process.kill()
        self.log.close()
        self.folder.cleanup()
        return code


class Honest:
    """Calls a tool again and again: on one connection that stays, and every fifth time on a new one. Where it is told to come
    back later, it does so once."""

    def __init__(self, address, connects):
        self.asks, told = multiprocessing.Pipe()
        self.process = multiprocessing.Process(target=calling, args=(address, connects, told), daemon=True)
        self.process.start()
        self.asks.recv()

    def end(self):
        """Latencies in milliseconds, and what failed."""
        self.asks.send("stop")
        told = self.asks.recv()
        self.process.join()
        return told


def calling(address, connects, told):
    latencies, failures = [], []
    kept = http.client.HTTPConnection(*address, timeout=10)
    kept.connect()
    number = 0
    told.send("begun")
    while not told.poll(0.02):
        number += 1
        is_new = connects and number % 5 == 0
        began = time.monotonic()
        failure = None
        try:
            client = http.client.HTTPConnection(*address, timeout=10) if is_new else kept
            answer, text = called(client)
            if answer.status == 503 and answer.headers["Retry-After"]:
                # What it is told to do; the wait counts.
                time.sleep(float(answer.headers["Retry-After"]))
                answer, text = called(client)
            if answer.status != 200 or b"Rex" not in text:
                failure = f"{answer.status} {text[:120]!r}"
            if is_new:
                client.close()
        except (OSError, http.client.HTTPException) as error:
            failure = repr(error)
            if not is_new:
                kept.close()
        latencies.append((time.monotonic() - began) * 1000)
        if failure:
            failures.append(f"{'new' if is_new else 'kept'} connection: {failure}")
    told.recv()
    told.send((latencies, failures))


def called(client):
    client.request("POST", "/v1/calls", CALL, JSON)
    answer = client.getresponse()
    return answer, answer.read()


def percentile(values, share):
    return statistics.quantiles(values, n=100, method="inclusive")[share - 1] if len(values) > 1 else max(values, default=0.0)


DEMO = """{
  "log": {"level": "error"},
  "toolsets": {"pets": {
    "openapi": "ROOT/fixtures/pets/spec.yaml",
    "auth": {"api_key": {"in": "header", "name": "X-Api-Key", "value": "literal:demo-key"}},
    "upstream": {"replay": "ROOT/fixtures/pets/cases"}
  }}
}"""
