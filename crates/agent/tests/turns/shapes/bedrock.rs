//! Streams of Bedrock whose blocks are numbered in other ways.

use callgate_dialect::Dialect;

use super::{TWO, check_bytes};
use crate::fake::frame;

#[tokio::test(start_paused = true)]
async fn blocks_of_bedrock_are_distinguished_by_any_indices() {
    for (name, indices) in [
        ("as Bedrock", [0, 1, 2]),
        ("gaps", [0, 2, 5]),
        ("from one", [1, 2, 3]),
        ("backwards", [9, 4, 1]),
    ] {
        let event = |name: &str, index: u64, rest: &str| {
            frame("event", name, &format!(r#"{{"contentBlockIndex":{index},{rest}}}"#))
        };
        let call = |index: u64, id: &str, tool: &str, n: u64| {
            let start =
                format!(r#""start":{{"toolUse":{{"toolUseId":"{id}","name":"shop-{tool}"}}}}"#);
            let piece = |text: &str| format!(r#""delta":{{"toolUse":{{"input":"{text}"}}}}"#);
            [
                event("contentBlockStart", index, &start),
                event("contentBlockDelta", index, &piece(r#"{\"n\""#)),
                event("contentBlockDelta", index, &piece(&format!(":{n}}}"))),
                event("contentBlockStop", index, r#""p":"a""#),
            ]
        };
        for ids in [["t1", "t2"], ["", ""]] {
            let mut events = vec![frame("event", "messageStart", r#"{"role":"assistant"}"#)];
            events.push(event("contentBlockDelta", indices[0], r#""delta":{"text":"So."}"#));
            events.extend(call(indices[1], ids[0], "add", 1));
            events.extend(call(indices[2], ids[1], "remove", 2));
            events.push(frame("event", "messageStop", r#"{"stopReason":"tool_use"}"#));
            events.push(frame("event", "metadata", r#"{"usage":{"inputTokens":1}}"#));
            check_bytes(Dialect::Bedrock, name, &events, &TWO).await;
        }
    }
}
