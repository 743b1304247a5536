"""Semantic Kernel's plugin of an MCP server."""

from semantic_kernel import Kernel
from semantic_kernel.connectors.mcp import MCPStreamableHttpPlugin
from semantic_kernel.functions import KernelArguments

from telling import run


async def tried(url, calls):
    async with MCPStreamableHttpPlugin(name="callgate", url=url) as plugin:
        kernel = Kernel()
        added = kernel.add_plugin(plugin)
        results = []
        for name, arguments in calls:
            given = KernelArguments(**arguments)
            answered = await kernel.invoke(plugin_name=added.name, function_name=name, arguments=given)
            told = [content.model_dump(mode="json", exclude_none=True) for content in answered.value]
            # It hands errors on as texts like any other.
            results.append({"failed": None, "told": told})
        return list(added.functions), results


run(tried)
