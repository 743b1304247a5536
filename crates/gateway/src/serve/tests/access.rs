//! Tests which callers are let in, over real sockets: tokens, rights, and the limits on web pages.

use super::*;

const TOKEN: &str = "a-token-of-the-agent-0123456789";
const OTHER: &str = "a-token-of-operators-0123456789";

fn principals() -> String {
    format!(
        "{}access: {{principals: {{agent: {{bearer: 'literal:{TOKEN}', toolsets: []}}, \
         ops: {{bearer: ['literal:{OTHER}', 'literal:{OTHER}-new'], admin: true}}}}}}\n",
        nothing()
    )
}

fn bearer(token: &str) -> String {
    format!("Bearer {token}")
}

#[tokio::test]
async fn only_requests_with_the_token_of_a_principal_are_served() {
    let sidecar = Sidecar::start(&principals()).await;
    let none = sidecar.get("/v1/tools", &[]).await;
    assert_eq!(none.status().as_u16(), 401);
    assert_eq!(none.headers()["www-authenticate"], "Bearer realm=\"callgate\"");
    let wrong = bearer("a-token-of-nobody-0123456789abcd");
    let wrong = sidecar.get("/v1/tools", &[("authorization", &wrong)]).await;
    assert_eq!(wrong.status().as_u16(), 401);
    let challenge = "Bearer realm=\"callgate\", error=\"invalid_token\"";
    assert_eq!(wrong.headers()["www-authenticate"], challenge);
    assert!(!wrong.text().await.unwrap().contains("nobody"));
    for token in [OTHER.to_owned(), format!("{OTHER}-new")] {
        let headers = [("authorization", &*bearer(&token))];
        assert_eq!(sidecar.status("/v1/tools", &headers).await, 200);
    }
    assert_eq!(sidecar.status("/v1/tools", &[("authorization", "Basic YTpi")]).await, 401);
    assert_eq!(sidecar.status(&format!("/v1/tools?access_token={OTHER}"), &[]).await, 401);
}

