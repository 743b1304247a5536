"""An upgrade: a sidecar of the former build writes sessions, keys, approvals, paused turns, results, conversations and an audit file, and
this build goes on with them; a profile of the former build is called. `upgrade` then runs `cluster.py` with sidecars of both builds. Usage: upgrade.py --former CALLGATE --callgate CALLGATE"""

import argparse
import asyncio
import collections
import json
import os
import pathlib
import signal
import subprocess
import tempfile

import cluster
import servers
import wire
from flows import Customer, Shop, Wrong

AUDIT_KEY = "key-of-the-audit-file-0123456789"
AGENT = """models:
  main: {{dialect: openai, url: "http://127.0.0.1:{model}/v1", model: scripted, auth: none}}
agents:
  clerk: {{model: main, instructions: You take orders., tools: {{include: [shop-order]}}}}
audit: {{file: audit.jsonl, key: "env:AUDIT_KEY"}}
"""


async def reply(_method, _path, _headers, body):
    """A model that orders number 7 of whoever asks it, and answers once it reads the result."""
    last = json.loads(body)["messages"][-1]
    message = {"role": "assistant", "content": "It is ordered."}
    if last["role"] == "user":
        call = {"id": "call_7", "type": "function", "function": {"name": "shop-order", "arguments": '{"number": "7"}'}}
        message = {"role": "assistant", "content": None, "tool_calls": [call]}
    reason = "tool_calls" if message.get("tool_calls") else "stop"
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    return {"id": "1", "object": "chat.completion", "choices": [{"index": 0, "message": message, "finish_reason": reason}], "usage": usage}


class Written:
    """What the former build was asked to keep for one customer."""

    def __init__(self, customer):
        self.customer = customer

    async def write(self):
        customer = self.customer
        await customer.open()
        self.keyed = customer.call("shop-order", {"number": "1"}, idempotencyKey="key-of-the-order")
        self.order = await self.result("/v1/calls", self.keyed)
        self.approval = (await self.result("/v1/calls", customer.call("pay-pay", {"number": "2"})))["pending"]["id"]
        self.handle = (await self.result("/v1/calls", customer.call("shop-report", {"number": "3"})))["handle"]
        calls = [{"id": "a", "tool": "app-open_page", "args": {"page": "4"}}]
        status, value = await customer.send("POST", customer.run, {"inputs": [{"toolCalls": {"toolCalls": calls}}]})
        expect("a turn waits for its client", status == 200, value)
        self.asked = value["outputs"][0]["toolCalls"]["toolCalls"]
        status, value = await self.take_turn(input="Number 7, please.")
        expect("a conversation waits for an approval", value.get("end", {}).get("reason") == "waiting", value)

    async def read(self):
        customer, executed = self.customer, self.customer.shop.executed
        status, value = await customer.send("GET", f"/v1/sessions/{customer.session}")
        expect("the session has its values", value.get("parameters", {}).get("owner") == customer.owner, value)
        again = await self.result("/v1/calls", self.keyed)
        expect("a key returns its result", again.get("response") == self.order["response"], again)
        path = f"/v1/approvals/{self.approval}"
        status, value = await customer.send("POST", path, {"decision": "approve"})
        expect("an approval is used", status == 200 and value.get("response", {}).get("owner") == customer.owner, value)
        status, value = await customer.send("POST", path, {"decision": "approve"})
        expect("an approval is used once", value.get("error", {}).get("reached") == "maybe", value)
        status, value = await customer.send("GET", f"/v1/results/{self.handle}?session={customer.session}")
        expect("a handle has its result", status == 200 and len(value.get("lines", [])) == 1500, value)
        status, value = await customer.answered(self.asked, "answer")
        expect("a paused turn goes on", status == 200 and '"opened": "4"' in json.dumps(value), value)
        status, value = await self.take_turn(approvals=[{"id": "call_7", "decision": "approve"}])
        expect("a conversation goes on", value.get("end", {}).get("reason") == "answered", value)
        made = {("orders", "1"): 1, ("payments", "2"): 1, ("orders", "7"): 1}
        expect("each call is made once", executed == made, executed)

    async def take_turn(self, **more):
        return await self.customer.send("POST", "/v1/agents/clerk/turns", {"session": {"id": self.customer.session}} | more)

    async def result(self, path, body):
        status, value = await self.customer.send("POST", path, body)
        expect(path, status == 200 and "results" in value, value)
        return value["results"][0]


def expect(what, is_so, seen):
    if not is_so:
        raise Wrong(f"{what}: {str(seen)[:500]}")


async def hand_over(given, folder, state):
    """The former build writes and ends; this one reads, and its audit file is one chain."""
    folder.mkdir()
    shop = Shop()
    shop_port, _server = await wire.serve(shop.answer)
    model_port, _model = await wire.serve(reply)
    config = folder / "callgate.yaml"
    (folder / "shop.yaml").write_text(cluster.DESCRIPTION)
    config.write_text(AGENT.format(model=model_port) + cluster.configuration(shop_port, state))
    os.environ["AUDIT_KEY"] = AUDIT_KEY
    former = await servers.Sidecar(given.former, folder, "former", config).up()
    customer = Customer(former.port, "p0", "s", shop, collections.Counter())
    written = Written(customer)
    sidecars = [former]
    try:
        await written.write()
        customer.client.close()
        await former.end(signal.SIGTERM)
        sidecars.append(await servers.Sidecar(given.callgate, folder, "new", config).up())
        customer.client = wire.Client(sidecars[-1].port)
        await written.read()
    finally:
        customer.client.close()
        for sidecar in sidecars:
            await sidecar.end(signal.SIGTERM)
    verify = [given.callgate, "audit", "verify", folder / "audit.jsonl", "--key", "env:AUDIT_KEY"]
    expect("the audit file of both is one chain", run(verify).returncode == 0, run(verify).stderr)


def call_profile(given, folder):
    """A profile that the former build made, called by this one."""
    folder.mkdir()
    (folder / "shop.yaml").write_text(cluster.DESCRIPTION)
    home = {"XDG_CONFIG_HOME": str(folder / "config")}
    made = run([given.former, "init", "shop", folder / "shop.yaml", "--server", "http://127.0.0.1:9"], home)
    expect("a profile is made", made.returncode == 0, made.stderr)
    called = run([given.callgate, "call", "shop", "report", "number=5", "X_Owner=kim", "--dry-run"], home)
    expect("a profile is called", "/reports/5" in called.stdout, called.stdout + called.stderr)


def run(command, environment={}):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, env=os.environ | environment)


async def run_all(given, folder):
    call_profile(given, folder / "profile")
    await hand_over(given, folder / "file", "state: {file: state.db}")
    print("upgrade: a file of state, an audit file and a profile go on")
    redis = await servers.Redis(servers.program("redis-server", "target/interop/redis/redis-server"), folder).up()
    try:
        await hand_over(given, folder / "redis-state", f"state: {{redis: {{url: 'redis://127.0.0.1:{redis.port}'}}, key: '{servers.KEY}'}}")
    finally:
        await redis.end()
    print("upgrade: the state in Redis goes on")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--former", required=True, type=pathlib.Path)
    parser.add_argument("--callgate", required=True, type=pathlib.Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        try:
            asyncio.run(run_all(given, pathlib.Path(folder)))
        except Wrong as error:
            raise SystemExit(f"upgrade: {error}") from error


if __name__ == "__main__":
    main()
