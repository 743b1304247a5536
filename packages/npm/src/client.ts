// `Client`: a sidecar, asked over HTTP. Without an address it runs the command of this package.
import type { AgentOptions } from "node:https";
import { Pool, type Operation } from "./connection.js";
import { parse } from "./json.js";
import type { Approval, Call, Result, Session, Tool, ToolDetails } from "./results.js";
import { Sidecar } from "./sidecar.js";

export interface ClientOptions {
  /** Where a sidecar listens: `http://127.0.0.1:8410`, `unix:/run/callgate.sock`. */
  url?: string;
  /** For a sidecar that this client starts: a configuration or a description; else `./callgate.yaml`, or a demo. */
  config?: string;
  token?: string;
  /** The command to start in place of this package's. */
  command?: string;
  tls?: AgentOptions;
  /** Milliseconds without an answer. */
  timeout?: number;
}

export interface CallOptions {
  session?: Session | undefined;
  /** With a key the call is made once, however often it is sent; without one it is sent once. */
  key?: string;
  dryRun?: boolean;
  /** Ends the request, and its calls. */
  signal?: AbortSignal | undefined;
}

type Dialect = "anthropic" | "bedrock" | "ces" | "dialogflow" | "gemini" | "json" | "mcp" | "openai" | "responses" | "semantic_kernel";

// Longer than any call may take by default, with its attempts.
const TIMEOUT_MS = 300_000;

/**
 * A sidecar. Without `url` the client runs the command of this package, on a private socket, until `close` or the end of the program.
 *
 *     const client = new Client({ config: "orders.yaml" });
 *     console.log((await client.call("getOrder", { id: 7 })).response);
 *     await client.close();
 */
export class Client {
  private readonly options: ClientOptions;
  private sidecar?: Sidecar;
  private started?: Promise<Pool>;

  constructor(options: ClientOptions = {}) {
    if (options.url !== undefined && options.config !== undefined)
      throw new TypeError("give `url`, of a sidecar that runs, or `config`, for one that this client starts; not both");
    this.options = options;
  }

  /** Makes a call. */
  async call(tool: string, args: Record<string, unknown> = {}, options: CallOptions = {}): Promise<Result> {
    const { key, ...rest } = options;
    return only(await this.calls([{ tool, args, ...(key !== undefined && { idempotencyKey: key }) }], rest));
  }

  /** Makes calls at the same time, or in their order. Results come in the order of the calls. */
  async calls(calls: Call[], options: Omit<CallOptions, "key"> & { mode?: "parallel" | "sequential" } = {}): Promise<Result[]> {
    const { signal, dryRun, ...rest } = options;
    const mayRepeat = dryRun === true || calls.every((call) => call.idempotencyKey !== undefined);
    return (await this.post("/v1/calls", { calls, ...(dryRun && { dryRun }), ...rest }, { mayRepeat, signal })).results;
  }

  /** Makes a call whose arguments are JSON as a model wrote them, so that no digit is lost. */
  async callText(tool: string, args: string, options: Omit<CallOptions, "dryRun" | "key"> = {}): Promise<Result> {
    JSON.parse(args);
    const session = options.session === undefined ? "" : `,"session":${JSON.stringify(options.session)}`;
    const body = `{"calls":[{"tool":${JSON.stringify(tool)},"args":${args}}]${session}}`;
    return only((await this.json({ method: "POST", path: "/v1/calls", body, headers: JSON_TYPE, mayRepeat: false, signal: options.signal })).results);
  }

  /** Makes the calls of a model's message, in its provider's format; returns the messages to append, none if the model is done. */
  async answer(
    dialect: Dialect,
    message: unknown,
    options: { session?: Session; functions?: string[]; form?: string; key?: string; signal?: AbortSignal } = {},
  ): Promise<any[]> {
    const { key, signal, ...rest } = options;
    const headers = key === undefined ? {} : { "Idempotency-Key": key };
    const answer = await this.post(`/v1/dialects/${dialect}/calls`, { message, ...rest }, { mayRepeat: key !== undefined, headers, signal });
    return answer.messages;
  }

  /** The declarations of all tools, in a provider's format. */
  async tools(dialect?: "json", options?: { form?: string; toolset?: string }): Promise<Tool[]>;
  async tools(dialect: Dialect, options?: { form?: string; toolset?: string }): Promise<any[]>;
  async tools(dialect: Dialect = "json", options: { form?: string; toolset?: string } = {}): Promise<any[]> {
    return this.pages("/v1/tools", "tools", { dialect, limit: "1000", ...options });
  }

