"""Programs of models that wait for a person, or for the user's login, in a sidecar with `state: {file: …}`, which is killed by `kill -9` at random and started again:
no write is made twice (the service counts), none with another user's token, each doubtful one is told, and every program that has waited ends. Needs a build with the
feature `monty`.

Usage: programs.py --callgate PATH [--programs N] [--seed N]. Exits with 1 where a write is made twice, or a program is lost."""

import argparse
import collections
import json
import pathlib
import random
import signal
import sys
import tempfile
import threading
import time

from services import Handler, Lost, OrderService, Sidecar

CLIENTS = 6
TOKEN, OTHERS_TOKEN = "token-of-kim-0123456789", "token-of-lee-0123456789"
PRELUDE = """import asyncio
done = {}
async def order(call, number):
    try:
        await call(number=number)
        done[number] = 'made'
    except RuntimeError as e:
        done[number] = fault(e)['code']
async def look_and_order(call, number):
    seen = (await shop.look(n=1))['nanos']
    try:
        await call(number=number, note=str(seen))
        done[number] = 'made'
    except RuntimeError as e:
        done[number] = fault(e)['code']
"""


class Shop(Handler):
    def do_POST(self):
        order = self.read_json()
        owner = f"Bearer {user_token(order['number'].rsplit('-', 2)[0])}"
        if self.path.startswith("/signed") and self.headers["authorization"] != owner:
            self.server.foreign.append(f"{order['number']} with {self.headers['authorization']}")
        time.sleep(random.choice([0, 0, 0.02, 0.1]))
        with self.server.lock:
            self.server.orders[order["number"]] += 1
        time.sleep(random.choice([0, 0, 0.02, 0.1]))
        self.answer({"made": order["number"]})

    def do_GET(self):
        # What is read differs each time: a program goes on with what it has read.
        self.answer({"nanos": time.time_ns() % 1_000_000})


def user_token(session):
    return f"token-of-the-user-of-{session}"


def description():
    order = {"type": "object", "required": ["number"], "properties": {"number": {"type": "string"}, "note": {"type": "string"}}}
    answers = {"200": {"description": "ok", "content": {"application/json": {"schema": {"type": "object"}}}}}
    body = {"required": True, "content": {"application/json": {"schema": order}}}
    look = {"name": "n", "in": "query", "schema": {"type": "integer"}}
    paths = {
        "/orders": {"post": {"operationId": "order", "requestBody": body, "responses": answers}},
        "/look": {"get": {"operationId": "look", "parameters": [look], "responses": answers}},
    }
    return {"openapi": "3.0.3", "info": {"title": "Shop", "version": "1"}, "paths": paths}


def sidecar_in(folder, callgate, service):
    shop = {"openapi": "spec.json", "server": service.url}
    signed = shop | {"server": shop["server"] + "/signed", "auth": {"bearer": {"token": "$session.credentials.me"}}}
    program = {"engine": "monty", "calls": {"effects": ["read", "write"]}}
    configuration = {
        "access": {"principals": {"kim": {"bearer": "env:KIM"}, "lee": {"bearer": "env:LEE", "approves": ["asked"]}}},
        "toolsets": {"shop": shop, "asked": shop | {"confirm": "writes"}, "signed": signed, "code": {"code_interpreter": program}},
    }
    return Sidecar(callgate, folder, description(), configuration, {"KIM": TOKEN, "LEE": OTHERS_TOKEN}, TOKEN)


def program(name, draw):
    """A program with the numbers of its orders: loops, orders at once, and orders after a read."""
    code, numbers = PRELUDE, []
    for block in range(1 + draw.randrange(3)):
        calls = [draw.choice(["asked.order", "asked.order", "shop.order", "signed.order"]) for _ in range(1 + draw.randrange(3))]
        own = [f"{name}-{block}-{at}" for at in range(len(calls))]
        numbers += own
        each = draw.choice(["order", "look_and_order"])
        together = ", ".join(f"{each}({call}, '{number}')" for call, number in zip(calls, own))
        if draw.random() < 0.5:
            code += "".join(f"await {each}({call}, '{number}')\n" for call, number in zip(calls, own))
        else:
            # The interpreter gives an exception of a call to the `gather` around it.
            code += f"try:\n    await asyncio.gather({together})\nexcept RuntimeError as e:\n    done['gather'] = fault(e)['code']\n"
    return code + "done\n", numbers


