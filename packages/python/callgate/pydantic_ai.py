"""The tools of a client as a toolset of Pydantic AI.

A call that a person must approve ends the run with `DeferredToolRequests`, a function of the client that the program did not give as an
external call. Go on with `requests.build_results(approvals=…, metadata=requests.metadata)`: the metadata names the request that was shown.
"""

from __future__ import annotations

from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.exceptions import ApprovalRequired, CallDeferred, ModelRetry, ToolFailed
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets import AbstractToolset, ToolsetTool
from pydantic_core import SchemaValidator, core_schema

from .agent_tools import AgentCall, AgentTools, Functions, Options, Sessions, answer, fault_text, is_mendable, shown
from .client import AsyncClient

# The sidecar checks arguments, and says what is wrong with all of them at once.
_OBJECT = SchemaValidator(schema=core_schema.dict_schema(keys_schema=core_schema.str_schema()))


class CallgateToolset(AbstractToolset[Any]):
    """Asks the sidecar for its tools at each step, so that a reload of its configuration is seen."""

    def __init__(self, client: AsyncClient, options: Options, retries: int) -> None:
        self._tools, self._retries = AgentTools(client, options), retries

    @property
    def id(self) -> str | None:
        """Two toolsets of one agent differ by their toolset of the sidecar."""
        toolset = self._tools.options.toolset
        return "callgate" if toolset is None else f"callgate-{toolset}"

    async def get_tools(self, ctx: RunContext[Any]) -> dict[str, ToolsetTool[Any]]:
        declared = await self._tools.declare()
        return {tool["name"]: self._tool(tool) for tool in declared}

    def _tool(self, tool: dict[str, Any]) -> ToolsetTool[Any]:
        definition = ToolDefinition(name=tool["name"], description=tool["description"], parameters_json_schema=tool["inputSchema"])
        return ToolsetTool(toolset=self, tool_def=definition, max_retries=self._retries, args_validator=_OBJECT)

    async def call_tool(self, name: str, tool_args: dict[str, Any], ctx: RunContext[Any], tool: ToolsetTool[Any]) -> Any:
        call = AgentCall(name, tool_args, ctx, ctx.tool_call_id or "")
        if ctx.tool_call_approved:
            result = await self._tools.approve(call, ctx.tool_call_metadata)
        else:
            result = await self._tools.call(call)
        if result.pending is not None:
            if result.pending.kind == "approval":
                raise ApprovalRequired(metadata=shown(call, result.pending))
            raise CallDeferred(metadata={"tool": result.tool, "arguments": result.pending.request})
        if is_mendable(result):
            raise ModelRetry(fault_text(result))
        if result.error is not None:
            raise ToolFailed(fault_text(result))
        return answer(result)


def tools(
    client: AsyncClient,
    *,
    session: Sessions = None,
    toolset: str | None = None,
    search: bool = False,
    functions: Functions | None = None,
    retries: int = 3,
    **values: Any,
) -> CallgateToolset:
    """A toolset for `Agent(toolsets=[…])`. `values` are parameters of the session, which the model never sees; a `session` may be
    made of the run's context. `search` declares two tools in place of all. `functions` are the program's, by the names of their tools."""
    return CallgateToolset(client, Options(session, toolset, search, functions or {}, values), retries)
