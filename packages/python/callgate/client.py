"""`Client`, for threads, and `AsyncClient`, for tasks. Without an address each runs the command of this package."""

from __future__ import annotations

import asyncio
import os
import ssl
import threading
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from . import operations
from .connection import Address, AsyncPool, Pool
from .operations import Call, Operation
from .results import Result, Session
from .sidecar import Sidecar

T = TypeVar("T")

# Longer than any call may take by default, with its attempts.
_TIMEOUT = 300.0


class _Settings:
    def __init__(
        self,
        url: str | None,
        config: str | os.PathLike[str] | None,
        token: str | None,
        command: str | None,
        tls: ssl.SSLContext | None,
        timeout: float,
    ) -> None:
        if url is not None and config is not None:
            raise ValueError("give `url`, of a sidecar that runs, or `config`, for one that this client starts; not both")
        self.address = None if url is None else Address.read(url, tls)
        self.config, self.command, self.timeout = config, command, timeout
        self.headers = {"Authorization": f"Bearer {token}"} if token else {}
        self.sidecar: Sidecar | None = None

    def start(self) -> Address:
        if self.address is None:
            self.sidecar = Sidecar(self.config, self.command)
            self.address = Address.read(self.sidecar.address)
        return self.address

    def end(self) -> None:
        if self.sidecar is not None:
            self.sidecar.end()


def _call(tool: str, arguments: Mapping[str, Any] | None, key: str | None, timeout: float | None) -> Call:
    call = Call(tool=tool, args=arguments or {})
    if key is not None:
        call["idempotencyKey"] = key
    if timeout is not None:
        call["timeout"] = timeout
    return call


class Client:
    """A sidecar, asked by threads. `url` is where one listens (`http://127.0.0.1:8410`, `unix:/run/callgate.sock`); without it the
    client runs the command of this package with `config` (a configuration or a description; else `./callgate.yaml`, or a demo), on
    a private socket, until `close` or the end of the program.

        with Client(config="orders.yaml") as client:
            print(client.call("getOrder", {"id": 7}).response)
    """

    def __init__(
        self,
        url: str | None = None,
        *,
        config: str | os.PathLike[str] | None = None,
        token: str | None = None,
        command: str | None = None,
        tls: ssl.SSLContext | None = None,
        timeout: float = _TIMEOUT,
    ) -> None:
        self._settings = _Settings(url, config, token, command, tls, timeout)
        self._pool = Pool(self._settings.start(), self._settings.headers, timeout)

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections, and ends the sidecar if this client started it."""
        self._pool.close()
        self._settings.end()

    def _run(self, operation: Operation[T]) -> T:
        return operation.answer(*self._pool.send(operation))

    def call(
        self,
        tool: str,
        arguments: Mapping[str, Any] | None = None,
        *,
        session: Session | None = None,
        key: str | None = None,
        timeout: float | None = None,
        dry_run: bool = False,
    ) -> Result:
        """Makes a call. With a `key` it is made once, however often it is sent; without one it is sent once."""
        return self.calls([_call(tool, arguments, key, timeout)], session=session, dry_run=dry_run)[0]

    def calls(
        self, calls: Iterable[Call], *, session: Session | None = None, mode: str | None = None, dry_run: bool = False
    ) -> list[Result]:
        """Makes calls at the same time, or in their order (`mode="sequential"`). Results come in the order of the calls."""
        return self._run(operations.calls(calls, session, mode, dry_run))

    def answer(
        self,
        dialect: str,
        message: Any,
        *,
        session: Session | None = None,
        functions: list[str] | None = None,
        form: str | None = None,
        key: str | None = None,
    ) -> list[dict[str, Any]]:
        """Makes the calls of a model's message, in its provider's format; returns the messages to append, none if the model is done."""
        return self._run(operations.message(dialect, message, session, functions, form, key))

    def tools(self, dialect: str = "json", *, form: str | None = None, toolset: str | None = None) -> list[dict[str, Any]]:
        """The declarations of all tools, in a provider's format."""
        page = self._run(operations.tools_page(dialect, form, toolset, None))
        tools: list[dict[str, Any]] = page["tools"]
        while "nextCursor" in page:
            page = self._run(operations.tools_page(dialect, form, toolset, page["nextCursor"]))
            tools += page["tools"]
        return tools

    def tool(self, name: str) -> dict[str, Any]:
        """All details of a tool."""
        return self._run(operations.tool(name))

    def search(self, query: str, *, limit: int = 10, toolsets: list[str] | None = None) -> list[dict[str, Any]]:
        """The tools that fit a question, the best first."""
        return self._run(operations.search(query, limit, toolsets))

    def approvals(self) -> list[dict[str, Any]]:
        """The calls that wait for a person: one's own, and those that one may decide about."""
        page = self._run(operations.approvals(None))
        waiting: list[dict[str, Any]] = page["approvals"]
        while "nextCursor" in page:
            page = self._run(operations.approvals(page["nextCursor"]))
            waiting += page["approvals"]
        return waiting

    def approval(self, id: str) -> dict[str, Any]:
        """A call that waits, with its request however large that is."""
        return self._run(operations.approval(id))

    def approve(self, approval: str, *, key: str | None = None) -> Result:
        """Approves an own call that waits, and makes it."""
        return self._run(operations.decide(approval, "approve", key))

    def reject(self, approval: str) -> Result:
        """Rejects an own call that waits."""
        return self._run(operations.decide(approval, "reject", None))

    def put_session(self, id: str, session: Session) -> None:
        """Stores the values of a session, which calls then name by its id."""
        self._run(operations.put_session(id, session))

    def delete_session(self, id: str) -> None:
        self._run(operations.delete_session(id))

    def put_file(self, data: bytes, media_type: str, *, session: str | None = None) -> str:
        """Keeps a file for calls of the next fifteen minutes: `{"handle": HANDLE}` as an argument is the file."""
        return self._run(operations.put_file(data, media_type, session))

    def file(self, handle: str, *, session: str | None = None) -> bytes:
        """The bytes of a file, or the whole of a result that was cut."""
        return self._run(operations.file(handle, session))


