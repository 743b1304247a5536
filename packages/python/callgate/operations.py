"""The requests that a client can make, and how it reads their answers. Opens no connection: both clients send these."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypedDict, TypeVar
from urllib.parse import quote, urlencode

from .errors import Problem
from .results import Result, Session

T = TypeVar("T")


@dataclass(frozen=True)
class Operation(Generic[T]):
    """A request with the reader of its answer. One that `may_repeat` changes nothing more when it arrives twice."""

    method: str
    path: str
    read: Callable[[bytes], T]
    body: bytes | None = None
    headers: dict[str, str] = field(default_factory=dict)
    may_repeat: bool = False

    def answer(self, status: int, body: bytes) -> T:
        if 200 <= status < 300:
            return self.read(body)
        try:
            problem = json.loads(body)
        except ValueError:
            problem = {}
        raise Problem(status, problem if isinstance(problem, dict) else {})


class Call(TypedDict, total=False):
    """One call of several. `id` comes back in its result; `idempotencyKey` makes it once however often it is sent."""

    id: str
    tool: str
    args: Mapping[str, Any]
    timeout: float
    idempotencyKey: str


def post(path: str, body: Mapping[str, Any], read: Callable[[bytes], T], key: str | None = None, repeat: bool = False) -> Operation[T]:
    given = {name: value for name, value in body.items() if value is not None}
    headers = {"Content-Type": "application/json"} | ({"Idempotency-Key": key} if key else {})
    return Operation("POST", path, read, json.dumps(given).encode(), headers, may_repeat=repeat or key is not None)


def calls(calls: Iterable[Call], session: Session | None, mode: str | None, dry_run: bool) -> Operation[list[Result]]:
    listed = list(calls)
    body = {"calls": listed, "session": session, "mode": mode, "dryRun": dry_run or None}
    has_keys = all("idempotencyKey" in call for call in listed)
    return post("/v1/calls", body, results, repeat=dry_run or has_keys)


def results(body: bytes) -> list[Result]:
    return [Result.read(result) for result in json.loads(body)["results"]]


def message(
    dialect: str, message: Any, session: Session | None, functions: list[str] | None, form: str | None, key: str | None
) -> Operation[list[dict[str, Any]]]:
    body = {"message": message, "session": session, "functions": functions, "form": form}
    return post(f"/v1/dialects/{quote(dialect, safe='')}/calls", body, member("messages"), key)


def tools_page(dialect: str, form: str | None, toolset: str | None, cursor: str | None) -> Operation[dict[str, Any]]:
    query = {"dialect": dialect, "form": form, "toolset": toolset, "cursor": cursor, "limit": "1000"}
    return get("/v1/tools?" + urlencode({name: value for name, value in query.items() if value is not None}))


def tool(name: str) -> Operation[dict[str, Any]]:
    return get(f"/v1/tools/{quote(name, safe='')}")


def search(query: str, limit: int, toolsets: list[str] | None) -> Operation[list[dict[str, Any]]]:
    return post("/v1/tools:search", {"query": query, "limit": limit, "toolsets": toolsets}, member("tools"), repeat=True)


def approvals(cursor: str | None) -> Operation[dict[str, Any]]:
    return get("/v1/approvals" + (f"?{urlencode({'cursor': cursor})}" if cursor else ""))


def approval(id: str) -> Operation[dict[str, Any]]:
    return get(f"/v1/approvals/{quote(id, safe='')}")


def decide(approval: str, decision: str, key: str | None) -> Operation[Result]:
    return post(f"/v1/approvals/{quote(approval, safe='')}", {"decision": decision}, lambda body: Result.read(json.loads(body)), key)


def put_session(id: str, session: Session) -> Operation[None]:
    body = json.dumps(session).encode()
    return Operation("PUT", f"/v1/sessions/{quote(id, safe='')}", nothing, body, {"Content-Type": "application/json"}, may_repeat=True)


def delete_session(id: str) -> Operation[None]:
    return Operation("DELETE", f"/v1/sessions/{quote(id, safe='')}", nothing, may_repeat=True)


def put_file(data: bytes, media_type: str, session: str | None) -> Operation[str]:
    return Operation("POST", "/v1/results" + of_session(session), member("handle"), data, {"Content-Type": media_type}, may_repeat=True)


def file(handle: str, session: str | None) -> Operation[bytes]:
    return Operation("GET", f"/v1/results/{quote(handle, safe='')}{of_session(session)}", bytes, may_repeat=True)


def of_session(session: str | None) -> str:
    return f"?{urlencode({'session': session})}" if session else ""


def get(path: str) -> Operation[Any]:
    return Operation("GET", path, json.loads, may_repeat=True)


def member(name: str) -> Callable[[bytes], Any]:
    return lambda body: json.loads(body)[name]


def nothing(_: bytes) -> None:
    return None
