"""LangChain's own test model, which calls the tool and then says what it got."""

from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult


class Scripted(GenericFakeChatModel):
    tool: str = ""

    def bind_tools(self, tools, **_):
        name = next(tool.name for tool in tools if "read_order" in tool.name)
        return Scripted(messages=iter([]), tool=name)

    def _generate(self, messages, stop=None, run_manager=None, **_):
        call = {"name": self.tool, "args": {"order_id": 7}, "id": "1", "type": "tool_call"}
        if messages[-1].type == "human":
            message = AIMessage(content="", tool_calls=[call])
        else:
            message = AIMessage(content=str(messages[-1].content))
        return ChatResult(generations=[ChatGeneration(message=message)])


model = Scripted(messages=iter([]))
