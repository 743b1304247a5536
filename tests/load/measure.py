"""Rounds of wrk against the sidecar (over `/v1/calls`, and over MCP), the relay and nginx, in turns; CPU of each from /proc. With
`--bars` it fails where a bar is not met. Called by `run`."""

import argparse
import os
import pathlib
import re
import shutil
import socket
import statistics
import subprocess
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
CONCURRENCY = 64

CONFIG = """

{audit}
toolsets:
  pets:
    openapi: {description}
    server: http://127.0.0.1:{service}
    auth: {{ api_key: {{ in: header, name: X-Api-Key, value: "literal:load-key" }} }}
    egress: {{ allow: [127.0.0.0/8] }}
"""

# A path argument, a session input that the session fills, a default, and a key.
DESCRIPTION = """
openapi: 3.1.0
info: {title: Pets, version: "1"}
paths:
  /pets/{petId}:
    get:
      operationId: getPet
      parameters:
        - {name: petId, in: path, required: true, schema: {type: integer, minimum: 1}}
        - {name: verbose, in: query, schema: {type: boolean, default: false}}
        - {name: store, in: query, schema: {type: integer, x-agent-input-parameter: storeNumber}}
      responses:
        "200": {description: The pet, content: {application/json: {schema: {type: object}}}}
"""

BODY = '{"calls":[{"id":"1","tool":"pets-getPet","args":{"petId":7}}],"session":{"id":"s","parameters":{"storeNumber":3}}}'
SCRIPT = f"""wrk.method = "POST"
wrk.body = '{BODY}'
wrk.headers["Content-Type"] = "application/json"
"""

