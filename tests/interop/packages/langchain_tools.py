"""The tools of a client in LangChain's agents, whose own fake chat model makes the calls of a script; the state is LangGraph's."""

import asyncio
import json
import pathlib
import tempfile

from callgate import AsyncClient, Client
from callgate.langchain import atools, tools
from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.types import Command
from service import ARCHIVE, PICTURE, Service


class Script(GenericFakeChatModel):
    """Makes the calls of one step after the other, then ends."""

    steps: list = []

    def bind_tools(self, tools, **_):
        return self

    def _generate(self, messages, stop=None, run_manager=None, **_):
        n_steps = sum(message.type == "ai" for message in messages)
        calls = [{"name": name, "args": arguments, "id": f"{n_steps}-{index}", "type": "tool_call"} for index, (name, arguments) in enumerate(self.steps[n_steps] if n_steps < len(self.steps) else [])]
        return ChatResult(generations=[ChatGeneration(message=AIMessage(content="" if calls else "done", tool_calls=calls))])


def agent(tools, *steps, saver=None):
    return create_agent(Script(messages=iter([]), steps=list(steps)), tools, checkpointer=saver)


def returned(state):
    """What the calls returned, in their order."""
    messages = [message for message in state["messages"] if isinstance(message, ToolMessage)]
    return [(message.status, json.loads(message.content)) for message in sorted(messages, key=lambda message: message.tool_call_id)]


async def outputs(tools, *steps, **config):
    return returned(await agent(tools, *steps).ainvoke({"messages": [("user", "go")]}, config))


async def a_call_parallel_calls_and_faults(client):
    declared = await atools(client)
    met = ("success", {"met": True})
    assert await outputs(declared, [("shop-getOrder", {"id": 7}), ("shop-meet", {}), ("shop-meet", {})]) == [("success", {"id": 7, "state": "shipped"}), met, met]
    fault, mended, broken = await outputs(declared, [("shop-getOrder", {"id": "x"})], [("shop-getOrder", {"id": 7})], [("shop-getBroken", {})])
    assert fault[0] == "error" and fault[1]["error"]["next"] == "correct_arguments" and mended[1]["state"] == "shipped"
    assert broken[0] == "error" and broken[1]["error"]["body"] == {"reason": "the disk is full"}, broken


async def an_approval_is_asked_for_and_given(client, service):
    service.made.clear()
    for thread, is_restarted in (("a", False), ("b", True)):
        config, saver = {"configurable": {"thread_id": thread}}, InMemorySaver()
        step = [("shop-deleteOrder", {"id": 7})]
        deleting = agent(await atools(client), step, saver=saver)
        state = await deleting.ainvoke({"messages": [("user", "go")]}, config)
        [asked] = state["__interrupt__"]
        assert asked.value["callgate"]["request"]["method"] == "DELETE" and asked.value["action_requests"][0]["name"] == "shop-deleteOrder" and not service.made
        if is_restarted:
            deleting = agent(await atools(client), step, saver=saver)
        state = await deleting.ainvoke(Command(resume={"decisions": [{"type": "approve"}]}), config)
        assert returned(state) == [("success", {"id": 7, "state": "changed"})], state
        assert len(service.made) == 1, service.made
        service.made.clear()
    config = {"configurable": {"thread_id": "c"}}
    await deleting.ainvoke({"messages": [("user", "go")]}, config)
    [(status, rejected)] = returned(await deleting.ainvoke(Command(resume={"decisions": [{"type": "reject"}]}), config))
    assert status == "error" and rejected["error"]["code"] == "rejected" and not service.made


async def a_node_that_is_run_again_makes_no_call_twice(client, service):
    """A node with both calls: once a person has decided about one, LangGraph runs both again."""
    service.made.clear()
    calls = [{"name": name, "args": arguments, "id": name, "type": "tool_call"} for name, arguments in (("shop-putFile", {"body": "aGk="}), ("shop-deleteOrder", {"id": 7}))]
    graph = StateGraph(MessagesState)
    graph.add_node("tools", ToolNode(await atools(client)))
    graph.add_edge("__start__", "tools")
    running, config = graph.compile(checkpointer=InMemorySaver()), {"configurable": {"thread_id": "f"}}
    assert "__interrupt__" in await running.ainvoke({"messages": [AIMessage("", tool_calls=calls)]}, config)
    state = await running.ainvoke(Command(resume={"decisions": [{"type": "approve"}]}), config)
    assert [status for status, _ in returned(state)] == ["success", "success"], state
    assert [path for _, path, *_ in service.made] == ["/files", "/orders/7"], service.made


