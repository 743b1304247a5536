"""Runs the proxies of the manual's chapter "Deploy" by the files that it prints, before two sidecars by the configuration that it prints, with
one Redis: calls, events as they happen, MCP, bodies of 8 MiB, and a restart of each sidecar while calls are made, none of which is
lost or made twice. Has a network of its own, where the addresses of the chapter are. Usage: proxies.py CALLGATE."""

import concurrent.futures
import contextlib
import http.client
import json
import os
import pathlib
import re
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time

import services

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHAPTER = (ROOT / "crates/callgate/manual/deploy.md").read_text()
HOST, SECRETS = "callgate.example.com", {"CALLGATE_TOKEN": "a-token-of-the-callers", "STATE_KEY": "a-key-of-thirty-two-bytes-or-more"}
HEADERS = {"Host": HOST, "Authorization": "Bearer a-token-of-the-callers", "Content-Type": "application/json"}
SIDECARS = ("10.0.0.1", "10.0.0.2")
MODULES = "mpm_event authz_core ssl socache_shmcb proxy proxy_http proxy_balancer slotmem_shm lbmethod_bybusyness"
DESCRIPTION = {
    "openapi": "3.1.0",
    "info": {"title": "Things", "version": "1"},
    "paths": {
        "/things/{id}": {
            method: {
                "operationId": f"{method}Thing",
                "summary": f"{method} a thing",
                "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}],
                "responses": {"200": {"description": "ok"}},
            }
            for method in ("get", "post")
        }
    },
}


class Service(services.Service):
    """The things, and a model that calls a tool for a thing once and then says so. `made` has the things that were posted."""

    def __init__(self):
        self.made, self.held = [], threading.Event()
        self.held.set()
        super().__init__(Handler)


class Handler(services.Handler):
    def do_GET(self):
        self.server.held.wait(300)
        self.answer({"path": self.path})

    def do_POST(self):
        body = self.read_json()
        if self.path.endswith("/chat/completions"):
            called = any(message["role"] == "tool" for message in body["messages"])
            call = {"id": "c1", "type": "function", "function": {"name": "things-getThing", "arguments": '{"id": 1}'}}
            message = {"role": "assistant", "content": "done"} if called else {"role": "assistant", "tool_calls": [call]}
            usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
            return self.answer({"id": "m", "object": "chat.completion", "model": "m", "usage": usage, "choices": [{"index": 0, "message": message, "finish_reason": "stop" if called else "tool_calls"}]})
        self.server.made.append(int(self.path.rsplit("/", 1)[1]))
        time.sleep(0.02)
        self.answer({"made": self.path})


def printed(name):
    """A file of the chapter, whose first line names it."""
    [text] = re.findall(rf"```text\n# {re.escape(name)}\n(.*?)```", CHAPTER, re.DOTALL)
    return text


class Sidecar:
    def __init__(self, callgate, address, folder, service):
        import yaml

        [text] = re.findall(r"```yaml\n(listen: 10\.0\.0\.1:8410\n.*?)```", CHAPTER, re.DOTALL)
        config = yaml.safe_load(text.replace("10.0.0.1:8410", f"{address}:8410"))
        url = f"http://127.0.0.1:{service.server_port}"
        config |= {
            # Metrics say which sidecar is called.
            "admin": f"{address}:8411",
            "toolsets": {"things": {"openapi": "things.json", "server": url, "auth": "none"}},
            "models": {"main": {"dialect": "openai", "url": f"{url}/v1", "model": "m", "auth": "none"}},
            "agents": {"keeper": {"model": "main", "instructions": "Help.", "tools": {"include": ["things-*"]}, "confirm": "never"}},
        }
        (folder / "things.json").write_text(json.dumps(DESCRIPTION))
        self.file, self.callgate, self.address = folder / f"{address}.yaml", callgate, address
        self.file.write_text(json.dumps(config))
        self.start()

    def start(self):
        self.process = subprocess.Popen([self.callgate, "serve", self.file], stderr=subprocess.DEVNULL, env=os.environ | SECRETS)
        wait_for(lambda: request(http.client.HTTPConnection(self.address, 8410), "GET", "/readyz")[0] == 200)

    def stop(self):
        self.process.terminate()
        assert self.process.wait(timeout=45) == 0

    def is_called(self):
        """Whether it has had a call since it was started: a proxy has put it back."""
        status, metrics = request(http.client.HTTPConnection(self.address, 8411), "GET", "/metrics")
        assert status == 200, metrics
        return re.search(rb"^callgate_calls_total\{.*\} [1-9]", metrics, re.MULTILINE) is not None


