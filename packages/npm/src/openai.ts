// The tools of a client for the loop of the OpenAI SDK: `openai.chat.completions.runTools({ tools, … })`.
//
// The loop has no way to wait for a person, so `approve` asks. Arguments go as the model wrote them, and a call that fails returns why.
import { AgentTools, answer, faultText, isAnswered, type ToolOptions } from "./agent-tools.js";
import type { Client } from "./client.js";
import type { Pending, Tool } from "./results.js";

export type { ToolOptions } from "./agent-tools.js";

export interface LoopOptions extends ToolOptions {
  /** Asks a person about the request that would be sent. Without it such a call is not made, and the model is told. */
  approve?: (pending: Pending, tool: string) => boolean | Promise<boolean>;
}

/** A tool as `runTools` takes it. */
export interface LoopTool {
  type: "function";
  function: {
    name: string;
    description: string;
    parameters: Record<string, unknown>;
    function: (args: string, runner: { controller: AbortController }) => Promise<string>;
  };
}

/** Tools for `runTools`. */
export async function tools(client: Client, options: LoopOptions = {}): Promise<LoopTool[]> {
  const shared = new AgentTools(client, options);
  return (await shared.declare()).map((tool) => made(shared, tool, options.approve));
}

function made(shared: AgentTools, { name, description, inputSchema }: Tool, approve: LoopOptions["approve"]): LoopTool {
  const run = async (text: string, runner: { controller: AbortController }) => {
    const call = { name, args: text || "{}", id: crypto.randomUUID(), signal: runner.controller.signal };
    try {
      JSON.parse(call.args);
    } catch (error) {
      return `the arguments are not JSON: ${(error as Error).message}; correct and call again`;
    }
    let result = await shared.call(call);
    while (result.pending?.kind === "approval" && approve !== undefined) {
      const isApproved = await approve(result.pending, result.tool);
      result = isApproved ? await shared.approve(call) : await shared.reject(call, result.pending);
    }
    if (!isAnswered(result)) return faultText(result);
    const value = answer(result);
    return typeof value === "string" ? value : JSON.stringify(value);
  };
  return { type: "function", function: { name, description, parameters: inputSchema, function: run } };
}
