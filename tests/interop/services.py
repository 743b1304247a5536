"""Services on this machine, and a sidecar that is killed and started again, for the scripts beside."""

import collections
import http.client
import http.server
import json
import os
import subprocess
import threading
import time

from ports import free_port


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers JSON or bytes, and writes no log."""

    protocol_version = "HTTP/1.1"

    def read_json(self):
        return json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or "null")

    def answer(self, value, status=200):
        data = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


class Service(http.server.ThreadingHTTPServer):
    """A service on a free port, which answers as its handler does until the script ends."""

    daemon_threads = True

    def __init__(self, handler):
        super().__init__(("127.0.0.1", 0), handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"


class OrderService(Service):
    """Its handler counts the orders by their numbers, and notes those that came under a token of somebody else."""

    def __init__(self, handler):
        self.lock, self.orders, self.foreign = threading.Lock(), collections.Counter(), []
        super().__init__(handler)

    def handle_error(self, *_):
        """A caller that was killed does not read its answer."""


class Lost(Exception):
    """The connection ended before the answer: nobody knows what became of the request."""


class Sidecar:
    """`callgate serve` in a folder, with a file for its state. Its callers have the token `token`."""

    def __init__(self, callgate, folder, description, configuration, environment, token):
        self.callgate, self.folder, self.environment, self.token = callgate, folder, environment, token
        self.port = free_port()
        listen = {"listen": f"127.0.0.1:{self.port}", "state": {"file": "state/state.db"}}
        (folder / "spec.json").write_text(json.dumps(description))
        (folder / "state").mkdir()
        (folder / "callgate.json").write_text(json.dumps(listen | configuration))

    def start(self):
        command, environment = [self.callgate, "serve", "callgate.json"], os.environ | self.environment
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(command, cwd=self.folder, env=environment, stderr=log, stdout=log)
        until = time.monotonic() + 120
        while time.monotonic() < until and self.process.poll() is None:
            try:
                if self.ask("GET", "/readyz")[0] == 200:
                    return
            except (ConnectionRefusedError, Lost):
                time.sleep(0.02)
        raise SystemExit(f"the sidecar does not start: {(self.folder / 'log').read_text()[-2000:]}")

    def end(self, how):
        self.process.send_signal(how)
        self.process.wait(timeout=120)

    def ask(self, method, path, body=None, token=None):
        """The status and the JSON of an answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        headers = {"authorization": f"Bearer {token or self.token}", "content-type": "application/json"}
        try:
            connection.connect()
        except OSError as error:
            raise ConnectionRefusedError from error
        try:
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read() or b"null")
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise Lost from error
        finally:
            connection.close()