class Nginx:
    """Takes a sidecar out by `down`."""

    def __init__(self):
        self.file, self.word = pathlib.Path("/etc/nginx/nginx.conf"), " down;"
        self.file.write_text(printed(str(self.file)))
        subprocess.run(["nginx"], check=True)

    def set_out(self, address, is_out):
        text, former = printed(str(self.file)), workers("nginx")
        self.file.write_text(text.replace(f"server {address}:8410;", f"server {address}:8410 down;") if is_out else text)
        subprocess.run(["nginx", "-s", "reload"], check=True, stderr=subprocess.DEVNULL)
        wait_for(lambda: not former & workers("nginx"))

    def stop(self):
        subprocess.run(["nginx", "-s", "quit"], check=True, stderr=subprocess.DEVNULL)


class Haproxy:
    """Looks for itself which sidecar is ready."""

    def __init__(self):
        file = pathlib.Path("/etc/haproxy/haproxy.cfg")
        file.write_text(printed(str(file)))
        self.process = subprocess.Popen(["haproxy", "-q", "-f", file])

    def set_out(self, address, is_out):
        """Nothing."""

    def stop(self):
        self.process.terminate()
        self.process.wait()


class Apache:
    """Takes a sidecar out by `status=D`. The site is included as Debian's own configuration does it, with the modules of `a2enmod`."""

    def __init__(self):
        self.site = pathlib.Path("/etc/apache2/sites-available/callgate.conf")
        self.site.write_text(printed(str(self.site)))
        loads = "".join(f"LoadModule {name}_module /usr/lib/apache2/modules/mod_{name}.so\n" for name in MODULES.split())
        self.file = pathlib.Path("/etc/apache2/trial.conf")
        self.file.write_text(f"ServerName localhost\nServerRoot /etc/apache2\nPidFile /run/callgate-apache.pid\nErrorLog /dev/null\nMutex default:/run\nDefaultRuntimeDir /run\n{loads}Include {self.site}\n")
        self.control("start")

    def control(self, word):
        subprocess.run(["apache2", "-f", self.file, "-k", word], check=True)

    def set_out(self, address, is_out):
        text, member, former = printed(str(self.site)), f"BalancerMember http://{address}:8410", workers("apache2")
        self.site.write_text(text.replace(member + " ", f"{member} status=D ") if is_out else text)
        self.control("graceful")
        wait_for(lambda: not former & workers("apache2"))

    def stop(self):
        self.control("stop")


class Envoy:
    """Looks for itself which sidecar is ready, as HAProxy does."""

    def __init__(self):
        file = pathlib.Path("/etc/envoy/envoy.yaml")
        file.write_text(printed(str(file)))
        line = ["envoy", "--config-path", file, "--disable-hot-restart", "--concurrency", "2", "--log-level", "error"]
        self.process = subprocess.Popen(line, stderr=subprocess.DEVNULL)

    def set_out(self, address, is_out):
        """Nothing."""

    def stop(self):
        self.process.terminate()
        self.process.wait()


