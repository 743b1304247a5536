"""A model of the OpenAI Agents SDK, which shows a pet and then says what it got."""

from agents import ModelResponse, Usage, set_tracing_disabled
from agents.models.interface import Model
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

set_tracing_disabled(True)


class Script(Model):
    async def get_response(self, system_instructions, input, model_settings, tools, *rest, **more):
        last = input[-1]
        if last.get("type") == "function_call_output":
            text = ResponseOutputText(type="output_text", text=last["output"], annotations=[])
            output = ResponseOutputMessage(id="m", type="message", role="assistant", status="completed", content=[text])
        else:
            output = ResponseFunctionToolCall(type="function_call", call_id="1", name="pets-getPet", arguments='{"petId": 7}')
        return ModelResponse(output=[output], usage=Usage(), response_id=None)

    def stream_response(self, *given, **more):
        raise NotImplementedError


model = Script()
