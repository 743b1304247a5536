// The tools of a client as an agent sees them: what every framework's adapter shares. Knows no framework.
//
// A framework names each call by an id, which a model may use again for another. A call that waits for a person is kept under
// the id with its tool, arguments and session, so that what the person decided about is the request that was shown; the sidecar makes no other.
// Where this process did not make the first call, the call is made again, and approved only if one with the same request already waits.
import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { Client } from "./client.js";
import { Problem } from "./errors.js";
import type { Pending, Result, Session, Tool } from "./results.js";

export interface ToolOptions {
  /** Values that the model never sees. */
  session?: Session;
  /** Only the tools of this toolset. */
  toolset?: string;
  /** Declares two tools, one that finds tools and one that calls them, in place of all. */
  search?: boolean;
  /** The program's own functions, by the names of the tools that the configuration gives the client. */
  functions?: Record<string, (args: any) => unknown>;
}

/** A call that failed; its message is what the model reads. */
export class ToolFault extends Error {
  override name = "ToolFault";
  readonly result: Result;

  constructor(result: Result) {
    super(faultText(result));
    this.result = result;
  }
}

/** A call of a framework. `args` are an object, or JSON as the model wrote it. */
export interface AgentCall {
  name: string;
  args: unknown;
  id: string;
  signal?: AbortSignal | undefined;
}

const MOST_KEPT = 10_000;

export class AgentTools {
  private readonly waiting = new Map<string, Pending>();
  private readonly ended = new Map<string, Result>();
  private readonly mayWait = new Map<string, boolean>();

  constructor(
    readonly client: Client,
    private readonly options: ToolOptions,
  ) {}

  async declare(): Promise<Tool[]> {
    if (this.options.search) return [FIND, CALL];
    return this.client.tools("json", this.options.toolset === undefined ? {} : { toolset: this.options.toolset });
  }

  /**
   * Whether a person must approve a call, for frameworks that ask before they run it. Where the operator's rule decides by the request, a
   * call that needs nobody is made here, and `run` has its result.
   */
  async asks(call: AgentCall, isApproved: boolean): Promise<boolean> {
    if (this.pending(call) !== undefined) return true;
    if (!(await this.mayAsk(call))) return false;
    if (isApproved) return true;
    const result = await this.call(call);
    if (result.pending?.kind === "approval") return true;
    put(this.ended, this.key(call), result);
    return false;
  }

  /** Makes a call after `asks`. */
  async run(call: AgentCall, isApproved: boolean): Promise<Result> {
    const ended = this.ended.get(this.key(call));
    this.ended.delete(this.key(call));
    if (ended !== undefined) return ended;
    return isApproved || this.pending(call) !== undefined ? this.approve(call) : this.call(call);
  }

  /** Makes a call, and runs it where it is a function of the program. What waits is kept. */
  async call(call: AgentCall): Promise<Result> {
    if (this.isFind(call)) return this.find(call);
    const { tool, args } = this.meant(call);
    const options = { session: this.options.session, signal: call.signal };
    const result = typeof args === "string" ? await this.client.callText(tool, args, options) : await this.client.call(tool, args, options);
    return this.keep(call, await this.end(result));
  }

  /** Makes a call that a person has approved. */
  async approve(call: AgentCall): Promise<Result> {
    const kept = this.pending(call);
    this.waiting.delete(this.key(call));
    if (kept !== undefined) return this.keep(call, await this.end(await this.client.approve(kept.id, { signal: call.signal })));
    const result = await this.call(call);
    const pending = result.pending;
    if (pending?.kind !== "approval") return result;
    if (!(await this.isShown(result.tool, pending))) return result;
    this.waiting.delete(this.key(call));
    return this.end(await this.client.approve(pending.id, { signal: call.signal }));
  }

  async reject(call: AgentCall, pending: Pending): Promise<Result> {
    this.waiting.delete(this.key(call));
    return this.client.reject(pending.id);
  }

  pending(call: AgentCall): Pending | undefined {
    return this.waiting.get(this.key(call));
  }

  /** Whether an earlier call with the same request waits. */
  private async isShown(tool: string, pending: Pending): Promise<boolean> {
    const asked = (await this.client.approvals()).filter((it) => it.own && it.tool === tool && it.id !== pending.id);
    for (const it of asked) {
      const { request } = it.request === undefined ? await this.client.approval(it.id) : it;
      if (isDeepStrictEqual(request, pending.request)) return true;
    }
    return false;
  }

