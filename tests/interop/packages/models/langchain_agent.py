"""LangChain's own fake model, which shows a pet and then says what it got."""

from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult


class Script(GenericFakeChatModel):
    def bind_tools(self, tools, **_):
        return self

    def _generate(self, messages, stop=None, run_manager=None, **_):
        call = {"name": "pets-getPet", "args": {"petId": 7}, "id": "1", "type": "tool_call"}
        message = AIMessage(messages[-1].content) if messages[-1].type == "tool" else AIMessage("", tool_calls=[call])
        return ChatResult(generations=[ChatGeneration(message=message)])


model = Script(messages=iter([]))
