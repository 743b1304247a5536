"""Google's agent development kit."""

from unittest.mock import MagicMock

from google.adk.tools.mcp_tool import McpToolset, StreamableHTTPConnectionParams

from telling import run


async def tried(url, calls):
    toolset = McpToolset(connection_params=StreamableHTTPConnectionParams(url=url))
    tools = {tool.name: tool for tool in await toolset.get_tools()}
    results = []
    for name, arguments in calls:
        answered = await tools[name].run_async(args=arguments, tool_context=MagicMock())
        results.append({"failed": bool(answered.get("isError") or answered.get("error")), "told": answered})
    await toolset.close()
    return list(tools), results


run(tried)
