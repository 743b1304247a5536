"""SIGTERM under calls that nothing interrupts: the sidecar must end by its drain time and a moment.

- SQLite: each statement is one function on values as large as it may be.
- Documents: searches through a file as large as it may be.
- PostgreSQL and MariaDB: the processes of the server are paused, so that it reads no cancellation. `stops.py --callgate FILE` tries the
  servers that `../databases` and `../mariadb` have started.
"""

import argparse
import contextlib
import dataclasses
import http.client
import json
import os
import pathlib
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

from victim import Victim

WHOLE = "replace(hex(zeroblob(500000)), '0', 'a')"
# Each takes every byte of its operands, again and again, so that some function runs whenever the signal comes.
STATEMENTS = [
    f"with recursive n (i) as (select 1 union all select i + 1 from n) select count({work}) from n"
    for work in (
        f"instr({WHOLE}, 'b' || i)",
        f"length(trim({WHOLE} || i, 'a'))",
        f"length(replace({WHOLE}, 'aa', 'b' || (i % 9)))",
        f"{WHOLE} like '%' || substr({WHOLE}, 1, 120) || 'b' || i",
        f"{WHOLE} glob '*' || substr(replace({WHOLE}, 'aaaaa', '[a-z]'), 1, 110) || 'b'",
        f"json_valid(replace({WHOLE}, 'aa', '[' || (i % 9)))",
        f"soundex({WHOLE} || i)",
        f"length(hex(substr({WHOLE}, i % 9, 500000)))",
    )
]
N_CALLS = len(STATEMENTS)
# One principal has three quarters of the connections.
CONNECTIONS = 2 * N_CALLS


@dataclasses.dataclass
class Row:
    """A toolset whose calls go on, and the processes of its server that are paused before the sidecar is stopped."""

    toolset: dict
    calls: list
    server: callable = list


@contextlib.contextmanager
def sqlite():
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "shop.db")
        with sqlite3.connect(file) as shop:
            shop.execute("create table orders (no integer primary key)")
        shop.close()
        url = f"sqlite:{file}"
        query = {"url": url, "tables": {"orders": ["no"]}}
        toolset = {"database": {"url": url}, "query": query, "limits": LIMITS}
        yield Row(toolset, [("pets-query", {"sql": sql}) for sql in STATEMENTS])


@contextlib.contextmanager
def documents():
    with tempfile.TemporaryDirectory() as folder:
        text = "The shop opens at nine.\n" * 500_000
        pathlib.Path(folder, "long.md").write_text(text)
        yield Row({"documents": {"folder": folder}}, [("pets-search", {"query": "shop"})] * N_CALLS)


@contextlib.contextmanager
def postgres():
    address = os.environ["CALLGATE_POSTGRES"]
    port = urllib.parse.urlsplit(address).port

    def run(sql, database="postgres"):
        command = ["psql", "--no-psqlrc", "--quiet", "--no-align", "--tuples-only", "--set=ON_ERROR_STOP=1"]
        command += ["--dbname", address.rsplit("/", 1)[0] + "/" + database]
        return subprocess.run(command, input=sql, check=True, capture_output=True, text=True).stdout.split()

    def server():
        # Each call has its connection, and its statement runs.
        busy = "select pid from pg_stat_activity where usename = 'stops_a' and state = 'active'"
        backends = until(lambda: run(busy), N_CALLS)
        head = pathlib.Path(f"/proc/{backends[0]}/stat").read_text().rsplit(")", 1)[1].split()[1]
        return [int(process) for process in [*backends, head]]

    run("create database stops")
    run("create role stops_a login password 'secret'; revoke temp on database stops from public")
    toolset = sleeping(f"postgres://stops_a:secret@127.0.0.1:{port}/stops", "select pg_catalog.pg_sleep(50)::text as done")
    try:
        yield Row(toolset, [("pets-sleep", {})] * N_CALLS, server)
    finally:
        run("drop database stops with (force)")
        run("drop role stops_a")


@contextlib.contextmanager
def mariadb():
    socket, port = os.environ["CALLGATE_MARIADB"].split()

    def run(sql):
        command = ["mariadb", "--no-defaults", "--user=root", "--batch", "--skip-column-names", "--socket", socket]
        return subprocess.run(command, input=sql, check=True, capture_output=True, text=True).stdout.split()

    run("create database stops; create user stops_a identified by 'secret'; grant select on stops.* to stops_a")
    run("create table stops.orders (no int primary key)")

    def server():
        until(lambda: run("select id from information_schema.processlist where user = 'stops_a' and info like '%sleep(50)%'"), N_CALLS)
        return [int(pathlib.Path(run("select @@pid_file")[0]).read_text())]

    toolset = sleeping(f"mysql://stops_a:secret@127.0.0.1:{port}/stops", "select sleep(50) as done from (select 1) as t")
    try:
        yield Row(toolset, [("pets-sleep", {})] * N_CALLS, server)
    finally:
        run("drop database stops; drop user stops_a")


def sleeping(url, sql):
    return {"database": {"url": f"literal:{url}"}, "statements": {"sleep": {"sql": sql, "description": "Sleeps"}}, "limits": LIMITS}


def until(list_running, number):
    """What runs, once it is so many."""
    for _ in range(600):
        running = list_running()
        if len(running) >= number:
            break
        time.sleep(0.1)
    return running


def stopped(callgate):
    """The names of what did harm, without servers."""
    return late(callgate, [sqlite, documents])


def late(callgate, rows):
    # A busy machine is late once; a call that cannot be interrupted is late each time.
    return [f"a stop under calls ({row.__name__})" for row in rows if all(is_late(callgate, row) for _ in range(TIMES))]


def is_late(callgate, row):
    with row() as tried, contextlib.ExitStack() as ends:
        victim = Victim(callgate, {"drain": f"{DRAIN}s"}, {"toolsets": {"pets": tried.toolset}})
        callers = [threading.Thread(target=call, args=(victim.address, *asked), daemon=True) for asked in tried.calls]
        for caller in callers:
            caller.start()
        time.sleep(2)
        n_running = sum(caller.is_alive() for caller in callers)
        for process in tried.server():
            ends.callback(os.kill, process, signal.SIGCONT)
            os.kill(process, signal.SIGSTOP)
        began = time.monotonic()
        code = victim.stop()
        took = time.monotonic() - began
        print(f"a stop under {n_running} calls ({row.__name__}): {took:.1f} s, code {code}", flush=True)
        return took > DRAIN + MOMENT or n_running < len(callers)


def call(address, tool, arguments):
    """Calls a tool until the sidecar ends."""
    body = json.dumps({"calls": [{"tool": tool, "args": arguments}]})
    with contextlib.suppress(OSError, http.client.HTTPException):
        while True:
            client = http.client.HTTPConnection(*address, timeout=60)
            try:
                client.request("POST", "/v1/calls", body, {"Content-Type": "application/json"})
                if b"error" in client.getresponse().read():
                    return
            finally:
                client.close()


# Seconds: of the drain, and beyond it.
DRAIN = 2
MOMENT = 2
TIMES = 2
LIMITS = {"timeout": "60s", "connections": CONNECTIONS}

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--callgate", required=True)
    given = parser.parse_args()
    servers = [("CALLGATE_POSTGRES", postgres), ("CALLGATE_MARIADB", mariadb)]
    harm = late(given.callgate, [row for variable, row in servers if variable in os.environ])
    print(f"stops: {', '.join(harm) + ' did harm' if harm else 'none did harm'}")
    sys.exit(1 if harm else 0)
