"""A Redis with one replica that Sentinel watches, and a failover. With `durability: {wait: 1}`, what the replica does not have is
refused before it is sent, and nothing is executed twice; without it, what a failover loses is counted.
Usage: failover.py --callgate CALLGATE [--calls 1000] [--kills 4] [--bars], which leaves out what is only counted."""

import argparse
import asyncio
import collections
import json
import pathlib
import signal
import tempfile
import time

import servers
import wire
from cluster import DESCRIPTION, PRINCIPALS, configuration
from flows import Customer, Shop, Unknown, Wrong

CLIENTS = 24
SENTINELS = 3
# More than the buffers between two servers hold.
PADDING = 48 << 20


class Replicated:
    """Two servers, one of them the other's replica, and the sentinels that promote it."""

    def __init__(self, folder):
        self.program = servers.program("redis-server", "target/interop/redis/redis-server")
        self.servers = [servers.Redis(self.program, folder, name=f"redis-{at}") for at in range(2)]
        self.folder, self.sentinels = folder, []
        self.primary, self.replica = self.servers
        # The replica is told at once, not after five seconds.
        self.primary.command += ["--repl-diskless-sync-delay", "0"]
        self.replica.command += ["--repl-diskless-sync-delay", "0"]

    async def up(self):
        await self.primary.up()
        await self.replica.up()
        await servers.ask(self.replica.port, "REPLICAOF 127.0.0.1 %d" % self.primary.port)
        for at in range(SENTINELS):
            self.sentinels.append(await Sentinel(self.program, self.folder, at, self.primary).up())
        await until("one replica is in step", self.is_in_step)
        for sentinel in self.sentinels:
            await until("each sentinel knows all", lambda port=sentinel.port: self.is_watched(port))
        return self

    async def is_in_step(self):
        return "state=online" in await servers.ask(self.primary.port, "INFO replication")

    async def is_watched(self, port):
        return f"slaves=1,sentinels={SENTINELS}" in await servers.ask(port, "INFO sentinel")

    async def fail_over(self):
        """Kills the primary, waits until the replica is promoted, and starts the old primary as its replica."""
        await self.primary.end()
        self.replica.send(signal.SIGCONT)
        begun = time.monotonic()
        await until("the replica is promoted", self.is_promoted)
        took = time.monotonic() - begun
        self.primary, self.replica = self.replica, self.primary
        await self.replica.up()
        await until("the old primary is a replica", self.is_in_step)
        return took

    async def is_promoted(self):
        return "role:master" in await servers.ask(self.replica.port, "INFO replication")

    async def end(self):
        for process in [*self.sentinels, *self.servers]:
            process.send(signal.SIGCONT)
            await process.end()


class Sentinel(servers.Process):
    def __init__(self, program, folder, at, primary):
        self.port, place = servers.free_port(), folder / f"sentinel-{at}"
        place.mkdir()
        file = place / "sentinel.conf"
        lines = [f"port {self.port}", "bind 127.0.0.1", f"dir {place}", f"sentinel monitor state 127.0.0.1 {primary.port} 2"]
        lines += ["sentinel down-after-milliseconds state 1000", "sentinel failover-timeout state 3000"]
        file.write_text("\n".join(lines) + "\n")
        super().__init__(f"sentinel-{at}", folder, [program, file, "--sentinel"])

    async def up(self):
        return await self.start(lambda: servers.accepts(self.port))


async def until(what, is_so, patience=240):
    begun = time.monotonic()
    while not await is_so():
        if time.monotonic() - begun > patience:
            raise SystemExit(f"failover: expected within {patience} s: {what}")
        await asyncio.sleep(0.05)


