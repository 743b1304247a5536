"""Ten tasks that each need two toolsets: the database of a music shop (Chinook, of `$CALLGATE_SHARED/corpus/databases`) and the service of `world.py`. Each is
done by a program, in one call of `code-generate_and_execute`, and by the calls of that program one at a time: its text runs here too, in Python, where each
function is a request to `/v1/calls`. Both must give what SQL and functions of ours give.

Prints the tokens that a model reads and writes, four bytes each, as callgate estimates them. `once` counts the declarations, the question, the calls and
their results; `billed` counts in each round all that is read again. `together` is `billed` where calls that need nothing of each other share a round. With
code, the tool that runs programs is the only one that is declared; the last line has the sums where all are. Needs a build with the feature `monty`.

Usage: tasks.py --callgate PATH. Exits with 1 where an answer is wrong; without the corpus it says so and passes."""

import argparse
import asyncio
import functools
import http.client
import http.server
import json
import os
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile
import threading
import types

from task_list import TASKS
from world import Handler, description

LISTS = ("customer", "track", "album", "artist", "genre", "employee")
CODE = "code-generate_and_execute"
BYTES_OF_TOKEN = 4


class Sidecar:
    def __init__(self, callgate, folder, server):
        shop = {"database": {"url": "sqlite:shop.db"}, "limits": {"rows": 100}, "entities": {name: {"table": name.title(), "operations": ["list"]} for name in LISTS}}
        for name, table in (("invoice", "Invoice"), ("invoiceline", "InvoiceLine")):
            shop["entities"][name] = {"table": table, "operations": ["list", "aggregate"]}
        toolsets = {"world": {"openapi": "world.json", "server": server, "auth": "none"}, "shop": shop, "code": {"code_interpreter": {"engine": "monty"}}}
        (folder / "world.json").write_text(json.dumps(description()))
        (folder / "callgate.json").write_text(json.dumps({"toolsets": toolsets}))
        command = [callgate, "serve", "callgate.json", "--listen", "127.0.0.1:0"]
        self.process = subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True)
        address = next((found for line in self.process.stderr for found in re.findall(r"http://(127\.0\.0\.1:\d+)", line)), None)
        if not address:
            raise SystemExit("tasks: the sidecar does not begin")
        threading.Thread(target=self.process.stderr.read, daemon=True).start()
        self.connection = http.client.HTTPConnection(address, timeout=60)

    def ask(self, method, path, body=None):
        self.connection.request(method, path, body and json.dumps(body), {"content-type": "application/json"})
        answer = self.connection.getresponse()
        assert answer.status == 200, answer.read()
        return json.load(answer)

    def results(self, calls):
        """What a model gets of these calls."""
        results = self.ask("POST", "/v1/calls", {"calls": [{"tool": tool, "args": args} for tool, args in calls]})["results"]
        return [result.get("response", result) for result in results]


class Rounds:
    """The conversation of a model: its calls, with what they return, by the rounds in which their results make the next ones possible."""

    def __init__(self, sidecar):
        self.sidecar, self.rounds, self.waiting = sidecar, [], []

    async def call(self, tool, **args):
        loop = asyncio.get_running_loop()
        # What `gather` runs has called before this comes.
        if not self.waiting:
            loop.call_soon(self.send)
        future = loop.create_future()
        self.waiting.append((tool, args, future))
        result = await future
        if "error" in result:
            raise RuntimeError(f"{tool}: {result['error']}")
        return result

    def send(self):
        waiting, self.waiting = self.waiting, []
        calls = [(tool, args) for tool, args, _ in waiting]
        results = self.sidecar.results(calls)
        self.rounds.append([(tokens(tool) + tokens(args), tokens(result)) for (tool, args), result in zip(calls, results)])
        for (_, _, future), result in zip(waiting, results):
            future.set_result(result)

    def run(self, program, tools):
        *lines, last = program.splitlines()
        names, text = {}, "\n    ".join(["async def program(shop, world):", *lines, f"return {last}"])
        exec(text, names)  # noqa: S102: the programs of this file
        functions = [types.SimpleNamespace(**{tool.split("-", 1)[1].replace("-", "_"): functools.partial(self.call, tool) for tool in those}) for those in tools]
        return asyncio.run(names["program"](*functions))


