"""One greedy caller and one normal caller for each thing that they share: all requests of the normal one must be answered, not
much later than without the greedy one, and the greedy one takes no more memory than its share. `../../../SECURITY.md` lists what is
shared.
"""

import dataclasses
import http.client
import json
import pathlib
import socket
import statistics
import tempfile
import threading
import time

from victim import Victim

GREEDY, NORMAL = (f"a-token-of-the-{name}-0123456789" for name in ("greedy", "normal"))
ACCESS = {"principals": {"greedy": {"bearer": f"literal:{GREEDY}"}, "normal": {"bearer": f"literal:{NORMAL}"}}}
LARGE = "x" * 900_000


def sent(address, token, method, path, value=None):
    client = http.client.HTTPConnection(*address, timeout=30)
    try:
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        client.request(method, path, None if value is None else json.dumps(value), headers)
        answer = client.getresponse()
        return answer.status, answer.read()
    finally:
        client.close()


def call(name):
    body = {"name": "Rex", "species": "cat", "nickname": name}
    return {"calls": [{"tool": "pets-createPet", "args": body}]}


def waits(address, token, name):
    """Whether a call of this caller waits for a person now."""
    status, text = sent(address, token, "POST", "/v1/calls", call(name))
    return status == 200 and b"approval_" in text


# What the normal caller does: whether it was answered as it should be.


def keeps_a_session(address):
    value = {"parameters": {"customer": "c-1"}}
    put, _ = sent(address, NORMAL, "PUT", "/v1/sessions/s-1", value)
    got, text = sent(address, NORMAL, "GET", "/v1/sessions/s-1")
    return put in (200, 201, 204) and got == 200 and b"c-1" in text


def lists_approvals(address):
    status, text = sent(address, NORMAL, "GET", "/v1/approvals")
    return status == 200 and b"approvals" in text


def asks_for_approval(address):
    return waits(address, NORMAL, "Rex")


def looks_for_health(address):
    return sent(address, NORMAL, "GET", "/healthz")[0] == 200


# What the greedy caller does, again and again, in threads of its own.


def lists_everything(address):
    sent(address, GREEDY, "GET", "/v1/approvals?limit=1000")


def asks_for_large_approvals(address):
    waits(address, GREEDY, LARGE)


def keeps_large_sessions(address):
    sent(address, GREEDY, "PUT", "/v1/sessions/large", {"parameters": {"customer": LARGE}})


def lists_tools(address):
    sent(address, GREEDY, "GET", "/v1/tools?limit=1000")


def reads_nothing(address):
    """Asks for a page, and leaves it unread for a moment."""
    with socket.create_connection(address, timeout=10) as stream:
        stream.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        head = f"GET /v1/approvals?limit=1000 HTTP/1.1\r\nHost: {address[0]}:{address[1]}\r\nAuthorization: Bearer {GREEDY}\r\n\r\n"
        stream.sendall(head.encode())
        time.sleep(0.5)


PAIRS = [
    ("listings", lists_everything, 24, looks_for_health),
    ("listings of approvals", lists_everything, 24, lists_approvals),
    ("pages that nobody reads", reads_nothing, 10, lists_approvals),
    ("large approvals in the state", asks_for_large_approvals, 24, keeps_a_session),
    ("large sessions in the state", keeps_large_sessions, 24, keeps_a_session),
    ("approvals", asks_for_large_approvals, 24, asks_for_approval),
    ("listings of tools", lists_tools, 24, keeps_a_session),
]


class Greedy:
    """Threads that do something until the end."""

    def __init__(self, act, n_threads):
        self.is_over = threading.Event()
        self.threads = [threading.Thread(target=self.run, args=(act,), daemon=True) for _ in range(n_threads)]
        for thread in self.threads:
            thread.start()

    def run(self, act):
        while not self.is_over.is_set():
            try:
                act()
            except (OSError, http.client.HTTPException):
                time.sleep(0.05)

    def end(self):
        self.is_over.set()
        for thread in self.threads:
            thread.join(60)


def measured(act, n_times):
    """The milliseconds that each request took, and how many were not answered."""
    took, n_failed = [], 0
    for _ in range(n_times):
        began = time.monotonic()
        try:
            n_failed += not act()
        except (OSError, http.client.HTTPException):
            n_failed += 1
        took.append((time.monotonic() - began) * 1000)
        time.sleep(0.02)
    return took, n_failed


def pair(victim, row, bars):
    name, greed, n_threads, act = row
    alone, n_failed = measured(lambda: act(victim.address), 10)
    medians, usual = [], victim.resident()
    victim.forget()
    for _ in range(bars.runs):
        greedy = Greedy(lambda: greed(victim.address), n_threads)
        time.sleep(0.3)
        took, failed = measured(lambda: act(victim.address), 20)
        greedy.end()
        n_failed += failed
        medians.append(statistics.median(took))
    before, beside = statistics.median(alone), statistics.median(medians)
    more = victim.peak() - usual
    print(f"{name}: {beside:.0f} ms beside a greedy caller, {before:.0f} ms alone, {n_failed} not answered, {more:.0f} MiB more", flush=True)
    harm = [f"{n_failed} requests were not answered"] * bool(n_failed)
    harm += ["the normal caller waits"] * (beside > max(3 * before, bars.most))
    harm += [f"{more:.0f} MiB more"] * (more > MOST_MORE)
    return harm


def divided(callgate, is_long):
    """Tries each pair, with the state in memory and in a file; what did harm."""
    bars = LONG if is_long else SHORT
    failed = []
    for kind in ("memory", "file"):
        with tempfile.TemporaryDirectory() as folder:
            more = {"access": ACCESS}
            if kind == "file":
                more["state"] = {"file": str(pathlib.Path(folder, "state.db"))}
            victim = Victim(callgate, {}, more, {"confirm": "writes"})
            try:
                for _ in range(70):
                    waits(victim.address, GREEDY, LARGE)
                for row in PAIRS:
                    # A busy machine does harm once; a greedy caller does it every time.
                    for _ in range(TIMES):
                        harm = pair(victim, row, bars)
                        if not harm:
                            break
                        print(f"  {row[0]} ({kind}): {'; '.join(harm)}", flush=True)
                    else:
                        failed.append(f"{row[0]} ({kind})")
            finally:
                victim.stop()
    return sorted(failed)


@dataclasses.dataclass
class Bars:
    """How often each pair is tried, and the milliseconds that a request of the normal caller may take."""

    runs: int
    most: float


# In the short form the machine may be busy, and the build is one for tests.
SHORT, LONG = Bars(1, 2500.0), Bars(5, 250.0)
# How often in a row a pair has to do harm until it counts.
TIMES = 2
# MiB: the requests of a greedy caller that are handled at once, beside its share.
MOST_MORE = 64 + 64
