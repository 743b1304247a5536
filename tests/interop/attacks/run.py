"""Attacks a sidecar in every way we know, while an honest client goes on calling: it must be answered all the time, and memory
and descriptors must come back afterwards. Before that, a caller tries to approve its own calls, a greedy one to take what others
share with it, files of others are loaded, and a sidecar is stopped under statements. One line for each attack. Exits with 1 where
one of them did harm.

`run.py --callgate FILE` takes under a minute; `--long` takes what the sidecar's own limits need, with thousands of
connections, for about fifteen minutes.
"""

import argparse
import functools
import multiprocessing
import resource
import sys
import time

import approvals
import effects
import http1
import http2
import programs
import shares
import stops
from victim import Honest, Victim, percentile

SHORT = {"head_time": "2s", "body_time": "2s", "idle_time": "2s"}
# Name, function, size in the short form and in the long one.
ATTACKS = [
    ("rapid reset", http2.rapid_reset, 4, 16),
    ("made to reset", http2.made_to_reset, 4, 16),
    ("CONTINUATION flood", http2.continuations, 4, 16),
    ("header bomb", http2.header_bomb, 4, 16),
    ("control floods", http2.control_floods, 4, 16),
    ("zero windows", http2.zero_windows, 15, 40),
    ("slow heads", http1.slow_heads, 1200, 2000),
    ("slow bodies", http1.slow_bodies, 1200, 2000),
    ("slow large bodies", http1.slow_large_bodies, 100, 600),
    ("slow reads", http1.slow_reads, 200, 1000),
    ("idle connections", http1.idle, 3000, 9000),
    ("churn of connections", http1.churn, 4, 8),
    ("huge bodies", http1.huge_bodies, 8, 32),
    ("hard JSON", http1.hard_json, 4, 16),
]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--callgate", required=True)
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--only", default="")
    parser.add_argument("--p99", type=float, default=2500.0, help="of the honest client, in milliseconds")
    given = parser.parse_args()
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    failed = approvals.forged(given.callgate) if given.only in "forged approvals" else []
    failed += shares.divided(given.callgate, given.long) if given.only in "shares" else []
    failed += effects.harmful(given.callgate) if given.only in "files of others" else []
    failed += stops.stopped(given.callgate) if given.only in "stops" else []
    for limits, connects, attacks in rounds(given):
        failed += attacked(given, limits, (connects, [attack for attack in attacks if given.only in attack[0]]))
    absent = programs.absent()
    if absent:
        print(f"absent: {', '.join(absent)}")
    print(f"attacks: {', '.join(failed) + ' did harm' if failed else 'none did harm'}")
    sys.exit(1 if failed else 0)


def rounds(given):
    """Limits of a sidecar, whether the honest client opens connections too, and what is done to it."""
    of = (lambda short, long: long) if given.long else (lambda short, long: short)
    seconds = given.seconds or of(1.5, 45.0)
    attacks = [(name, functools.partial(attack, scale=of(*scales)), seconds) for name, attack, *scales in ATTACKS]
    present = {"h2load", "slowhttptest"} - set(programs.absent())
    if "h2load" in present:
        attacks.append(("h2load", functools.partial(programs.h2load, scale=of(20, 100)), seconds))
    if "slowhttptest" in present:
        attacks.append(("slowhttptest", functools.partial(programs.slowhttptest, scale=of(200, 1000)), seconds))
    yield of(SHORT, {}), True, attacks
    # More connections than there may be: those that are there go on.
    flood = ("more connections than may be", functools.partial(http1.idle, scale=of(1000, 12000)), seconds)
    yield {**of(SHORT, {}), **of({"connections": 500}, {})}, False, [flood]


def attacked(given, limits, todo):
    connects, attacks = todo
    if not attacks:
        return []
    victim = Victim(given.callgate, limits)
    failed = []
    # What is made once, by the first calls, is no harm.
    warm = Honest(victim.address, True)
    time.sleep(1)
    warm.end()
    usual = victim.resident()
    try:
        for attack in attacks:
            # A busy machine does harm once; an attack does it every time.
            for _ in range(TIMES):
                harm = attacked_once(victim, attack, connects, (usual, given.p99))
                if not harm:
                    break
                print(f"  {attack[0]}: {'; '.join(harm)}", flush=True)
            else:
                failed.append(attack[0])
    finally:
        code = victim.stop()
    if code != 0:
        print(f"  the sidecar ended with {code}")
        failed.append("its end")
    return failed


def attacked_once(victim, attack, connects, bars):
    name, function, seconds = attack
    usual, most = bars
    descriptors = victim.descriptors()
    victim.forget()
    honest = Honest(victim.address, connects)
    is_program = getattr(function, "func", function).__module__ == "programs"
    target = victim.url if is_program else victim.address
    with multiprocessing.Pool(1) as attacker:
        said = attacker.apply(function, (target, seconds))
    latencies, failures = honest.end()
    peak = victim.peak() if victim.is_alive() else 0
    left = settled(victim, descriptors, usual + MOST_KEPT)
    p50, p99 = percentile(latencies, 50), percentile(latencies, 99)
    resident = victim.resident() if victim.is_alive() else 0
    print(f"{name}: {said} | {len(latencies)} calls, {len(failures)} failed, p50 {p50:.0f} ms, p99 {p99:.0f} ms, "
          f"max {max(latencies, default=0):.0f} ms | resident {usual:.0f}, {peak:.0f} at most, {resident:.0f} MiB after | "
          f"{left:+d} descriptors", flush=True)
    harm = [f"the honest client: {failure}" for failure in failures[:2]]
    harm += [f"p99 above {most:.0f} ms"] * (p99 > most)
    harm += ["memory did not come back"] * (resident > usual + MOST_KEPT)
    harm += ["too much memory"] * (peak > usual + MOST_TAKEN)
    harm += ["descriptors did not come back"] * (left > 4)
    harm += ["the sidecar has ended"] * (not victim.is_alive())
    return harm


def settled(victim, descriptors, most_resident):
    """How many descriptors are more than there were, when their number and the memory have come to rest. An allocator returns
    what is free within some seconds."""
    left = 0
    for _ in range(200):
        if not victim.is_alive():
            return 0
        left = victim.descriptors() - descriptors
        if left <= 0 and victim.resident() <= most_resident:
            break
        time.sleep(0.1)
    return left


# How often in a row an attack has to do harm until it counts.
TIMES = 2
# MiB that an allocator may keep, and that an attack may take.
MOST_KEPT = 128
MOST_TAKEN = 512

if __name__ == "__main__":
    main()
