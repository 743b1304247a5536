"""A service whose calls end when the trial lets them, and the configuration of a sidecar that has its tools."""

import http.server
import json
import threading

DESCRIPTION = {
    "openapi": "3.1.0",
    "info": {"title": "Slow", "version": "1"},
    "paths": {
        "/wait": {"post": {"operationId": "wait", "summary": "Waits", "responses": {"200": {"description": "ok"}}}},
        "/things/{id}": {
            "get": {
                "operationId": "getThing",
                "summary": "Shows a thing",
                "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}],
                "responses": {"200": {"description": "ok"}},
            }
        },
    },
}


class SlowService:
    """Counts what it gets."""

    def __init__(self):
        self.called, self.may_end, self.n_calls = threading.Event(), threading.Event(), 0
        service = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                service.n_calls += 1
                self.answer({"path": self.path})

            def do_POST(self):
                self.rfile.read(int(self.headers.get("Content-Length") or 0))
                service.called.set()
                service.may_end.wait(120)
                self.answer({"waited": True})

            def answer(self, value):
                data = json.dumps(value).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{server.server_port}"

    def write_configuration(self, folder, further):
        (folder / "slow.json").write_text(json.dumps(DESCRIPTION))
        toolsets = {"slow": {"openapi": "slow.json", "server": self.url}}
        (folder / "callgate.yaml").write_text(json.dumps({"toolsets": toolsets} | further))
