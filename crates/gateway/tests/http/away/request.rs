//! The requests of the table, each with sessions, approvals and results of its own.

use super::*;

/// A request, with what it needs in a store that works.
pub(super) struct Request {
    name: &'static str,
    method: &'static str,
    path: String,
    headers: Vec<(&'static str, &'static str)>,
    body: Value,
    /// The service is called if the request succeeds.
    pub(super) sends: bool,
}

/// The answer to a request.
pub(super) struct End {
    name: &'static str,
    pub(super) answered: Answered,
}

impl Request {
    /// The request of a row, after what has to be there before it.
    pub(super) async fn prepared(shop: &Shop, name: &'static str) -> Self {
        match name {
            name if name.contains("session") => Self::of_session(shop, name).await,
            name if name.contains("approv") => Self::of_approval(shop, name).await,
            name if name.contains("result") || name.contains("handle") => {
                Self::of_result(shop, name).await
            }
            name if name.contains("key") => Self::with_key(name),
            name => Self::without_state(name),
        }
    }

    async fn of_session(shop: &Shop, name: &'static str) -> Self {
        let id = name.replace(' ', "-");
        let path = format!("/v1/sessions/{id}");
        if !name.starts_with("store") {
            let stored = shop.sidecar.put(&path, &json!({"parameters": {"owner": "kim"}})).await;
            assert_eq!(stored.status, 201, "{}", stored.text);
        }
        let session = json!({"id": id});
        let parameters = json!({"parameters": {"owner": "lee"}});
        let order = || calls(&order(), &session);
        match name {
            "show a session" => Self::new(name, "GET", &path, Value::Null),
            "store a session" => Self::new(name, "PUT", &path, parameters),
            "change a session" => Self::new(name, "PATCH", &path, parameters),
            "forget a session" => Self::new(name, "DELETE", &path, Value::Null),
            "call in a session" => Self::new(name, "POST", CALLS, order()).sending(),
            "dry run in a session" => {
                let mut body = order();
                body["dryRun"] = true.into();
                Self::new(name, "POST", CALLS, body)
            }
            "events in a session" => {
                let request = Self::new(name, "POST", CALLS, order()).sending();
                request.with_header("accept", "text/event-stream")
            }
            "message in a session" => {
                let arguments = "{\"body\": {\"text\": \"x\"}}";
                let function = json!({"name": "shop-order", "arguments": arguments});
                let call = json!({"id": "a", "type": "function", "function": function});
                let message = json!({"role": "assistant", "content": null, "tool_calls": [call]});
                let body = json!({"message": message, "session": session});
                Self::new(name, "POST", "/v1/dialects/openai/calls", body).sending()
            }
            _ => {
                let mut body = order_over_mcp();
                body["_meta"] = json!({"callgate/session": session});
                Self::new(name, "MCP", "tools/call", body).sending()
            }
        }
    }

    async fn of_approval(shop: &Shop, name: &'static str) -> Self {
        let body = calls(&asked(), &Value::Null);
        match name {
            "list approvals" => Self::new(name, "GET", "/v1/approvals", Value::Null),
            "call to approve" => Self::new(name, "POST", CALLS, body),
            "approve" => {
                let asked = shop.sidecar.post(CALLS, &body).await.json();
                let id = asked["results"][0]["pending"]["id"].as_str();
                let path = format!("/v1/approvals/{}", id.unwrap());
                Self::new(name, "POST", &path, json!({"decision": "approve"})).sending()
            }
            _ => {
                let body = json!({"name": "asked-order", "arguments": {"body": {"text": "x"}}});
                Self::new(name, "MCP", "tools/call", body)
            }
        }
    }

    async fn of_result(shop: &Shop, name: &'static str) -> Self {
        let large = json!({"tool": "shop-large", "args": {}, "timeout": "1s"});
        let body = calls(&large, &Value::Null);
        let kept = shop.sidecar.post(CALLS, &body).await.json();
        let handle = kept["results"][0]["handle"].as_str().unwrap();
        let path = format!("/v1/results/{handle}");
        match name {
            "cut result" => Self::new(name, "POST", CALLS, body),
            "MCP cut result" => {
                Self::new(name, "MCP", "tools/call", json!({"name": "shop-large", "arguments": {}}))
            }
            "store a file as a result" => {
                Self::new(name, "POST", "/v1/results", json!({"a": "file"}))
            }
            "show a result" => Self::new(name, "GET", &path, Value::Null),
            "part of a result" => {
                Self::new(name, "GET", &path, Value::Null).with_header("range", "bytes=0-9")
            }
            "MCP part of a result" => {
                let body = json!({"name": "read_result", "arguments": {"handle": handle}});
                Self::new(name, "MCP", "tools/call", body)
            }
            _ => {
                let mut call = order();
                call["args"]["body"] = json!({"handle": handle});
                Self::new(name, "POST", CALLS, calls(&call, &Value::Null)).sending()
            }
        }
    }

