"""The tools of a client as an agent sees them: what every framework's adapter shares. Knows no framework.

A framework names each call by an id, which a model may use again for another. A call that waits for a person is kept under the id with
its tool, arguments and session, so that what the person decided about is the request that was shown; the sidecar makes no other. Where this process did not make the first call (it was restarted since), the call
is made again, and approved only if one with the same request already waits."""

from __future__ import annotations

import base64
import collections
import hashlib
import inspect
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar, Union

from .client import AsyncClient
from .errors import Problem
from .results import Pending, Result, Session

Functions = Mapping[str, Callable[..., Any]]
# The session of a call: the same for all, or made of the framework's own context of a run.
Sessions = Union[Session, Callable[[Any], Session], None]

_MOST_KEPT = 10_000

T = TypeVar("T")

_FIND: dict[str, Any] = {
    "name": "find_tools",
    "description": "Finds tools by what they do. Returns their names and the schemas of their arguments; `call_tool` calls one.",
    "inputSchema": {
        "type": "object",
        "properties": {"query": {"type": "string", "description": "The purpose of the tool, in words"}},
        "required": ["query"],
        "additionalProperties": False,
    },
}
_CALL: dict[str, Any] = {
    "name": "call_tool",
    "description": "Calls a tool that `find_tools` has found.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "tool": {"type": "string", "description": "The name of the tool"},
            "arguments": {"type": "object", "description": "Its arguments"},
        },
        "required": ["tool", "arguments"],
        "additionalProperties": False,
    },
}


@dataclass(frozen=True)
class Options:
    """What a program says about the tools of an agent."""

    session: Sessions
    toolset: str | None
    search: bool
    functions: Functions
    values: Mapping[str, Any]

    def session_of(self, context: Any) -> Session | None:
        session: Session = Session(**(self.session(context) if callable(self.session) else self.session or {}))
        if self.values:
            session["parameters"] = {**(session.get("parameters") or {}), **self.values}
        return session or None