  /** All details of a tool. */
  async tool(name: string): Promise<ToolDetails> {
    return this.get(`/v1/tools/${encodeURIComponent(name)}`);
  }

  /** The tools that fit a question, the best first. */
  async search(query: string, options: { limit?: number; toolsets?: string[] } = {}): Promise<{ name: string; toolset: string; description: string }[]> {
    return (await this.post("/v1/tools:search", { query, ...options }, { mayRepeat: true })).tools;
  }

  /** The calls that wait for a person: one's own, and those that one may decide about. */
  async approvals(): Promise<Approval[]> {
    return this.pages("/v1/approvals", "approvals", {});
  }

  /** A call that waits, with its request however large that is. */
  async approval(id: string): Promise<Approval> {
    return this.get(`/v1/approvals/${encodeURIComponent(id)}`);
  }

  /** Approves an own call that waits, and makes it. */
  async approve(approval: string, options: { key?: string; signal?: AbortSignal | undefined } = {}): Promise<Result> {
    const headers: Record<string, string> = options.key === undefined ? {} : { "Idempotency-Key": options.key };
    const request = { mayRepeat: options.key !== undefined, headers, signal: options.signal };
    return this.post(`/v1/approvals/${encodeURIComponent(approval)}`, { decision: "approve" }, request);
  }

  /** Rejects an own call that waits. */
  async reject(approval: string): Promise<Result> {
    return this.post(`/v1/approvals/${encodeURIComponent(approval)}`, { decision: "reject" }, { mayRepeat: false });
  }

  /** Stores the values of a session, which calls then name by its id. */
  async putSession(id: string, session: Pick<Session, "credentials" | "parameters">): Promise<void> {
    const body = JSON.stringify(session);
    await this.run({ method: "PUT", path: `/v1/sessions/${encodeURIComponent(id)}`, body, headers: JSON_TYPE, mayRepeat: true });
  }

  async deleteSession(id: string): Promise<void> {
    await this.run({ method: "DELETE", path: `/v1/sessions/${encodeURIComponent(id)}`, mayRepeat: true });
  }

  /** Keeps a file for calls of the next fifteen minutes: `{"handle": HANDLE}` as an argument is the file. */
  async putFile(data: Uint8Array, mediaType: string, options: { session?: string | undefined } = {}): Promise<string> {
    const path = `/v1/results${inSession(options.session)}`;
    return (await this.json({ method: "POST", path, body: data, headers: { "Content-Type": mediaType }, mayRepeat: true })).handle;
  }

  /** The bytes of a file, or the whole of a result that was cut. */
  async file(handle: string, options: { session?: string | undefined } = {}): Promise<Buffer> {
    return this.run({ method: "GET", path: `/v1/results/${encodeURIComponent(handle)}${inSession(options.session)}`, mayRepeat: true });
  }

  /** Closes the connections, and ends the sidecar if this client started it. */
  async close(): Promise<void> {
    const pool = await this.started?.catch(() => undefined);
    pool?.close();
    await this.sidecar?.end();
  }

  private async pages(path: string, member: string, query: Record<string, string>): Promise<any[]> {
    const all: unknown[] = [];
    for (let cursor: string | undefined; ; ) {
      const page: any = await this.get(`${path}?${new URLSearchParams({ ...query, ...(cursor !== undefined && { cursor }) })}`);
      all.push(...page[member]);
      cursor = page.nextCursor;
      if (cursor === undefined) return all;
    }
  }

  private get(path: string): Promise<any> {
    return this.json({ method: "GET", path, mayRepeat: true });
  }

  private post(path: string, body: object, request: Pick<Operation, "headers" | "mayRepeat" | "signal">): Promise<any> {
    return this.json({ method: "POST", path, body: JSON.stringify(body), ...request, headers: { ...JSON_TYPE, ...request.headers } });
  }

  private async json(operation: Operation): Promise<any> {
    return parse((await this.run(operation)).toString());
  }

  private async run(operation: Operation): Promise<Buffer> {
    this.started ??= this.start();
    return (await this.started).run(operation);
  }

  private async start(): Promise<Pool> {
    const { url, config, command, token, tls = {}, timeout = TIMEOUT_MS } = this.options;
    if (url === undefined) this.sidecar = await Sidecar.start(config, command);
    const headers: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` };
    return new Pool(url ?? this.sidecar!.address, headers, timeout, tls);
  }
}

const JSON_TYPE = { "Content-Type": "application/json" };

function inSession(id: string | undefined): string {
  return id === undefined ? "" : `?${new URLSearchParams({ session: id })}`;
}

function only(results: Result[]): Result {
  const [result] = results;
  if (result === undefined) throw new TypeError("the sidecar returned no result");
  return result;
}
