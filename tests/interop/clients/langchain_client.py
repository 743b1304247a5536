"""The adapters of LangChain."""

from langchain_mcp_adapters.client import MultiServerMCPClient

from telling import run


async def tried(url, calls):
    client = MultiServerMCPClient({"callgate": {"transport": "streamable_http", "url": url}})
    tools = {tool.name: tool for tool in await client.get_tools()}
    results = []
    for index, (name, arguments) in enumerate(calls):
        call = {"type": "tool_call", "id": str(index), "name": name, "args": arguments}
        try:
            message = await tools[name].ainvoke(call)
            results.append({"failed": message.status == "error", "told": message.content})
        except Exception as error:
            results.append({"failed": True, "told": str(error)})
    return list(tools), results


run(tried)
