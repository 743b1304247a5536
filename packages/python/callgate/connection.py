"""Connections to a sidecar: an address, and pools of connections for threads and for tasks. A request goes again only if that
changes nothing more, and an error says whether it may have been carried out."""

from __future__ import annotations

import asyncio
import http.client
import os
import re
import select
import socket
import ssl
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from .errors import ConnectionFailed, Reached
from .operations import Operation

# What ends a line of a request, or is read in another way than it was written (RFC 9110 §5.5).
_UNSAFE = re.compile("[\x00-\x1f\x7f]|[^\x00-\xff]")
# A name of a header or a method, and a path (RFC 9110 §5.6.2, RFC 9112 §3.2).
_TOKEN = re.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_PATH = re.compile("/[!-~]*")

# More wait for a connection to be free; a sidecar answers as many requests at a time without a queue.
_MOST_CONNECTIONS = 100


@dataclass(frozen=True)
class Address:
    """Where a sidecar listens: `unix:PATH`, or an http or https address."""

    text: str
    unix: str | None
    host: str
    port: int
    tls: ssl.SSLContext | None
    prefix: str

    @classmethod
    def read(cls, text: str, tls: ssl.SSLContext | None = None) -> Address:
        if text.startswith("unix:"):
            return cls(text, text.removeprefix("unix:").removeprefix("//"), "localhost", 80, None, "")
        parts = urlsplit(text)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment or parts.username:
            raise ValueError(f"expected `unix:PATH`, or an http or https address without a query, got: {text}")
        is_secure = parts.scheme == "https"
        context = (tls or ssl.create_default_context()) if is_secure else None
        return cls(text, None, parts.hostname, parts.port or (443 if is_secure else 80), context, parts.path.rstrip("/"))

    def host_header(self) -> str:
        if self.unix is not None:
            return "localhost"
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == (443 if self.tls else 80) else f"{host}:{self.port}"


def _checked_headers(address: Address, common: Mapping[str, str], operation: Operation[Any]) -> dict[str, str]:
    """The headers of a request, none of which can end its line: what follows would be read as a header or a request of its own.

    Raises `ValueError` without the value, which may be a key, before a connection is used."""
    headers = {**common, **operation.headers}
    if not _TOKEN.fullmatch(operation.method):
        raise ValueError(f"expected a method such as `POST`, got: {operation.method!a}")
    if not _PATH.fullmatch(address.prefix + operation.path):
        raise ValueError(f"expected a path whose special characters are percent-encoded, got: {operation.path!a}")
    for name, value in headers.items():
        if not _TOKEN.fullmatch(name):
            raise ValueError(f"expected a name of a header such as `Content-Type`, got: {name!a}")
        unsafe = _UNSAFE.search(value)
        if unsafe:
            raise ValueError(f"expected `{name}` without control characters and within Latin-1, got {unsafe[0]!a} at index {unsafe.start()}")
    return headers


class _Connection(http.client.HTTPConnection):
    """A connection of the standard library, over a unix socket or TLS, too."""

    def __init__(self, address: Address, timeout: float) -> None:
        super().__init__(address.host, address.port, timeout=timeout)
        self._address = address

    def connect(self) -> None:
        unix, tls = self._address.unix, self._address.tls
        if unix is None:
            super().connect()
        else:
            self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            self.sock.settimeout(self.timeout)
            self.sock.connect(unix)
        if tls is not None:
            self.sock = tls.wrap_socket(self.sock, server_hostname=self._address.host)

    def is_usable(self) -> bool:
        """False if the sidecar has closed it: something to read before a request is the end."""
        poll = select.poll()
        poll.register(self.sock, select.POLLIN)
        return not poll.poll(0)


class Pool:
    """The connections of a client that threads share."""

    def __init__(self, address: Address, headers: Mapping[str, str], timeout: float) -> None:
        self._address, self._headers, self._timeout = address, {"Host": address.host_header(), **headers}, timeout
        self._idle: list[_Connection] = []
        self._process = os.getpid()
        self._permits = threading.BoundedSemaphore(_MOST_CONNECTIONS)

    def send(self, operation: Operation[Any]) -> tuple[int, bytes]:
        headers = _checked_headers(self._address, self._headers, operation)
        with self._permits:
            return self._send(operation, headers)

    def _send(self, operation: Operation[Any], headers: Mapping[str, str]) -> tuple[int, bytes]:
        reached: Reached = "no"
        while True:
            connection = self._take()
            try:
                if connection.sock is None:
                    connection.connect()
            except OSError as error:
                connection.close()
                raise ConnectionFailed(f"{self._address.text} is not reached: {error}", reached) from error
            try:
                connection.request(operation.method, self._address.prefix + operation.path, operation.body, headers)
                response = connection.getresponse()
                body = response.read()
            except (OSError, http.client.HTTPException) as error:
                connection.close()
                if operation.may_repeat and reached == "no" and not isinstance(error, TimeoutError):
                    reached = "maybe"
                    continue
                raise ConnectionFailed(f"{self._address.text} did not answer: {error or type(error).__name__}", "maybe") from error
            except BaseException:
                connection.close()
                raise
            if response.will_close:
                connection.close()
            else:
                self._idle.append(connection)
            return response.status, body

    def _take(self) -> _Connection:
        if self._process != os.getpid():
            # After a `fork` the connections are the parent's.
            self._idle, self._process = [], os.getpid()
        while True:
            try:
                connection = self._idle.pop()
            except IndexError:
                return _Connection(self._address, self._timeout)
            if connection.sock is not None and connection.is_usable():
                return connection
            connection.close()

    def close(self) -> None:
        while self._idle:
            self._idle.pop().close()


_Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class AsyncPool:
    """The connections of a client that tasks of one event loop share. A task that is cancelled closes its connection, which ends its
    calls at the sidecar."""

    def __init__(self, address: Address, headers: Mapping[str, str], timeout: float) -> None:
        self._address, self._headers, self._timeout = address, {"Host": address.host_header(), **headers}, timeout
        self._idle: list[_Streams] = []
        self._permits = asyncio.Semaphore(_MOST_CONNECTIONS)

    async def send(self, operation: Operation[Any]) -> tuple[int, bytes]:
        headers = _checked_headers(self._address, self._headers, operation)
        async with self._permits:
            return await self._send(operation, headers)

    async def _send(self, operation: Operation[Any], headers: Mapping[str, str]) -> tuple[int, bytes]:
        reached: Reached = "no"
        while True:
            try:
                streams = self._take()
                if streams is None:
                    streams = await asyncio.wait_for(self._open(), self._timeout)
            except (OSError, asyncio.TimeoutError) as error:
                raise ConnectionFailed(f"{self._address.text} is not reached: {error}", reached) from error
            try:
                status, body, is_kept = await asyncio.wait_for(self._exchange(streams, operation, headers), self._timeout)
            except (OSError, EOFError, ValueError, asyncio.TimeoutError) as error:
                streams[1].close()
                if operation.may_repeat and reached == "no" and not isinstance(error, asyncio.TimeoutError):
                    reached = "maybe"
                    continue
                raise ConnectionFailed(f"{self._address.text} did not answer: {error or type(error).__name__}", "maybe") from error
            except BaseException:
                streams[1].transport.abort()
                raise
            if is_kept:
                self._idle.append(streams)
            else:
                streams[1].close()
            return status, body

    def _take(self) -> _Streams | None:
        while self._idle:
            streams = self._idle.pop()
            if not streams[0].at_eof() and not streams[1].is_closing():
                return streams
            streams[1].close()
        return None

    async def _open(self) -> _Streams:
        if self._address.unix is not None:
            return await asyncio.open_unix_connection(self._address.unix)
        return await asyncio.open_connection(self._address.host, self._address.port, ssl=self._address.tls)

    async def _exchange(self, streams: _Streams, operation: Operation[Any], given: Mapping[str, str]) -> tuple[int, bytes, bool]:
        reader, writer = streams
        body = operation.body or b""
        headers = {**given, "Content-Length": str(len(body))}
        lines = [
            f"{operation.method} {self._address.prefix}{operation.path} HTTP/1.1",
            *(f"{name}: {value}" for name, value in headers.items()),
        ]
        writer.write("\r\n".join([*lines, "", ""]).encode("latin-1") + body)
        await writer.drain()
        status = int((await _line(reader)).split(" ", 2)[1])
        answered: dict[str, str] = {}
        while line := await _line(reader):
            name, _, value = line.partition(":")
            answered[name.strip().lower()] = value.strip()
        is_kept = answered.get("connection", "").lower() != "close"
        if answered.get("transfer-encoding", "").lower() == "chunked":
            return status, await _chunks(reader), is_kept
        if "content-length" in answered:
            return status, await reader.readexactly(int(answered["content-length"])), is_kept
        return (status, b"", is_kept) if status == 204 else (status, await reader.read(), False)

    def close(self) -> None:
        while self._idle:
            self._idle.pop()[1].close()


async def _line(reader: asyncio.StreamReader) -> str:
    line = await reader.readuntil(b"\r\n")
    return line[:-2].decode("latin-1")


async def _chunks(reader: asyncio.StreamReader) -> bytes:
    body = bytearray()
    while size := int((await _line(reader)).split(";")[0], 16):
        body += await reader.readexactly(size)
        await _line(reader)
    while await _line(reader):
        pass
    return bytes(body)
