"""The tools of a client in the OpenAI Agents SDK, whose agent follows a script in place of a model."""

import asyncio
import json
import pathlib
import tempfile

from agents import Agent, ModelResponse, Runner, RunState, Usage, set_tracing_disabled
from agents.models.interface import Model
from callgate import AsyncClient
from callgate.openai_agents import tools
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText
from service import ARCHIVE, PICTURE, Service


class Script(Model):
    """Makes the calls of one step after the other, then ends; keeps what each returned."""

    def __init__(self, steps):
        self.steps, self.returned = steps, {}

    async def get_response(self, system_instructions, input, model_settings, tools, *rest, **more):
        given = input if isinstance(input, list) else []
        self.returned |= {item["call_id"]: item["output"] for item in given if item.get("type") == "function_call_output"}
        n_steps = len({item["call_id"].split("-")[0] for item in given if item.get("type") == "function_call"})
        if n_steps >= len(self.steps):
            text = ResponseOutputText(type="output_text", text="done", annotations=[])
            output = [ResponseOutputMessage(id="m", type="message", role="assistant", status="completed", content=[text])]
        else:
            output = [
                ResponseFunctionToolCall(type="function_call", call_id=f"{n_steps}-{index}", name=name, arguments=json.dumps(arguments))
                for index, (name, arguments) in enumerate(self.steps[n_steps])
            ]
        return ModelResponse(output=output, usage=Usage(), response_id=None)

    def stream_response(self, *given, **more):
        raise NotImplementedError


def agent(tools, *steps):
    return Agent(name="scripted", model=Script(steps), tools=tools)


async def returned(tools, *steps, **options):
    """What the calls returned, in their order."""
    asked = agent(tools, *steps)
    result = await Runner.run(asked, "go", **options)
    assert not result.interruptions, result.interruptions
    return [json.loads(output) for _, output in sorted(asked.model.returned.items())]


async def a_call_parallel_calls_and_faults(client):
    declared = await tools(client)
    assert await returned(declared, [("shop-getOrder", {"id": 7}), ("shop-meet", {}), ("shop-meet", {})]) == [{"id": 7, "state": "shipped"}, {"met": True}, {"met": True}]
    fault, mended, broken = await returned(declared, [("shop-getOrder", {"id": "x"})], [("shop-getOrder", {"id": 7})], [("shop-getBroken", {})])
    assert fault["error"]["next"] == "correct_arguments" and mended["state"] == "shipped"
    assert broken["error"]["body"] == {"reason": "the disk is full"}, broken


async def an_approval_is_asked_for_and_given(client, service):
    service.made.clear()
    for is_restarted in (False, True):
        declared = await tools(client)
        # A request too large for the list of those that wait.
        step = [("shop-createOrder", {"item": "tea" * 2000})]
        asked = agent(declared, step)
        result = await Runner.run(asked, "go")
        [item] = result.interruptions
        assert declared.pending(item.raw_item.call_id).request["method"] == "POST" and not service.made
        if is_restarted:
            asked = agent(await tools(client), step)
            state = await RunState.from_string(asked, result.to_state().to_string())
            [item] = state.get_interruptions()
        else:
            state = result.to_state()
        state.approve(item)
        result = await Runner.run(asked, state)
        assert not result.interruptions and json.loads(asked.model.returned["0-0"]) == {"id": 1, "state": "changed"}, asked.model.returned
        assert len(service.made) == 1, service.made
        service.made.clear()
    result = await Runner.run(asked, "go")
    state = result.to_state()
    state.reject(result.interruptions[0])
    await Runner.run(asked, state)
    assert not service.made


async def a_function_of_the_client_is_run(client):
    async def open_page(page):
        return {"opened": page}

    steps = [("app-open_page", {"page": "home"})]
    assert await returned(await tools(client, functions={"app-open_page": open_page}), steps) == [{"opened": "home"}]
    [missing] = await returned(await tools(client), steps)
    assert missing["error"]["code"] == "pending", missing


async def files_go_by_handles(client):
    declared = await tools(client)
    archive, picture = await returned(declared, [("shop-getArchive", {}), ("shop-getPicture", {})])
    assert await client.file(archive["handle"]) == ARCHIVE and await client.file(picture["handle"]) == PICTURE
    [put] = await returned(declared, [("shop-putFile", {"body": {"handle": picture["handle"]}})])
    assert put["size"] == len(PICTURE)


async def values_of_the_session_are_not_the_models(client):
    [fixed] = await returned(await tools(client, owner="kim"), [("shop-getOwner", {"owner": "eve"})])
    assert fixed["response"] == {"owner": "kim"}
    by_context = await tools(client, session=lambda context: {"parameters": {"owner": context.context}})
    assert await returned(by_context, [("shop-getOwner", {})], context="lee") == [{"owner": "lee"}]


async def a_run_that_is_cancelled_ends_its_call(client, service):
    service.waits.clear(), service.left.clear()
    task = asyncio.create_task(returned(await tools(client), [("shop-wait", {})]))
    assert await asyncio.to_thread(service.waits.wait, 120)
    task.cancel()
    assert await asyncio.to_thread(service.left.wait, 120)


async def a_search_stands_for_all_tools(client, service):
    declared = await tools(client, search=True)
    assert [tool.name for tool in declared] == ["find_tools", "call_tool"]
    found, answered = await returned(declared, [("find_tools", {"query": "show an order"})], [("call_tool", {"tool": "shop-getOrder", "arguments": {"id": 7}})])
    assert found[0]["name"] == "shop-getOrder" and answered["state"] == "shipped"
    service.made.clear()
    result = await Runner.run(agent(declared, [("call_tool", {"tool": "shop-deleteOrder", "arguments": {"id": 7}})]), "go")
    assert len(result.interruptions) == 1 and not service.made


async def main():
    set_tracing_disabled(True)
    service = Service()
    with tempfile.TemporaryDirectory() as home:
        async with AsyncClient(config=service.configuration(pathlib.Path(home))) as client:
            await a_call_parallel_calls_and_faults(client)
            await an_approval_is_asked_for_and_given(client, service)
            await a_function_of_the_client_is_run(client)
            await files_go_by_handles(client)
            await values_of_the_session_are_not_the_models(client)
            await a_run_that_is_cancelled_ends_its_call(client, service)
            await a_search_stands_for_all_tools(client, service)
    print("openai-agents: every case")


asyncio.run(main())
