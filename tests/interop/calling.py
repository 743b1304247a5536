"""Calls tools with the built binary and checks what comes of it."""

import http.server
import json
import os
import subprocess
import threading


class Checks:
    """Prints each check; one that is `quiet` is printed where it fails."""

    def __init__(self):
        self.failures = []

    def __call__(self, what, holds, detail="", quiet=False):
        if not holds:
            self.failures.append(what)
            print(f"FAILED {what}: {detail}")
        elif not quiet:
            print(f"ok     {what}")


class Callgate:
    """The binary, with a folder for its configurations. Keeps all it wrote."""

    def __init__(self, binary, folder):
        self.binary, self.folder, self.wrote = binary, folder, ""

    def ran(self, configuration, arguments, environment=None):
        """What the command writes and how it ends."""
        (self.folder / "callgate.json").write_text(json.dumps(configuration))
        command = [self.binary, "call", "callgate.json", *arguments]
        environment = os.environ | (environment or {})
        ran = subprocess.run(
            command, cwd=self.folder, env=environment, capture_output=True, text=True, timeout=300, check=False
        )
        self.wrote += ran.stdout + ran.stderr
        return ran

    def calls(self, configuration, calls, jobs=1, environment=None):
        """The results of calls, each a tool's name and its arguments."""
        lines = [json.dumps({"id": str(n), "tool": tool, "args": args}) for n, (tool, args) in enumerate(calls)]
        (self.folder / "batch.jsonl").write_text("\n".join(lines) + "\n")
        ran = self.ran(configuration, ["--batch", "batch.jsonl", "--jobs", str(jobs)], environment)
        results = [json.loads(line) for line in ran.stdout.splitlines() if line.startswith("{")]
        if len(results) != len(calls):
            raise RuntimeError(f"{len(results)} results of {len(calls)} calls: {ran.stdout}{ran.stderr}")
        return results


class Service:
    """Writes down the tokens it is shown, and refuses those that `is_valid` does not know."""

    def __init__(self):
        self.seen, self.refused, self.is_valid = [], 0, lambda token: True
        service = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                token = self.headers.get("authorization", "").removeprefix("Bearer ")
                service.seen.append(token)
                is_valid = service.is_valid(token)
                service.refused += not is_valid
                self.send_response(200 if is_valid else 401)
                if not is_valid:
                    self.send_header("www-authenticate", 'Bearer error="invalid_token"')
                self.send_header("content-type", "application/json")
                self.send_header("content-length", "2")
                self.end_headers()
                self.wfile.write(b"{}")

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
