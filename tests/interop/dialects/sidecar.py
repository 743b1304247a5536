"""A sidecar before a service of orders, both of this machine."""

import http.server
import json
import re
import subprocess
import threading
import urllib.request

PICTURE = b"\x89PNG\r\n\x1a\n picture"

DESCRIPTION = """
openapi: 3.1.0
info: {title: Orders, version: "1"}
paths:
  /orders/{id}:
    get:
      operationId: getOrder
      description: Returns an order.
      parameters:
        - {name: id, in: path, required: true, schema: {type: integer, format: int64}}
        - {name: verbose, in: query, schema: {type: boolean, default: false}}
      responses: {"200": {description: an order, content: {application/json: {}}}}
  /orders:
    post:
      operationId: createOrder
      description: Makes an order.
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              properties: {size: {type: string, enum: [small, large]}, note: {type: [string, "null"]}}
              required: [size]
      responses: {"201": {description: made, content: {application/json: {}}}}
  /picture:
    get:
      operationId: getPicture
      description: Returns a picture.
      responses: {"200": {description: a picture, content: {image/png: {}}}}
"""


FUNCTION = {
    "name": "open_page",
    "description": "Opens a page of the app.",
    "input": {"type": "object", "properties": {"page": {"type": "string"}}, "required": ["page"]},
}


def run_by_client(answer):
    """The same, where calls that wait for their client have been made by it. Answers hold them as values or as texts."""
    if isinstance(answer, list):
        return [run_by_client(item) for item in answer]
    if isinstance(answer, str) and '"pending":' in answer:
        return json.dumps(run_by_client(json.loads(answer)))
    if not isinstance(answer, dict):
        return answer
    if "pending" in answer:
        assert answer["pending"]["kind"] == "client", answer
        return {"result": f"opened {answer['pending']['request']['page']}"}
    return {name: run_by_client(member) for name, member in answer.items()}


class Served:
    """A server on a port of its own, for as long as it is needed."""

    def __init__(self, handler):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers JSON, quietly."""

    protocol_version = "HTTP/1.1"

    def answered(self, status, body, media_type="application/json"):
        if not isinstance(body, bytes):
            body = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", media_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def body(self):
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def log_message(self, *_):
        pass


class Orders(Served):
    """The service. Writes down what it was asked."""

    def __init__(self):
        self.seen = seen = []

        class Asked(Handler):
            def do_GET(self):
                seen.append(f"GET {self.path}")
                if self.path == "/picture":
                    return self.answered(200, PICTURE, "image/png")
                number = self.path.split("?")[0].rsplit("/", 1)[1]
                self.answered(200, f'{{"id":{number},"price":1.10}}'.encode())

            def do_POST(self):
                body = self.body().decode()
                seen.append(f"POST {self.path} {body}")
                self.answered(201, f'{{"id":9007199254740993,"made":{body}}}'.encode())

        super().__init__(Asked)


class Sidecar:
    """`callgate serve` before the service."""

    def __init__(self, callgate, folder, orders):
        (folder / "orders.yaml").write_text(DESCRIPTION)
        shop = {"openapi": "orders.yaml", "server": orders.address}
        app = {"prefix": "", "functions": [FUNCTION]}
        (folder / "callgate.json").write_text(json.dumps({"toolsets": {"shop": shop, "app": app}}))
        command = [callgate, "serve", folder / "callgate.json", "--listen", "127.0.0.1:0"]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)

    def __enter__(self):
        for line in self.process.stderr:
            found = re.search(r"http://127\.0\.0\.1:\d+", line)
            if found:
                self.address = found[0]
                threading.Thread(target=self.process.stderr.read, daemon=True).start()
                return self
        raise SystemExit("the sidecar does not say where it listens")

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(timeout=120)

    def tools(self, dialect):
        with urllib.request.urlopen(f"{self.address}/v1/tools?dialect={dialect}") as answer:
            return json.load(answer)["tools"]

    def answers(self, dialect, message, **more):
        """The messages to append for a message of a model."""
        body = message if isinstance(message, str) else json.dumps(message)
        text = f'{{"message": {body}, {json.dumps(more)[1:]}' if more else f'{{"message": {body}}}'
        url = f"{self.address}/v1/dialects/{dialect}/calls"
        request = urllib.request.Request(url, text.encode(), {"Content-Type": "application/json"})
        with urllib.request.urlopen(request) as answer:
            return run_by_client(json.load(answer)["messages"])
