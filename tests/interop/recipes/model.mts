// The AI SDK's own test model: it calls the tool that shows an order, then says what it got.
import { MockLanguageModelV4 } from "ai/test";

const warnings: never[] = [];
const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};
export const model = new MockLanguageModelV4({
  doGenerate: async ({ prompt, tools }) => {
    const last = prompt.at(-1)!;
    if (last.role === "user") {
      const toolName = tools!.find((tool) => tool.name.includes("read_order"))!.name;
      const call = { type: "tool-call" as const, toolCallId: "1", toolName, input: '{"order_id": 7}' };
      return { content: [call], finishReason: { unified: "tool-calls", raw: undefined }, usage, warnings };
    }
    const text = JSON.stringify(last);
    return { content: [{ type: "text", text }], finishReason: { unified: "stop", raw: undefined }, usage, warnings };
  },
});
