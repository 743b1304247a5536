// The tools of a client for the Vercel AI SDK.
//
// A call that a person must approve becomes a `tool-approval-request`; it is sent once a `tool-approval-response` approves it. A call that
// fails throws, so that the model reads why in a `tool-error`.
import { dynamicTool, jsonSchema, type ModelMessage, type ToolSet } from "ai";
import { AgentTools, ToolFault, answer, isAnswered, type ToolOptions } from "./agent-tools.js";
import type { Client } from "./client.js";
import type { Tool } from "./results.js";

export { ToolFault, type ToolOptions } from "./agent-tools.js";

/** Tools for `generateText`, `streamText` and agents. */
export async function tools(client: Client, options: ToolOptions = {}): Promise<ToolSet> {
  const shared = new AgentTools(client, options);
  const declared = await shared.declare();
  return Object.fromEntries(declared.map((tool) => [tool.name, made(shared, tool)]));
}

function made(shared: AgentTools, { name, description, inputSchema }: Tool) {
  return dynamicTool({
    description,
    inputSchema: jsonSchema(inputSchema),
    needsApproval: (args, { toolCallId: id, messages }) => shared.asks({ name, args, id }, isApproved(messages, id)),
    execute: async (args, { toolCallId: id, messages, abortSignal: signal }) => {
      const result = await shared.run({ name, args, id, signal }, isApproved(messages, id));
      if (!isAnswered(result)) throw new ToolFault(result);
      return answer(result);
    },
  });
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