class AgentTools:
    """The tools of one client, and its calls that wait."""

    def __init__(self, client: AsyncClient, options: Options) -> None:
        self.client, self.options = client, options
        self._waiting: collections.OrderedDict[tuple[str, str], Pending] = collections.OrderedDict()
        self._ended: collections.OrderedDict[tuple[str, str], Result] = collections.OrderedDict()
        self._may_wait: dict[str, bool] = {}

    async def declare(self) -> list[dict[str, Any]]:
        """`name`, `description` and `inputSchema` of each tool."""
        if self.options.search:
            return [_FIND, _CALL]
        return await self.client.tools(toolset=self.options.toolset)

    async def asks(self, name: str, arguments: Mapping[str, Any], context: Any, id: str) -> bool:
        """Whether a person must approve a call, for frameworks that ask before they run it. Where the operator's rule decides by the
        request, a call that needs nobody is made here, and `run` has its result."""
        key = self._key(name, arguments, self.options.session_of(context), id)
        if key in self._waiting:
            return True
        if not await self._may_ask(name, arguments):
            return False
        result = await self.call(name, arguments, context, id)
        if result.pending is not None and result.pending.kind == "approval":
            return True
        _put(self._ended, key, result)
        return False

    async def run(self, name: str, arguments: Mapping[str, Any], context: Any, id: str, is_approved: bool) -> Result:
        """Makes a call after `asks`."""
        key = self._key(name, arguments, self.options.session_of(context), id)
        ended = self._ended.pop(key, None)
        if ended is not None:
            return ended
        if is_approved or key in self._waiting:
            return await self.approve(name, arguments, context, id)
        return await self.call(name, arguments, context, id)

    async def _may_ask(self, name: str, arguments: Mapping[str, Any]) -> bool:
        tool = self._named(name, arguments)[0]
        if self.options.search and name == _FIND["name"]:
            return False
        if tool not in self._may_wait:
            try:
                self._may_wait[tool] = bool((await self.client.tool(tool))["approval"])
            except Problem:  # The call itself says what is wrong, such as a name that no tool has.
                return False
        return self._may_wait[tool]

    async def call(self, name: str, arguments: Mapping[str, Any], context: Any, id: str | None) -> Result:
        """Makes a call, and runs it where it is a function of the program. What waits is kept under the id."""
        if self.options.search and name == _FIND["name"]:
            return await self._find(str(arguments.get("query") or ""))
        tool, given = self._named(name, arguments)
        session = self.options.session_of(context)
        result = await self._end(await self.client.call(tool, given, session=session), session)
        return self._keep(result, name, arguments, session, id)

    async def approve(
        self, name: str, arguments: Mapping[str, Any], context: Any, id: str | None, metadata: Mapping[str, Any] | None = None
    ) -> Result:
        """Makes a call that a person has approved. `metadata` is what was `shown`, where the framework kept it."""
        session = self.options.session_of(context)
        kept = self._waiting.pop(self._key(name, arguments, session, id or ""), None)
        approval = None if kept is None else kept.id
        if approval is None and metadata is not None and metadata.get("call") == self._key(name, arguments, session, "")[1]:
            approval = metadata.get("approval")
        if approval is not None:
            result = await self._end(await self.client.approve(approval), session)
            return self._keep(result, name, arguments, session, id)
        result = await self.call(name, arguments, context, id)
        if result.pending is None or result.pending.kind != "approval":
            return result
        if not await self._is_shown(result.tool, result.pending):
            return result
        return await self._end(await self.client.approve(result.pending.id), session)

    async def _is_shown(self, tool: str, pending: Pending) -> bool:
        """Whether an earlier call with the same request waits."""
        for each in await self.client.approvals():
            if not each["own"] or each["tool"] != tool or each["id"] == pending.id:
                continue
            if "request" not in each:
                each = await self.client.approval(each["id"])
            if each.get("request") == pending.request:
                return True
        return False

    async def reject(self, pending: Pending, name: str, arguments: Mapping[str, Any], context: Any, id: str | None) -> Result:
        self._waiting.pop(self._key(name, arguments, self.options.session_of(context), id or ""), None)
        return await self.client.reject(pending.id)

    def shown(self, pending: Pending, name: str, arguments: Mapping[str, Any], context: Any) -> dict[str, Any]:
        """What a person decides about, for a framework to keep."""
        call = self._key(name, arguments, self.options.session_of(context), "")[1]
        return {"approval": pending.id, "call": call, "request": pending.request, "expires": pending.expires}

    def pending(self, name: str, arguments: Mapping[str, Any], context: Any, id: str | None) -> Pending | None:
        """The call of the framework that waits."""
        return self._waiting.get(self._key(name, arguments, self.options.session_of(context), id or ""))

    def pending_under(self, id: str) -> Pending | None:
        """The last call that waits under an id."""
        return next((pending for (kept, _), pending in reversed(self._waiting.items()) if kept == id), None)

    def _keep(self, result: Result, name: str, arguments: Mapping[str, Any], session: Session | None, id: str | None) -> Result:
        if id is not None and result.pending is not None and result.pending.kind == "approval":
            _put(self._waiting, self._key(name, arguments, session, id), result.pending)
        return result

    def _key(self, name: str, arguments: Mapping[str, Any], session: Session | None, id: str) -> tuple[str, str]:
        call = json.dumps([name, arguments, session], sort_keys=True, default=str)
        return id, hashlib.sha256(call.encode()).hexdigest()

    def _named(self, name: str, arguments: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
        if self.options.search and name == _CALL["name"]:
            given = arguments.get("arguments")
            return str(arguments.get("tool") or ""), given if isinstance(given, Mapping) else {}
        return name, arguments

    async def _end(self, result: Result, session: Session | None) -> Result:
        pending = result.pending
        if pending is not None and pending.kind == "client" and result.tool in self.options.functions:
            response = self.options.functions[result.tool](**pending.request)
            if inspect.isawaitable(response):
                response = await response
            return replace(result, response=response, pending=None, raw={"response": response})
        data = _media(result.response)
        if data is None:
            return result
        # A picture or a sound is text to a model that gets it as JSON, and many tokens of it.
        media_type = result.response["mediaType"]
        handle = await self.client.put_file(data, media_type, session=(session or {}).get("id"))
        shown = {"mediaType": media_type, "size": len(data)}
        return replace(result, response=shown, handle=handle, raw={**result.raw, "response": shown, "handle": handle})

    async def _find(self, query: str) -> Result:
        toolsets = [self.options.toolset] if self.options.toolset else None
        found = await self.client.search(query, limit=5, toolsets=toolsets) if query.strip() else []
        details = [await self.client.tool(tool["name"]) for tool in found]
        tools = [{name: tool[name] for name in ("name", "description", "inputSchema")} for tool in details]
        return Result("1", _FIND["name"], None, tools, None, None, None, None, {"response": tools})


def _put(kept: collections.OrderedDict[tuple[str, str], T], key: tuple[str, str], value: T) -> None:
    kept[key] = value
    if len(kept) > _MOST_KEPT:
        kept.popitem(last=False)


def answer(result: Result) -> Any:
    """What a model reads of a call that was answered: the response; beside what was cut, and files by their handles."""
    rest = {
        name: value for name, value in result.raw.items() if name in ("truncated", "next", "handle", "notes", "defaults", "stillSending")
    }
    if result.response is None and result.status is not None:
        return {"status": result.status, **rest}
    return {"response": result.response, **rest} if rest else result.response


def _media(response: Any) -> bytes | None:
    """The bytes of a picture or a sound."""
    if not isinstance(response, dict) or response.keys() != {"mediaType", "size", "data"}:
        return None
    try:
        data = base64.b64decode(response["data"], validate=True)
    except (TypeError, ValueError):
        return None
    return data if len(data) == response["size"] else None


def fault_text(result: Result) -> str:
    """What a model reads of a call that failed."""
    status = {} if result.status is None else {"status": result.status}
    error = result.raw.get("error") or {"code": "pending", "message": "the call waits, and nobody can be asked here"}
    return json.dumps({**status, "error": error}, ensure_ascii=False)


def is_mendable(result: Result) -> bool:
    """True if the model can correct its arguments and call again."""
    return result.error is not None and result.error.next == "correct_arguments"
