"""The tools of a client for the OpenAI Agents SDK.

A call that a person must approve interrupts the run: decide with `state.approve(item)` or `state.reject(item)`. The
request that the sidecar shows is `tools.pending(item.raw_item.call_id).request`; an approval is for it alone."""

from __future__ import annotations

import json
from typing import Any

from agents import FunctionTool, RunContextWrapper
from agents.tool_context import ToolContext

from .agent_tools import AgentCall, AgentTools, Functions, Options, Sessions, answer, fault_text
from .client import AsyncClient
from .results import Pending


class Tools(list[FunctionTool]):
    """Tools for `Agent(tools=…)`."""

    def __init__(self, shared: AgentTools, declared: list[dict[str, Any]]) -> None:
        super().__init__(_tool(shared, tool) for tool in declared)
        self._shared = shared

    def pending(self, call_id: str) -> Pending | None:
        """The call that waits for a person."""
        return self._shared.pending_under(call_id)


def _tool(shared: AgentTools, tool: dict[str, Any]) -> FunctionTool:
    name: str = tool["name"]

    async def needs_approval(context: RunContextWrapper[Any], arguments: dict[str, Any], call_id: str) -> bool:
        return await shared.asks(AgentCall(name, arguments, context, call_id))

    async def invoke(context: ToolContext[Any], text: str) -> Any:
        try:
            arguments = json.loads(text or "{}")
        except ValueError as error:
            return f"the arguments are not JSON: {error}; correct and call again"
        if not isinstance(arguments, dict):
            return "the arguments are no JSON object; correct and call again"
        id = context.tool_call_id
        is_approved = context.is_tool_approved(name, id) is True
        result = await shared.run(AgentCall(name, arguments, context, id), is_approved)
        if not result.ok:
            return fault_text(result)
        value = answer(result)
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)

    return FunctionTool(name, tool["description"], tool["inputSchema"], invoke, strict_json_schema=False, needs_approval=needs_approval)


async def tools(
    client: AsyncClient,
    *,
    session: Sessions = None,
    toolset: str | None = None,
    search: bool = False,
    functions: Functions | None = None,
    **values: Any,
) -> Tools:
    """`values` are parameters of the session, which the model never sees; a `session` may be made of the run's context. `search`
    declares two tools in place of all. `functions` are the program's, by the names of their tools. A call that fails returns why."""
    shared = AgentTools(client, Options(session, toolset, search, functions or {}, values))
    return Tools(shared, await shared.declare())
