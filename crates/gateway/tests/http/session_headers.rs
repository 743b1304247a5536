//! Headers of a toolset whose values the session gives, and values of the session where nothing fills them in.

use crate::prelude::*;

use callgate_config::Config;

async fn result(header: &str, session: &Value) -> Value {
    let text = format!("{PETS}    headers: {{ CustomerCode: '{header}' }}\n");
    let sidecar = Sidecar::of(&text).await;
    let calls = json!([{"tool": "pets-getPet", "args": {"petId": 7}}]);
    let body = json!({"dryRun": true, "session": session, "calls": calls});
    sidecar.post("/v1/calls", &body).await.ok()["results"][0].clone()
}

#[tokio::test]
async fn a_header_of_a_toolset_takes_a_value_of_the_session_or_nothing_is_sent() {
    for (header, session) in [
        ("$session.params.customer", json!({"parameters": {"Customer": "c-7"}})),
        ("$request.payload.customer.code", json!({"payload": {"customer": {"code": "c-7"}}})),
        ("$context.variables.customer", json!({"context": {"variables": {"customer": "c-7"}}})),
    ] {
        let sent = result(header, &session).await;
        assert!(sent["request"].to_string().contains("c-7"), "{header}: {sent}");
        assert!(!sent["request"].to_string().contains('$'), "{header}: {sent}");
    }
    for session in [
        json!({}),
        json!({"id": "new-1"}),
        json!({"parameters": {"customer": null}}),
        json!({"parameters": {"customer": ["c-7"]}}),
        json!({"parameters": {"customer": "c-7\r\nX-Admin: 1"}}),
    ] {
        let refused = result("$session.params.customer", &session).await;
        assert_eq!(refused["error"]["code"], "missing_session_value", "{session}: {refused}");
        assert_eq!(refused["error"]["reached"], "no", "{session}: {refused}");
        let message = refused["error"]["message"].as_str().unwrap();
        assert!(message.contains("$session.params.customer"), "{message}");
        assert!(!message.contains("c-7"), "{message}");
    }
}

#[test]
fn a_header_takes_no_credential_of_the_session_and_no_misspelt_value() {
    for header in
        ["$session.credentials.token", "$caller.token", "$session.param.customer", "$context"]
    {
        let text = format!("{PETS}    headers: {{ CustomerCode: '{header}' }}\n");
        let error = Config::from_text(&text, "").unwrap_err().to_string();
        let expected = "expected a value of the session that is no credential";
        assert!(error.contains(expected), "{header}: {error}");
    }
}
