"""The tools of a client as an agent sees them: what every framework's adapter shares. Knows no framework.

A framework names each call by an id, which a model may use again for another. A call that waits for a person is kept under the id with
its tool, arguments and session, so that what the person decided about is the request that was shown; the sidecar makes no other.
Where this process did not make the first call (it was restarted since), the call is made again, and approved only if one with the
same request already waits."""

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

# The id, the digest and the session of a call.
Key = tuple[str, str, str]
T = TypeVar("T")

_MOST_KEPT = 10_000
# Of a second each, for a call that runs under the same key.
_MOST_WAITS = 300

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


@dataclass(frozen=True)
class AgentCall:
    """A call as a framework makes it. `context` is the framework's own, of the run; `id` is empty if the call has none. A framework that
    runs calls again `is_repeated`: their ids differ from those of all other calls, and what changes something goes under a key."""

    name: str
    arguments: Mapping[str, Any]
    context: Any
    id: str
    is_repeated: bool = False

    @property
    def digest(self) -> str:
        """Of what the model asks for."""
        return hashlib.sha256(json.dumps([self.name, self.arguments], sort_keys=True, default=str).encode()).hexdigest()


class AgentTools:
    """The tools of one client, and its calls that wait."""

    def __init__(self, client: AsyncClient, options: Options) -> None:
        self.client, self.options = client, options
        self._waiting: collections.OrderedDict[Key, Pending] = collections.OrderedDict()
        self._ended: collections.OrderedDict[Key, Result] = collections.OrderedDict()
        self._tools: dict[str, dict[str, Any]] = {}
        # A reload may change the rule since the tool was looked at.
        self._asked: set[str] = set()

    async def declare(self) -> list[dict[str, Any]]:
        """`name`, `description` and `inputSchema` of each tool."""
        if self.options.search:
            return [_FIND, _CALL]
        return await self.client.tools(toolset=self.options.toolset)

    async def asks(self, call: AgentCall) -> bool:
        """Whether a person must approve a call, for frameworks that ask before they run it. Where the operator's rule decides by the
        request, a call that needs nobody is made here, and `run` has its result."""
        if self.pending(call) is not None:
            return True
        if not await self._may_ask(call):
            return False
        result = await self.call(call)
        if _waits(result):
            return True
        _put(self._ended, self._key(call), result)
        return False

    async def run(self, call: AgentCall, is_approved: bool) -> Result:
        """Makes a call after `asks`."""
        ended = self._ended.pop(self._key(call), None)
        if ended is not None:
            return ended
        if is_approved or self.pending(call) is not None:
            return await self.approve(call)
        return await self.call(call)

    async def call(self, call: AgentCall) -> Result:
        """Makes a call, and runs it where it is a function of the program. What waits is kept."""
        if self._is_find(call):
            return await self._find(str(call.arguments.get("query") or ""))
        tool, arguments = self._meant(call)
        is_write = call.is_repeated and (await self._details(tool)).get("effect", "read") != "read"
        key = f"{call.id}/{call.digest}"[-255:] if is_write and call.id else None
        session = self.options.session_of(call.context)
        result = await self.client.call(tool, arguments, session=session, key=key)
        for _ in range(_MOST_WAITS):
            if result.error is None or result.error.code != "still_running":
                break
            await self.client._pause(result.error.retry_after or 1.0)
            result = await self.client.call(tool, arguments, session=session, key=key)
        return await self._end(call, result)

    async def approve(self, call: AgentCall, metadata: Mapping[str, Any] | None = None) -> Result:
        """Makes a call that a person has approved. `metadata` is what was `shown`, where the framework kept it."""
        kept = self._waiting.pop(self._key(call), None)
        if kept is not None:
            return await self._end(call, await self.client.approve(kept.id))
        if metadata is not None and metadata.get("call") == call.digest:
            return await self._end(call, await self.client.approve(metadata["approval"]))
        result = await self.call(call)
        if result.pending is None or not _waits(result) or not await self._is_shown(result.tool, result.pending):
            return result
        self._waiting.pop(self._key(call), None)
        return await self._end(call, await self.client.approve(result.pending.id))

    async def reject(self, call: AgentCall, pending: Pending) -> Result:
        self._waiting.pop(self._key(call), None)
        return await self.client.reject(pending.id)

    def pending(self, call: AgentCall) -> Pending | None:
        return self._waiting.get(self._key(call))

    def pending_under(self, id: str) -> Pending | None:
        """The last call that waits under an id."""
        return next((pending for key, pending in reversed(self._waiting.items()) if key[0] == id), None)

    def _key(self, call: AgentCall) -> Key:
        return call.id, call.digest, json.dumps(self.options.session_of(call.context), sort_keys=True, default=str)

    def _is_find(self, call: AgentCall) -> bool:
        return self.options.search and call.name == _FIND["name"]

    def _meant(self, call: AgentCall) -> tuple[str, Mapping[str, Any]]:
        if not self.options.search:
            return call.name, call.arguments
        given = call.arguments.get("arguments")
        return str(call.arguments.get("tool") or ""), given if isinstance(given, Mapping) else {}

    async def _may_ask(self, call: AgentCall) -> bool:
        if self._is_find(call):
            return False
        tool = self._meant(call)[0]
        return tool in self._asked or bool((await self._details(tool)).get("approval"))

    async def _details(self, tool: str) -> dict[str, Any]:
        """Of a name that no tool has there are none: the call itself says what is wrong."""
        if tool not in self._tools:
            try:
                self._tools[tool] = await self.client.tool(tool)
            except Problem:
                return {}
        return self._tools[tool]

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

    async def _end(self, call: AgentCall, result: Result) -> Result:
        pending = result.pending
        if pending is not None and pending.kind == "client" and result.tool in self.options.functions:
            response = self.options.functions[result.tool](**pending.request)
            if inspect.isawaitable(response):
                response = await response
            return Result(result.id, result.tool, response=response)
        if pending is not None and pending.kind == "approval":
            self._asked.add(result.tool)
            if call.id:
                _put(self._waiting, self._key(call), pending)
        data = _media(result.response)
        if data is None:
            return result
        # A picture or a sound is text to a model that gets it as JSON, and many tokens of it.
        media_type = result.response["mediaType"]
        session = self.options.session_of(call.context) or {}
        handle = await self.client.put_file(data, media_type, session=session.get("id"))
        response = {"mediaType": media_type, "size": len(data)}
        return replace(result, response=response, handle=handle, raw={**result.raw, "response": response, "handle": handle})

    async def _find(self, query: str) -> Result:
        toolsets = [self.options.toolset] if self.options.toolset else None
        found = await self.client.search(query, limit=5, toolsets=toolsets) if query.strip() else []
        details = [await self.client.tool(tool["name"]) for tool in found]
        tools = [{name: tool[name] for name in ("name", "description", "inputSchema")} for tool in details]
        return Result("1", _FIND["name"], response=tools)


def shown(call: AgentCall, pending: Pending) -> dict[str, Any]:
    """What a person decides about, for a framework to keep."""
    return {"approval": pending.id, "call": call.digest, "request": pending.request, "expires": pending.expires}


def _waits(result: Result) -> bool:
    return result.pending is not None and result.pending.kind == "approval"


def _put(kept: collections.OrderedDict[Key, T], key: Key, value: T) -> None:
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
    error = result.raw.get("error") or {
        "code": "pending",
        "message": "the call waits for a decision and was not made; call again to ask for it",
    }
    return json.dumps({**status, "error": error}, ensure_ascii=False)


def is_mendable(result: Result) -> bool:
    """True if the model can correct its arguments and call again."""
    return result.error is not None and result.error.next == "correct_arguments"
