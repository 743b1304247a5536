//! Tests calls that name a session under which nothing is stored: the model gives what it sees, and nothing gives the rest.

use super::*;

/// The code of the fault of a dry run in a session, `null` if it could be sent.
async fn code(sidecar: &Sidecar, args: &Value, session: &Value) -> Value {
    let body =
        json!({"calls": [{"tool": "pets-list", "args": args}], "dryRun": true, "session": session});
    let client = Client::builder().no_proxy().build().unwrap();
    let url = format!("{}/v1/calls", sidecar.calls[0]);
    let request = client.post(url).header("x-customer", "c-1").json(&body);
    let answer = request.send().await.unwrap();
    let answer: Value = answer.json().await.unwrap();
    assert!(answer["results"][0].is_object(), "{answer}");
    answer["results"][0]["error"]["code"].clone()
}

async fn store(sidecar: &Sidecar, id: &str, state: &Value) {
    let url = format!("{}/v1/sessions/{id}", sidecar.calls[0]);
    let client = Client::builder().no_proxy().build().unwrap();
    assert!(client.put(url).json(state).send().await.unwrap().status().is_success());
}

#[tokio::test]
async fn a_value_of_the_model_goes_in_a_session_that_is_not_stored() {
    let sidecar = Sidecar::start(&nothing()).await;
    for args in [json!({}), json!({"customer": "c-of-the-model"})] {
        assert_eq!(code(&sidecar, &args, &json!({"id": "s"})).await, Value::Null, "{args}");
    }
}

#[tokio::test]
async fn a_call_in_a_session_that_is_not_stored_is_refused_if_it_reads_a_hidden_value() {
    let strict = "openapi: pets.yaml, session_inputs: strict";
    let sidecar = Sidecar::start(&nothing().replace("openapi: pets.yaml", strict)).await;
    store(&sidecar, "stored", &json!({"parameters": {"customerId": "c-1"}})).await;
    store(&sidecar, "other", &json!({"parameters": {"language": "de"}})).await;
    let unknown = json!("unknown_session");
    for (session, expected) in [
        (json!({"id": "s"}), &unknown),
        (json!({"id": "s", "parameters": {}, "credentials": {}}), &unknown),
        (json!({"id": "s", "parameters": {"customerId": null}}), &unknown),
        (json!({"id": "s", "parameters": {"customerId": "c-1"}}), &Value::Null),
        (json!({"id": "s", "parameters": {"language": "de"}}), &Value::Null),
        (json!({"id": "stored"}), &Value::Null),
        (json!({"id": "other"}), &Value::Null),
        (json!({"parameters": {}}), &Value::Null),
        (Value::Null, &Value::Null),
    ] {
        assert_eq!(&code(&sidecar, &json!({}), &session).await, expected, "{session}");
    }
}

#[tokio::test]
async fn a_call_whose_credential_reads_a_stored_value_is_refused() {
    for (source, expected) in [
        ("$session.params.token", json!("unknown_session")),
        ("$session.credentials.token", json!("unknown_session")),
        ("literal:a-token-of-the-operator", Value::Null),
    ] {
        let credential = format!("openapi: pets.yaml, auth: {{bearer: {{token: '{source}'}}}}");
        let toolsets = nothing().replace("openapi: pets.yaml", &credential);
        let text = format!("sessions: {{headers: {{customerId: X-Customer}}}}\n{toolsets}");
        let sidecar = Sidecar::start(&text).await;
        // The header gives what the input reads, so that only the credential lacks a value.
        assert_eq!(code(&sidecar, &json!({}), &json!({"id": "s"})).await, expected, "{source}");
        store(&sidecar, "s", &json!({"parameters": {"language": "de"}})).await;
        assert_eq!(code(&sidecar, &json!({}), &json!({"id": "s"})).await, Value::Null, "{source}");
    }
}
