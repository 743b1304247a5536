"""FastMCP's client."""

from fastmcp import Client

from telling import run


async def tried(url, calls):
    async with Client(url) as client:
        names = [tool.name for tool in await client.list_tools()]
        results = []
        for name, arguments in calls:
            result = await client.call_tool(name, arguments, raise_on_error=False)
            results.append({"failed": result.is_error, "told": [block.model_dump(mode="json") for block in result.content]})
        return names, results


run(tried)