    fn with_key(name: &'static str) -> Self {
        let mut call = order();
        if name == "call with a key" {
            call["idempotencyKey"] = "of-the-call".into();
        }
        let request = Self::new(name, "POST", CALLS, calls(&call, &Value::Null)).sending();
        if name == "call with a key" {
            return request;
        }
        request.with_header("idempotency-key", "of-the-request")
    }

    fn without_state(name: &'static str) -> Self {
        match name {
            "call" => Self::new(name, "POST", CALLS, calls(&order(), &Value::Null)).sending(),
            "MCP call" => Self::new(name, "MCP", "tools/call", order_over_mcp()).sending(),
            "list tools" => Self::new(name, "GET", "/v1/tools", Value::Null),
            "MCP list of tools" => Self::new(name, "MCP", "tools/list", json!({})),
            "search" => Self::new(name, "POST", "/v1/tools:search", json!({"query": "order"})),
            "readiness" => Self::new(name, "GET", "/readyz", Value::Null),
            "health" => Self::new(name, "GET", "/healthz", Value::Null),
            _ => panic!("no request is called `{name}`"),
        }
    }

    fn new(name: &'static str, method: &'static str, path: &str, body: Value) -> Self {
        Self { name, method, path: path.to_owned(), headers: vec![JSON], body, sends: false }
    }

    fn sending(self) -> Self {
        Self { sends: true, ..self }
    }

    fn with_header(mut self, name: &'static str, value: &'static str) -> Self {
        self.headers.push((name, value));
        self
    }

    /// The end of the request, and the time until then.
    pub(super) async fn timed(&self, shop: &Shop) -> (End, Duration) {
        let began = Instant::now();
        let answered = if self.method == "MCP" {
            shop.sidecar.mcp("/mcp", &request(&self.path, &self.body)).await
        } else {
            let text = if self.body.is_null() { String::new() } else { self.body.to_string() };
            shop.sidecar.send(self.method, &self.path, &self.headers, &text).await
        };
        (End { name: self.name, answered }, began.elapsed())
    }
}

impl End {
    /// The word of the table.
    pub(super) fn as_str(&self) -> &'static str {
        let (status, text) = (self.answered.status, &self.answered.text);
        let has_wait =
            self.answered.header("retry-after").parse::<u64>().is_ok_and(|wait| wait >= 1);
        match status {
            409 if has_wait => "409",
            412 => "412",
            503 if has_wait => "503",
            200..=299 if text.contains("this approval was used") => "used",
            200..=299 if self.name.starts_with("MCP") => self.of_mcp(),
            200..=299 if text.contains("\"error\"") => {
                let is_later = text.contains(r#""reached":"no","next":"try_later","retryAfter":"#);
                if is_later { "later" } else { "a fault that does not say when to try again" }
            }
            200..=299 if text.contains(NOTE) => "local",
            200..=299 if text.contains("\"pending\"") && self.name != "list approvals" => "pending",
            200..=299 => "usual",
            _ => "another status",
        }
    }

    fn of_mcp(&self) -> &'static str {
        let text = &self.answered.text;
        let is_failed = text.contains("\"isError\":true") || text.contains("\"error\"");
        match () {
            () if text.contains("the call waits as approval") => "pending",
            () if is_failed && text.contains("later") => "later",
            () if is_failed => "a fault that does not say when to try again",
            () if text.contains(NOTE) => "local",
            () => "usual",
        }
    }

    /// The handle of a result that was kept.
    pub(super) fn handle(&self) -> Option<String> {
        if !self.name.ends_with("cut result") && !self.name.starts_with("store a file") {
            return None;
        }
        let (_, rest) = self.answered.text.split_once("result:")?;
        let digits: String = rest.chars().take_while(char::is_ascii_hexdigit).collect();
        Some(format!("result:{digits}"))
    }
}

fn calls(call: &Value, session: &Value) -> Value {
    json!({"calls": [call], "session": session})
}

fn order() -> Value {
    json!({"tool": "shop-order", "args": {"body": {"text": "x"}}, "timeout": "1s"})
}

fn asked() -> Value {
    json!({"tool": "asked-order", "args": {"body": {"text": "x"}}, "timeout": "1s"})
}

fn order_over_mcp() -> Value {
    json!({"name": "shop-order", "arguments": {"body": {"text": "x"}}})
}

const CALLS: &str = "/v1/calls";
const NOTE: &str = "the store of results cannot be used now, so the";
