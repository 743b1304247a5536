"""What a sidecar does where services hang, callers come in a flood or leave, and processes end. Called by `reliable`.

One line for each figure. Exits with 1 where one of them is not met.
"""

import argparse
import asyncio
import json
import multiprocessing
import pathlib
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time

DESCRIPTION = """
openapi: 3.1.0
info: {title: Echo, version: "1"}
paths:
  /echo:
    get:
      operationId: echo
      parameters:
        - {name: n, in: query, schema: {type: integer}}
        - {name: who, in: query, schema: {type: string, x-agent-input-parameter: who}}
      responses: {"200": {description: What was asked, content: {application/json: {schema: {type: object}}}}}
  /wait/{milliseconds}:
    get:
      operationId: wait
      parameters: [{name: milliseconds, in: path, required: true, schema: {type: integer}}]
      responses: {"200": {description: Later, content: {application/json: {schema: {type: object}}}}}
"""
CONFIGURATION = """
log: {{ level: error }}
listen: 127.0.0.1:0
limits: {{ requests: {requests}, drain: 20s }}
calls: {{ in_flight: 4096 }}
toolsets:
  it:
    openapi: it.yaml
    server: http://127.0.0.1:{port}
    prefix: ""
    auth: none
    egress: {{ allow: [127.0.0.0/8] }}
    limits: {{ timeout: {timeout}s, concurrency: 4096 }}
"""


class Service(asyncio.Protocol):
    """Answers what was asked, at once or later, and leaves a connection that was idle for half a second."""

    n_open = None
    IDLE = 0.5

    def connection_made(self, transport):
        self.transport, self.seen, self.waits, self.idle = transport, b"", None, None
        self.rest()

    def rest(self):
        self.idle = asyncio.get_running_loop().call_later(self.IDLE, self.transport.close)

    def data_received(self, data):
        *heads, self.seen = (self.seen + data).split(b"\r\n\r\n")
        for head in heads:
            self.idle.cancel()
            target = head.split(b" ", 2)[1].decode()
            later = re.match(r"/wait/(\d+)", target)
            if later:
                self.n_open.value += 1
                self.waits = asyncio.get_running_loop().call_later(int(later[1]) / 1000, self.later)
            else:
                self.answer(json.dumps({"target": target}))

    def later(self):
        self.waits = None
        self.n_open.value -= 1
        self.answer('{"waited": true}')

    def answer(self, text):
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(text)}\r\n\r\n"
        self.transport.write((head + text).encode())
        self.rest()

    def connection_lost(self, _):
        self.idle.cancel()
        if self.waits:
            self.waits.cancel()
            self.n_open.value -= 1


def serve(told, n_open):
    Service.n_open = n_open

    async def run():
        server = await asyncio.get_running_loop().create_server(Service, "127.0.0.1", 0, backlog=4096)
        told.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()
    asyncio.run(run())


class Sidecar:
    def __init__(self, callgate, folder, port, requests=4096, timeout=60):
        self.callgate, self.folder = callgate, pathlib.Path(folder)
        (self.folder / "it.yaml").write_text(DESCRIPTION)
        self.text = CONFIGURATION.format(port=port, requests=requests, timeout=timeout)
        (self.folder / "callgate.yaml").write_text(self.text)
        self.start()

    def start(self):
        self.process = subprocess.Popen([self.callgate, "serve", self.folder / "callgate.yaml"], stderr=subprocess.PIPE, text=True)
        for line in self.process.stderr:
            found = re.search(r"http://127\.0\.0\.1:(\d+)", line)
            if found:
                self.port = int(found[1])
                return
        raise SystemExit("the sidecar does not say where it listens")

    def resident(self):
        text = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", text)[1]) / 1024

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


