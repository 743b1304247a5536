//! Arguments that clients of MCP repeat in headers (2026-07-28): an operation's own, listed as the description says, and held to
//! the message.

use crate::prelude::*;

/// The answer to a request by the revision 2026-07-28.
async fn asked(service: &Service, method: &str, params: &Value, header: Option<&str>) -> Value {
    let header: Vec<_> = header.map(|region| ("mcp-param-region", region)).into_iter().collect();
    let answered = service.sidecar.ask_2026(method, params, &json!({}), &header).await;
    let mut answer = answered.json();
    answer["status"] = answered.status.into();
    answer
}

#[tokio::test]
async fn an_argument_repeated_in_a_header_is_declared_and_must_match() {
    let service = Service::start().await;
    let listed = asked(&service, "tools/list", &json!({}), None).await;
    let tools = listed["result"]["tools"].as_array().unwrap();
    let order = tools.iter().find(|tool| tool["name"] == "order").unwrap();
    assert_eq!(order["inputSchema"]["properties"]["region"]["x-mcp-header"], "Region", "{order}");
    let north = json!({"name": "order", "arguments": {"region": "north"}});
    let none = json!({"name": "order", "arguments": {}});
    for (params, header, status, n_orders) in [
        (&north, Some("north"), 200, 1),
        (&north, Some("south"), 400, 1),
        (&north, None, 400, 1),
        (&none, None, 200, 2),
        (&none, Some("north"), 400, 2),
    ] {
        let answer = asked(&service, "tools/call", params, header).await;
        assert_eq!((&answer["status"], service.n_orders()), (&json!(status), n_orders), "{answer}");
        assert!(status == 200 || answer["error"]["code"] == -32020, "{answer}");
    }
}
