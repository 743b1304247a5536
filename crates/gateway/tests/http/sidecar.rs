//! A sidecar on a socket of this machine, whose services answer from recordings.

use crate::prelude::*;

use callgate_config::{Built, Loader};
use callgate_gateway::{Gateway, router_with};

/// A sidecar and a client of its own.
#[derive(Debug)]
pub(crate) struct Sidecar {
    address: String,
    client: reqwest::Client,
    gateway: Gateway,
}

/// What was answered.
#[derive(Debug)]
pub(crate) struct Answered {
    pub(crate) status: u16,
    headers: reqwest::header::HeaderMap,
    pub(crate) text: String,
}

impl Sidecar {
    /// The pets that answer from recordings; parameters come from the header `X-Owner`, too.
    pub(crate) async fn of_pets() -> Self {
        Self::of(PETS).await
    }

    /// What a configuration says; its paths start at the folder of the examples.
    pub(crate) async fn of(text: &str) -> Self {
        Self::with(text, &Environment::new()).await
    }

    /// What a configuration says, in surroundings of its own.
    pub(crate) async fn with(text: &str, environment: &Environment) -> Self {
        let built = built(text, environment, None).await;
        let gateway = Gateway::new(built);
        let router = router_with(gateway.clone(), crate::routes());
        let address = callgate_testkit::serve(router).await;
        Self { address, client: reqwest::Client::new(), gateway }
    }

    /// Another program that calls the same sidecar.
    pub(crate) fn another(&self) -> Self {
        let (address, gateway) = (self.address.clone(), self.gateway.clone());
        Self { address, client: reqwest::Client::new(), gateway }
    }

    /// Serves another configuration from now on.
    pub(crate) async fn reload(&self, text: &str) {
        let before = self.gateway.current_build();
        self.gateway.replace(Arc::new(built(text, &Environment::new(), Some(&before)).await));
    }

    pub(crate) async fn get(&self, path: &str) -> Answered {
        self.send("GET", path, &[], "").await
    }

    /// The body of a response as it is.
    pub(crate) async fn bytes(&self, path: &str) -> Vec<u8> {
        let response = self.client.get(format!("{}{path}", self.address)).send().await.unwrap();
        response.bytes().await.unwrap().to_vec()
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Answered {
        self.send("POST", path, &[JSON], &body.to_string()).await
    }

    pub(crate) async fn put(&self, path: &str, body: &Value) -> Answered {
        self.send("PUT", path, &[JSON], &body.to_string()).await
    }

    /// The method and the path of every described operation, with `x` for each name of a path.
    pub(crate) async fn operations(&self) -> Vec<(String, String)> {
        let description = self.get("/openapi.json").await.json();
        let mut operations = Vec::new();
        for (path, item) in description["paths"].as_object().unwrap() {
            let parts = path.split('{').map(|part| match part.split_once('}') {
                Some((_, rest)) => format!("x{rest}"),
                None => part.to_owned(),
            });
            let path = parts.collect::<String>();
            let methods = item.as_object().unwrap().keys();
            operations.extend(methods.map(|method| (method.to_uppercase(), path.clone())));
        }
        operations
    }

    /// Asserts that an operation refuses a query that it does not read.
    pub(crate) async fn refuses_query(&self, method: &str, path: &str) {
        for query in ["foo=1", "dryRun=true", "foo"] {
            let answered = self.send(method, &format!("{path}?{query}"), &[JSON], "{}").await;
            let expected = "urn:callgate:problem:malformed-query";
            assert_eq!(answered.json()["type"], expected, "{method} {path}?{query}");
        }
    }

    /// The response to a message of MCP of the revision 2025-11-25.
    pub(crate) async fn mcp(&self, path: &str, body: &str) -> Answered {
        let headers = [JSON, EITHER, ("mcp-protocol-version", "2025-11-25")];
        self.send("POST", path, &headers, body).await
    }

    /// The JSON of the response to a request of MCP of the revision 2025-11-25.
    pub(crate) async fn ask(&self, method: &str, params: Value) -> Value {
        self.mcp("/mcp", &request(method, &params)).await.ok()
    }

    /// The response to a request of MCP of the revision 2026-07-28 by a client with these capabilities.
    pub(crate) async fn ask_2026(
        &self,
        method: &str,
        params: &Value,
        capabilities: &Value,
        headers: &[(&str, &str)],
    ) -> Answered {
        let mut params = params.clone();
        params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
        params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = capabilities.clone();
        let own = [JSON, EITHER, ("mcp-protocol-version", "2026-07-28"), ("mcp-method", method)];
        let name = params["name"].as_str().map(|name| ("mcp-name", name));
        let headers: Vec<_> = own.into_iter().chain(name).chain(headers.iter().copied()).collect();
        self.send("POST", "/mcp", &headers, &request(method, &params)).await
    }

    pub(crate) async fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Answered {
        let url = format!("{}{path}", self.address);
        let request = self.client.request(method.parse().unwrap(), url).body(body.to_owned());
        let request =
            headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        let response = request.send().await.unwrap();
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        Answered { status, headers, text: response.text().await.unwrap() }
    }
}

impl Answered {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {}", self.text))
    }

    /// The JSON of an answer of success.
    #[track_caller]
    pub(crate) fn ok(&self) -> Value {
        assert_eq!(self.status, 200, "{}", self.text);
        self.json()
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// Names and data of server-sent events.
    pub(crate) fn events(&self) -> Vec<(String, Value)> {
        let blocks = self.text.split("\n\n").filter(|block| !block.trim().is_empty());
        let field = |block: &str, name: &str| {
            let lines = block.lines().filter_map(|line| line.strip_prefix(name));
            lines.map(|line| line.trim_start().to_owned()).collect::<String>()
        };
        let event = |block: &str| {
            (field(block, "event:"), serde_json::from_str(&field(block, "data:")).unwrap())
        };
        blocks.filter(|block| !block.starts_with(':')).map(event).collect()
    }
}

async fn built(text: &str, environment: &Environment, previous: Option<&Built>) -> Built {
    let base = concat!(env!("CARGO_MANIFEST_DIR"), "/../../config");
    let loader = Loader::new().with_kind(callgate_documents::DocumentsKind);
    loader.text(text, base).unwrap().build(environment, previous).await.unwrap()
}

/// A request of MCP.
pub(crate) fn request(method: &str, params: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string()
}

/// The media types that a client of MCP accepts.
pub(crate) const EITHER: (&str, &str) = ("accept", "application/json, text/event-stream");

/// The pets, which answer from recordings; more keys of the toolset may follow.
pub(crate) const PETS: &str = "
sessions: { headers: { ownerId: X-Owner } }
toolsets:
  pets:
    openapi: ../fixtures/pets/spec.yaml
    auth: { api_key: { in: header, name: X-Api-Key, value: 'literal:demo-key' } }
    upstream: replay
";