class Load:
    def __init__(self, sidecar, n_programs, seed):
        self.sidecar, self.seed, self.lock = sidecar, seed, threading.Lock()
        self.left, self.seen, self.faults, self.told = n_programs, collections.Counter(), [], []
        self.threads = [threading.Thread(target=self.run, args=(number,)) for number in range(CLIENTS)]
        for thread in self.threads:
            thread.start()

    def run(self, client):
        draw, turn = random.Random(f"{self.seed} {client}"), 0
        while True:
            with self.lock:
                if self.left <= 0 or self.faults:
                    return
            turn += 1
            try:
                self.follow(f"{client}-{turn}", draw)
            except Exception as error:  # noqa: BLE001: a client that fails is a fault of the test
                with self.lock:
                    self.faults.append(f"{type(error).__name__}: {error}")
                return

    def ask(self, *request, **more):
        while True:
            try:
                status, answer = self.sidecar.ask(*request, **more)
            except ConnectionRefusedError:
                time.sleep(0.02)
                continue
            if status not in (429, 503):
                return status, answer
            time.sleep(0.05)

    def ask_until_answered(self, *request):
        while True:
            try:
                status, answer = self.ask(*request)
            except Lost:
                continue
            assert status in (200, 201, 204), (status, answer)
            return

    def sign_in(self, session):
        self.ask_until_answered("PATCH", f"/v1/sessions/{session}", {"credentials": {"me": user_token(session)}})

    def follow(self, name, draw):
        code, numbers = program(name, draw)
        self.ask_until_answered("PUT", f"/v1/sessions/{name}", {"parameters": {"lang": "en"}})
        call = {"tool": "code-generate_and_execute", "args": {"input": code}}
        try:
            # A conversation of its own: who else may decide is asked about all that waits in one.
            status, answer = self.ask("POST", "/v1/calls", {"calls": [call], "session": {"id": name}})
        except Lost:
            return self.saw("begun in vain")
        assert status == 200, (status, answer)
        result = answer["results"][0]
        while "response" not in result:
            error = result.get("error")
            # The state is away for a moment: the decision is repeated.
            is_soon = error and error.get("retryAfter") and error.get("reached") == "no"
            if error and (is_soon or error["code"] in ("still_running", "overloaded")):
                time.sleep(0.05)
            elif error and error["code"] == "sign_in_required":
                # It goes on for the user alone whose token its calls had.
                self.saw("decisions without the login")
                self.sign_in(name)
            elif error and "pending" not in result:
                raise AssertionError(f"{str(error)[:600]} {numbers} {code}")
            else:
                pending = result["pending"]
                self.saw("logins awaited" if pending["id"].startswith("sign_in_") else "approvals awaited")
            if draw.random() < 0.3:
                time.sleep(draw.random() / 5)
            result = self.decide(pending | {"session": name}, draw)
            if draw.random() < 0.3:
                self.ask_until_answered("PATCH", f"/v1/sessions/{name}", {"credentials": {"me": None}})
        value = result["response"]
        assert not value["execution_error"], (value, code)
        done = json.loads(value["execution_result"])
        doubtful = [call for call in value["calls"] if call.get("reached") == "maybe"]
        with self.lock:
            self.told.append((numbers, done, len(doubtful)))
            self.left -= 1

    def decide(self, pending, draw):
        """Approves a call, as its caller or as somebody else, for whom the caller comes back."""
        path, word = f"/v1/approvals/{pending['id']}", "approve"
        if pending["id"].startswith("sign_in_"):
            self.sign_in(pending["session"])
        elif draw.random() < 0.3:
            try:
                status, _ = self.ask("POST", path, {"decision": "approve"}, token=OTHERS_TOKEN)
                word = "run" if status == 200 else "approve"
            except Lost:
                pass
        while True:
            try:
                status, result = self.ask("POST", path, {"decision": word})
            except Lost:
                self.saw("answers lost")
                continue
            assert status == 200, (status, result)
            return result

    def saw(self, what):
        with self.lock:
            self.seen[what] += 1


def check(load, orders, foreign):
    faults = [f"with another user's token: {it}" for it in foreign] + [f"made {n} times: {number}" for number, n in orders.items() if n > 1]
    n_doubtful = 0
    for numbers, done, n_told in load.told:
        doubts = [number for number in numbers if done.get(number) != "made"]
        n_doubtful += n_told
        for number in numbers:
            if done.get(number) == "made" and not orders[number]:
                faults.append(f"told and not made: {number}")
        if doubts and not n_told:
            faults.append(f"not told: {doubts} of {done}")
    return faults, n_doubtful


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--callgate", required=True, type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--programs", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    service, n_kills, draw = OrderService(Shop), 0, random.Random(arguments.seed)
    with tempfile.TemporaryDirectory() as folder:
        sidecar = sidecar_in(pathlib.Path(folder), arguments.callgate, service)
        sidecar.start()
        load = Load(sidecar, arguments.programs, arguments.seed)
        while any(thread.is_alive() for thread in load.threads):
            before = len(load.told)
            time.sleep(0.2 + draw.random())
            # A machine that is too slow for any program to end between two kills would go on for ever.
            until = time.monotonic() + 5
            while len(load.told) == before and time.monotonic() < until:
                time.sleep(0.05)
            sidecar.end(signal.SIGKILL)
            n_kills += 1
            sidecar.start()
        sidecar.end(signal.SIGKILL)
    faults, n_doubtful = check(load, service.orders, service.foreign)
    seen = ", ".join(f"{n} {what}" for what, n in sorted(load.seen.items()))
    print(f"programs: {len(load.told)} ended, {n_kills} kills, {sum(service.orders.values())} writes, {n_doubtful} doubtful; {seen}")
    for fault in (load.faults + faults)[:10]:
        print(f"programs: {fault}", file=sys.stderr)
    return 1 if load.faults or faults else 0


if __name__ == "__main__":
    sys.exit(main())
