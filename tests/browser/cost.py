"""The cost of the console: server time and bytes of its pages for the 1,223 tools of GitHub's description, what the last calls that
it keeps cost a call, and what it costs while nobody looks. Two sidecars of one command take turns, one with the console and one
without (`console: false`, which keeps no calls either). Processor time is that of the sidecar's process, by the kernel, so that other
work on the machine counts less than on a clock. Run it with a release build: `cost.py --callgate FILE`."""

import argparse
import http.client
import json
import statistics
import time

from world import ROOT, Sidecar, processor_time, shared

ROUNDS = 200
CALLS = 200
IDLE_SECONDS = 30
CALL = json.dumps({"calls": [{"id": "1", "tool": "pets-getPet", "args": {"petId": 7}}]})


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--callgate", required=True)
    given = arguments.parse_args()
    print(pages(given.callgate))
    print(ring(given.callgate))
    print(idle(given.callgate))


def pages(callgate):
    description = shared() / "corpus/specs/github/api.github.com.json"
    configuration = {"listen": "127.0.0.1:0", "toolsets": {"github": {"openapi": str(description)}}}
    shown, search = [], "?q=close+an+issue"
    kinds = (("first page", ""), ("search", search), ("tool", "/tools/github-issues_create"))
    for name, path in kinds:
        with Sidecar(callgate, configuration=configuration) as sidecar:
            client = http.client.HTTPConnection(sidecar.origin.removeprefix("http://"))
            clock, processor = [], []
            for _ in range(21):
                before, begun = processor_time(sidecar), time.perf_counter()
                body = asked(client, "GET", "/console" + path)
                clock.append((time.perf_counter() - begun) * 1e3)
                processor.append((processor_time(sidecar) - before) / 1e6)
            shown.append(f"{name}: first {clock[0]:.1f} ms ({processor[0]:.1f} of processor), then {statistics.median(clock[1:]):.1f} ms by the clock, {statistics.median(processor[1:]):.1f} ms of processor, {len(body)} bytes")
    return "GitHub's tools\n  " + "\n  ".join(shown)


def asked(client, method, path, body=None):
    client.request(method, path, body, {"content-type": "application/json"} if body else {})
    answer = client.getresponse()
    content = answer.read()
    if answer.status != 200:
        raise SystemExit(f"{path}: {answer.status} {content[:300]}")
    return content


def pets(**more):
    key = {"api_key": {"in": "header", "name": "X-Api-Key", "value": "literal:k"}}
    toolset = {"openapi": str(ROOT / "fixtures/pets/spec.yaml"), "server_variables": {"region": "api"}, "auth": key, "upstream": "replay"}
    return {"listen": "127.0.0.1:0", "toolsets": {"pets": toolset}, **more}


def ring(callgate):
    """Rounds of calls, of each kind of sidecar one after the other."""
    kinds = {"without": {"console": False}, "with": {}, "with values": {"call_values": True}}
    sidecars = {name: Sidecar(callgate, configuration=pets(**more), is_shown=name != "without").__enter__() for name, more in kinds.items()}
    clients = {name: http.client.HTTPConnection(sidecar.origin.removeprefix("http://")) for name, sidecar in sidecars.items()}
    spent = {name: [] for name in kinds}
    for at in range(ROUNDS + 1):
        for name in list(kinds) if at % 2 else reversed(kinds):
            before = processor_time(sidecars[name])
            for _ in range(CALLS):
                asked(clients[name], "POST", "/v1/calls", CALL)
            # The first round fills the ring, so that later calls take the place of others.
            if at:
                spent[name].append((processor_time(sidecars[name]) - before) / CALLS / 1e3)
    for sidecar in sidecars.values():
        sidecar.__exit__()
    usual = statistics.median(spent["without"])
    lines = [f"without: {usual:.2f} µs of processor for a call"]
    for name in ("with", "with values"):
        differences = sorted(ours - theirs for ours, theirs in zip(spent[name], spent["without"], strict=True))
        low, middle, high = statistics.quantiles(differences, n=4)
        lines.append(f"{name}: {middle:+.2f} µs ({middle / usual:+.1%}), the middle half of the pairs from {low:+.2f} to {high:+.2f}")
    return f"The last calls, by {ROUNDS} pairs of {CALLS} calls\n  " + "\n  ".join(lines)


def idle(callgate):
    """Half a minute without calls: without the console, with it, and with somebody who watches the calls."""
    lines = []
    for name, more in (("without", {"console": False}), ("with", {}), ("with a page of calls open", {})):
        with Sidecar(callgate, configuration=pets(**more), is_shown=name != "without") as sidecar:
            client = http.client.HTTPConnection(sidecar.origin.removeprefix("http://"))
            asked(client, "POST", "/v1/calls", CALL)
            if "open" in name:
                client.request("GET", "/v1/admin/calls", headers={"accept": "text/event-stream"})
                feed = client.getresponse()
                feed.readline()
            time.sleep(2)
            before = processor_time(sidecar)
            time.sleep(IDLE_SECONDS)
            lines.append(f"{name}: {(processor_time(sidecar) - before) / 1e6:.2f} ms of processor")
    return f"{IDLE_SECONDS} s without calls\n  " + "\n  ".join(lines)


if __name__ == "__main__":
    main()
