"""One sidecar with `state: {file: …}` under load, which ends again and again, by SIGTERM and by `kill -9` in turns: no session, approval,
pause or result is lost, no call is made twice (the service counts), and a call of which nobody knows says `reached: maybe`. Then the
files of the state are searched for what must not be there in the clear: values and credentials of sessions, arguments, results,
names of principals and sessions, and the caller's own token.

Usage: restarts.py --callgate PATH [--restarts N] [--seed N]. Exits with 1 where something is lost, made twice or in the clear."""

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
import urllib.parse

import canaries
from services import Handler, Lost, OrderService, Sidecar

# Each is in a place of its own; none is a part of another.
NAMES = {
    name: f"canary-{name}/ü+{number:04}"
    for number, name in enumerate(
        ["argument", "credential", "parameter", "result", "client-answer", "client-argument", "decision-argument"]
    )
}
PRINCIPAL, TOKEN, SESSION = "canary-principal-7", "canary-token-of-the-caller-7", "canary-session-7"
WORKERS = 2


class Shop(Handler):
    def do_POST(self):
        order = self.read_json()
        with self.server.lock:
            self.server.orders[order["number"]] += 1
        # Some calls are under way when the sidecar ends.
        time.sleep(random.choice([0, 0, 0.02, 0.2]))
        self.answer({"made": order["number"], "note": NAMES["result"]})

    def do_GET(self):
        if self.path.startswith("/large"):
            return self.answer({"lines": [f"{NAMES['result']} {n}" for n in range(2000)]})
        is_own = self.headers.get("authorization") == "Bearer " + TOKEN_OF_SESSION
        self.answer({"path": self.path, "has_credential": is_own})


# A header has no other characters.
TOKEN_OF_SESSION = "canary-token-of-the-session-7"


def sidecar_in(folder, callgate, service):
    shop = {
        "openapi": "spec.json",
        "server": service.url,
        "auth": {"bearer": {"token": "$session.credentials.token"}},
    }
    function = {"name": "measure", "input": {"type": "object", "properties": {"what": {"type": "string"}}}}
    configuration = {
        "access": {"principals": {PRINCIPAL: {"bearer": "env:CALLER_TOKEN"}}},
        "toolsets": {"shop": shop, "asked": shop | {"confirm": "always"}, "app": {"functions": [function]}},
    }
    return Sidecar(callgate, folder, DESCRIPTION, configuration, {"CALLER_TOKEN": TOKEN}, TOKEN)


