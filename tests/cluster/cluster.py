"""Three sidecars on one Redis behind a balancer, while sidecars are killed, the server of the state is stopped, killed and started
again, and the network to it stalls: no call is lost, none is executed twice, and no session sees another's values.
With `--callgate` twice, sidecars of both builds share the state.
Usage: cluster.py --callgate CALLGATE [--callgate CALLGATE] [--calls 20000] [--sessions 500] [--clients 64]"""

import argparse
import asyncio
import collections
import pathlib
import random
import signal
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "interop"))

import canaries
import servers
import wire
from flows import CANARY, Customer, Shop, Wrong

PRINCIPALS = 8
DESCRIPTION = """
openapi: 3.1.0
info: {title: Shop, version: "1"}
paths:
  /orders/{number}: &operation
    post: &post
      operationId: order
      parameters:
        - {name: number, in: path, required: true, schema: {type: string}}
        - {name: X-Owner, in: header, required: true, schema: {type: string, x-agent-input-parameter: owner}}
      responses: {"200": {description: done}}
  /payments/{number}:
    post: {<<: *post, operationId: pay}
  /reports/{number}:
    get: {<<: *post, operationId: report}
"""


def configuration(shop, state):
    principals = "".join(f"    p{at}: {{bearer: 'literal:token-of-p{at}-0123456789'}}\n" for at in range(PRINCIPALS))
    toolset = f"openapi: shop.yaml, server: 'http://127.0.0.1:{shop}', egress: {{allow: [127.0.0.0/8]}}, limits: {{breaker: none}}"
    page = "{name: open_page, description: Opens a page, input: {type: object, properties: {page: {type: string}}}}"
    return (
        f"{state}\naccess:\n  principals:\n{principals}"
        f"toolsets:\n  shop: {{{toolset}, tools: {{include: [order, report]}}}}\n"
        f"  pay: {{{toolset}, confirm: always, tools: {{include: [pay]}}}}\n  app: {{functions: [{page}]}}\n"
    )


async def clients(given, port, shop, seen):
    """Runs all flows; returns what was wrong."""
    customers = [Customer(port, f"p{at % PRINCIPALS}", f"s{at // PRINCIPALS}", shop, seen) for at in range(given.sessions)]
    numbers, wrong = iter(range(given.calls)), []

    async def client():
        for number in numbers:
            customer = customers[number * 7919 % len(customers)]
            flow = [customer.keyed, customer.approved, customer.paused, customer.report, customer.changed][number % 5]
            try:
                await flow(str(number))
            except Wrong as error:
                wrong.append(str(error))
            seen["flows"] += 1

    for at in range(0, len(customers), given.clients):
        await asyncio.gather(*(customer.open() for customer in customers[at : at + given.clients]))
    await asyncio.gather(*(client() for _ in range(given.clients)))
    for customer in customers:
        customer.client.close()
    return wrong


async def faults(redis, relay, sidecars, seen, is_over):
    """One fault after another until the clients are done; each is over before the next begins."""
    for at in range(1_000_000):
        await asyncio.sleep(1.5)
        if is_over.is_set():
            return
        sidecar = sidecars[at % len(sidecars)]
        how = signal.SIGTERM if at % 4 == 3 else signal.SIGKILL
        await sidecar.end(how)
        await sidecar.up()
        seen[f"sidecars ended by {how.name}"] += 1
        await asyncio.sleep(1.0)
        kind = ["stopped for 2 s", "killed", "stalled for 2 s", "cut off"][at % 4]
        if kind == "killed":
            await redis.end()
            await asyncio.sleep(0.5)
            await redis.up()
        elif kind == "cut off":
            relay.cut()
        else:
            redis.send(signal.SIGSTOP) if kind.startswith("stopped") else relay.flows.clear()
            await asyncio.sleep(2.0)
            redis.send(signal.SIGCONT)
            relay.flows.set()
        seen[f"state {kind}"] += 1


async def shown(redis):
    """The files of the state that show a value of a session or a token of a caller, raw or encoded."""
    if redis.child.returncode is None:
        redis.send(signal.SIGCONT)
        await servers.ask(redis.port, "SAVE")
    # Redis writes a snapshot or a journal anew under a name of its own, which is gone once it is complete.
    files = [file for file in redis.folder.rglob("*") if file.is_file() and not file.name.startswith("temp-")]
    found = canaries.found(files, [CANARY, "token-of-p0-", "key-of-the-flow-"])
    print(f"{len(files)} files of the state, {sum(file.stat().st_size for file in files)} bytes: {len(found)} show a value")
    return [f"{file} has `{canary}`, {name}" for file, canary, name in found]


async def run(given, folder):
    shop, seen = Shop(), collections.Counter()
    shop_port, _server = await wire.serve(shop.answer)
    redis = await servers.Redis(servers.program("redis-server", "target/interop/redis/redis-server"), folder).up()
    relay = await servers.Relay(redis.port).start()
    state = f"state: {{redis: {{url: 'redis://127.0.0.1:{relay.port}'}}, key: '{servers.KEY}', prefix: cluster}}"
    (folder / "shop.yaml").write_text(DESCRIPTION)
    (folder / "callgate.yaml").write_text(configuration(shop_port, state))
    sidecars = [servers.Sidecar(given.callgate[at % len(given.callgate)], folder, at, folder / "callgate.yaml") for at in range(3)]
    await asyncio.gather(*(sidecar.up() for sidecar in sidecars))
    haproxy = servers.program("haproxy", "target/interop/haproxy/haproxy")
    balancer = await servers.Balancer(haproxy, folder, sidecars).up()
    breaking, is_over = None, asyncio.Event()
    try:
        breaking = asyncio.create_task(faults(redis, relay, sidecars, seen, is_over)) if given.faults else None
        wrong = await clients(given, balancer.port, shop, seen)
        is_over.set()
        if breaking:
            await breaking
        wrong += await shown(redis)
    finally:
        if breaking:
            breaking.cancel()
        for process in [balancer, *sidecars, redis]:
            await process.end()
    twice = [name for name, times in shop.executed.items() if times > 1]
    return seen, wrong + [f"{name} was executed {shop.executed[name]} times" for name in twice]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--callgate", required=True, action="append", type=pathlib.Path)
    parser.add_argument("--calls", type=int, default=20_000)
    parser.add_argument("--sessions", type=int, default=500)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--no-faults", dest="faults", action="store_false")
    given = parser.parse_args()
    random.seed(1)
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        seen, wrong = asyncio.run(run(given, pathlib.Path(folder)))
    for name, number in sorted(seen.items()):
        print(f"{number:8} {name}")
    for one in wrong[:20]:
        print(f"cluster: {one}", file=sys.stderr)
    print(f"cluster: {len(wrong)} wrong of {given.calls} flows in {time.monotonic() - begun:.0f} s")
    raise SystemExit(1 if wrong else 0)


if __name__ == "__main__":
    main()
