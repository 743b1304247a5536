// The TypeScript client of the installed package, its tools in the Vercel AI SDK by the SDK's own test model, and those in the loop of the
// OpenAI SDK, which asks a server that follows a script. Usage: node check.mjs CONFIGURATION SERVICE
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { generateText, isStepCount, type ModelMessage } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { Client, ConnectionFailed, Problem, StartFailed, commandPath } from "callgate";
import { tools as aiTools, type ToolOptions } from "callgate/ai";
import { tools as loopTools, type LoopOptions } from "callgate/openai";
import OpenAI from "openai";

const [config = "", service = ""] = process.argv.slice(2);
type Step = [name: string, args: unknown][];

async function told(question: "again" | "left" | "made" | "waits"): Promise<any> {
  return (await fetch(`${service}/told/${question}`)).json();
}

// The client

async function everyMethod(client: Client) {
  assert.deepEqual((await client.call("shop-getOrder", { id: 7 })).response, { id: 7, state: "shipped" });
  const fault = (await client.call("shop-getOrder", { id: "x" })).error!;
  assert.deepEqual([fault.code, fault.reached, fault.next], ["invalid_arguments", "no", "correct_arguments"]);
  assert.equal((await client.tools()).length, 12);
  assert.equal((await client.tools("openai", { toolset: "app" }))[0].function.name, "app-open_page");
  assert.equal((await client.search("show an order"))[0]!.name, "shop-getOrder");
  assert.equal((await client.tool("shop-deleteOrder")).approval, true);
  await client.putSession("s-1", { parameters: { owner: "kim" } });
  assert.deepEqual((await client.call("shop-getOwner", {}, { session: { id: "s-1" } })).response, { owner: "kim" });
  await client.deleteSession("s-1");
  const handle = await client.putFile(Buffer.from("letters"), "text/plain");
  assert.equal((await client.file(handle)).toString(), "letters");
  const waiting = (await client.call("shop-deleteOrder", { id: 3 })).pending!;
  assert.deepEqual((await client.approvals()).map(({ id }) => id), [waiting.id]);
  assert.equal(((await client.approve(waiting.id)).response as any).state, "changed");
  assert.equal((await client.reject((await client.call("shop-deleteOrder", { id: 4 })).pending!.id)).error!.code, "rejected");
  await assert.rejects(client.tool("none"), (problem: Problem) => problem.kind === "absent" && problem.status === 404);
  await told("again");
  for (let n = 0; n < 3; n++) assert.ok((await client.call("shop-wait", {}, { dryRun: true })).request);
  const results = await Promise.all(Array.from({ length: 1000 }, (_, n) => client.call("shop-getOrder", { id: n + 1 })));
  assert.deepEqual(results.map(({ response }: any) => response.id), Array.from({ length: 1000 }, (_, n) => n + 1));
  assert.deepEqual(await told("made"), []);
}

// No media type, key or token adds a header or a request: nothing is sent.
async function whatWouldEndALineIsRefused() {
  let nSent = 0;
  const server = createServer(() => nSent++).on("connection", () => nSent++);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const url = `http://127.0.0.1:${(server.address() as any).port}`;
  for (const wrong of ["a\r\nX: canary\r\n\r\nGET / HTTP/1.1", "a\nb", "a\rb", "a\0", "a\u2028b"]) {
    const isRefused = (sent: Promise<unknown>) => assert.rejects(sent, (error: Error) => error instanceof TypeError && !error.message.includes("canary"));
    const client = new Client({ url });
    await isRefused(client.putFile(Buffer.from("x"), wrong));
    await isRefused(client.answer("openai", {}, { key: wrong }));
    await isRefused(new Client({ url, token: wrong }).tools());
  }
  assert.equal(nSent, 0);
  server.close();
}

async function digitsAreKept(client: Client) {
  const number = "12345678901234567890";
  const result = await client.callText("shop-createOrder", `{"item": "tea", "weight": ${number}}`);
  assert.match((result.pending!.request as any).body, new RegExp(`${number}}`));
  const { response } = await client.call("shop-getWeight");
  assert.deepEqual(response, { weight: number, part: "0.12345678901234567891", rest: 0.5 });
}

async function overTcp() {
  const child = spawn(commandPath(), ["serve", config, "--listen", "127.0.0.1:0"], { stdio: ["ignore", "ignore", "pipe"] });
  for await (const line of createInterface({ input: child.stderr })) {
    if (!line.includes("listening on")) continue;
    const client = new Client({ url: line.split(" ").at(-1)! });
    assert.equal((await client.call("shop-getOrder", { id: 7 })).status, 200);
    await client.close();
    child.kill();
  }
}

