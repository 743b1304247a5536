"""Attacks by programs that others use: h2load and slowhttptest. Each says nothing where its program is absent."""

import concurrent.futures
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
    # It says how things are every five seconds.
    seconds = int(max(seconds, 7))
    common = ["slowhttptest", "-c", scale, "-r", scale, "-l", seconds, "-p", 3]
    ways = {
        "-H": ["-i", 1, "-u", f"{url}/v1/tools"],
        "-B": ["-i", 1, "-t", "POST", "-f", "application/json", "-s", 100000, "-u", f"{url}/v1/calls"],
        "-X": ["-k", 20, "-w", 1, "-y", 64, "-n", 1, "-z", 5, "-u", f"{url}/openapi.json"],
    }
    with concurrent.futures.ThreadPoolExecutor() as threads:
        said = {mode: threads.submit(ran, [*common, mode, *way], seconds) for mode, way in ways.items()}
    return "; ".join(f"{mode} {seen(text.result())}" for mode, text in said.items())


def seen(said):
    """The last numbers of a report, and whether the service was ever away."""
    said = re.sub(r"\x1b\[[0-9;]*m", "", said)
    found = {name: re.findall(rf"{name}:\s+(\w+)", said) for name in ("connected", "closed")}
    numbers = [f"{values[-1]} {name}" for name, values in found.items() if values]
    away = len(re.findall(r"service available:\s+NO", said))
    return ", ".join([*numbers, f"{away} times not available"])


def ran(command, seconds):
    command = [str(part) for part in command]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=seconds + 30)
    except subprocess.TimeoutExpired as late:
        return (late.stdout or b"").decode(errors="replace")
    return done.stdout.decode(errors="replace")


def absent():
    return [name for name in ("h2load", "slowhttptest") if not shutil.which(name)]
