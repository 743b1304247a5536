"""What a client raises. A call that ends badly is no exception: its result has an `error`."""

from __future__ import annotations

from typing import Any, Literal

Reached = Literal["maybe", "no"]


class CallgateError(Exception):
    """Anything that this package raises."""


class StartFailed(CallgateError):
    """The command of this package could not be started, or ended before it served calls."""


class ConnectionFailed(CallgateError):
    """The sidecar did not answer. `reached` says whether the request may have been carried out: `no` or `maybe`."""

    def __init__(self, message: str, reached: Reached) -> None:
        made = {"maybe": "its calls may have been made", "no": "no call was made"}[reached]
        super().__init__(f"{message}; {made}")
        self.reached: Reached = reached


class Problem(CallgateError):
    """The sidecar refused a request as a whole (RFC 9457). `kind` is the end of its type, such as `malformed-body`."""

    def __init__(self, status: int, problem: dict[str, Any]) -> None:
        super().__init__(f"{problem.get('title', status)}: {problem.get('detail', 'no reason was given')}")
        self.status = status
        self.kind: str = str(problem.get("type", "")).rpartition(":")[2]
        self.detail: str = str(problem.get("detail", ""))