async function killedInTheMidst() {
  for (const key of [undefined, "k-1"]) {
    const client = new Client({ config });
    await told("again");
    const call = client.call("shop-wait", {}, key === undefined ? {} : { key });
    call.catch(() => undefined);
    assert.equal(await told("waits"), true);
    const address: string = (client as any).sidecar.address;
    const listed = spawnSync("ps", ["-eo", "pid,comm,args"], { encoding: "utf8" }).stdout.split("\n");
    const line = listed.find((line) => line.includes(address) && line.trim().split(/\s+/)[1] === "callgate")!;
    process.kill(Number(line.trim().split(/\s+/)[0]), "SIGKILL");
    await assert.rejects(call, (failure: ConnectionFailed) => failure instanceof ConnectionFailed && failure.reached === "maybe");
    assert.equal((await told("made")).length, 1);
    await client.close();
  }
  await assert.rejects(new Client({ config: "none.yaml" }).tools(), StartFailed);
  await assert.rejects(new Client({ url: "unix:/none" }).tools(), (failure: ConnectionFailed) => failure.reached === "no");
}

/** A program that ends without `close` ends, and its sidecar too. */
function endsWithItsProgram() {
  const program = `import { Client } from "callgate"; const c = new Client(${JSON.stringify({ config })}); await c.tools(); console.log(c.sidecar.address)`;
  const { stdout, status } = spawnSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8", timeout: 300_000 });
  assert.equal(status, 0);
  for (let n = 0; n < 1200; n++) {
    if (!spawnSync("ps", ["-eo", "args"], { encoding: "utf8" }).stdout.includes(stdout.trim())) return;
    spawnSync("sleep", ["0.1"]);
  }
  assert.fail("the sidecar of a program that ended still runs");
}

// The Vercel AI SDK

const usage = { inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 1, text: 1, reasoning: 0 } };

function model(...steps: Step[]) {
  return new MockLanguageModelV4({
    doGenerate: async ({ prompt }: any) => {
      const n = prompt.filter(({ role }: any) => role === "assistant").length;
      const calls = steps[n]?.map(([toolName, args], at) => ({ type: "tool-call" as const, toolCallId: `${n}-${at}`, toolName, input: JSON.stringify(args) }));
      const finishReason = { unified: calls ? ("tool-calls" as const) : ("stop" as const), raw: undefined };
      return { content: calls ?? [{ type: "text" as const, text: "done" }], finishReason, usage, warnings: [] };
    },
  });
}

interface Asked {
  client: Client;
  options?: ToolOptions;
  messages?: ModelMessage[];
  abortSignal?: AbortSignal;
}

async function turn({ client, options, messages = [{ role: "user", content: "go" }], abortSignal }: Asked, ...steps: Step[]) {
  const tools = await aiTools(client, options);
  return generateText({ model: model(...steps), tools, messages, stopWhen: isStepCount(9), ...(abortSignal && { abortSignal }) });
}

/** What the calls returned: outputs, and the errors that the model reads. */
async function outputs(asked: Asked, ...steps: Step[]): Promise<any[]> {
  const { steps: taken } = await turn(asked, ...steps);
  const parts: any[] = taken.flatMap(({ content }) => content).filter(({ type }) => type === "tool-result" || type === "tool-error");
  return parts.map((part) => (part.type === "tool-error" ? { failed: JSON.parse(part.error.message) } : part.output));
}

async function theVercelSdk(client: Client) {
  const met = { met: true };
  assert.deepEqual(await outputs({ client }, [["shop-getOrder", { id: 7 }], ["shop-meet", {}], ["shop-meet", {}]]), [{ id: 7, state: "shipped" }, met, met]);
  const [fault, mended, broken] = await outputs({ client }, [["shop-getOrder", { id: "x" }]], [["shop-getOrder", { id: 7 }]], [["shop-getBroken", {}]]);
  assert.equal(fault.failed.error.next, "correct_arguments");
  assert.equal(mended.state, "shipped");
  assert.deepEqual(broken.failed.error.body, { reason: "the disk is full" });
  const [fixed] = await outputs({ client, options: { session: { parameters: { owner: "kim" } } } }, [["shop-getOwner", { owner: "eve" }]]);
  assert.deepEqual(fixed.response, { owner: "kim" });
  const functions = { "app-open_page": async ({ page }: { page: string }) => ({ opened: page }) };
  assert.deepEqual(await outputs({ client, options: { functions } }, [["app-open_page", { page: "home" }]]), [{ opened: "home" }]);
  const [archive, picture] = await outputs({ client }, [["shop-getArchive", {}], ["shop-getPicture", {}]]);
  assert.equal((await client.file(archive.handle)).length, archive.response.size);
  const [put] = await outputs({ client }, [["shop-putFile", { body: { handle: picture.handle } }]]);
  assert.equal(put.size, picture.response.size);
  const search = { client, options: { search: true } };
  const [found, called] = await outputs(search, [["find_tools", { query: "show an order" }]], [["call_tool", { tool: "shop-getOrder", arguments: { id: 7 } }]]);
  assert.equal(found[0].name, "shop-getOrder");
  assert.equal(called.state, "shipped");
  await told("again");
  const abort = new AbortController();
  const cancelled = turn({ client, abortSignal: abort.signal }, [["shop-wait", {}]]);
  cancelled.catch(() => undefined);
  assert.equal(await told("waits"), true);
  abort.abort();
  assert.equal(await told("left"), true);
}