class Caller:
    """One connection."""

    def __init__(self, port):
        self.port, self.streams = port, None

    async def send(self, tool, arguments, session=None):
        if self.streams is None:
            self.streams = await asyncio.open_connection("127.0.0.1", self.port)
        body = {"calls": [{"id": "1", "tool": tool, "arguments": arguments}]}
        if session:
            body["session"] = {"parameters": session}
        await self.request("POST", "/v1/calls", json.dumps(body))

    async def request(self, method, path, body=""):
        if self.streams is None:
            self.streams = await asyncio.open_connection("127.0.0.1", self.port)
        head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        self.streams[1].write((head + body).encode())
        await self.streams[1].drain()

    async def answered(self):
        """The status, whether it says when to come back, and the body."""
        head = (await self.streams[0].readuntil(b"\r\n\r\n")).decode().lower()
        length = int(re.search(r"content-length: (\d+)", head)[1])
        body = await self.streams[0].readexactly(length)
        if "connection: close" in head:
            self.close()
        return int(head.split(" ", 2)[1]), "retry-after:" in head, body

    async def call(self, tool, arguments, session=None):
        await self.send(tool, arguments, session)
        status, comes_back, body = await self.answered()
        return status, comes_back, json.loads(body)

    def close(self):
        if self.streams:
            self.streams[1].close()
        self.streams = None


def ok(answer):
    status, _, body = answer
    return status == 200 and "error" not in body["results"][0]


def percentile(times, share):
    return sorted(times)[min(int(len(times) * share), len(times) - 1)] * 1000


async def identity(sidecar, _):
    """Calls of fifty sessions, each by its own value."""
    wrong = 0

    async def one(number):
        nonlocal wrong
        caller, name = Caller(sidecar.port), f"session-{number}"
        for n in range(1000):
            answer = await caller.call("echo", {"n": n}, {"who": name})
            asked = answer[2]["results"][0].get("response", {}).get("target", "")
            wrong += asked != f"/echo?n={n}&who={name}"

    await asyncio.gather(*(one(number) for number in range(50)))
    return wrong == 0, f"{wrong} of 50,000 calls of 50 sessions answered to another one"


async def hung(sidecar, n_open):
    """Two thousand calls that hang, and one caller of another tool."""
    honest = Caller(sidecar.port)
    for _ in range(20):
        await honest.call("echo", {"n": 1})
    before, callers = sidecar.resident(), [Caller(sidecar.port) for _ in range(2000)]
    for caller in callers:
        await caller.send("wait", {"milliseconds": 50_000})
    while n_open.value < 2000:
        await asyncio.sleep(0.1)
    times, failed = [], 0
    for n in range(1000):
        begun = time.perf_counter()
        failed += not ok(await honest.call("echo", {"n": n}))
        times.append(time.perf_counter() - begun)
    more, p99 = sidecar.resident() - before, percentile(times, 0.99)
    begun = time.monotonic()
    for caller in callers:
        caller.close()
    while n_open.value > 0 and time.monotonic() - begun < 10:
        await asyncio.sleep(0.02)
    gone = time.monotonic() - begun
    told = f"2,000 hung calls: +{more:.0f} MiB, p99 of another tool {p99:.1f} ms, {failed} failed; all ended {gone:.2f} s after their callers left"
    return failed == 0 and more <= 64 and p99 <= 50 and gone <= 1.5, told


async def overload(sidecar, _):
    """Ten times as many callers as there is room for, for five seconds."""
    times, refused, wrong = [], 0, 0
    before, end = sidecar.resident(), time.monotonic() + 5

    async def one():
        nonlocal refused, wrong
        caller = Caller(sidecar.port)
        while time.monotonic() < end:
            begun = time.perf_counter()
            answer = await caller.call("wait", {"milliseconds": 100})
            if ok(answer):
                times.append(time.perf_counter() - begun)
            elif answer[0] in (429, 503) and answer[1]:
                refused += 1
                await asyncio.sleep(0.1)
            else:
                wrong += 1

    await asyncio.gather(*(one() for _ in range(640)))
    more, p99 = sidecar.resident() - before, percentile(times, 0.99)
    told = f"overload x10: {len(times)} answered, p99 {p99:.0f} ms, {refused} told to come back, {wrong} otherwise, +{more:.0f} MiB"
    return wrong == 0 and refused > 0 and p99 <= 3000 and more <= 128, told


async def left(sidecar, n_open):
    """A caller that leaves takes its call along."""
    slowest = 0
    for _ in range(20):
        caller = Caller(sidecar.port)
        await caller.send("wait", {"milliseconds": 20_000})
        while n_open.value < 1:
            await asyncio.sleep(0.005)
        caller.close()
        begun = time.monotonic()
        while n_open.value > 0 and time.monotonic() - begun < 5:
            await asyncio.sleep(0.005)
        slowest = max(slowest, time.monotonic() - begun)
    return slowest <= 1, f"a caller that leaves: its call ended after {slowest * 1000:.0f} ms at most"


