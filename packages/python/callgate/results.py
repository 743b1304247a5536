"""What a call ended as, and the values that a program sends with it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, TypedDict


class Session(TypedDict, total=False):
    """Values that the program knows and the model must not choose."""

    id: str
    parameters: dict[str, Any]
    payload: dict[str, Any]
    context: dict[str, Any]
    credentials: dict[str, str]


@dataclass(frozen=True)
class Fault:
    """Why a call failed. `reached` says whether the service got it, `next` what to do."""

    code: str
    message: str
    reached: Literal["maybe", "no", "yes"]
    next: Literal["ask_user", "correct_arguments", "give_up", "try_later"]
    retry_after: float | None
    raw: dict[str, Any]


@dataclass(frozen=True)
class Pending:
    """A call that waits: for the `approval` of a person, or for the `client`, which runs the tool with `request` as arguments."""

    kind: Literal["approval", "client"]
    id: str
    request: Any
    expires: str | None


@dataclass(frozen=True)
class Result:
    """The end of a call: `response`, `error` or `pending`; of a dry run the `request` that would be sent. `raw` has it all."""

    id: str
    tool: str
    status: int | None = None
    response: Any = None
    error: Fault | None = None
    pending: Pending | None = None
    request: Any = None
    handle: str | None = None
    raw: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def read(cls, raw: dict[str, Any]) -> Result:
        error, pending = raw.get("error"), raw.get("pending")
        return cls(
            id=raw["id"],
            tool=raw["tool"],
            status=raw.get("status"),
            response=raw.get("response"),
            error=error and Fault(error["code"], error["message"], error["reached"], error["next"], error.get("retryAfter"), error),
            pending=pending and Pending(pending["kind"], pending["id"], pending.get("request"), pending.get("expires")),
            request=raw.get("request"),
            handle=raw.get("handle"),
            raw=raw,
        )

    @property
    def ok(self) -> bool:
        """True if the service answered and nothing is wrong."""
        return self.error is None and self.pending is None