#[tokio::test]
async fn a_principal_sees_its_toolsets_and_only_an_admin_reaches_the_admin_paths() {
    let sidecar = Sidecar::start(&principals()).await;
    let of = async |token: &str| {
        let listed = sidecar.get("/v1/tools", &[("authorization", &bearer(token))]).await;
        listed.text().await.unwrap().matches("pets-list").count()
    };
    assert_eq!((of(TOKEN).await, of(OTHER).await), (0, 1));
    let found = async |token: &str| {
        let client = Client::builder().no_proxy().build().unwrap();
        let request =
            client.post(format!("{}/v1/tools:search", sidecar.calls[0])).bearer_auth(token);
        let request = request.header("content-type", "application/json");
        let answer = request.body(r#"{"query": "list pets"}"#).send().await.unwrap();
        answer.text().await.unwrap().matches("pets-list").count()
    };
    assert_eq!(found(TOKEN).await, 0);
    assert!(found(OTHER).await > 0);
    let drafted = async |token: &str| {
        let client = Client::builder().no_proxy().build().unwrap();
        let request = client.post(format!("{}/v1/drafts", sidecar.calls[0])).bearer_auth(token);
        let request = request.header("content-type", "application/json");
        let body = r#"{"exchanges": [{"url": "https://a.example/pets/7"}]}"#;
        request.body(body).send().await.unwrap().status().as_u16()
    };
    // A draft shows nothing but what its caller sent: whoever is let in may make one.
    assert_eq!((drafted(TOKEN).await, drafted("nobody").await), (200, 401));
    let fault = async |token: &str| {
        let client = Client::builder().no_proxy().build().unwrap();
        let request = client.post(format!("{}/v1/calls", sidecar.calls[0])).bearer_auth(token);
        let request = request.header("content-type", "application/json");
        let calls = r#"{"calls": [{"id": "1", "tool": "pets-lits", "args": {}}]}"#;
        request.body(calls).send().await.unwrap().text().await.unwrap()
    };
    assert!(fault(OTHER).await.contains("the nearest is `pets-list`"));
    assert!(!fault(TOKEN).await.contains("pets-list"));
    let path = "/v1/admin/nothing";
    let agent = sidecar.get(path, &[("authorization", &bearer(TOKEN))]).await;
    assert_eq!(agent.status().as_u16(), 403);
    let challenge = "Bearer realm=\"callgate\", error=\"insufficient_scope\"";
    assert_eq!(agent.headers()["www-authenticate"], challenge);
    assert_eq!(sidecar.status(path, &[("authorization", &bearer(OTHER))]).await, 404);
}

#[tokio::test]
async fn a_principal_sees_the_state_of_its_own_toolsets() {
    let text = principals()
        .replace(
            "{pets:",
            "{app: {functions: [{name: hire, description: Hires, input: {type: object}}]}, pets:",
        )
        .replace("toolsets: []", "toolsets: [pets]");
    let sidecar = Sidecar::start(&text).await;
    sidecar.reload().await;
    let state = async |token: &str| {
        let answer = sidecar.get("/readyz", &[("authorization", &bearer(token))]).await;
        let state: Value = answer.json().await.unwrap();
        let names = state["toolsets"].as_array().unwrap().iter().map(|known| known["name"].clone());
        (names.collect::<Vec<_>>(), state["reload"].is_object())
    };
    let (own, sees_reload) = state(TOKEN).await;
    assert_eq!((own, sees_reload), (vec![json!("pets")], false));
    assert_eq!(state(OTHER).await.0, [json!("pets"), json!("app")]);
}

#[tokio::test]
async fn a_refused_call_of_a_tool_outside_the_principals_toolsets_is_audited() {
    let folder = tempfile::tempdir().unwrap();
    let audit = "audit: {file: audit.jsonl, key: 'literal:0123456789abcdef0123456789abcdef'}\n";
    let text = format!("{}{audit}", principals());
    let sidecar = Sidecar::try_start(&text, folder.path()).await.unwrap();
    let client = Client::builder().no_proxy().build().unwrap();
    let (mut audited, file) = (Vec::new(), folder.path().join("audit.jsonl"));
    for (tool, is_dry_run) in [("pets-list", true), ("pets-list", false), ("pets-lits", false)] {
        let body = format!(
            r#"{{"dryRun": {is_dry_run}, "calls": [{{"id": "1", "tool": "{tool}", "args": {{}}}}]}}"#
        );
        let request = client.post(format!("{}/v1/calls", sidecar.calls[0])).bearer_auth(TOKEN);
        let answer = request.header("content-type", "application/json").body(body).send().await;
        assert!(answer.unwrap().text().await.unwrap().contains("unknown_tool"), "{tool}");
        let written = std::fs::read_to_string(&file).unwrap_or_default();
        audited.push(written.matches(&format!("\"{tool}\"")).count());
    }
    assert_eq!(audited, [0, 1, 1]);
}

#[tokio::test]
async fn a_refused_call_over_mcp_is_audited() {
    let folder = tempfile::tempdir().unwrap();
    let text = format!(
        "{}audit: {{file: audit.jsonl, key: 'literal:0123456789abcdef0123456789abcdef'}}\n\
         mcp: {{mode: search}}\n",
        principals().replace(
            "{pets:",
            "{app: {functions: [{name: hire, description: Hires, input: {type: object}}]}, pets:"
        )
    );
    let sidecar = Sidecar::try_start(&text, folder.path()).await.unwrap();
    let client = Client::builder().no_proxy().build().unwrap();
    let file = folder.path().join("audit.jsonl");
    let by = |tool: &str| json!({"name": "call_read_tool", "arguments": {"name": tool}});
    let asked = [
        (TOKEN, "pets-list", json!({"name": "pets-list"}), "unknown_tool"),
        (TOKEN, "pets-lits", json!({"name": "pets-lits"}), "unknown_tool"),
        (TOKEN, "pets-list", by("pets-list"), "unknown_tool"),
        (OTHER, "app-hire", by("app-hire"), "refused"),
    ];
    for (token, tool, params, _) in &asked {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let request = client.post(format!("{}/mcp", sidecar.calls[0])).bearer_auth(token);
        let request = request
            .header("accept", "application/json, text/event-stream")
            .header("mcp-protocol-version", "2025-11-25");
        let answer = request.json(&body).send().await.unwrap().text().await.unwrap();
        assert!(answer.contains(tool) && answer.to_lowercase().contains("error"), "{answer}");
    }
    let written = loop {
        let written = std::fs::read_to_string(&file).unwrap();
        if written.matches("\"event\":\"ended\"").count() == asked.len() {
            break written;
        }
        tokio::task::yield_now().await;
    };
    let lines: Vec<Value> =
        written.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |event: &str, member: &str| {
        let events = lines.iter().filter(|line| line["event"] == event);
        events.map(|line| line[member].as_str().unwrap_or_default()).collect::<Vec<_>>()
    };
    assert_eq!(of("begun", "tool"), asked.each_ref().map(|(_, tool, _, _)| *tool));
    assert_eq!(of("ended", "outcome"), asked.each_ref().map(|(_, _, _, code)| *code), "{written}");
}

#[tokio::test]
async fn an_unknown_tool_names_the_nearest_of_those_that_its_caller_may_use() {
    let toolset = "{openapi: pets.yaml, server: 'http://127.0.0.1:9'}";
    let text = format!(
        "toolsets: {{pets: {toolset}, vets: {toolset}}}\n\
         access: {{principals: {{agent: {{bearer: 'literal:{TOKEN}', toolsets: [pets]}}}}}}\n"
    );
    let sidecar = Sidecar::start(&text).await;
    let client = Client::builder().no_proxy().build().unwrap();
    let answer = async |path: &str, body: &Value| {
        let url = format!("{}{path}", sidecar.calls[0]);
        let request = if body.is_null() { client.get(url) } else { client.post(url).json(body) };
        let request = request.bearer_auth(TOKEN).header("mcp-protocol-version", "2025-11-25");
        let request = request.header("accept", "application/json, text/event-stream");
        request.send().await.unwrap().text().await.unwrap()
    };
    for (tool, expected) in [
        ("pets-lits", "there is no tool `pets-lits`; the nearest is `pets-list`"),
        ("vets-lits", "there is no tool `vets-lits`; "),
        ("vets-list", "there is no tool `vets-list`; "),
    ] {
        let params = json!({"name": tool, "arguments": {}});
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        for (path, body) in [
            (&*format!("/v1/tools/{tool}"), Value::Null),
            (&*format!("/v1/tools/{tool}:find"), json!({})),
            ("/v1/calls", json!({"calls": [{"tool": tool}]})),
            ("/mcp", call),
        ] {
            let answer = answer(path, &body).await;
            assert!(answer.contains(expected), "{path}: {answer}");
            // The name comes back only as it was asked for.
            let others = answer.replace(&format!("`{tool}`"), "");
            assert!(!others.contains("`vets-list`"), "{path}: {answer}");
        }
    }
}

#[tokio::test]
async fn a_token_is_rotated_by_a_reload() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("token"), format!("{TOKEN}\n")).unwrap();
    let text = format!("{}access: {{bearer: 'file:token'}}\n", nothing());
    let sidecar = Sidecar::try_start(&text, folder.path()).await.unwrap();
    let old = bearer(TOKEN);
    let (old, new) = ([("authorization", &*old)], bearer(OTHER));
    assert_eq!(sidecar.status("/v1/tools", &old).await, 200);
    std::fs::write(folder.path().join("token"), OTHER).unwrap();
    sidecar.reload().await;
    assert_eq!(sidecar.status("/v1/tools", &old).await, 401);
    assert_eq!(sidecar.status("/v1/tools", &[("authorization", &new)]).await, 200);
}

