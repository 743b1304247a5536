"""HTTP/1.1 with asyncio and nothing else: a client that keeps its connections, and a service."""

import asyncio
import json


class Lost(Exception):
    """No response came, or not a whole one: nobody knows whether the request was executed."""


class Client:
    """Requests to one address, each on a connection of its own while it lasts."""

    def __init__(self, port, patience=20.0):
        self.port, self.patience, self.idle = port, patience, []

    async def send(self, method, path, body=None, headers=()):
        """The status, the headers and the body of the response."""
        connection = self.idle.pop() if self.idle else None
        try:
            async with asyncio.timeout(self.patience):
                connection = connection or await asyncio.open_connection("127.0.0.1", self.port)
                status, found, data = await self.exchange(connection, method, path, body, headers)
        except (OSError, EOFError, ValueError, asyncio.IncompleteReadError, TimeoutError) as error:
            if connection:
                connection[1].close()
            raise Lost(f"{type(error).__name__} {error}") from error
        if found.get("connection", "").lower() == "close":
            connection[1].close()
        else:
            self.idle.append(connection)
        return status, found, data

    @staticmethod
    async def exchange(connection, method, path, body, headers):
        reader, writer = connection
        data = b"" if body is None else json.dumps(body).encode()
        lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", f"Content-Length: {len(data)}", "Content-Type: application/json"]
        lines += [f"{name}: {value}" for name, value in headers]
        writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + data)
        status, found = await head(reader)
        return int(status.split(" ")[1]), found, await content(reader, found)

    def close(self):
        for _, writer in self.idle:
            writer.close()
        self.idle.clear()


async def head(reader):
    lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
    pairs = (line.split(":", 1) for line in lines[1:] if line)
    return lines[0], {name.lower(): value.strip() for name, value in pairs}


async def content(reader, headers):
    if headers.get("transfer-encoding") == "chunked":
        parts = []
        while size := int(await reader.readline(), 16):
            parts.append(await reader.readexactly(size))
            await reader.readexactly(2)
        await reader.readexactly(2)
        return b"".join(parts)
    return await reader.readexactly(int(headers.get("content-length", 0)))


async def serve(answer):
    """Serves with `await answer(method, path, headers, body)`, which returns a JSON value; returns the port."""

    async def connected(reader, writer):
        try:
            while True:
                line, headers = await head(reader)
                method, path, _ = line.split(" ")
                data = json.dumps(await answer(method, path, headers, await content(reader, headers))).encode()
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(data) + data)
                await writer.drain()
        except (OSError, EOFError, ValueError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    return server.sockets[0].getsockname()[1], server
