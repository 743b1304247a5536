"""Attacks by programs that others use: h2load and slowhttptest. Each says nothing where its program is absent."""

import concurrent.futures
import contextlib
import re
import shutil
import subprocess
import tempfile

from victim import CALL


def h2load(url, seconds, scale):
    """Many streams on many connections."""
    with tempfile.NamedTemporaryFile() as body:
        body.write(CALL)
        body.flush()
        command = ["h2load", "-c", scale, "-m", 100, "-D", int(max(seconds, 1)), "-t", 1, "-d", body.name,
                   "-H", "content-type: application/json", f"{url}/v1/calls"]
        said = ran(command, seconds)
    status = re.search(r"status codes: (.*)", said)
    rate = re.search(r"finished in .*?, (.*? req/s)", said)
    return f"{scale} connections of 100 streams: {rate[1] if rate else '?'}, {status[1] if status else said[-200:]}"


def slowhttptest(url, seconds, scale):
    """Slow heads (-H), slow bodies (-B) and slow reads (-X) at the same time."""
    seconds = int(max(seconds, 7))
    common = ["slowhttptest", "-c", scale, "-r", scale, "-l", seconds, "-p", 3, "-g"]
    ways = {
        "-H": ["-i", 1, "-u", f"{url}/v1/tools"],
        "-B": ["-i", 1, "-t", "POST", "-f", "application/json", "-s", 100000, "-u", f"{url}/v1/calls"],
        "-X": ["-k", 10, "-w", 1, "-y", 64, "-n", 1, "-z", 5, "-u", f"{url}/openapi.json"],
    }
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor() as threads:
        said = {mode: threads.submit(reported, [*common, mode, *way], seconds, f"{folder}/{mode}") for mode, way in ways.items()}
        return "; ".join(f"{mode} {text.result()}" for mode, text in said.items())


def reported(command, seconds, prefix):
    """What its report says second by second: on the screen it says it each five seconds, and nothing at the end. An attack that
    never was on is no attack."""
    said = ran([*command, "-o", prefix], seconds)
    with contextlib.suppress(OSError), open(f"{prefix}.csv") as report:
        rows = [[int(number) for number in line.split(",")] for line in report.readlines()[1:] if line.strip()]
        most = max((connected for _, _, _, connected, _ in rows), default=0)
        if most > 0:
            closed = max(closed for _, closed, *_ in rows)
            away = sum(1 for *_, available in rows if available == 0)
            return f"{most} connected at most, {closed} closed, {away} s not available"
    raise RuntimeError(f"slowhttptest did not connect: {said[-300:]}")


def ran(command, seconds):
    command = [str(part) for part in command]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=seconds + 30)
    except subprocess.TimeoutExpired as late:
        return (late.stdout or b"").decode(errors="replace")
    return done.stdout.decode(errors="replace")


def absent():
    return [name for name in ("h2load", "slowhttptest") if not shutil.which(name)]