class AsyncClient:
    """A sidecar, asked by the tasks of one event loop; the same methods as `Client` has.

    async with AsyncClient(config="orders.yaml") as client:
        print((await client.call("getOrder", {"id": 7})).response)
    """

    def __init__(
        self,
        url: str | None = None,
        *,
        config: str | os.PathLike[str] | None = None,
        token: str | None = None,
        command: str | None = None,
        tls: ssl.SSLContext | None = None,
        timeout: float = _TIMEOUT,
    ) -> None:
        self._settings = _Settings(url, config, token, command, tls, timeout)
        self._started: AsyncPool | None = None
        self._start = threading.Lock()

    async def __aenter__(self) -> AsyncClient:
        await self._pool()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the connections, and ends the sidecar if this client started it."""
        if self._started is not None:
            self._started.close()
        await asyncio.to_thread(self._settings.end)

    async def _pool(self) -> AsyncPool:
        if self._started is None:
            address = await asyncio.to_thread(self._address)
            # Several tasks may come here at once; the first one's pool stays.
            self._started = self._started or AsyncPool(address, self._settings.headers, self._settings.timeout)
        return self._started

    def _address(self) -> Address:
        with self._start:
            return self._settings.start()

    async def _pause(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def _run(self, operation: Operation[T]) -> T:
        pool = await self._pool()
        return operation.answer(*await pool.send(operation))

    async def call(
        self,
        tool: str,
        arguments: Mapping[str, Any] | None = None,
        *,
        session: Session | None = None,
        key: str | None = None,
        timeout: float | None = None,
        dry_run: bool = False,
    ) -> Result:
        results = await self.calls([_call(tool, arguments, key, timeout)], session=session, dry_run=dry_run)
        return results[0]

    async def calls(
        self, calls: Iterable[Call], *, session: Session | None = None, mode: str | None = None, dry_run: bool = False
    ) -> list[Result]:
        return await self._run(operations.calls(calls, session, mode, dry_run))

    async def answer(
        self,
        dialect: str,
        message: Any,
        *,
        session: Session | None = None,
        functions: list[str] | None = None,
        form: str | None = None,
        key: str | None = None,
    ) -> list[dict[str, Any]]:
        return await self._run(operations.message(dialect, message, session, functions, form, key))

    async def tools(self, dialect: str = "json", *, form: str | None = None, toolset: str | None = None) -> list[dict[str, Any]]:
        page = await self._run(operations.tools_page(dialect, form, toolset, None))
        tools: list[dict[str, Any]] = page["tools"]
        while "nextCursor" in page:
            page = await self._run(operations.tools_page(dialect, form, toolset, page["nextCursor"]))
            tools += page["tools"]
        return tools

    async def tool(self, name: str) -> dict[str, Any]:
        return await self._run(operations.tool(name))

    async def search(self, query: str, *, limit: int = 10, toolsets: list[str] | None = None) -> list[dict[str, Any]]:
        return await self._run(operations.search(query, limit, toolsets))

    async def approvals(self) -> list[dict[str, Any]]:
        page = await self._run(operations.approvals(None))
        waiting: list[dict[str, Any]] = page["approvals"]
        while "nextCursor" in page:
            page = await self._run(operations.approvals(page["nextCursor"]))
            waiting += page["approvals"]
        return waiting

    async def approval(self, id: str) -> dict[str, Any]:
        return await self._run(operations.approval(id))

    async def approve(self, approval: str, *, key: str | None = None) -> Result:
        return await self._run(operations.decide(approval, "approve", key))

    async def reject(self, approval: str) -> Result:
        return await self._run(operations.decide(approval, "reject", None))

    async def put_session(self, id: str, session: Session) -> None:
        await self._run(operations.put_session(id, session))

    async def delete_session(self, id: str) -> None:
        await self._run(operations.delete_session(id))

    async def put_file(self, data: bytes, media_type: str, *, session: str | None = None) -> str:
        return await self._run(operations.put_file(data, media_type, session))

    async def file(self, handle: str, *, session: str | None = None) -> bytes:
        return await self._run(operations.file(handle, session))
