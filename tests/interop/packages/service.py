"""A service for the clients, that counts what it gets: orders, files, and requests that never end until their caller leaves."""

import hashlib
import http.server
import json
import socket
import threading

# A picture of one pixel.
PICTURE = bytes.fromhex("89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c4944415408d763f8cfc000000301010018dd8db00000000049454e44ae426082")

ARCHIVE = b"PK\x03\x04\x00\xff\xfe\x00"


def operation(id, summary, parameters=(), body=None, produces="application/json"):
    listed = [{"name": name, "in": place, "required": True, "schema": schema} for name, place, schema in parameters]
    described = {"operationId": id, "summary": summary, "parameters": listed, "responses": {"200": {"description": "ok", "content": {produces: {"schema": {}}}}}}
    if body:
        described["requestBody"] = {"required": True, "content": body}
    return described


NUMBER = ("id", "path", {"type": "integer", "minimum": 1})
BYTES = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
ITEM = {"application/json": {"schema": {"type": "object", "required": ["item"], "properties": {"item": {"type": "string"}, "weight": {"type": "integer"}}}}}
OWNER = ("owner", "path", {"type": "string", "x-agent-input-parameter": "owner"})
DESCRIPTION = {
    "openapi": "3.1.0",
    "info": {"title": "Shop", "version": "1"},
    "paths": {
        "/orders/{id}": {"get": operation("getOrder", "Shows an order", [NUMBER]), "delete": operation("deleteOrder", "Cancels an order", [NUMBER])},
        "/orders": {"post": operation("createOrder", "Orders an item", body=ITEM)},
        "/owners/{owner}": {"get": operation("getOwner", "Shows who asks", [OWNER])},
        "/picture": {"get": operation("getPicture", "Shows a picture", produces="image/png")},
        "/archive": {"get": operation("getArchive", "Gives an archive", produces="application/zip")},
        "/files": {"post": operation("putFile", "Takes a file", body=BYTES)},
        "/slow": {"post": operation("wait", "Waits for long")},
        "/meeting": {"get": operation("meet", "Waits for another call")},
        "/weight": {"get": operation("getWeight", "Shows a weight")},
        "/broken": {"get": operation("getBroken", "Fails")},
    },
}


class Service:
    """Listens on loopback. `made` are the writes, `left` the callers that left while they waited."""

    def __init__(self):
        self.made, self.waits, self.left = [], threading.Event(), threading.Event()
        self._meeting = threading.Barrier(2, timeout=120)
        service = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def _answer(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                status, kind, answer = service.answer(self.command, self.path, body, self.connection)
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            do_GET = do_POST = do_DELETE = _answer

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 1024

            def handle_error(self, *_):
                pass

        self._server = Server(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def answer(self, method, path, body, connection):
        if path.startswith("/told/"):
            return 200, "application/json", json.dumps(self.told(path.removeprefix("/told/"))).encode()
        if path == "/picture":
            return 200, "image/png", PICTURE
        if path == "/archive":
            return 200, "application/zip", ARCHIVE
        if path == "/meeting":
            self._meeting.wait()
            return 200, "application/json", b'{"met":true}'
        if path == "/weight":
            return 200, "application/json", b'{"weight":12345678901234567890,"part":0.12345678901234567891,"rest":0.5}'
        if path == "/broken":
            return 500, "application/json", b'{"reason":"the disk is full"}'
        if path == "/slow":
            self.made.append((method, path))
            self.waits.set()
            wait_for_end(connection)
            self.left.set()
            return 200, "application/json", b"{}"
        if path == "/files":
            self.made.append((method, path))
            answer = {"size": len(body), "sha256": hashlib.sha256(body).hexdigest()}
        elif path.startswith("/owners/"):
            answer = {"owner": path.rpartition("/")[2]}
        else:
            if method != "GET":
                self.made.append((method, path, body.decode()))
            id = path.rpartition("/")[2]
            if id.isdigit() and int(id) > 1000:
                return 404, "application/json", b'{"reason":"there is no such order"}'
            answer = {"id": int(id) if id.isdigit() else 1, "state": "shipped" if method == "GET" else "changed"}
        return 200, "application/json", json.dumps(answer).encode()

    def told(self, question):
        """What a program of another language asks about what the service got."""
        if question == "again":
            self.made.clear(), self.waits.clear(), self.left.clear()
        if question in ("waits", "left"):
            return getattr(self, question).wait(120)
        return self.made

    def configuration(self, folder, confirm="writes"):
        """A configuration whose tools are of this service, and a function of the client."""
        description = folder / "shop.json"
        description.write_text(json.dumps(DESCRIPTION))
        config = folder / f"{confirm}.json"
        function = {"name": "open_page", "description": "Opens a page", "input": {"type": "object", "properties": {"page": {"type": "string"}}, "required": ["page"]}}
        shop = {"openapi": "shop.json", "server": self.url, "confirm": {"default": confirm, "tools": {"wait": "never", "putFile": "never"}}}
        config.write_text(json.dumps({"toolsets": {"shop": shop, "app": {"functions": [function]}}}))
        return config


def wait_for_end(connection):
    """Until the caller closes its connection."""
    try:
        connection.settimeout(300)
        while connection.recv(1024, socket.MSG_PEEK):
            connection.recv(1024)
    except OSError:
        pass
