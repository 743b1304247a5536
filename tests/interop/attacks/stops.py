"""SIGTERM under statements of a model that nothing interrupts: each is one function of SQLite on values as large as it may be. The
sidecar must end by its drain time and a moment.
"""

import http.client
import json
import pathlib
import sqlite3
import tempfile
import threading
import time

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


def stopped(callgate):
    """The names of what did harm."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "shop.db")
        with sqlite3.connect(file) as shop:
            shop.execute("create table orders (no integer primary key)")
        shop.close()
        url = f"sqlite:{file}"
        limits = {"timeout": "60s", "connections": len(STATEMENTS)}
        query = {"url": url, "tables": {"orders": ["no"]}}
        toolset = {"database": {"url": url}, "query": query, "limits": limits}
        victim = Victim(callgate, {"drain": f"{DRAIN}s"}, {"toolsets": {"pets": toolset}})
        return ["a stop under statements"] if is_late(victim) else []


def is_late(victim):
    callers = [threading.Thread(target=call, args=(victim.address, sql), daemon=True) for sql in STATEMENTS]
    for caller in callers:
        caller.start()
    time.sleep(1)
    n_running = sum(caller.is_alive() for caller in callers)
    began = time.monotonic()
    code = victim.stop()
    took = time.monotonic() - began
    print(f"a stop under {n_running} statements: {took:.1f} s, code {code}", flush=True)
    return took > DRAIN + MOMENT or n_running < len(STATEMENTS)


def call(address, sql):
    client = http.client.HTTPConnection(*address, timeout=60)
    body = json.dumps({"calls": [{"tool": "pets-query", "args": {"sql": sql}}]})
    try:
        client.request("POST", "/v1/calls", body, {"Content-Type": "application/json"})
        client.getresponse().read()
    except (OSError, http.client.HTTPException):
        return
    finally:
        client.close()


# Seconds: of the drain, and beyond it.
DRAIN = 2
MOMENT = 2