class Load:
    """Clients that go on until they are stopped. What they see is counted in `seen`, and what must not be is in `faults`."""

    def __init__(self, sidecar, service, seed):
        self.sidecar, self.service, self.seed = sidecar, service, seed
        self.seen, self.faults, self.lock = collections.Counter(), [], threading.Lock()
        self.stopped, self.ends = threading.Event(), []
        kinds = [self.keyed, self.approved, self.paused, self.stored, self.kept, self.unkeyed]
        self.threads = [
            threading.Thread(target=self.run, args=(kind, number)) for kind in kinds for number in range(WORKERS)
        ]
        for thread in self.threads:
            thread.start()

    def run(self, kind, number):
        draw = random.Random(f"{self.seed} {kind.__name__} {number}")
        for turn in range(1_000_000):
            if self.stopped.is_set():
                return
            try:
                kind(f"{kind.__name__}-{number}-{turn}", draw)
            except Exception as error:  # noqa: BLE001: a client that fails is a fault of the test
                self.fault(f"{kind.__name__}: {type(error).__name__}: {error}")
                return

    def fault(self, what):
        with self.lock:
            self.faults.append(what)

    def saw(self, what):
        with self.lock:
            self.seen[what] += 1

    def ended(self, number, how):
        """How a call ended, for a comparison with the count of the service."""
        with self.lock:
            self.ends.append((number, how))
            self.seen[how] += 1

    def ask(self, method, path, body=None):
        """Asks until the request is taken; `Lost` where nobody knows."""
        while True:
            try:
                status, answer = self.sidecar.ask(method, path, body)
            except ConnectionRefusedError:
                time.sleep(0.02)
                continue
            if status in (429, 503):
                time.sleep(0.05)
                continue
            return status, answer

    def call(self, call, session=None):
        status, answer = self.ask("POST", "/v1/calls", {"calls": [call]} | ({"session": session} if session else {}))
        if status != 200:
            raise RuntimeError(f"{status}: {answer}")
        return answer["results"][0]

    def order(self, toolset, number, **more):
        note = NAMES["decision-argument" if toolset == "asked" else "argument"]
        args = {"number": number, "note": note}
        session = {"credentials": {"token": TOKEN_OF_SESSION}, "parameters": {"owner": NAMES["parameter"]}}
        return self.call({"tool": f"{toolset}-order", "args": args, **more}, session)

    def keyed(self, number, draw):
        """A write with a key is repeated until it has an end that is final."""
        while True:
            try:
                result = self.order("shop", number, idempotencyKey=f"key-{number}")
            except Lost:
                self.saw("answers lost")
                continue
            error = result.get("error")
            if not error:
                return self.ended(number, "made")
            if error["reached"] == "maybe":
                return self.ended(number, "maybe")
            if error["next"] != "try_later":
                return self.fault(f"{number}: {error}")
            time.sleep(0.05)

    def unkeyed(self, number, draw):
        """A write without a key is sent once, and never again by the sidecar."""
        try:
            result = self.order("shop", number)
        except Lost:
            return self.ended(number, "lost")
        reached = result.get("error", {}).get("reached", "yes")
        self.ended(number, {"yes": "made", "maybe": "maybe", "no": "refused"}[reached])

    def approved(self, number, draw):
        """An approval that was asked for can be given once, in whichever process."""
        try:
            pending = self.order("asked", number).get("pending")
        except Lost:
            return
        if not pending:
            return self.fault(f"{number}: nobody is asked")
        self.saw("approvals")
        time.sleep(draw.random())
        was_lost = False
        while True:
            try:
                status, result = self.ask("POST", f"/v1/approvals/{pending['id']}", {"decision": "approve"})
            except Lost:
                was_lost = True
                continue
            error = result.get("error", {})
            if status == 200 and "response" in result:
                return self.ended(number, "made")
            if error.get("reached") == "maybe":
                return self.ended(number, "maybe")
            if error.get("next") == "try_later" and error.get("code") != "unknown_approval":
                time.sleep(0.05)
                continue
            if was_lost and error.get("code") == "unknown_approval":
                # The lost answer was that of the call, or the call was never sent: its caller has to look.
                return self.ended(number, "lost")
            return self.fault(f"the approval of {number} is lost: {status} {result}")

    def paused(self, number, draw):
        """A session that waits for its client still waits in the next process."""
        path = f"/v1/sessions/{SESSION}-{number}:run"
        call = {"id": "1", "tool": "app-measure", "args": {"what": NAMES["client-argument"]}}
        try:
            status, answer = self.ask("POST", path, {"inputs": [{"toolCalls": {"toolCalls": [call]}}]})
        except Lost:
            return
        if status != 200:
            return self.fault(f"{number}: {status} {answer}")
        if "toolCalls" not in answer["outputs"][0]:
            return self.fault(f"{number}: {answer}")
        asked = answer["outputs"][0]["toolCalls"]["toolCalls"][0]
        self.saw("pauses")
        time.sleep(draw.random())
        told = asked | {"response": {"result": NAMES["client-answer"]}}
        told.pop("args", None)
        was_lost = False
        while True:
            try:
                status, answer = self.ask("POST", path, {"inputs": [{"toolResponses": {"toolResponses": [told]}}]})
            except Lost:
                was_lost = True
                continue
            if status == 200 and NAMES["client-answer"] in json.dumps(answer, ensure_ascii=False):
                return self.saw("pauses ended")
            if was_lost and status == 409:
                return self.saw("pauses ended")
            return self.fault(f"the pause of {number} is lost: {status} {answer}")

    def stored(self, number, draw):
        """A session has the values that were stored last."""
        # What may be stored: more than one value where the answer to a change was lost.
        path, known = f"/v1/sessions/{SESSION}-{number}", [None]
        for turn in range(8):
            owner = f"{NAMES['parameter']}-{turn}"
            body = {"parameters": {"owner": owner}, "credentials": {"token": TOKEN_OF_SESSION}}
            try:
                status, answer = self.ask("PUT", path, body)
                known = [owner]
            except Lost:
                known.append(owner)
                status = 200
            if status not in (200, 201):
                return self.fault(f"{number}: {status} {answer}")
            time.sleep(draw.random() / 4)
            try:
                result = self.call({"tool": "shop-show", "args": {}}, {"id": f"{SESSION}-{number}"})
            except Lost:
                continue
            shown, error = result.get("response", {}), result.get("error", {})
            is_absent = error.get("code") == "unknown_session"
            has_own = any(owner and urllib.parse.quote(owner, safe="") in shown.get("path", "") for owner in known)
            is_whole = has_own and shown.get("has_credential")
            if not (is_whole or is_absent and None in known or error.get("reached") == "maybe"):
                return self.fault(f"the session of {number} is not what was stored: {result}, expected {known}")
            self.saw("sessions read")

    def kept(self, number, draw):
        """A result that was cut can be read in the next process."""
        try:
            result = self.call({"tool": "shop-large", "args": {}}, {"credentials": {"token": TOKEN_OF_SESSION}})
        except Lost:
            return
        if "handle" not in result:
            if result.get("error", {}).get("reached") == "maybe":
                return
            return self.fault(f"{number}: no handle: {str(result)[:500]}")
        time.sleep(draw.random())
        while True:
            try:
                status, whole = self.ask("GET", f"/v1/results/{result['handle']}")
                break
            except Lost:
                continue
        if status != 200 or len(whole["lines"]) != 2000:
            return self.fault(f"the result of {number} is lost: {status}")
        self.saw("results read")

    def stop(self):
        self.stopped.set()
        for thread in self.threads:
            thread.join(timeout=300)
        for number, how in self.ends:
            times = self.service.orders[number]
            allowed = {"made": [1], "maybe": [0, 1], "lost": [0, 1], "refused": [0]}[how]
            if times not in allowed:
                self.fault(f"{number} ended as `{how}`, and the service made it {times} times")
        twice = [number for number, times in self.service.orders.items() if times > 1]
        self.faults += [f"{number} was made twice" for number in twice]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--callgate", required=True)
    parser.add_argument("--restarts", type=int, default=8)
    parser.add_argument("--seed", type=int, default=7)
    given = parser.parse_args()
    canaries.test_itself()
    draw = random.Random(given.seed)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        service = OrderService(Shop)
        sidecar = sidecar_in(folder, str(pathlib.Path(given.callgate).resolve()), service)
        sidecar.start()
        load = Load(sidecar, service, given.seed)
        began, searched = time.monotonic(), 0
        for number in range(given.restarts):
            time.sleep(0.3 + draw.random())
            sidecar.end(signal.SIGKILL if number % 2 else signal.SIGTERM)
            searched += in_the_clear(folder / "state", load.faults)
            sidecar.start()
        load.stop()
        searched += in_the_clear(folder / "state", load.faults)
        sidecar.end(signal.SIGTERM)
        searched += in_the_clear(folder / "state", load.faults)
        took = time.monotonic() - began
    seen = ", ".join(f"{number} {what}" for what, number in sorted(load.seen.items()))
    print(f"restarts: {given.restarts} in {took:.0f} s, half of them by kill -9; {seen}; {searched} files searched")
    for fault in load.faults[:20]:
        print(f"FAILED {fault}")
    missing = {"made", "approvals", "pauses ended", "sessions read", "results read"} - set(load.seen)
    if missing:
        print(f"FAILED nothing of it was seen: {', '.join(sorted(missing))}")
    sys.exit(bool(load.faults or missing))


