"""The tools of a client in Pydantic AI, whose own test model makes the calls of a script."""

import asyncio
import pathlib
import tempfile

from callgate import AsyncClient
from callgate.pydantic_ai import tools
from pydantic_ai import Agent, DeferredToolRequests, ToolApproved
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.models.test import TestModel
from service import ARCHIVE, PICTURE, Service


def agent(toolset, *steps):
    """An agent whose model makes the calls of one step after the other: names, arguments, ids."""

    def script(messages, info):
        n_steps = sum(isinstance(message, ModelResponse) for message in messages)
        if n_steps >= len(steps):
            return ModelResponse(parts=[TextPart("done")])
        return ModelResponse(parts=[ToolCallPart(name, arguments, f"{n_steps}-{index}") for index, (name, arguments) in enumerate(steps[n_steps])])

    return Agent(FunctionModel(script), toolsets=[toolset], output_type=[str, DeferredToolRequests])


def parts(result, kind):
    return [part for message in result.all_messages() for part in message.parts if isinstance(part, kind)]


def returned(result):
    return [part.content for part in parts(result, ToolReturnPart)]


async def a_call_and_parallel_calls(client):
    """Each of the two that meet waits at the service for the other."""
    calls = [("shop-getOrder", {"id": 7}), ("shop-meet", {}), ("shop-meet", {})]
    assert returned(await agent(tools(client), calls).run("go")) == [{"id": 7, "state": "shipped"}, {"met": True}, {"met": True}]


async def a_fault_that_can_be_mended_is_a_retry_and_another_the_tools_failure(client):
    result = await agent(tools(client), [("shop-getOrder", {"id": "x"})], [("shop-getOrder", {"id": 7})], [("shop-getBroken", {})]).run("go")
    retried, answered, failed = parts(result, ToolReturnPart)
    assert retried.outcome == "retried" and "expected integer" in retried.content, retried
    assert answered.content["state"] == "shipped" and failed.outcome == "failed" and "the disk is full" in failed.content, failed


async def an_approval_is_asked_for_and_given(client, service):
    service.made.clear()
    for with_metadata in (True, False):
        ordering = agent(tools(client), [("shop-deleteOrder", {"id": 7})])
        first = await ordering.run("go")
        [asked] = first.output.approvals
        assert first.output.metadata[asked.tool_call_id]["request"]["method"] == "DELETE" and not service.made
        metadata = first.output.metadata if with_metadata else {}
        # Another process: it kept nothing of the first call, and goes by the metadata, or by the same request that waits.
        ordering = agent(tools(client), [("shop-deleteOrder", {"id": 7})])
        results = first.output.build_results(approvals={asked.tool_call_id: True}, metadata=metadata)
        second = await ordering.run(message_history=first.all_messages(), deferred_tool_results=results)
        assert returned(second)[-1] == {"id": 7, "state": "changed"}, second
        assert len(service.made) == 1, service.made
        service.made.clear()
    first = await ordering.run("go")
    denied = first.output.build_results(approvals={first.output.approvals[0].tool_call_id: False})
    await ordering.run(message_history=first.all_messages(), deferred_tool_results=denied)
    assert not service.made


async def arguments_that_a_person_changed_are_asked_about_again(client, service):
    first = await agent(tools(client), [("shop-deleteOrder", {"id": 8})]).run("go")
    id = first.output.approvals[0].tool_call_id
    results = first.output.build_results(approvals={id: ToolApproved(override_args={"id": 9})}, metadata=first.output.metadata)
    second = await agent(tools(client), [("shop-deleteOrder", {"id": 8})]).run(message_history=first.all_messages(), deferred_tool_results=results)
    assert second.output.metadata[id]["request"]["url"].endswith("/9") and not service.made, (second.output, service.made)


async def a_function_of_the_client_is_run_or_deferred(client):
    opened = agent(tools(client, functions={"app-open_page": lambda page: {"opened": page}}), [("app-open_page", {"page": "home"})])
    assert returned(await opened.run("go")) == [{"opened": "home"}]
    first = await agent(tools(client), [("app-open_page", {"page": "home"})]).run("go")
    [call] = first.output.calls
    assert first.output.metadata[call.tool_call_id] == {"tool": "app-open_page", "arguments": {"page": "home"}}


async def files_go_by_handles(client):
    result = await agent(tools(client), [("shop-getArchive", {}), ("shop-getPicture", {})]).run("go")
    archive, picture = returned(result)
    assert archive["response"]["mediaType"] == "application/zip" and await client.file(archive["handle"]) == ARCHIVE, archive
    assert "data" not in picture["response"] and await client.file(picture["handle"]) == PICTURE, picture
    result = await agent(tools(client), [("shop-putFile", {"body": {"handle": archive["handle"]}})]).run("go")
    assert returned(result)[0]["size"] == len(ARCHIVE)


async def values_of_the_session_are_not_the_models(client):
    result = await agent(tools(client, owner="kim"), [("shop-getOwner", {"owner": "eve"})]).run("go")
    [answered] = returned(result)
    assert answered["response"] == {"owner": "kim"} and answered["notes"], answered
    by_context = agent(tools(client, session=lambda ctx: {"parameters": {"owner": ctx.deps}}), [("shop-getOwner", {})])
    assert returned(await by_context.run("go", deps="lee")) == [{"owner": "lee"}]


async def a_run_that_is_cancelled_ends_its_call(client, service):
    service.waits.clear(), service.left.clear()
    task = asyncio.create_task(agent(tools(client), [("shop-wait", {})]).run("go"))
    assert await asyncio.to_thread(service.waits.wait, 120)
    task.cancel()
    assert await asyncio.to_thread(service.left.wait, 120)


async def a_search_stands_for_all_tools(client, service):
    searching = agent(tools(client, search=True), [("find_tools", {"query": "show an order"})], [("call_tool", {"tool": "shop-getOrder", "arguments": {"id": 7}})])
    found, answered = returned(await searching.run("go"))
    assert found[0]["name"] == "shop-getOrder" and "id" in found[0]["inputSchema"]["properties"] and answered["state"] == "shipped"
    service.made.clear()
    asked = await agent(tools(client, search=True), [("call_tool", {"tool": "shop-deleteOrder", "arguments": {"id": 7}})]).run("go")
    assert len(asked.output.approvals) == 1 and not service.made


async def the_test_model_calls_every_tool_by_its_schema(client):
    """`TestModel` fills the arguments in by the schemas."""
    result = await Agent(TestModel(call_tools=["shop-getOrder", "shop-getOwner"]), toolsets=[tools(client, owner="kim")]).run("go")
    assert len(returned(result)) == 2


async def main():
    service = Service()
    with tempfile.TemporaryDirectory() as home:
        async with AsyncClient(config=service.configuration(pathlib.Path(home))) as client:
            await a_call_and_parallel_calls(client)
            await a_fault_that_can_be_mended_is_a_retry_and_another_the_tools_failure(client)
            await an_approval_is_asked_for_and_given(client, service)
            await arguments_that_a_person_changed_are_asked_about_again(client, service)
            await a_function_of_the_client_is_run_or_deferred(client)
            await files_go_by_handles(client)
            await values_of_the_session_are_not_the_models(client)
            await a_run_that_is_cancelled_ends_its_call(client, service)
            await a_search_stands_for_all_tools(client, service)
            await the_test_model_calls_every_tool_by_its_schema(client)
    print("pydantic-ai: every case")


asyncio.run(main())
