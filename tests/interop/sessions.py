"""A thousand sessions wait for their client, and two processes of clients answer them: each answers every session twice, in a random
order of its own, sends answers to wrong sessions among them, and answers to sessions that were given up. Each call must take one
answer, and its own.

Usage: sessions.py --callgate PATH [--sessions N] [--seed N]. Exits with 1 where an answer is lost, taken twice or crossed."""

import argparse
import concurrent.futures
import http.client
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import threading
from collections import Counter

from calling import Checks

STORE = "projects/p/locations/us/apps/a/tools/get_nearest_store"
FUNCTION = {
    "name": "get_nearest_store",
    "input": {"type": "object", "properties": {"zip_code": {"type": "string"}}, "required": ["zip_code"]},
    "output": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
}
# Sessions that are given up at once, whose answers are all late.
LATE = 100
# Requests of a process that are under way at the same time.
AT_ONCE = 4


class Sidecar:
    """`callgate serve`, whose clients have so long."""

    def __init__(self, callgate, folder, client_time):
        self.folder = folder / client_time
        self.folder.mkdir()
        configuration = {
            "sessions": {"client_time": client_time},
            "toolsets": {"app": {"prefix": "", "functions": [FUNCTION]}},
        }
        (self.folder / "callgate.json").write_text(json.dumps(configuration))
        command = [callgate, "serve", self.folder / "callgate.json", "--listen", "127.0.0.1:0"]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)

    def __enter__(self):
        for line in self.process.stderr:
            found = re.search(r"http://(127\.0\.0\.1:\d+)", line)
            if found:
                threading.Thread(target=self.process.stderr.read, daemon=True).start()
                return found[1]
        raise SystemExit("the sidecar does not say where it listens")

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(timeout=120)


LOCAL = threading.local()


def run(address, session, inputs):
    """The status and the body of a `:run`."""
    connections = LOCAL.__dict__.setdefault("connections", {})
    connection = connections.setdefault(address, http.client.HTTPConnection(address, timeout=300))
    body = json.dumps({"inputs": inputs})
    connection.request("POST", f"/v1/sessions/{session}:run", body, {"Content-Type": "application/json"})
    answer = connection.getresponse()
    return answer.status, json.loads(answer.read())


def paused(address, n_sessions):
    """The calls that the client is asked to run, one a session."""

    def one(at):
        call = {"id": "c", "tool": STORE, "displayName": FUNCTION["name"], "args": {"zip_code": str(at)}}
        status, body = run(address, f"s-{at}", [{"toolCalls": {"toolCalls": [call]}}])
        (asked,) = body["outputs"][0]["toolCalls"]["toolCalls"]
        assert status == 200 and asked["args"] == {"zip_code": str(at)}, body
        return asked

    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as workers:
        return list(workers.map(one, range(n_sessions)))


def answered(address, session, asked, name):
    """What became of an answer: the output of the call, or the kind of the problem."""
    answer = {member: asked[member] for member in ("id", "tool", "displayName")} | {"response": {"name": name}}
    status, body = run(address, session, [{"toolResponses": {"toolResponses": [answer]}}])
    if status == 200:
        (ended,) = body["outputs"][0]["toolResponses"]["toolResponses"]
        return ended["response"]["output"]["name"]
    return body["type"].rsplit(":", 1)[1]


def client(program, seed):
    """One process of clients: reads what waits, answers it, and writes what was taken and what each other answer was told."""
    known = json.load(sys.stdin)
    chance = random.Random(seed)
    address, waiting = known["address"], known["waiting"]
    rows = [("own", at) for at in range(len(waiting))] * 2
    rows += [("wrong", at) for at in chance.sample(range(len(waiting)), len(waiting) // 10)]
    rows += [("late", at) for at in range(len(known["late"]))]
    chance.shuffle(rows)

    def one(row):
        kind, at = row
        name = f"{at} by {program}"
        if kind == "late":
            return kind, at, answered(known["late_address"], f"s-{at}", known["late"][at], name)
        session = at if kind == "own" else (at + 1) % len(waiting)
        return kind, at, answered(address, f"s-{session}", waiting[at], name)

    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as workers:
        print(json.dumps(list(workers.map(one, rows))))


def check(callgate, n_sessions, seed):
    told = Checks()
    with tempfile.TemporaryDirectory(prefix="callgate-sessions-") as name:
        folder = pathlib.Path(name)
        with Sidecar(callgate, folder, "30m") as address, Sidecar(callgate, folder, "1ms") as late_address:
            known = {"address": address, "waiting": paused(address, n_sessions)}
            known |= {"late_address": late_address, "late": paused(late_address, LATE)}
            command = [sys.executable, __file__, "--seed", str(seed), "--program"]
            start = lambda program: subprocess.Popen(  # noqa: E731
                [*command, str(program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
            processes = [start(program) for program in (0, 1)]
            text = json.dumps(known)
            with concurrent.futures.ThreadPoolExecutor(2) as workers:
                wrote = list(workers.map(lambda process: process.communicate(text)[0], processes))
            told("both processes end well", all(process.returncode == 0 for process in processes))
    judged(told, [json.loads(text) for text in wrote], n_sessions)
    return 1 if told.failures else 0


def judged(told, by_program, n_sessions):
    taken, others, crossed = Counter(), Counter(), []
    for program, rows in enumerate(by_program):
        for kind, at, outcome in rows:
            if " by " not in outcome:
                others[kind, outcome] += 1
            elif kind == "own" and outcome == f"{at} by {program}":
                taken[at] += 1
            else:
                crossed.append((kind, at, outcome))
    n_twice = sum(number > 1 for number in taken.values())
    told(f"of {n_sessions} calls {n_sessions - len(taken)} are lost", len(taken) == n_sessions)
    told(f"{n_twice} are answered twice", not n_twice)
    told(f"{len(crossed)} are crossed", not crossed, str(crossed[:5]))
    expected = {
        ("own", "call-answered"): 3 * n_sessions,
        ("wrong", "unknown-call"): 2 * (n_sessions // 10),
        ("late", "call-expired"): 2 * LATE,
    }
    told("every other answer is told what it is", dict(others) == expected, f"{dict(others)}, expected {expected}")


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--callgate")
    arguments.add_argument("--sessions", type=int, default=1000)
    arguments.add_argument("--seed", type=int, default=13)
    arguments.add_argument("--program", type=int)
    given = arguments.parse_args()
    if given.program is not None:
        client(given.program, given.seed + given.program)
        return 0
    return check(pathlib.Path(given.callgate).resolve(), given.sessions, given.seed)


if __name__ == "__main__":
    sys.exit(main())
