"""Pydantic AI, whose agent follows a script in place of a model."""

from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel
from pydantic_core import to_jsonable_python

from telling import run


async def tried(url, calls):
    names, told = [], {}

    def script(messages, info):
        names[:] = [tool.name for tool in info.function_tools]
        for part in messages[-1].parts:
            # It hands errors on as results like any other.
            if part.part_kind in ("tool-return", "retry-prompt"):
                content = to_jsonable_python(part.content, bytes_mode="base64")
                told[part.tool_call_id] = {"failed": None, "told": content}
            elif told:
                told[max(told)].setdefault("more", []).append(to_jsonable_python(part.content, bytes_mode="base64"))
        if told:
            return ModelResponse(parts=[TextPart("done")])
        return ModelResponse(parts=[ToolCallPart(name, arguments, str(index)) for index, (name, arguments) in enumerate(calls)])

    agent = Agent(FunctionModel(script), toolsets=[MCPToolset(url)])
    await agent.run("go")
    return names, [told[str(index)] for index in range(len(calls))]


run(tried)
