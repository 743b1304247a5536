//! Tests the sidecar as a resource of OAuth: its metadata, its challenges, scopes, and tools that everybody may list.

use super::*;

/// A sidecar whose toolset `pets` requires a scope in tokens.
async fn sidecar(idp: &Idp, more: &str) -> Sidecar {
    let issuer = &idp.issuer;
    let jwt = format!("{{issuer: '{issuer}', audience: callgate, scopes: {{pets: pets.call}}}}");
    Sidecar::start(&format!("{}access: {{jwt: [{jwt}]{more}}}\n", nothing())).await
}

/// The response to a message of MCP.
async fn asked(sidecar: &Sidecar, path: &str, token: Option<&str>, message: &Value) -> Response {
    let client = Client::builder().no_proxy().build().unwrap();
    let mut request = client.post(format!("{}{path}", sidecar.calls[0])).json(message);
    for (name, value) in
        [("accept", "application/json, text/event-stream"), ("mcp-protocol-version", "2025-11-25")]
    {
        request = request.header(name, value);
    }
    if let Some(token) = token {
        request = request.header("authorization", token);
    }
    request.send().await.unwrap()
}

fn list() -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}})
}

fn call() -> Value {
    let params = json!({"name": "pets-list", "arguments": {}});
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
}

fn challenge(response: &Response) -> (u16, &str) {
    let challenge = response.headers().get("www-authenticate");
    let text = challenge.and_then(|value| value.to_str().ok()).unwrap_or_default();
    (response.status().as_u16(), text)
}

fn n_tools(listed: &Value) -> usize {
    let tools = listed["result"]["tools"].as_array().unwrap();
    tools.iter().filter(|tool| tool["name"] != "read_result").count()
}

#[tokio::test]
async fn resource_metadata_name_the_issuers_for_each_path() {
    let idp = Idp::start(&[]).await;
    let sidecar = sidecar(&idp, "").await;
    let origin = &sidecar.calls[0];
    for path in ["", "/mcp", "/mcp/pets", "/mcp/no-such"] {
        let well_known = format!("/.well-known/oauth-protected-resource{path}");
        let shown = sidecar.get(&well_known, &[]).await;
        let metadata: Value = serde_json::from_str(&shown.text().await.unwrap()).unwrap();
        let expected = json!({
            "resource": format!("{origin}{path}"), "resource_name": "callgate",
            "authorization_servers": [idp.issuer], "bearer_methods_supported": ["header"],
            "scopes_supported": ["pets.call"],
        });
        assert_eq!(metadata, expected);
    }
    for path in
        ["/.well-known/oauth-protected-resource/v1/tools", "/.well-known/openid-configuration"]
    {
        assert_eq!(sidecar.status(path, &[]).await, 401, "{path}");
    }
    let text = format!("{}access: {{bearer: 'literal:0123456789abcdef'}}", nothing());
    let sidecar = Sidecar::start(&text).await;
    assert_eq!(sidecar.status("/.well-known/oauth-protected-resource/mcp", &[]).await, 404);
}

#[tokio::test]
async fn a_request_without_a_token_is_challenged_with_the_address_of_the_metadata() {
    let idp = Idp::start(&[]).await;
    let sidecar = sidecar(&idp, ", url: 'https://callgate.example/'").await;
    let at = "resource_metadata=\"https://callgate.example/.well-known/oauth-protected-resource";
    let first = "Bearer realm=\"callgate\"";
    let all = asked(&sidecar, "/mcp", None, &list()).await;
    assert_eq!(challenge(&all), (401, &*format!("{first}, {at}/mcp\"")));
    let pets = asked(&sidecar, "/mcp/pets", None, &list()).await;
    assert_eq!(challenge(&pets), (401, &*format!("{first}, {at}/mcp/pets\", scope=\"pets.call\"")));
    let invalid = asked(&sidecar, "/mcp", Some("Bearer e30.e30.e30"), &list()).await;
    let expected = format!("{first}, error=\"invalid_token\", {at}/mcp\"");
    assert_eq!(challenge(&invalid), (401, &*expected));
    let tools = sidecar.get("/v1/tools", &[]).await;
    assert_eq!(challenge(&tools), (401, &*format!("{first}, {at}\"")));
}