class Trial:
    """One sidecar on one set of servers, its clients, and what they saw."""

    def __init__(self, given, folder, name, durability):
        self.given, self.folder, self.durability = given, folder / name.replace(" ", "-"), durability
        self.folder.mkdir()
        self.shop, self.seen, self.wrong = Shop(), collections.Counter(), []

    async def __aenter__(self):
        self.shop_port, self.server = await wire.serve(self.shop.answer)
        self.state = await Replicated(self.folder).up()
        nodes = ", ".join(f"'redis://127.0.0.1:{one.port}'" for one in self.state.sentinels)
        redis = f"{{sentinel: {{master: state, nodes: [{nodes}]}}{self.durability}}}"
        state = f"state: {{redis: {redis}, key: '{servers.KEY}'}}"
        (self.folder / "shop.yaml").write_text(DESCRIPTION)
        config = self.folder / "callgate.yaml"
        config.write_text(configuration(self.shop_port, state))
        self.sidecar = await servers.Sidecar(self.given.callgate, self.folder, "one", config).up()
        of = [Customer(self.sidecar.port, f"p{at}", "s", self.shop, self.seen) for at in range(PRINCIPALS)]
        self.customers = of
        for customer in of:
            await customer.open()
        return self

    async def __aexit__(self, *_):
        for customer in self.customers:
            customer.client.close()
        await self.sidecar.end()
        await self.state.end()

    def customer(self, number):
        return self.customers[number % len(self.customers)]

    async def all(self, numbers, action):
        """Runs an action for each number, a few at a time, and returns what they returned."""
        left, found = iter(numbers), {}

        async def client():
            for number in left:
                try:
                    found[number] = await action(self.customer(number), str(number))
                except Unknown:
                    # A use that could not be taken back while no replica was there.
                    self.seen["approvals, unknown and not made"] += 1
                except Wrong as error:
                    self.wrong.append(str(error))

        await asyncio.gather(*(client() for _ in range(CLIENTS)))
        return found

    def twice(self):
        return [name for name, times in self.shop.executed.items() if times > 1]


async def keyed(customer, number):
    """The call of a key, once: its result, or the refusal of the whole request."""
    body = customer.call("shop-order", {"number": number}, idempotencyKey=f"key-{number}")
    return await attempt(customer, "/v1/calls", body)


async def begun(customer, number):
    """A call that has to be approved."""
    return await attempt(customer, "/v1/calls", customer.call("pay-pay", {"number": number}))


async def approval(customer, number):
    """The id of an approval that waits."""
    _, value, _ = await customer.sent("POST", "/v1/calls", customer.call("pay-pay", {"number": number}))
    return customer.result(value, f"payment {number}")["pending"]["id"]


async def attempt(customer, path, body):
    for _ in range(3):
        try:
            status, value = await customer.send("POST", path, body)
            break
        except wire.Lost as lost:
            # The sidecar has closed an idle connection, or does not answer.
            status, value = None, {"lost": str(lost)}
    return (value["results"][0] if status == 200 and "results" in value else value) | {"status": status}


def is_refused(value):
    """True for an end that says that nothing was sent, and that it may be repeated."""
    error = value.get("error") or {}
    return value.get("status") == 503 or (error.get("reached"), error.get("next")) == ("no", "try_later")


async def replica_paused(given, folder):
    """What must be kept is refused while the replica does not answer, and made once when it does."""
    async with Trial(given, folder, "paused", ", durability: {wait: 1}") as trial:
        ids = await trial.all(range(given.calls), approval)

        async def used(customer, number):
            return await attempt(customer, f"/v1/approvals/{ids[int(number)]}", {"decision": "approve"})

        trial.state.replica.send(signal.SIGSTOP)
        other = range(given.calls, 2 * given.calls)
        for name, numbers, action in [
            ("keyed writes", range(given.calls), keyed),
            ("new approvals", other, begun),
            ("uses of approvals", range(given.calls), used),
        ]:
            ends = await trial.all(numbers, action)
            refused = sum(map(is_refused, ends.values()))
            print(f"replica paused: {refused} of {given.calls} {name} refused, {sum(trial.shop.executed.values())} sent")
            trial.wrong += [f"{name} {number}: {json.dumps(end)[:300]}" for number, end in ends.items() if not is_refused(end)]
        trial.wrong += [f"{name} was sent while the replica was paused" for name in trial.shop.executed]
        trial.state.replica.send(signal.SIGCONT)
        await until("the replica answers", trial.state.is_in_step)
        # What was refused is repeated.
        await trial.all(range(given.calls), lambda customer, number: customer.keyed(number))

        async def decided(customer, number):
            path = f"/v1/approvals/{ids[int(number)]}"
            return (await customer.sent("POST", path, {"decision": "approve"}))[1]

        await trial.all(range(given.calls), decided)
        made = collections.Counter(kind for kind, _ in trial.shop.executed)
        print(f"replica back: {made['orders']} keyed writes and {made['payments']} approved calls made, {len(trial.twice())} twice")
        expected = collections.Counter(orders=given.calls, payments=given.calls)
        trial.wrong += [f"expected {expected}, made {made}"] if made != expected else []
        return trial.wrong + [f"{name} twice" for name in trial.twice()]


