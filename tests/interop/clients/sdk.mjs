// The clients of the TypeScript SDK of MCP, version 1 and 2. Usage: sdk.mjs MODULES '[url, calls]'
import { createRequire } from 'node:module';
import { resolve } from 'node:path';

const require = createRequire(`${resolve(process.argv[2])}/`);
const loaded = async (name) => import(require.resolve(name));
const parts = async () => {
  try {
    return await loaded('@modelcontextprotocol/client');
  } catch {
    const [client, transport] = [await loaded('@modelcontextprotocol/sdk/client/index.js'), await loaded('@modelcontextprotocol/sdk/client/streamableHttp.js')];
    return { ...client, ...transport };
  }
};

const [url, calls] = JSON.parse(process.argv[3]);
const { Client, StreamableHTTPClientTransport } = await parts();
const client = new Client({ name: 'interop', version: '1' });
await client.connect(new StreamableHTTPClientTransport(new URL(url)));
const { tools } = await client.listTools();
const results = [];
for (const [name, args] of calls) {
  const answered = await client.callTool({ name, arguments: args });
  results.push({ failed: answered.isError ?? false, told: answered.content });
}
await client.close();
console.log(JSON.stringify({ names: tools.map((tool) => tool.name), results }));
