// The tools of a client for the Vercel AI SDK.
//
// A call that a person must approve becomes a `tool-approval-request`; it is sent once a `tool-approval-response` approves it. A call that
// fails throws, so that the model reads why in a `tool-error`.
import { dynamicTool, jsonSchema, type ModelMessage, type ToolSet } from "ai";
import { AgentTools, ToolFault, answer, isAnswered, type AgentCall, type ToolOptions } from "./agent-tools.js";
import type { Client } from "./client.js";
import type { Result, Tool } from "./results.js";

export { ToolFault, type ToolOptions } from "./agent-tools.js";

/** Tools for `generateText`, `streamText` and agents. */
export async function tools(client: Client, options: ToolOptions = {}): Promise<ToolSet> {
  const shared = new AgentTools(client, options);
  const declared = await shared.declare();
  return Object.fromEntries(declared.map((tool) => [tool.name, made(shared, tool)]));
}

function made(shared: AgentTools, { name, description, inputSchema }: Tool) {
  // Results of calls that a rule might have asked about and did not, until the tool runs.
  const ended = new Map<string, Result>();
  return dynamicTool({
    description,
    inputSchema: jsonSchema(inputSchema),
    needsApproval: async (args, { toolCallId: id, messages }) => {
      const call = { name, args, id };
      if (shared.pending(call) !== undefined) return true;
      if (!(await shared.mayAsk(call))) return false;
      if (isApproved(messages, id)) return true;
      const result = await shared.call(call);
      if (result.pending?.kind === "approval") return true;
      ended.set(id, result);
      return false;
    },
    execute: async (args, { toolCallId: id, messages, abortSignal: signal }) => {
      const result = ended.get(id) ?? (await run(shared, { name, args, id, signal }, isApproved(messages, id)));
      ended.delete(id);
      if (!isAnswered(result)) throw new ToolFault(result);
      return answer(result);
    },
  });
}

function run(shared: AgentTools, call: AgentCall, isGiven: boolean): Promise<Result> {
  return isGiven || shared.pending(call) !== undefined ? shared.approve(call) : shared.call(call);
}

/** True if the last message is a person's decision about the call, which goes on after it. */
function isApproved(messages: ModelMessage[], id: string): boolean {
  const parts = (message: ModelMessage | undefined) => (Array.isArray(message?.content) ? (message.content as ApprovalPart[]) : []);
  const decided = parts(messages.at(-1)).filter((part) => part.type === "tool-approval-response" && part.approved);
  const asked = messages.flatMap(parts).filter((part) => part.type === "tool-approval-request" && part.toolCallId === id);
  return asked.some((part) => decided.some(({ approvalId }) => approvalId === part.approvalId));
}

interface ApprovalPart {
  type: string;
  toolCallId?: string;
  approvalId?: string;
  approved?: boolean;
}