async def primary_killed(given, folder, name, durability):
    """Clients go on with their keys and approvals while the primary is killed in the midst of them, again and again."""
    async with Trial(given, folder, name, durability) as trial:

        async def flow(customer, number):
            await (customer.keyed if int(number) % 2 else customer.approved)(number)

        flows = asyncio.create_task(trial.all(range(2 * given.calls), flow))
        n_killed, took = 0, []
        while not flows.done() and (n_killed < given.kills):
            await asyncio.sleep(3.0)
            if not flows.done():
                took.append(await trial.state.fail_over())
                n_killed += 1
        await flows
        seen = ", ".join(f"{number} {name}" for name, number in sorted(trial.seen.items()))
        print(f"{name}: {n_killed} primaries killed, promoted in {', '.join(f'{it:.1f}' for it in took)} s: {len(trial.twice())} executed twice")
        print(f"{name}: {seen}")
        return trial.wrong, trial.twice()


async def replica_behind(given, folder):
    """The primary is killed while its replica is behind by all that was acknowledged; then everything is repeated."""
    async with Trial(given, folder, "behind", "") as trial:
        ids = await trial.all(range(given.calls), approval)

        async def both(customer, number):
            body = customer.call("shop-order", {"number": number}, idempotencyKey=f"key-{number}")
            await customer.sent("POST", "/v1/calls", body)
            await customer.sent("POST", f"/v1/approvals/{ids[int(number)]}", {"decision": "approve"})

        await asyncio.sleep(1.0)
        trial.state.replica.send(signal.SIGSTOP)
        # What lies in the buffers of the kernel would still reach the replica.
        await servers.ask(trial.state.primary.port, f"EVAL \"redis.call('SET', 'padding', string.rep('x', {PADDING}))\" 0")
        await until("the primary answers", lambda: servers.accepts(trial.state.primary.port))
        await trial.all(range(given.calls), both)
        once = len(trial.shop.executed)
        await trial.state.fail_over()

        await trial.all(range(given.calls), both)
        twice = collections.Counter(kind for kind, _ in trial.twice())
        print(f"without WAIT, replica behind by {once} calls: {twice['orders']} keyed writes and {twice['payments']} approvals executed twice")


async def run(given, folder):
    wrong = await replica_paused(given, folder)
    found, twice = await primary_killed(given, folder, "with WAIT", ", durability: {wait: 1}")
    wrong += found + [f"{name} was executed twice" for name in twice]
    if not given.bars:
        # What a failover costs without it is no fault.
        await primary_killed(given, folder, "without WAIT", "")
        await replica_behind(given, folder)
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--callgate", required=True, type=pathlib.Path)
    parser.add_argument("--calls", type=int, default=1000)
    parser.add_argument("--kills", type=int, default=4)
    parser.add_argument("--bars", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        wrong = asyncio.run(run(given, pathlib.Path(folder)))
    for one in wrong[:20]:
        print(f"failover: {one}")
    print(f"failover: {len(wrong)} wrong")
    raise SystemExit(1 if wrong else 0)


if __name__ == "__main__":
    main()
