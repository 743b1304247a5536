"""Calls the tools of a callgate sidecar: exact requests to services that OpenAPI describes, with credentials that no model sees.

`Client` and `AsyncClient` make calls. `callgate.pydantic_ai`, `callgate.langchain` and `callgate.openai_agents` have the tools of a
client for these frameworks, which they import; nothing else needs them."""

from .client import AsyncClient, Client
from .errors import CallgateError, ConnectionFailed, Problem, StartFailed
from .operations import Call
from .results import Fault, Pending, Result, Session
from .sidecar import command_path

__all__ = [
    "AsyncClient",
    "Call",
    "CallgateError",
    "Client",
    "ConnectionFailed",
    "Fault",
    "Pending",
    "Problem",
    "Result",
    "Session",
    "StartFailed",
    "command_path",
]