#[tokio::test]
async fn requests_of_foreign_hosts_and_origins_are_refused() {
    let sidecar = Sidecar::start(&nothing()).await;
    for (headers, expected) in [
        (&[("host", "localhost")][..], 200),
        (&[("host", "rebound.example")], 421),
        (&[("host", "localhost"), ("origin", "https://evil.example")], 403),
        (&[("host", "localhost"), ("origin", "null")], 403),
        (&[("host", "localhost"), ("origin", "http://localhost")], 200),
    ] {
        assert_eq!(sidecar.status("/v1/tools", headers).await, expected, "{headers:?}");
        let probe = sidecar.status("/healthz", headers).await;
        assert!(probe == 404 || probe == 200, "{headers:?}: {probe}");
    }
    let answer = sidecar.get("/v1/tools", &[("host", "localhost")]).await;
    assert!(!answer.headers().keys().any(|name| name.as_str().starts_with("access-control")));
}

#[tokio::test]
async fn a_sidecar_without_access_settings_listens_only_on_loopback() {
    for address in ["0.0.0.0:0", "'[::]:0'"] {
        let text = format!("listen: {address}\n{}", nothing());
        let failure = Sidecar::try_start(&text, Path::new("")).await.err().unwrap();
        assert!(failure.to_string().contains("open-listener"), "{failure}");
        assert!(failure.to_string().contains("access: {bearer: env:CALLGATE_TOKEN}"), "{failure}");
    }
    let text = format!("listen: '0.0.0.0:0'\n{}access: {{bearer: 'literal:{TOKEN}'}}\n", nothing());
    let sidecar = Sidecar::start(&text).await;
    let address = sidecar.calls[0].replace("0.0.0.0", "127.0.0.1");
    let headers = [("authorization", &*bearer(TOKEN))];
    let status = super::sidecar::get(&address, "/v1/tools", &headers).await.status().as_u16();
    assert_eq!(status, 200);
}

#[tokio::test]
async fn a_token_that_is_missing_or_short_stops_the_start() {
    for (secret, says) in [
        ("env:CALLGATE_NO_SUCH_TOKEN", "/access/bearer"),
        (
            "env:CALLGATE_NO_SUCH_TOKEN",
            "`export CALLGATE_NO_SUCH_TOKEN=$(openssl rand -hex 32)` makes one",
        ),
        ("file:no-such-token", "32 characters or more where `file:no-such-token` says"),
        ("literal:short", "16 characters"),
        ("literal:short", "32 characters or more where `literal:****` says"),
    ] {
        let text = format!("{}access: {{bearer: '{secret}'}}\n", nothing());
        let failure = Sidecar::try_start(&text, Path::new("")).await.err().unwrap();
        let Failure::Configuration(error) = failure else { panic!("{failure}") };
        let finding = format!("{:?}", error.findings());
        assert!(finding.contains(says) && !finding.contains("literal:short"), "{finding}");
    }
}
