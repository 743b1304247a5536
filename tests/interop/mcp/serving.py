"""A service that answers what the tools of `conformance.yaml` need, and a sidecar in front of it."""

import base64
import http.server
import json
import pathlib
import re
import shutil
import struct
import subprocess
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
LARGE = 9007199254740993
IMAGE = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==")
SOUND = b"RIFF" + struct.pack("<I", 36) + b"WAVEfmt " + struct.pack("<IHHIIHH", 16, 1, 1, 8000, 8000, 1, 8) + b"data" + bytes(4)
TEXT = b"This is a simple text response for testing."
FILE = b"%PDF\x00\xff\xfe\x00"
MIXED = b"".join([
    b"--part\r\nContent-Type: text/plain\r\n\r\nMultiple content types test:\r\n",
    b"--part\r\nContent-Type: image/png\r\n\r\n", IMAGE, b"\r\n",
    b"--part\r\nContent-Type: application/json\r\nContent-ID: <mixed@example>\r\n\r\n", b'{"test": "data", "value": 123}\r\n',
    b'--part\r\nContent-Type: application/pdf\r\nContent-Disposition: attachment; filename="mixed.pdf"\r\n\r\n', FILE, b"\r\n",
    b"--part--\r\n",
])
APPROVED = ["test_input_required_result_elicitation", "test_input_required_result_request_state",
            "test_input_required_result_tampered_state", "test_streaming_elicitation"]
ANSWERS = {
    "/change": (200, "text/plain", TEXT),
    "/contact": (200, "text/plain", TEXT),
    "/elicited": (200, "text/plain", TEXT),
    "/file": (200, "application/octet-stream", FILE),
    "/mixed": (200, "multipart/mixed; boundary=part", MIXED),
    "/region": (200, "text/plain", TEXT),
    "/simple-text": (200, "text/plain", TEXT),
    "/image": (200, "image/png", IMAGE),
    "/audio": (200, "audio/wav", SOUND),
    "/error": (500, "application/json", b'{"message": "This tool intentionally returns an error for testing"}'),
    "/slow": (200, "text/plain", TEXT),
    "/logging": (200, "text/plain", TEXT),
    "/state": (200, "text/plain", b"state-ok"),
    "/tampered": (200, "text/plain", TEXT),
    "/streaming": (200, "text/plain", TEXT),
}


class Service(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        path = self.path.split("?")[0]
        if path == "/slow":
            time.sleep(2.5)
        if path == "/change":
            self.server.changed()
        self.server.asked.append(path)
        status, media_type, body = ANSWERS.get(path) or pet(path, self.headers)
        self.send_response(status)
        self.send_header("content-type", media_type)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        self.rfile.read(int(self.headers.get("content-length", 0)))
        self.do_GET()

    def log_message(self, *_):
        pass


def pet(path, headers):
    """A pet whose number no float has, and the store that the session named."""
    number = int(path.rsplit("/", 1)[1])
    return 200, "application/json", json.dumps({"id": number, "next": LARGE, "store": headers.get("X-Store")}).encode()


def service():
    """The address of a service."""
    return running().url


def running():
    """A service: its `url`, the paths that it was `asked` for, and the function that a call of `/change` calls (`changed`)."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Service)
    server.url, server.asked, server.changed = f"http://127.0.0.1:{server.server_port}", [], lambda: None
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def configured(folder, url):
    """A configuration of the tools, with the names that the description gives them, and a copy of it."""
    config, description = pathlib.Path(folder, "callgate.yaml"), pathlib.Path(folder, "conformance.yaml")
    shutil.copy(HERE / "conformance.yaml", description)
    toolset = {"openapi": str(description), "server": url, "prefix": "", "egress": {"allow": ["127.0.0.0/8"]}}
    toolset["confirm"] = {"tools": dict.fromkeys(APPROVED, "always")}
    toolset["arguments"] = {"tools": {"json_schema_2020_12_tool": "body"}}
    config.write_text(json.dumps({"toolsets": {"conformance": toolset}}))
    return config


def sidecar(callgate, config, port=0):
    """Starts a sidecar; its process and its address."""
    command = [callgate, "serve", config, "--listen", f"127.0.0.1:{port}"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    for line in process.stderr:
        found = re.search(r"http://127\.0\.0\.1:\d+", line)
        if found:
            # A pipe that nobody reads stops the sidecar once it is full.
            threading.Thread(target=process.stderr.read, daemon=True).start()
            return process, found[0]
    raise SystemExit("the sidecar does not say where it listens")
