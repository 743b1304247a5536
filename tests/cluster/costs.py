"""The commands that a sidecar sends to Redis for each kind of call, counted by the server, and the CPU that a call takes beside
state in memory, both measured in one run. Usage: costs.py --callgate CALLGATE [--calls 2000]"""

import argparse
import asyncio
import pathlib
import tempfile

import servers
import wire
from cluster import DESCRIPTION, configuration
from flows import Shop

# The most commands a call; a change is one script.
BARS = {"a call that needs no state": 0, "a session's parameters": 1, "a keyed call": 2}
MOST_CPU = 1.3
# What a sidecar asks on its own.
OWN = ("auth", "client", "config", "hello", "info", "ping", "select", "zcard", "zrangebylex")


class Measured:
    """One sidecar, and the commands that its Redis has executed."""

    def __init__(self, sidecar, redis):
        self.sidecar, self.redis, self.client, self.commands = sidecar, redis, wire.Client(sidecar.port), 0

    async def call(self, number, session=None, key=None, owner=None):
        call = {"id": "1", "tool": "shop-order", "args": {"number": str(number)}} | ({"idempotencyKey": key} if key else {})
        body = {"calls": [call], "session": {"parameters": {"owner": owner}} if owner else {"id": session}}
        headers = [("Authorization", "Bearer token-of-p0-0123456789")]
        status, _, data = await self.client.send("POST", "/v1/calls", body, headers)
        if status != 200 or b'"response"' not in data:
            raise SystemExit(f"costs: {status} {data[:300]}")

    async def kinds(self, number):
        """The call of each kind."""
        return {
            "a call that needs no state": self.call(number, owner="kim"),
            "a session's parameters": self.call(number, session="s1"),
            "a keyed call": self.call(number, owner="kim", key=f"key-{number}"),
        }

    async def watch(self):
        """Begins to count the commands of clients; what a script does inside is part of it."""
        reader, self.monitor = await asyncio.open_connection("127.0.0.1", self.redis.port)
        self.monitor.write(b"MONITOR\r\n")
        await reader.readline()

        async def count():
            while line := (await reader.readline()).decode(errors="replace"):
                name = line.split('"')[1].lower() if '"' in line else ""
                if name == "echo":
                    self.is_counted.set()
                else:
                    self.commands += " lua]" not in line and name not in OWN

        self.counting, self.is_counted = asyncio.create_task(count()), asyncio.Event()

    async def counted(self):
        """The number of commands so far: those before one of our own, which has come."""
        self.is_counted.clear()
        await servers.ask(self.redis.port, "ECHO counted")
        await asyncio.wait_for(self.is_counted.wait(), 60)
        return self.commands

    def cpu(self):
        fields = pathlib.Path(f"/proc/{self.sidecar.child.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return int(fields[11]) + int(fields[12])


async def started(given, folder, shop_port, name, state):
    (folder / "shop.yaml").write_text(DESCRIPTION)
    (folder / f"{name}.yaml").write_text(configuration(shop_port, state))
    return await servers.Sidecar(given.callgate, folder, name, folder / f"{name}.yaml").up()


async def run(given, folder):
    shop = Shop()
    shop.work = 0
    shop_port, _server = await wire.serve(shop.answer)
    redis = await servers.Redis(servers.program("redis-server", "target/interop/redis/redis-server"), folder, durable=False).up()
    state = f"state: {{redis: {{url: 'redis://127.0.0.1:{redis.port}'}}, key: '{servers.KEY}'}}"
    sidecars = [await started(given, folder, shop_port, "memory", ""), await started(given, folder, shop_port, "redis", state)]
    memory, over = (Measured(sidecar, redis) for sidecar in sidecars)
    faults = []
    try:
        for one in (memory, over):
            headers = [("Authorization", "Bearer token-of-p0-0123456789")]
            await one.client.send("PUT", "/v1/sessions/s1", {"parameters": {"owner": "kim"}}, headers)
            await asyncio.gather(*(await one.kinds(0)).values())
        await over.watch()
        for at, (kind, most) in enumerate(BARS.items()):
            before, n_calls = await over.counted(), 100
            for number in range(1 + at * n_calls, 1 + (at + 1) * n_calls):
                for name, call in (await over.kinds(number)).items():
                    if name == kind:
                        await call
                    else:
                        call.close()
            # The sidecar's own look at its replicas falls into the time of some.
            each = (await over.counted() - before) / n_calls
            print(f"{kind}: {each:.2f} commands (bar {most})")
            faults += [f"{kind} takes {each:.2f} commands"] if each > most + 0.05 else []
        over.monitor.close()
        faults += await processor(given, memory, over)
    finally:
        for process in [*sidecars, redis]:
            await process.end()
    return faults


async def processor(given, memory, over):
    """The CPU of calls with a stored session, in turns: the least of each, since what else the machine does adds to some."""
    ticks = {memory: [], over: []}
    for _ in range(5):
        for one, rows in ticks.items():
            before = one.cpu()
            for _ in range(0, given.calls // 5, 16):
                await asyncio.gather(*(one.call(0, session="s1") for _ in range(16)))
            rows.append(one.cpu() - before)
    ratio = min(ticks[over]) / max(min(ticks[memory]), 1)
    print(f"CPU of calls with a stored session: {ratio:.2f} x that of state in memory (bar {MOST_CPU})")
    return [f"the CPU is {ratio:.2f} x"] if ratio > MOST_CPU else []


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--callgate", required=True, type=pathlib.Path)
    parser.add_argument("--calls", type=int, default=2000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        faults = asyncio.run(run(given, pathlib.Path(folder)))
    if faults:
        raise SystemExit("costs: " + "; ".join(faults))


if __name__ == "__main__":
    main()
