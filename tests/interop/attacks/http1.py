"""Attacks by sockets: whoever is slow, whoever is many, whoever sends too much.

Each function attacks an address for so many seconds and says what it saw.
"""

import socket
import threading
import time

HEAD = b"GET /v1/tools HTTP/1.1\r\nHost: localhost\r\n"
POST = b"POST /v1/calls HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


def connected(address):
    """A connection that is not waited for; none where it is refused."""
    try:
        made = socket.create_connection(address, timeout=2)
    except OSError:
        return None
    made.settimeout(0)
    return made


def dripped(address, seconds, number, begin, drop):
    """Holds connections that send a little again and again; those that are ended are opened again. How many were ended."""
    opened = {}
    n_ended = 0
    until = None
    while until is None or time.monotonic() < until:
        for at in range(number):
            if at not in opened:
                opened[at] = connected(address)
                if not (opened[at] and sent(opened[at], begin)):
                    opened.pop(at)
                    n_ended += 1
            elif is_ended(opened[at]) or not sent(opened[at], drop):
                opened.pop(at).close()
                n_ended += 1
        # From when all are there.
        until = until or time.monotonic() + seconds
        time.sleep(0.2)
    for made in opened.values():
        made.close()
    return n_ended


def sent(made, data):
    try:
        made.send(data)
        return True
    except BlockingIOError:
        return True
    except OSError:
        return False


def is_ended(made):
    """Whether the other side has closed; what it said before does not matter."""
    try:
        while made.recv(1 << 16):
            pass
        return True
    except BlockingIOError:
        return False
    except OSError:
        return True


def slow_heads(address, seconds, scale):
    """Heads that come byte by byte."""
    n_ended = dripped(address, seconds, scale, HEAD + b"X: ", b"x")
    return f"{scale} connections, {n_ended} ended by the sidecar"


def slow_bodies(address, seconds, scale):
    """Bodies that come byte by byte."""
    n_ended = dripped(address, seconds, scale, POST + b"Content-Length: 100000\r\n\r\n{", b" ")
    return f"{scale} connections, {n_ended} ended by the sidecar"


def slow_large_bodies(address, seconds, scale):
    """The same, after half a mebibyte each."""
    begin = POST + b"Content-Length: 1000000\r\n\r\n" + b" " * (256 << 10)
    n_ended = dripped(address, seconds, scale, begin, b" ")
    return f"{scale} connections, {n_ended} ended by the sidecar"


def slow_reads(address, seconds, scale):
    """A thousand requests on each connection, whose answers are not read."""
    requests = b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n" * 1000
    opened = []
    for _ in range(scale):
        made = socket.socket()
        made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        made.settimeout(60)
        made.connect(address)
        made.settimeout(0)
        sent(made, requests)
        opened.append(made)
    time.sleep(seconds)
    for made in opened:
        made.close()
    return f"{scale} connections with 1000 requests each"


def idle(address, seconds, scale):
    """Connections on which nothing comes."""
    opened = [connected(address) for _ in range(scale)]
    time.sleep(seconds)
    n_ended = sum(made is None or is_ended(made) for made in opened)
    for made in opened:
        if made:
            made.close()
    return f"{scale} connections, {n_ended} ended by the sidecar"


def churn(address, seconds, scale):
    """Connections that are opened and closed at once."""
    counts = []

    def opens():
        until = time.monotonic() + seconds
        count = 0
        while time.monotonic() < until:
            made = connected(address)
            if made:
                sent(made, HEAD)
                made.close()
                count += 1
        counts.append(count)

    threads = [threading.Thread(target=opens) for _ in range(scale)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return f"{sum(counts)} connections opened and closed"


def posts(address, seconds, scale, make):
    """Sends bodies on connections of their own; the statuses that were answered."""
    statuses = {}

    def sends():
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            status = posted(address, make())
            statuses[status] = statuses.get(status, 0) + 1

    threads = [threading.Thread(target=sends) for _ in range(scale)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return ", ".join(f"{count} times {status}" for status, count in sorted(statuses.items()))


def posted(address, pieces):
    try:
        with socket.create_connection(address, timeout=10) as made:
            try:
                for piece in pieces:
                    made.sendall(piece)
            except OSError:
                pass  # It has answered and reads no more.
            answer = made.recv(64)
            return answer.split(b" ")[1].decode() if answer else "closed"
    except (OSError, IndexError):
        return "closed"


def huge_bodies(address, seconds, scale):
    """Bodies without an end: by a length of 10 GiB, and in chunks."""
    piece = b" " * (64 << 10)

    def lengths():
        yield POST + b"Content-Length: 10737418240\r\n\r\n"
        for _ in range(1 << 10):
            yield piece

    def chunks():
        yield POST + b"Transfer-Encoding: chunked\r\n\r\n"
        for _ in range(1 << 10):
            yield b"10000\r\n" + piece + b"\r\n"

    said = [posts(address, seconds / 2, scale, make) for make in (lengths, chunks)]
    return f"by length: {said[0]}; in chunks: {said[1]}"


def hard_json(address, seconds, scale):
    """Bodies of the largest size that is read: deep, wide, of many keys, of one long text."""
    size = 1 << 20
    bodies = {
        "deep": b"[" * (size - 1),
        "wide": b'{"calls": [' + b"1," * ((size - 40) // 2) + b"1]}",
        "keys": b'{"calls": [{"tool": "pets-getPet", "args": {'
        + b",".join(b'"k%d":1' % number for number in range(size // 12)) + b"}}]}",
        "text": b'{"calls": [{"tool": "pets-getPet", "args": {"petId": "' + b"\\u0041" * ((size - 80) // 6) + b'"}}]}',
        "calls": b'{"calls": [' + b",".join([b'{"tool": "pets-getPet", "args": {"petId": 7}}'] * 256) + b"]}",
    }
    said = []
    for name, body in bodies.items():
        head = POST + b"Connection: close\r\nContent-Length: %d\r\n\r\n" % len(body)
        said.append(f"{name}: {posts(address, seconds / len(bodies), scale, lambda: [head, body])}")
    return "; ".join(said)