  private async mayAsk(call: AgentCall): Promise<boolean> {
    if (this.isFind(call)) return false;
    const { tool } = this.meant(call);
    let mayWait = this.mayWait.get(tool);
    if (mayWait === undefined) {
      try {
        mayWait = (await this.client.tool(tool)).approval;
      } catch (error) {
        // The call itself says what is wrong, such as a name that no tool has.
        if (error instanceof Problem) return false;
        throw error;
      }
      this.mayWait.set(tool, mayWait);
    }
    return mayWait;
  }

  private isFind(call: AgentCall): boolean {
    return this.options.search === true && call.name === FIND.name;
  }

  private meant(call: AgentCall): { tool: string; args: string | Record<string, unknown> } {
    if (!this.options.search) return { tool: call.name, args: (call.args ?? {}) as Record<string, unknown> };
    const { tool, arguments: args } = object(call.args);
    return { tool: String(tool ?? ""), args: object(args) };
  }

  private key(call: AgentCall): string {
    const said = JSON.stringify([call.name, object(call.args), this.options.session ?? null]);
    return `${call.id}/${createHash("sha256").update(said).digest("hex")}`;
  }

  private keep(call: AgentCall, result: Result): Result {
    if (result.pending?.kind === "approval") {
      // A reload may have changed the rule since the tool was asked about.
      this.mayWait.set(result.tool, true);
      put(this.waiting, this.key(call), result.pending);
    }
    return result;
  }

  private async end(result: Result): Promise<Result> {
    const run = result.pending?.kind === "client" ? this.options.functions?.[result.tool] : undefined;
    if (run !== undefined) return { id: result.id, tool: result.tool, response: await run(result.pending!.request) };
    const media = mediaOf(result.response);
    if (media === undefined) return result;
    // A picture or a sound is text to a model that gets it as JSON, and many tokens of it.
    const handle = await this.client.putFile(media.data, media.mediaType, { session: this.options.session?.id });
    return { ...result, response: { mediaType: media.mediaType, size: media.data.length }, handle };
  }

  private async find(call: AgentCall): Promise<Result> {
    const query = String(object(call.args).query ?? "").trim();
    const toolsets = this.options.toolset === undefined ? {} : { toolsets: [this.options.toolset] };
    const found = query === "" ? [] : await this.client.search(query, { limit: 5, ...toolsets });
    const details = await Promise.all(found.map(({ name }) => this.client.tool(name)));
    const response = details.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
    return { id: "1", tool: FIND.name, response };
  }
}

function put<T>(kept: Map<string, T>, key: string, value: T): void {
  kept.set(key, value);
  const [oldest] = kept.keys();
  if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
}

/** What a model reads of a call that was answered: the response, beside what was cut; files by their handles. */
export function answer(result: Result): unknown {
  const { response, truncated, next, handle, notes, defaults, stillSending, status } = result;
  const known = Object.entries({ truncated, next, handle, notes, defaults, stillSending }).filter(([, value]) => value !== undefined);
  const rest = Object.fromEntries(known);
  if (response === null || response === undefined) return { status, ...rest };
  return known.length === 0 ? response : { response, ...rest };
}

/** What a model reads of a call that failed. */
export function faultText(result: Result): string {
  const error = result.error ?? { code: "pending", message: "the call waits for a decision and was not made; call again to ask for it" };
  return JSON.stringify({ status: result.status, error });
}

export function isAnswered(result: Result): boolean {
  return result.error === undefined && result.pending === undefined;
}

function object(args: unknown): Record<string, unknown> {
  const value: unknown = typeof args === "string" ? JSON.parse(args || "{}") : args;
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function mediaOf(response: any): { mediaType: string; data: Buffer } | undefined {
  if (typeof response !== "object" || response === null || Object.keys(response).sort().join() !== "data,mediaType,size") return undefined;
  const data = Buffer.from(String(response.data), "base64");
  return data.length === response.size ? { mediaType: String(response.mediaType), data } : undefined;
}

const FIND: Tool = {
  name: "find_tools",
  description: "Finds tools by what they do. Returns their names and the schemas of their arguments; `call_tool` calls one.",
  inputSchema: { type: "object", properties: { query: { type: "string", description: "The purpose of the tool, in words" } }, required: ["query"], additionalProperties: false },
};
const CALL: Tool = {
  name: "call_tool",
  description: "Calls a tool that `find_tools` has found.",
  inputSchema: {
    type: "object",
    properties: { tool: { type: "string", description: "The name of the tool" }, arguments: { type: "object", description: "Its arguments" } },
    required: ["tool", "arguments"],
    additionalProperties: false,
  },
};
