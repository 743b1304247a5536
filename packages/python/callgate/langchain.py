"""The tools of a client for LangChain and LangGraph.

A call that a person must approve interrupts the graph, in the form of LangChain's `HumanInTheLoopMiddleware`, with the request under
`callgate`; go on with `Command(resume={"decisions": [{"type": "approve"}]})`, or `reject`. A graph with interrupts
needs a checkpointer."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
from contextvars import ContextVar
from typing import Any, Optional

from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool, ToolException
from pydantic import PrivateAttr

from .agent_tools import AgentCall, AgentTools, Functions, Options, Sessions, answer, fault_text, shown
from .client import AsyncClient, Client
from .results import Pending, Result


class CallgateTool(BaseTool):
    """A tool of a sidecar. A call that fails is a message with the status `error`, which says whether to correct it."""

    # The error stands in the conversation, where the model reads what to correct.
    handle_tool_error: Any = True
    _shared: AgentTools = PrivateAttr()
    _is_async: bool = PrivateAttr()

    def _to_args_and_kwargs(self, tool_input: Any, tool_call_id: Optional[str]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        # An argument of a service may have any name, also those that LangChain's own arguments have.
        return (tool_input, tool_call_id), {}

    async def _arun(self, arguments: dict[str, Any], id: Optional[str], *, config: RunnableConfig) -> Any:
        # LangGraph runs a node again from its beginning once a person has decided about one of its calls.
        call = AgentCall(self.name, arguments, config, _id_in_thread(config, id), is_repeated=True)
        kept = self._shared.pending(call)
        if kept is None:
            result = await self._shared.call(call)
        else:
            result = Result("1", self.name, pending=kept)
        if result.pending is not None:
            # Asked once: a second question in one run would get the first one's answer when the run is repeated.
            result = await self._decide(call, result, result.pending)
        if not result.ok:
            raise ToolException(fault_text(result))
        return answer(result)

    def _run(self, arguments: dict[str, Any], id: Optional[str], *, config: RunnableConfig) -> Any:
        if self._is_async:
            raise NotImplementedError("these tools are of an `AsyncClient`: run the agent with `ainvoke`, or make them of a `Client`")
        return _finish(self._arun(arguments, id, config=config))

    async def _decide(self, call: AgentCall, result: Result, pending: Pending) -> Result:
        from langgraph.types import interrupt

        if pending.kind == "client":
            response = interrupt({"tool": result.tool, "arguments": pending.request})
            return Result(result.id, result.tool, response=response)
        if _is_approved(interrupt(_request(result.tool, shown(call, pending)))):
            return await self._shared.approve(call)
        return await self._shared.reject(call, pending)


def _id_in_thread(config: RunnableConfig, id: str | None) -> str:
    """An id of a call is unique within its conversation; without one nothing can wait."""
    thread = (config.get("configurable") or {}).get("thread_id")
    return "" if id is None or thread is None else f"{thread}/{id}"


def _request(tool: str, decided: dict[str, Any]) -> dict[str, Any]:
    action = {"name": tool, "args": {"request": decided["request"]}, "description": "The request that would be sent"}
    review = {"action_name": tool, "allowed_decisions": ["approve", "reject"]}
    return {"action_requests": [action], "review_configs": [review], "callgate": decided}


def _is_approved(decision: Any) -> bool:
    if not isinstance(decision, dict):
        return decision is True
    decisions = decision.get("decisions") or [{}]
    return all(each.get("type") == "approve" for each in decisions)


_blocks: ContextVar[bool] = ContextVar("blocks", default=False)


class _Threads(AsyncClient):
    """A client of threads: asked by tasks it blocks a thread of its own, and within `_finish` its caller's."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def _pause(self, seconds: float) -> None:
        if _blocks.get():
            time.sleep(seconds)
        else:
            await asyncio.sleep(seconds)

    async def _run(self, operation: Any) -> Any:
        if _blocks.get():
            return self._client._run(operation)
        return await asyncio.to_thread(self._client._run, operation)


def _finish(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """Runs a coroutine that waits for nothing, in whatever thread: one with a loop that runs, too."""
    token = _blocks.set(True)
    try:
        coroutine.send(None)
    except StopIteration as end:
        return end.value
    finally:
        _blocks.reset(token)
    coroutine.close()
    raise TypeError("an asynchronous function of the program needs an `AsyncClient`, and `ainvoke`")


def _tools(shared: AgentTools, declared: list[dict[str, Any]], is_async: bool) -> list[BaseTool]:
    made: list[BaseTool] = []
    for declaration in declared:
        tool = CallgateTool(name=declaration["name"], description=declaration["description"], args_schema=declaration["inputSchema"])
        tool._shared, tool._is_async = shared, is_async
        made.append(tool)
    return made


def tools(
    client: Client,
    *,
    session: Sessions = None,
    toolset: str | None = None,
    search: bool = False,
    functions: Functions | None = None,
    **values: Any,
) -> list[BaseTool]:
    """Tools for `create_agent` and `ToolNode`. `values` are parameters of the session, which the model never sees; a `session`
    may be made of the run's `RunnableConfig`. `search` declares two tools in place of all. `functions` are the program's."""
    shared = AgentTools(_Threads(client), Options(session, toolset, search, functions or {}, values))
    return _tools(shared, _finish(shared.declare()), is_async=False)


async def atools(
    client: AsyncClient,
    *,
    session: Sessions = None,
    toolset: str | None = None,
    search: bool = False,
    functions: Functions | None = None,
    **values: Any,
) -> list[BaseTool]:
    """The tools of an `AsyncClient`, for agents that run by `ainvoke`."""
    shared = AgentTools(client, Options(session, toolset, search, functions or {}, values))
    return _tools(shared, await shared.declare(), is_async=True)