async def idle_close(sidecar, _):
    """A service that leaves idle connections just when the next call comes."""
    caller, failed = Caller(sidecar.port), 0
    for n in range(200):
        failed += not ok(await caller.call("echo", {"n": n}))
        if n % 10 == 9:
            await asyncio.sleep(Service.IDLE + (n % 40 - 20) / 4000)
    return failed == 0, f"connections the service closed while idle: {failed} of 200 calls failed"


async def reloads(sidecar, _):
    """A hundred reloads at five hundred calls a second, one of them broken."""
    failed = made = 0
    end = asyncio.Event()

    async def one(number):
        nonlocal failed, made
        caller, due = Caller(sidecar.port), time.monotonic() + number / 500
        while not end.is_set():
            failed += not ok(await caller.call("echo", {"n": made}))
            made += 1
            due += 16 / 500
            await asyncio.sleep(max(due - time.monotonic(), 0))

    async def reload():
        for n in range(100):
            text = "toolsets: [" if n == 50 else sidecar.text.replace("timeout: 60s", f"timeout: {30 + n}s")
            (sidecar.folder / "callgate.yaml").write_text(text)
            sidecar.process.send_signal(signal.SIGHUP)
            await asyncio.sleep(0.1)
            if n == 50:
                caller = Caller(sidecar.port)
                await caller.request("GET", "/readyz")
                broken.append((await caller.answered())[2].decode())
        end.set()

    broken = []
    begun = time.monotonic()
    await asyncio.gather(reload(), *(one(number) for number in range(16)))
    rate, says = made / (time.monotonic() - begun), "last_good" in broken[0]
    told = f"100 reloads: {failed} of {made} calls failed at {rate:.0f} a second; readiness with a broken file: {'last_good' if says else broken[0]}"
    return failed == 0 and says, told


async def stopped(sidecar, n_open):
    """Two hundred calls are under way when the sidecar is told to stop."""
    callers = [Caller(sidecar.port) for _ in range(200)]
    for caller in callers:
        await caller.send("wait", {"milliseconds": 1500})
    while n_open.value < 200:
        await asyncio.sleep(0.01)
    begun = time.monotonic()
    sidecar.process.send_signal(signal.SIGTERM)
    answers = await asyncio.gather(*(caller.answered() for caller in callers))
    finished = sum(status == 200 and b'"waited":true' in body.replace(b" ", b"") for status, _, body in answers)
    code = await asyncio.to_thread(sidecar.process.wait, 25)
    took = time.monotonic() - begun
    return finished == 200 and code == 0 and took <= 20, f"SIGTERM: {finished} of 200 calls finished, exit {code} after {took:.1f} s"


async def killed(sidecar, _):
    """The time from a kill to the next answer."""
    sidecar.process.kill()
    sidecar.process.wait()
    begun = time.monotonic()
    sidecar.start()
    is_answered = ok(await Caller(sidecar.port).call("echo", {"n": 1}))
    took = time.monotonic() - begun
    return is_answered and took <= 2, f"kill -9: serves again after {took:.2f} s"


# What is looked at, and the room for requests it is looked at with.
FIGURES = [(identity, 4096), (hung, 4096), (overload, 64), (left, 4096), (idle_close, 4096), (reloads, 4096), (stopped, 4096), (killed, 4096)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--callgate", required=True, type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("only", nargs="*")
    given = parser.parse_args()
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    ours, theirs = multiprocessing.Pipe()
    n_open = multiprocessing.Value("i", 0)
    service = multiprocessing.Process(target=serve, args=(theirs, n_open), daemon=True)
    service.start()
    port, failed = ours.recv(), 0
    for figure, room in FIGURES:
        if given.only and figure.__name__ not in given.only:
            continue
        with tempfile.TemporaryDirectory() as folder, Sidecar(given.callgate, folder, port, room) as sidecar:
            is_met, told = asyncio.run(figure(sidecar, n_open))
        failed += not is_met
        print(f"{'met' if is_met else 'NOT MET'}: {told}", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
