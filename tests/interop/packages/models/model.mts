// The AI SDK's own test model, which shows a pet and then says what it got.
import { MockLanguageModelV4 } from "ai/test";

const usage = { inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 1, text: 1, reasoning: 0 } };
export const model = new MockLanguageModelV4({
  doGenerate: async ({ prompt }) => {
    const last = prompt.at(-1)!;
    const call = { type: "tool-call" as const, toolCallId: "1", toolName: "pets-getPet", input: '{"petId": 7}' };
    const text = { type: "text" as const, text: JSON.stringify(last) };
    const unified = last.role === "user" ? ("tool-calls" as const) : ("stop" as const);
    return { content: [last.role === "user" ? call : text], finishReason: { unified, raw: undefined }, usage, warnings: [] };
  },
});
