//! Tests session parameters from claims of verified tokens: no other source sets them, neither the request nor its headers
//! nor the store.

use super::*;

const NAMED: &str = "a-token-of-the-operator-1";

/// A sidecar whose parameter `customerId` is the claim `customer`, and the issuer it trusts.
async fn world() -> (Sidecar, Idp, Signer) {
    let signer = Signer::new("one");
    let idp = Idp::start(&[&signer]).await;
    let text = format!(
        "{}sessions: {{claims: {{customerId: customer}}}}\n\
         access: {{jwt: [{{issuer: '{}', audience: callgate}}], principals: {{agent: {{bearer: 'literal:{NAMED}'}}}}}}\n",
        nothing(),
        idp.issuer
    );
    (Sidecar::start(&text).await, idp, signer)
}

async fn sent(sidecar: &Sidecar, way: (&str, &str), token: &str, body: &Value) -> (u16, String) {
    let client = Client::builder().no_proxy().build().unwrap();
    let (method, path) = way;
    let url = format!("{}{path}", sidecar.calls[0]);
    let request = client.request(method.parse().unwrap(), url).json(body);
    let answer = request.header("authorization", token).send().await.unwrap();
    (answer.status().as_u16(), answer.text().await.unwrap())
}

/// Plans a call in a session that also sets the customer; returns the status and the request that would be sent.
async fn planned(sidecar: &Sidecar, token: &str) -> (u16, String) {
    let body = json!({"calls": [{"tool": "pets-list", "args": {}}], "dryRun": true,
        "session": {"id": "s", "parameters": {"CustomerID": "inline"}}});
    sent(sidecar, ("POST", "/v1/calls"), token, &body).await
}

#[tokio::test]
async fn a_claim_wins_over_the_request_and_the_store() {
    let (sidecar, idp, signer) = world().await;
    let token = signer.bearer_token(&idp.claims(&json!({"customer": "of-the-claim"})));
    let stored = json!({"parameters": {"customerId": "stored"}});
    let (status, text) = sent(&sidecar, ("PUT", "/v1/sessions/s"), &token, &stored).await;
    assert!((200..300).contains(&status), "{status} {text}");
    let (status, text) = planned(&sidecar, &token).await;
    assert_eq!(status, 200, "{text}");
    assert!(text.contains("customer=of-the-claim"), "{text}");
    assert!(!text.contains("inline") && !text.contains("stored"), "{text}");
}

#[tokio::test]
async fn a_token_without_the_bound_claim_is_refused() {
    let (sidecar, idp, signer) = world().await;
    for token in [
        signer.bearer_token(&idp.claims(&json!({}))),
        signer.bearer_token(&idp.claims(&json!({"customer": null}))),
        format!("Bearer {NAMED}"),
    ] {
        let (status, text) = planned(&sidecar, &token).await;
        assert_eq!(status, 403, "{text}");
        let problem: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(problem["type"], "urn:callgate:problem:missing-claim");
        assert!(problem["detail"].as_str().unwrap().contains("`customer`"), "{text}");
    }
}