/** The tools are made again for each turn, as in a server that keeps nothing. */
async function anApprovalOfTheVercelSdk(client: Client) {
  for (const approved of [true, false]) {
    await told("again");
    // A request too large for the list of those that wait.
    const step: Step = [["shop-createOrder", { item: "tea".repeat(2000) }]];
    const first = await turn({ client }, step);
    const request: any = first.content.find(({ type }) => type === "tool-approval-request");
    assert.ok(request, "nobody was asked");
    assert.deepEqual(await told("made"), []);
    const decision: ModelMessage = { role: "tool", content: [{ type: "tool-approval-response", approvalId: request.approvalId, approved }] };
    const second = await turn({ client, messages: [{ role: "user", content: "go" }, ...first.response.messages, decision] }, step);
    assert.equal(second.text, "done");
    assert.equal((await told("made")).length, approved ? 1 : 0);
  }
}

// The loop of the OpenAI SDK

async function loop(client: Client, options: LoopOptions, ...steps: Step[]): Promise<any[]> {
  const returned: any[] = [];
  const provider = createServer(async (request, response) => {
    let body = "";
    for await (const part of request) body += part;
    const { messages } = JSON.parse(body);
    const n = messages.filter(({ role }: any) => role === "assistant").length;
    returned.splice(0, returned.length, ...messages.filter(({ role }: any) => role === "tool").map(({ content }: any) => JSON.parse(content)));
    const calls = steps[n]?.map(([name, args], at) => ({ id: `${n}-${at}`, type: "function", function: { name, arguments: typeof args === "string" ? args : JSON.stringify(args) } }));
    const message = { role: "assistant", content: calls ? null : "done", ...(calls && { tool_calls: calls }) };
    response.setHeader("Content-Type", "application/json");
    response.end(JSON.stringify({ id: "1", object: "chat.completion", created: 1, model: "m", choices: [{ index: 0, finish_reason: "stop", message }] }));
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => provider.once("listening", resolve));
  const openai = new OpenAI({ apiKey: "none", baseURL: `http://127.0.0.1:${(provider.address() as { port: number }).port}/v1` });
  const runner = openai.chat.completions.runTools({ model: "m", messages: [{ role: "user", content: "go" }], tools: await loopTools(client, options) });
  assert.equal(await runner.finalContent(), "done");
  provider.close();
  provider.closeAllConnections();
  return returned;
}

async function theLoopOfOpenai(client: Client) {
  const met = { met: true };
  assert.deepEqual(await loop(client, {}, [["shop-getOrder", { id: 7 }], ["shop-meet", {}], ["shop-meet", {}]]), [{ id: 7, state: "shipped" }, met, met]);
  const [fault, mended] = await loop(client, {}, [["shop-getOrder", { id: "x" }]], [["shop-getOrder", { id: 7 }]]);
  assert.equal(fault.error.next, "correct_arguments");
  assert.equal(mended.state, "shipped");
  await told("again");
  const step: Step = [["shop-createOrder", '{"item": "tea", "weight": 12345678901234567890}']];
  const [unasked] = await loop(client, {}, step);
  assert.equal(unasked.error.code, "pending");
  const [rejected] = await loop(client, { approve: () => false }, step);
  assert.equal(rejected.error.code, "rejected");
  assert.deepEqual(await told("made"), []);
  const [approved] = await loop(client, { approve: ({ request }, tool) => tool === "shop-createOrder" && (request as any).method === "POST" }, step);
  assert.equal(approved.state, "changed");
  const [[, , body]] = await told("made");
  assert.match(body, /12345678901234567890/);
  const functions = { "app-open_page": ({ page }: { page: string }) => ({ opened: page }) };
  assert.deepEqual(await loop(client, { functions }, [["app-open_page", { page: "home" }]]), [{ opened: "home" }]);
  const [, called] = await loop(client, { search: true }, [["find_tools", { query: "show an order" }]], [["call_tool", { tool: "shop-getOrder", arguments: { id: 7 } }]]);
  assert.equal(called.state, "shipped");
}

const client = new Client({ config });
await everyMethod(client);
await digitsAreKept(client);
await theVercelSdk(client);
await anApprovalOfTheVercelSdk(client);
await theLoopOfOpenai(client);
await client.close();
await whatWouldEndALineIsRefused();
await overTcp();
await killedInTheMidst();
endsWithItsProgram();
console.log(`npm: every case, by Node ${process.version}`);