class Caddy:
    """Is not reloaded: that breaks off calls which run."""

    def __init__(self):
        file = pathlib.Path("/etc/caddy/Caddyfile")
        file.write_text(printed(str(file)))
        self.process = subprocess.Popen(["caddy", "run", "--config", file], stderr=subprocess.DEVNULL)

    def stop(self):
        self.process.terminate()
        self.process.wait()


def workers(name):
    """The processes of a proxy that handle requests: those whose parent has its name, too."""
    parents = {}
    for file in pathlib.Path("/proc").glob("[0-9]*/status"):
        with contextlib.suppress(OSError):
            status = file.read_text()
            if status.startswith(f"Name:\t{name}\n"):
                parents[int(file.parent.name)] = int(re.search(r"^PPid:\t(\d+)", status, re.MULTILINE)[1])
    return {process for process, parent in parents.items() if parent in parents}


def is_free(port):
    """Whether nothing listens on a port of this machine."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) != 0


def wait_for(is_true, seconds=90):
    end = time.monotonic() + seconds
    while True:
        try:
            if is_true():
                return
        except (OSError, http.client.HTTPException):
            pass
        assert time.monotonic() < end, "not in time"
        time.sleep(0.05)


def connection():
    context = ssl.create_default_context(cafile="/etc/ssl/private/callgate.pem")
    opened = http.client.HTTPSConnection("127.0.0.1", 443, timeout=120, context=context)
    # The name of the certificate, which no name server knows.
    opened._create_connection = lambda *_, **__: socket.create_connection(("127.0.0.1", 443), 120)
    opened.host = HOST
    return opened


def request(opened, method, path, body=None, **headers):
    data = json.dumps(body) if isinstance(body, dict) else body
    opened.request(method, path, data, HEADERS | headers)
    response = opened.getresponse()
    return response.status, response.read()


def call(name, **arguments):
    return {"calls": [{"tool": f"things-{name}", "args": arguments}]}


def calls(_service):
    status, body = request(connection(), "POST", "/v1/calls", call("getThing", id=7))
    assert status == 200 and json.loads(body)["results"][0]["status"] == 200, body


def events(service):
    """Each event of a turn arrives while the turn runs: the call begins, and its service waits until that was read."""
    service.held.clear()
    opened = connection()
    opened.request("POST", "/v1/agents/keeper/turns", json.dumps({"input": "show it", "session": {"id": f"s-{time.monotonic_ns()}"}}), HEADERS | {"Accept": "text/event-stream"})
    response, read = opened.getresponse(), b""
    assert response.status == 200, response.read()
    while b"event: call" not in read:
        piece = response.read1(4096)
        assert piece, read
        read += piece
    assert b"event: end" not in read
    service.held.set()
    assert b"event: end" in response.read()


def mcp(_service):
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "things-getThing", "arguments": {"id": 7}}}
    status, answer = request(connection(), "POST", "/mcp", body, Accept="application/json, text/event-stream", **{"MCP-Protocol-Version": "2025-06-18"})
    assert status == 200 and b"/things/7" in answer, (status, answer[:500])


def bodies(_service):
    whole = bytes(8 << 20)
    status, body = request(connection(), "POST", "/v1/results?session=s", whole, **{"Content-Type": "application/octet-stream"})
    assert status in (200, 201), (status, body[:300])
    handle = json.loads(body)["handle"]
    status, body = request(connection(), "GET", f"/v1/results/{handle}?session=s")
    assert (status, body) == (200, whole), status


def restarts(service, proxy, sidecars):
    """Every call is made once, while each sidecar is restarted by the chapter's words."""
    ended, answers = threading.Event(), []
    service.made.clear()

    def caller(number):
        at = 0
        while not ended.is_set():
            thing = number * 100_000 + at
            # A proxy that reads its file again closes connections of callers that are idle.
            status, body = request(connection(), "POST", "/v1/calls", call("postThing", id=thing), **{"Idempotency-Key": f"{proxy.__class__.__name__}-{thing}"})
            answers.append((thing, status, body))
            at += 1

    with concurrent.futures.ThreadPoolExecutor() as pool:
        callers = [pool.submit(caller, number) for number in range(4)]
        try:
            for sidecar in sidecars:
                proxy.set_out(sidecar.address, True)
                sidecar.stop()
                time.sleep(0.5)
                sidecar.start()
                proxy.set_out(sidecar.address, False)
                wait_for(sidecar.is_called)
            wait_for(lambda: len(answers) > 50)
        finally:
            ended.set()
        for running in callers:
            running.result()
    lost = [answer for answer in answers if answer[1] != 200 or json.loads(answer[2])["results"][0].get("status") != 200]
    assert not lost and len(answers) > 50, (len(answers), len(lost), lost[:2])
    assert sorted(service.made) == sorted(thing for thing, _, _ in answers), "a call was made twice, or not at all"
    return len(answers)


