"""The agents library of OpenAI, whose agent follows a script in place of a model."""

from agents import Agent, ModelResponse, Runner, Usage, set_tracing_disabled
from agents.mcp import MCPServerStreamableHttp
from agents.models.interface import Model
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from telling import run

import json


class Script(Model):
    """Asks for all calls at once, then ends; keeps what it was told."""

    def __init__(self, calls):
        self.calls, self.names, self.told = calls, [], {}

    async def get_response(self, system_instructions, input, model_settings, tools, *rest, **more):
        self.names = [tool.name for tool in tools]
        given = input if isinstance(input, list) else []
        self.told = {item["call_id"]: item["output"] for item in given if item.get("type") == "function_call_output"}
        if self.told:
            text = ResponseOutputText(type="output_text", text="done", annotations=[])
            output = [ResponseOutputMessage(id="m", type="message", role="assistant", status="completed", content=[text])]
        else:
            output = [
                ResponseFunctionToolCall(type="function_call", call_id=str(index), name=name, arguments=json.dumps(arguments))
                for index, (name, arguments) in enumerate(self.calls)
            ]
        return ModelResponse(output=output, usage=Usage(), response_id=None)

    def stream_response(self, *given, **more):
        raise NotImplementedError


async def tried(url, calls):
    set_tracing_disabled(True)
    script = Script(calls)
    async with MCPServerStreamableHttp(params={"url": url}) as server:
        await Runner.run(Agent(name="scripted", model=script, mcp_servers=[server]), "go")
    return script.names, [{"failed": None, "told": script.told[str(index)]} for index in range(len(calls))]


run(tried)
