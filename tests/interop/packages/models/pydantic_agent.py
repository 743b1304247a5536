"""Pydantic AI's own test model, which shows a pet and then says what it got."""

from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel


def script(messages, info):
    last = messages[-1].parts[-1]
    if last.part_kind == "tool-return":
        return ModelResponse(parts=[TextPart(str(last.content))])
    return ModelResponse(parts=[ToolCallPart("pets-getPet", {"petId": 7}, "1")])


model = FunctionModel(script)