def main():
    callgate = pathlib.Path(sys.argv[1]).resolve()
    if "inside" not in sys.argv:
        for tool in ("unshare", "ip", "openssl", "redis-server"):
            if not shutil.which(tool):
                return print(f"proxies not compared: {tool} absent")
        if subprocess.run(["unshare", "--net", "--mount", "true"], capture_output=True).returncode:
            return print("proxies not compared: network namespaces not permitted")
        os.execvp("unshare", ["unshare", "--net", "--mount", "--fork", "--pid", "--kill-child", "--mount-proc", sys.executable, *sys.argv, "inside"])
    proxies = {"nginx": Nginx, "haproxy": Haproxy, "apache2": Apache, "envoy": Envoy, "caddy": Caddy}
    os.environ["PATH"] += f":{ROOT}/target/interop/envoy/bin"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        prepare(folder)
        service = Service()
        redis = subprocess.Popen(["redis-server", "--bind", "10.0.0.9", "--save", "", "--protected-mode", "no", "--maxmemory-policy", "noeviction"], stdout=subprocess.DEVNULL)
        wait_for(lambda: socket.create_connection(("10.0.0.9", 6379)))
        sidecars = [Sidecar(callgate, address, folder, service) for address in SIDECARS]
        for tool in ("nginx", "haproxy", "apache2", "envoy", "caddy"):
            if not shutil.which(tool):
                print(f"proxies: {tool} absent")
                continue
            proxy = proxies[tool]()
            wait_for(lambda: request(connection(), "GET", "/readyz")[0] == 200)
            for check in (calls, events, mcp, bodies):
                try:
                    check(service)
                except BaseException:
                    print(f"proxies: {tool}: {check.__name__}")
                    raise
            over_restarts = ""
            if hasattr(proxy, "set_out"):
                over_restarts = f", {restarts(service, proxy, sidecars)} calls over two restarts, none lost or made twice"
            print(f"proxies: {tool}: calls, events, MCP, 8 MiB{over_restarts}")
            proxy.stop()
            wait_for(lambda: is_free(443))
        redis.terminate()


def prepare(folder):
    """The addresses of the chapter, and folders of the proxies that are ours alone."""
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    for address in (*SIDECARS, "10.0.0.9"):
        subprocess.run(["ip", "address", "add", f"{address}/32", "dev", "lo"], check=True)
    for path in ("/etc/nginx", "/etc/haproxy", "/etc/apache2", "/etc/caddy", "/etc/envoy", "/etc/ssl/private", "/run"):
        pathlib.Path(path).mkdir(parents=True, exist_ok=True)
        subprocess.run(["mount", "-t", "tmpfs", "none", path], check=True)
    pathlib.Path("/etc/apache2/sites-available").mkdir()
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "3", "-subj", f"/CN={HOST}", "-addext", f"subjectAltName=DNS:{HOST}", "-keyout", key, "-out", certificate], check=True, capture_output=True)
    pathlib.Path("/etc/ssl/private/callgate.pem").write_bytes(certificate.read_bytes() + key.read_bytes())


if __name__ == "__main__":
    main()