#[tokio::test]
async fn a_token_grants_the_toolsets_of_its_scopes() {
    let signer = Signer::new("one");
    let idp = Idp::start(&[&signer]).await;
    let sidecar = sidecar(&idp, "").await;
    let token = |more: Value| signer.bearer_token(&idp.claims(&more));
    for scoped in [
        json!({"scope": "openid pets.call"}),
        json!({"scp": "pets.call"}),
        json!({"scp": ["a", "pets.call"]}),
    ] {
        let token = token(scoped);
        let listed = asked(&sidecar, "/mcp", Some(&token), &list()).await;
        assert_eq!(n_tools(&listed.json().await.unwrap()), 1);
        assert_eq!(asked(&sidecar, "/mcp", Some(&token), &call()).await.status().as_u16(), 200);
    }
    for lacking in [json!({}), json!({"scope": "pets.caller pets"}), json!({"scp": 7})] {
        let token = token(lacking);
        let listed = asked(&sidecar, "/mcp", Some(&token), &list()).await;
        assert_eq!(n_tools(&listed.json().await.unwrap()), 0);
        for (path, message) in [("/mcp", call()), ("/mcp/pets", call()), ("/mcp/pets", list())] {
            let refused = asked(&sidecar, path, Some(&token), &message).await;
            let (status, text) = challenge(&refused);
            assert_eq!(status, 403, "{path}");
            assert!(text.contains("error=\"insufficient_scope\""), "{text}");
            assert!(text.contains("scope=\"pets.call\""), "{text}");
            assert!(
                text.contains(&format!("/.well-known/oauth-protected-resource{path}\"")),
                "{text}"
            );
        }
        let tools = sidecar.get("/v1/tools", &[("authorization", &*token)]).await;
        assert!(!tools.text().await.unwrap().contains("pets-list"));
    }
}

#[tokio::test]
async fn a_token_without_scopes_still_gets_the_functions_of_the_client() {
    let signer = Signer::new("one");
    let idp = Idp::start(&[&signer]).await;
    let function = "{name: open_page, description: Opens a page, input: {type: object}}";
    let pets = "{openapi: pets.yaml, server: 'http://127.0.0.1:9'}";
    let jwt = format!("{{issuer: '{}', audience: callgate, scopes: {{pets: s}}}}", idp.issuer);
    let toolsets = format!("{{pets: {pets}, app: {{functions: [{function}]}}}}");
    let sidecar =
        Sidecar::start(&format!("toolsets: {toolsets}\naccess: {{jwt: [{jwt}]}}\n")).await;
    for (claims, is_listed) in [(json!({"scope": "s"}), true), (json!({}), false)] {
        let token = signer.bearer_token(&idp.claims(&claims));
        let listed = sidecar.get("/v1/tools", &[("authorization", &*token)]).await;
        let listed = listed.text().await.unwrap();
        assert!(listed.contains("app-open_page"), "{listed}");
        assert_eq!(listed.contains("pets-list"), is_listed, "{listed}");
    }
}

#[tokio::test]
async fn a_tool_called_through_the_call_tool_needs_its_scope() {
    let signer = Signer::new("one");
    let idp = Idp::start(&[&signer]).await;
    let sidecar = sidecar(&idp, "}\nmcp: {mode: search").await;
    let through = |tool: &str| {
        let params = json!({"name": tool, "arguments": {"name": "pets-list", "arguments": {}}});
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    };
    let (some, none) = (json!({"scope": "pets.call"}), json!({}));
    for tool in ["call_read_tool", "call_write_tool"] {
        let token = signer.bearer_token(&idp.claims(&none));
        let refused = asked(&sidecar, "/mcp", Some(&token), &through(tool)).await;
        let (status, text) = challenge(&refused);
        assert!(status == 403 && text.contains("scope=\"pets.call\""), "{tool}: {status} {text}");
        let token = signer.bearer_token(&idp.claims(&some));
        let called = asked(&sidecar, "/mcp", Some(&token), &through(tool)).await;
        assert_eq!(called.status().as_u16(), 200, "{tool}");
    }
}

#[tokio::test]
async fn publicly_listed_tools_are_not_called_without_a_token() {
    let signer = Signer::new("one");
    let idp = Idp::start(&[&signer]).await;
    let sidecar = sidecar(&idp, ", public_listing: [pets]").await;
    for path in ["/mcp", "/mcp/pets"] {
        let listed = asked(&sidecar, path, None, &list()).await;
        assert_eq!(n_tools(&listed.json().await.unwrap()), 1);
        let refused = asked(&sidecar, path, None, &call()).await;
        let (status, text) = challenge(&refused);
        assert!(status == 401 && text.contains("resource_metadata="), "{status} {text}");
    }
    let invalid = asked(&sidecar, "/mcp", Some("Bearer e30.e30.e30"), &list()).await;
    assert_eq!(challenge(&invalid).0, 401);
    for path in ["/v1/tools", "/mcp/pets/more", "/v1/admin/changes"] {
        assert_eq!(sidecar.status(path, &[]).await, 401, "{path}");
    }
    let token = signer.bearer_token(&idp.claims(&json!({"scope": "pets.call"})));
    assert_eq!(asked(&sidecar, "/mcp", Some(&token), &call()).await.status().as_u16(), 200);
}
