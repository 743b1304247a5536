"""Files of somebody else: a paste that answers a question it cannot have seen, and fixtures that name variables, files and servers. The
command must read the first answer that is typed after its question, and no call of the kernel may connect, or open a file of the home.
"""

import contextlib
import http.server
import json
import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import tempfile
import threading
import time

SPEC = """openapi: 3.0.3
info: {title: a, version: '1'}
paths: {/a: {post: {operationId: a, summary: A, responses: {'200': {description: it}}}}}
"""
FIXTURES = [
    "connection: projects/p/locations/l/connections/c\nserver: https://127.0.0.1:1\nauth: {bearer: {token: 'env:CANARY'}}\n"
    "actions: [{entity: Case, operation: list}]",
    "database: {url: 'literal:postgres://a:b@127.0.0.1:1/d'}\nentities: {a: {table: a}}",
    "database: {url: 'sqlite:HOME/secret'}\nentities: {a: {table: a}}",
    "openapi: https://127.0.0.1:1/spec.yaml",
    "openapi: HOME/secret",
    "overlays: [HOME/secret]",
    "upstream: {replay: HOME}",
    "documents: {folder: HOME}",
    "server: 'env:CANARY'",
    "auth: {oauth2_client_credentials: {token_url: 'https://127.0.0.1:1/t', client_id: a, client_secret: 'file:HOME/secret'}}",
]


def harmful(callgate):
    """The names of what did harm."""
    callgate = str(pathlib.Path(callgate).resolve())
    failed = [] if is_paste_ignored(callgate) else ["a pasted approval"]
    print(f"a pasted approval: {'sent' if failed else 'not sent'}")
    if not shutil.which("strace"):
        print("absent: strace")
        return failed
    wrong = [said for said in (traced(callgate, fixture) for fixture in FIXTURES) if said]
    print(f"fixtures of others: {len(FIXTURES)}, with effects: {len(wrong)} {wrong[:1] or ''}")
    return failed + (["fixtures of others"] if wrong else [])


def traced(callgate, fixture):
    """What a test of the fixture did that it may not; empty if it did nothing."""
    with tempfile.TemporaryDirectory() as above:
        home, folder = pathlib.Path(above, "home"), pathlib.Path(above, "foreign")
        home.mkdir()
        (home / "secret").write_text("canary")
        case = folder / "cases" / "one"
        case.mkdir(parents=True)
        (folder / "toolset.yaml").write_text(fixture.replace("HOME", str(home)))
        (folder / "spec.yaml").write_text(SPEC)
        (case / "call.json").write_text('{"tool": "a", "arguments": {}}')
        (case / "response.http").write_text("HTTP/1.1 200 OK\n\n")
        (case / "result.json").write_text("{}")
        log = pathlib.Path(above, "log")
        command = ["strace", "-f", "-qq", "-e", "trace=connect,open,openat", "-o", log, callgate, "test", folder]
        said = subprocess.run(command, capture_output=True, cwd=above, env={"HOME": str(home), "CANARY": "canary"})
        if b"canary" in said.stdout + said.stderr:
            return f"printed a canary: {fixture}"
        found = re.findall(r"connect\(.*|open(?:at)?\(.*" + re.escape(str(home / "secret")) + ".*", log.read_text())
        return f"{found[0]}: {fixture}" if found else ""


class Shop(http.server.BaseHTTPRequestHandler):
    """A model that asks for a call, and the service of the call."""

    writes = 0

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        if self.path == "/a":
            type(self).writes += 1
            answer = {}
        elif b"call_1" in body:
            answer = {"choices": [{"message": {"role": "assistant", "content": "Done."}, "finish_reason": "stop"}]}
        else:
            call = {"id": "call_1", "type": "function", "function": {"name": "shop-a", "arguments": "{}"}}
            message = {"role": "assistant", "content": "", "tool_calls": [call]}
            answer = {"choices": [{"message": message, "finish_reason": "tool_calls"}]}
        answer = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


def is_paste_ignored(callgate):
    """Pastes two lines into a chat, of which the second would approve the call that the first one causes; then answers `n`."""
    Shop.writes = 0
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Shop)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    origin = f"http://127.0.0.1:{server.server_port}"
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "spec.yaml").write_text(SPEC)
        pathlib.Path(folder, "callgate.yaml").write_text(
            f"models: {{m: {{dialect: openai, url: '{origin}/v1', model: m, auth: none}}}}\n"
            "agents: {a: {model: m, confirm: always}}\n"
            f"toolsets: {{shop: {{openapi: spec.yaml, server: '{origin}', auth: none}}}}\n")
        child, terminal = pty.fork()
        if child == 0:
            os.chdir(folder)
            os.execv(callgate, [callgate, "chat", "callgate.yaml", "a"])
        until(terminal, b"> ")
        os.write(terminal, b"Order it.\ny\n")
        said = until(terminal, b"[y/N]")
        time.sleep(1)
        sent = Shop.writes
        os.write(terminal, b"n\n")
        said += until(terminal, b"Done.")
        os.close(terminal)
        os.waitpid(child, 0)
    server.shutdown()
    if b"[y/N]" not in said:
        raise RuntimeError(f"no question was asked: {said!r}")
    return sent == 0 and Shop.writes == 0


def until(terminal, text, seconds=120):
    """What the terminal shows until this text."""
    said, end = b"", time.monotonic() + seconds
    while text not in said and time.monotonic() < end:
        if select.select([terminal], [], [], 0.2)[0]:
            with contextlib.suppress(OSError):
                said += os.read(terminal, 1 << 16)
    return said
