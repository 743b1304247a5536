"""What a client does: each flow runs to its end whatever happens to the servers meanwhile, and says what it saw."""

import asyncio
import collections
import json
import time

from wire import Client, Lost

# Longer than the lease of a key and the faults that come while it lapses.
PATIENCE = 600.0
# The beginning of a value of each session, which no file of the state may show.
CANARY = "canary-owner-"


class Wrong(Exception):
    """Something that must never happen."""


class Unknown(Wrong):
    """An approval that counts as used, and whose call was not made: nothing is executed twice, and somebody has to look."""


class Shop:
    """The service behind the sidecars: it counts what it executes."""

    def __init__(self):
        self.executed, self.work = collections.Counter(), 0.02

    async def answer(self, _method, path, headers, _body):
        _, kind, number = path.split("?")[0].split("/")
        owner = headers.get("x-owner", "")
        if kind == "reports":
            return {"owner": owner, "lines": [f"{owner} {number} {at}" for at in range(1500)]}
        self.executed[kind, number] += 1
        # Some are under way whenever a server ends.
        await asyncio.sleep(self.work)
        return {"kind": kind, "number": number, "owner": owner}


class Customer:
    """One session of one principal."""

    def __init__(self, port, principal, session, shop, seen):
        self.client, self.shop, self.seen = Client(port), shop, seen
        self.principal, self.session, self.owner = principal, session, f"{CANARY}{principal}/{session}"
        self.lock, self.version = asyncio.Lock(), 0
        self.run = f"/v1/sessions/{session}:run"

    async def send(self, method, path, body=None, key=None):
        """One attempt: the status and the value."""
        headers = [("Authorization", f"Bearer token-of-{self.principal}-0123456789")]
        headers += [("Idempotency-Key", key)] if key else []
        status, found, data = await self.client.send(method, path, body, headers)
        # The balancer's own pages are HTML.
        return status, json.loads(data) if "json" in found.get("content-type", "") else data.decode()

    async def sent(self, method, path, body=None, key=None):
        """The first attempt that is not refused for now, and whether an attempt before it may have been executed."""
        begun, is_unsure = time.monotonic(), False
        last = "no attempt"
        while time.monotonic() - begun < PATIENCE:
            try:
                status, value = await self.send(method, path, body, key)
            except Lost as lost:
                last, is_unsure = str(lost), True
                self.seen["lost responses"] += 1
            else:
                if status not in (502, 503, 504) and not refused(value) and not in_progress(status, value):
                    return status, value, is_unsure
                # The balancer says 502 and 504 when a sidecar ended in the midst of a request.
                is_unsure |= status in (502, 504)
                last = f"{status}: {json.dumps(value)[:300]}"
                self.seen[f"refused for now ({reason(status, value)})"] += 1
            await asyncio.sleep(0.1)
        raise Wrong(f"{method} {path} of {self.owner} never ended: {last}")

    async def open(self):
        await self.sent("PUT", f"/v1/sessions/{self.session}", {"parameters": {"owner": self.owner, "version": "0"}})

    def call(self, tool, args, **more):
        return {"calls": [{"id": "1", "tool": tool, "args": args, **more}], "session": {"id": self.session}}

    async def keyed(self, number):
        """A call with a key, and its repetition: made once, and both times with the same result."""
        body = self.call("shop-order", {"number": number}, idempotencyKey=f"key-of-the-flow-{number}")
        _, value, _ = await self.sent("POST", "/v1/calls", body)
        first = self.result(value, f"order {number}")
        made = self.shop.executed["orders", number]
        if "response" in first and made != 1 or made > 1:
            raise Wrong(f"order {number} was made {made} times: {first}")
        _, value, _ = await self.sent("POST", "/v1/calls", body)
        again = self.result(value, f"order {number}")
        # A result that came while the store was away is not kept, and its key says so.
        is_kept = first.get("response") == again.get("response")
        if not is_kept and again.get("error", {}).get("reached") != "maybe":
            raise Wrong(f"the repetition of order {number} had another end: {first} {again}")
        self.count(first, "keyed calls")

    async def approved(self, number):
        """A call that a person approves on another sidecar."""
        _, value, _ = await self.sent("POST", "/v1/calls", self.call("pay-pay", {"number": number}))
        pending = self.result(value, f"payment {number}").get("pending")
        if not pending:
            raise Wrong(f"payment {number} does not wait: {value}")
        path = f"/v1/approvals/{pending['id']}"
        status, value, is_unsure = await self.sent("POST", path, {"decision": "approve"})
        made = self.shop.executed["payments", number]
        if status == 200 and "response" in value:
            if made != 1 or value["response"]["owner"] != self.owner:
                raise Wrong(f"payment {number} was made {made} times: {value}")
        elif made > 1 or not is_unsure or value.get("error", {}).get("reached") != "maybe":
            kind = Unknown if made == 0 and value.get("error", {}).get("reached") == "maybe" else Wrong
            raise kind(f"the approval of payment {number} was lost, and the call made {made} times: {status} {value}")
        _, value, _ = await self.sent("POST", path, {"decision": "approve"})
        if value.get("error", {}).get("reached") != "maybe":
            raise Wrong(f"the second approval of payment {number} does not say that it was used: {value}")
        self.seen["approvals"] += 1

    async def paused(self, number):
        """A turn that waits for the client, and goes on on another sidecar."""
        calls = [{"id": "a", "tool": "app-open_page", "args": {"page": number}}, {"id": "b", "tool": "shop-report", "args": {"number": number}}]
        async with self.lock:
            for attempt in range(100):
                turn = [{"toolCalls": {"toolCalls": calls}}]
                status, value, _ = await self.sent("POST", self.run, {"inputs": turn}, f"turn-{number}-{attempt}")
                if status == 409 and value.get("toolCalls"):
                    # A turn that was refused while the store was away was kept all the same.
                    await self.answered(value["toolCalls"], f"late-{number}-{attempt}")
                    self.seen["turns that waited unknown to the client"] += 1
                elif status == 200 and "toolCalls" in value["outputs"][0]:
                    asked = value["outputs"][0]["toolCalls"]["toolCalls"]
                    status, value = await self.answered(asked, f"answer-{number}-{attempt}")
                    if '"next": "try_later"' not in json.dumps(value):
                        break
                elif status == 200 and '"next": "try_later"' in json.dumps(value):
                    self.seen["refused for now (turn)"] += 1
                else:
                    break
        text = json.dumps(value)
        if status == 200 and '"reached": "maybe"' in text:
            # The sidecar of a call was killed.
            self.seen["turns with a pause, unknown"] += 1
            return
        if status != 200 or f'"opened": "{number}"' not in text or f"{self.owner} {number} 0" not in text:
            raise Wrong(f"the turn {number} of {self.owner} did not end: {status} {text[:500]}")
        self.seen["turns with a pause"] += 1

    async def answered(self, calls, key):
        """The client's answers to calls that wait."""
        answers = [
            {name: call[name] for name in ("id", "tool", "displayName")} | {"response": {"output": {"opened": call["args"]["page"]}}}
            for call in calls
        ]
        body = {"inputs": [{"toolResponses": {"toolResponses": answers}}]}
        status, value, _ = await self.sent("POST", self.run, body, key)
        return status, value

    async def report(self, number):
        """A result that is cut, and the whole of it from another sidecar."""
        _, value, _ = await self.sent("POST", "/v1/calls", self.call("shop-report", {"number": number}))
        result = self.result(value, f"report {number}")
        handle = result.get("handle")
        if not handle:
            raise Wrong(f"report {number} has no handle: {json.dumps(result)[:500]}")
        status, value, _ = await self.sent("GET", f"/v1/results/{handle}?session={self.session}")
        if status == 404 and "kept by one process alone" in json.dumps(result):
            self.seen["results kept by one sidecar"] += 1
            return
        if status != 200 or not isinstance(value, dict) or value["lines"][1499] != f"{self.owner} {number} 1499" or value["owner"] != self.owner:
            raise Wrong(f"report {number} of {self.owner}: {status} {json.dumps(value)[:300]}")
        self.seen["results by handle"] += 1

    async def changed(self, _number):
        """A parameter that is read on another sidecar after it was set."""
        async with self.lock:
            self.version += 1
            path, version = f"/v1/sessions/{self.session}", str(self.version)
            await self.sent("PATCH", path, {"parameters": {"version": version}})
            _, value, _ = await self.sent("GET", path)
        if value["parameters"].get("version") != version or value["parameters"].get("owner") != self.owner:
            raise Wrong(f"the session {self.owner} has {value['parameters']}, expected version {version}")
        self.seen["sessions read back"] += 1

    def result(self, value, name):
        result = value["results"][0] if "results" in value else None
        if result is None:
            raise Wrong(f"{name}: {value}")
        response = result.get("response")
        if isinstance(response, dict) and response.get("owner") not in (None, self.owner):
            raise Wrong(f"{name} of {self.owner} has the response to {response['owner']}")
        error = result.get("error")
        if error and error.get("reached") != "maybe":
            raise Wrong(f"{name} of {self.owner}: {error}")
        return result

    def count(self, result, name):
        self.seen[f"{name}, unknown" if "error" in result else name] += 1


def refused(value):
    """True for a call that was refused before it was sent and may be repeated, and for one whose first call still runs."""
    error = error_of(value)
    is_temporary = isinstance(error, dict) and error.get("next") == "try_later"
    return is_temporary and error.get("code") != "unknown_approval"


def in_progress(status, value):
    return status == 409 and "running" in json.dumps(value)


def reason(status, value):
    error = error_of(value)
    return error["code"] if error else status


def error_of(value):
    if not isinstance(value, dict):
        return None
    return (value["results"][0] if value.get("results") else value).get("error")