async def a_function_of_the_client_is_run_or_asked_for(client):
    step = [("app-open_page", {"page": "home"})]
    declared = await atools(client, functions={"app-open_page": lambda page: {"opened": page}})
    assert await outputs(declared, step) == [("success", {"opened": "home"})]
    config = {"configurable": {"thread_id": "d"}}
    asking = agent(await atools(client), step, saver=InMemorySaver())
    [asked] = (await asking.ainvoke({"messages": [("user", "go")]}, config))["__interrupt__"]
    assert asked.value == {"tool": "app-open_page", "arguments": {"page": "home"}}, asked
    assert returned(await asking.ainvoke(Command(resume={"opened": "elsewhere"}), config)) == [("success", {"opened": "elsewhere"})]


async def files_go_by_handles(client):
    declared = await atools(client)
    (_, archive), (_, picture) = await outputs(declared, [("shop-getArchive", {}), ("shop-getPicture", {})])
    assert await client.file(archive["handle"]) == ARCHIVE and await client.file(picture["handle"]) == PICTURE
    [(_, put)] = await outputs(declared, [("shop-putFile", {"body": {"handle": archive["handle"]}})])
    assert put["size"] == len(ARCHIVE)


async def values_of_the_session_are_not_the_models(client):
    [(_, fixed)] = await outputs(await atools(client, owner="kim"), [("shop-getOwner", {"owner": "eve"})])
    assert fixed["response"] == {"owner": "kim"}
    by_config = await atools(client, session=lambda config: {"parameters": {"owner": config["configurable"]["user"]}})
    assert await outputs(by_config, [("shop-getOwner", {})], configurable={"user": "lee"}) == [("success", {"owner": "lee"})]


async def a_run_that_is_cancelled_ends_its_call(client, service):
    service.waits.clear(), service.left.clear()
    task = asyncio.create_task(outputs(await atools(client), [("shop-wait", {})]))
    assert await asyncio.to_thread(service.waits.wait, 120)
    task.cancel()
    assert await asyncio.to_thread(service.left.wait, 120)


async def a_search_stands_for_all_tools(client):
    steps = [("find_tools", {"query": "show an order"})], [("call_tool", {"tool": "shop-getOrder", "arguments": {"id": 7}})]
    (_, found), (_, answered) = await outputs(await atools(client, search=True), *steps)
    assert found[0]["name"] == "shop-getOrder" and answered["state"] == "shipped"


def tools_of_threads(client):
    """Agents that are run by `invoke`."""
    declared = tools(client, functions={"app-open_page": lambda page: {"opened": page}})
    step = [("shop-getOrder", {"id": 7}), ("app-open_page", {"page": "home"}), ("shop-getOrder", {"id": "x"})]
    (_, answered), (_, opened), (status, _) = returned(agent(declared, step).invoke({"messages": [("user", "go")]}))
    assert answered["state"] == "shipped" and opened == {"opened": "home"} and status == "error"
    config, deleting = {"configurable": {"thread_id": "e"}}, agent(declared, [("shop-deleteOrder", {"id": 7})], saver=InMemorySaver())
    assert deleting.invoke({"messages": [("user", "go")]}, config)["__interrupt__"]
    assert returned(deleting.invoke(Command(resume={"decisions": [{"type": "approve"}]}), config)) == [("success", {"id": 7, "state": "changed"})]


async def within_a_loop(client):
    """As in a notebook, where a loop runs and the tools are asked by `invoke`."""
    [answered] = returned(agent(tools(client), [("shop-getOrder", {"id": 7})]).invoke({"messages": [("user", "go")]}))
    assert answered[1]["state"] == "shipped"


async def tasks(config, service):
    async with AsyncClient(config=config) as client:
        await a_call_parallel_calls_and_faults(client)
        await an_approval_is_asked_for_and_given(client, service)
        await a_node_that_is_run_again_makes_no_call_twice(client, service)
        await a_function_of_the_client_is_run_or_asked_for(client)
        await files_go_by_handles(client)
        await values_of_the_session_are_not_the_models(client)
        await a_run_that_is_cancelled_ends_its_call(client, service)
        await a_search_stands_for_all_tools(client)


def main():
    service = Service()
    with tempfile.TemporaryDirectory() as home:
        config = service.configuration(pathlib.Path(home))
        asyncio.run(tasks(config, service))
        with Client(config=config) as client:
            tools_of_threads(client)
            asyncio.run(within_a_loop(client))
    print("langchain: every case")


main()