def in_the_clear(folder, faults):
    """Searches the files of the state, and returns their number."""
    files = [file for file in folder.iterdir() if file.is_file()]
    secrets = [*NAMES.values(), PRINCIPAL, TOKEN, SESSION, TOKEN_OF_SESSION]
    for file, canary, name in canaries.found(files, secrets):
        faults.append(f"{pathlib.Path(file).name} has `{canary}`, {name}")
    return len(files)


ORDER = {"type": "object", "properties": {"number": {"type": "string"}, "note": {"type": "string"}}, "required": ["number"]}
OWNER = {"name": "owner", "in": "query", "schema": {"type": "string", "x-agent-input-parameter": "owner"}}
ANSWER = {"200": {"description": "fine", "content": {"application/json": {}}}}
DESCRIPTION = {
    "openapi": "3.1.0",
    "info": {"title": "Orders", "version": "1"},
    "components": {"securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}}},
    "security": [{"bearer": []}],
    "paths": {
        "/orders": {
            "post": {
                "operationId": "order",
                "requestBody": {"required": True, "content": {"application/json": {"schema": ORDER}}},
                "responses": ANSWER,
            }
        },
        "/show": {"get": {"operationId": "show", "parameters": [OWNER], "responses": ANSWER}},
        "/large": {"get": {"operationId": "large", "responses": ANSWER}},
    },
}


if __name__ == "__main__":
    main()