# The same call by the revision 2026-07-28, which has no sessions of its own.
CALL = (
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"pets-getPet","arguments":{"petId":7},"_meta":{'
    '"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},'
    '"callgate/session":{"id":"s","parameters":{"storeNumber":3}}}}}'
)
MCP_SCRIPT = f"""wrk.method = "POST"
wrk.body = '{CALL}'
wrk.headers["Content-Type"] = "application/json"
wrk.headers["Accept"] = "application/json, text/event-stream"
wrk.headers["MCP-Protocol-Version"] = "2026-07-28"
wrk.headers["Mcp-Method"] = "tools/call"
wrk.headers["Mcp-Name"] = "pets-getPet"
"""
MCP = "callgate, MCP"
AUDIT = "callgate, audit"
# Of the relay's CPU for a call, of its calls a second; of the CPU of a call over `/v1/calls`, over MCP and with an audit. Text and
# structured content of MCP are each complete, so that an answer has twice the bytes.
BARS = {
    "installed": {"cpu": 1.6, "rate": 0.0, MCP: 1.35, AUDIT: 1.35},
    "trained": {"cpu": 1.3, "rate": 0.7, MCP: 1.2, AUDIT: 1.15},
}
# The calls after which resident memory is shown.
N_CALLS = 100_000
GITHUB = pathlib.Path(os.environ.get("CALLGATE_SHARED", HERE.parents[2] / "shared")) / "corpus/specs/github/api.github.com.json"

NGINX = """
worker_processes 1;
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 1024; }}
http {{
  access_log off;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/f;
  uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
  upstream service {{ server 127.0.0.1:{service}; keepalive 128; }}
  server {{
    listen 127.0.0.1:{port};
    location = /v1/calls {{ proxy_pass http://service/pets/7; proxy_method GET; proxy_pass_request_body off;
      proxy_set_header Content-Length ""; proxy_set_header Content-Type ""; proxy_http_version 1.1; proxy_set_header Connection ""; }}
  }}
}}
"""


def main():
    parser = argparse.ArgumentParser()
    for name in ("callgate", "relay", "service"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--bars", choices=BARS, help="fail where a bar is not met: of the profile `dist` without counts, or of the published command")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "calls.lua").write_text(SCRIPT)
        (folder / "mcp.lua").write_text(MCP_SCRIPT)
        (folder / "pets.yaml").write_text(DESCRIPTION)
        running = []
        try:
            measured(given, folder, running)
        finally:
            for process in running:
                process.terminate()


def measured(given, folder, running):
    service = free()
    start(running, service, [given.service, f"127.0.0.1:{service}"])
    contenders = {"relay": free()}
    pids = {"relay": start(running, contenders["relay"], [given.relay, f"127.0.0.1:{contenders['relay']}", f"http://127.0.0.1:{service}"])}
    # The folder of a configuration is watched, and each line of an audit there would wake the watcher.
    (folder / "audit").mkdir()
    audit = f"audit: {{ file: {folder}/audit/audit.jsonl, key: 'literal:0123456789abcdef0123456789abcdef' }}"
    for name, audit in {"callgate": "", AUDIT: audit}.items():
        port = contenders[name] = free()
        config = folder / f"{port}.yaml"
        config.write_text(CONFIG.format(port=port, service=service, description=folder / "pets.yaml", audit=audit))
        pids[name] = start(running, port, [given.callgate, "serve", config, "--listen", f"127.0.0.1:{port}"])
    contenders[MCP], pids[MCP] = contenders["callgate"], pids["callgate"]
    if shutil.which("nginx"):
        port = contenders["nginx"] = free()
        config = folder / "nginx.conf"
        config.write_text(NGINX.format(folder=folder, port=port, service=service))
        pids["nginx"] = start(running, port, ["nginx", "-c", config, "-e", folder / "error.log"])
    rows = {name: [] for name in contenders}
    for at in range(given.rounds + 1):
        for name, port in contenders.items():
            way = (folder / "mcp.lua", "/mcp") if name == MCP else (folder / "calls.lua", "/v1/calls")
            row = round_of(port, pids[name], way, given.seconds)
            if at > 0:
                rows[name].append(row)
    missed = shown(rows, pids, BARS.get(given.bars))
    resident(given, folder, running, service)
    if missed:
        raise SystemExit(f"not met: {'; '.join(missed)}")


def round_of(port, pid, way, seconds):
    """Calls a second, CPU in microseconds for each call, the 99th percentile, and the number of calls."""
    before, (script, path) = cpu(pid), way
    command = ["wrk", "-t1", f"-c{CONCURRENCY}", f"-d{seconds}s", "--latency", "-s", script]
    ran = subprocess.run([*command, f"http://127.0.0.1:{port}{path}"], stdout=subprocess.PIPE, text=True, check=True)
    if "Non-2xx" in ran.stdout or "Socket errors" in ran.stdout:
        raise SystemExit(ran.stdout)
    calls = int(re.search(r"(\d+) requests in", ran.stdout)[1])
    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", ran.stdout)[1])
    return rate, (cpu(pid) - before) * 1e6 / calls, re.search(r"99%\s+(\S+)", ran.stdout)[1], calls


def shown(rows, pids, bars):
    """Prints what was measured; the bars that are not met."""
    rates = {name: statistics.median(row[0] for row in measured) for name, measured in rows.items()}
    used = {name: statistics.median(row[1] for row in measured) for name, measured in rows.items()}
    for name, measured in rows.items():
        resident = sum(memory(pid) for pid in family(pids[name]))
        print(f"{name:16} {rates[name]:8.0f} calls/s ({rates[name] / rates['relay']:.2f} x relay)  {used[name]:6.1f} us CPU a call "
              f"({used[name] / used['relay']:.2f} x relay)  p99 {measured[-1][2]:>8}  resident {resident:.1f} MiB")
    found = {"cpu": used["callgate"] / used["relay"]} | {name: used[name] / used["callgate"] for name in (MCP, AUDIT)}
    for name in (MCP, AUDIT):
        print(f"{name}: {found[name]:.2f} x the CPU of /v1/calls")
    if not bars:
        return []
    rate = rates["callgate"] / rates["relay"]
    missed = [f"{name}: {ratio:.2f}, at most {bars[name]}" for name, ratio in found.items() if ratio > bars[name]]
    return missed + [f"rate: {rate:.2f} x relay, at least {bars['rate']}"] * (rate < bars["rate"])


def resident(given, folder, running, service):
    """Prints what stays resident of sidecars that did nothing else."""
    configs = {"the pets": CONFIG.format(service=service, description=folder / "pets.yaml", audit="")}
    if GITHUB.exists():
        configs["the pets and GitHub"] = f"{configs['the pets']}  github:\n    openapi: {GITHUB}\n"
    for name, text in configs.items():
        port, n_calls = free(), 0
        config = folder / f"{port}.yaml"
        config.write_text(text)
        pid = start(running, port, [given.callgate, "serve", config, "--listen", f"127.0.0.1:{port}"])
        while n_calls < N_CALLS:
            n_calls += round_of(port, pid, (folder / "calls.lua", "/v1/calls"), 1)[3]
        print(f"{name}: resident {memory(pid):.1f} MiB after {n_calls} calls")


def start(running, port, command):
    process = subprocess.Popen([str(part) for part in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    running.append(process)
    for _ in range(100):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return process.pid
        time.sleep(0.1)
    raise SystemExit(f"{command[0]} does not listen")


def free():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def family(pid):
    """A process and its children."""
    children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *map(int, children)]


def cpu(pid):
    """Seconds of CPU that a process and its children took."""
    ticks = 0
    for one in family(pid):
        fields = pathlib.Path(f"/proc/{one}/stat").read_text().rsplit(")", 1)[1].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / 100


def memory(pid):
    """What of a process is resident, in MiB."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024


if __name__ == "__main__":
    main()