def tokens(value):
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return -(-len(text.encode()) // BYTES_OF_TOKEN)


def cost(start, rounds):
    """The tokens of a conversation once and as they are billed: in each round, and in the last one that has the answer, the model reads all that was before."""
    now = billed = start
    for calls in rounds:
        billed += sum(written for written, _ in calls)
        now += sum(written + read for written, read in calls)
        billed += now
    return now, billed


def is_same(value, right):
    if isinstance(right, dict):
        return isinstance(value, dict) and value.keys() == right.keys() and all(is_same(value[key], right[key]) for key in right)
    if isinstance(right, list):
        return isinstance(value, list) and len(value) == len(right) and all(map(is_same, value, right))
    if isinstance(right, str):
        return value == right
    return isinstance(value, (int, float)) and abs(value - right) < 0.01


def judge(sidecar, sql):
    """A row of the table for each task, and the faults."""
    declared = {toolset: sidecar.ask("GET", f"/v1/tools?dialect=openai&limit=100&toolset={toolset}")["tools"] for toolset in ("world", "shop", "code")}
    tools = [[tool["function"]["name"] for tool in declared[toolset]] for toolset in ("shop", "world")]
    plain, code = tokens(declared["world"] + declared["shop"]), tokens(declared["code"])
    print(f"declarations: {len(tools[0] + tools[1])} tools {plain} tokens, the one for code {code}")
    rows, faults = [], []
    for name, (question, program, answer) in TASKS.items():
        right, conversation = answer(sql), Rounds(sidecar)
        single = conversation.run(program, tools)
        [result] = sidecar.results([(CODE, {"input": program})])
        value = result.get("execution_result")
        coded = json.loads(value) if value else result
        faults += [f"{name}, {how}: {str(got)[:600]} for {right}" for how, got in (("one at a time", single), ("code", coded)) if not is_same(got, right)]
        calls, written, read = [call for calls in conversation.rounds for call in calls], tokens(CODE) + tokens({"input": program}), tokens(result)
        start, own = tokens(question) + plain, [[(written, read)]]
        one_at_a_time, together = cost(start, [[call] for call in calls]), cost(start, conversation.rounds)
        with_code = cost(tokens(question) + code, own), cost(start + code, own)
        rows.append((name, len(calls), *one_at_a_time, len(conversation.rounds), together[1], *with_code[0], with_code[1][1]))
    return rows, faults


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--callgate", required=True, type=lambda path: pathlib.Path(path).resolve())
    options = parser.parse_args()
    script = pathlib.Path(os.environ.get("CALLGATE_SHARED", "../shared"), "corpus", "databases", "chinook.sqlite.sql")
    if not script.exists():
        print("corpus absent")
        return 0
    service = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=service.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        database = sqlite3.connect(folder / "shop.db")
        database.executescript(script.read_text(encoding="utf-8-sig"))
        database.commit()
        sidecar = Sidecar(options.callgate, folder, f"http://127.0.0.1:{service.server_port}")
        try:
            rows, faults = judge(sidecar, lambda text: database.execute(text).fetchall())
        finally:
            sidecar.process.terminate()
            sidecar.process.wait()
    print("task        calls   once  billed  rounds  together   code  billed  ratio")
    sums = ("all", *(sum(column) for column in list(zip(*rows))[1:]))
    for name, n_calls, once, billed, n_rounds, together, code, billed_code, _ in [*rows, sums]:
        print(f"{name:10} {n_calls:6} {once:6} {billed:7} {n_rounds:7} {together:9} {code:6} {billed_code:7}  {billed_code / billed:.2f}")
    print(f"billed with code: {sums[7] / sums[5]:.2f} of calls together; where all tools are declared, {sums[8] / sums[3]:.2f} of one at a time and {sums[8] / sums[5]:.2f} of together")
    for fault in faults:
        print(f"tasks: {fault}", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
