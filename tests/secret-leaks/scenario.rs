//! What the child does: every kind of credential, the good way and the bad ways, and everything in hand is printed.

use std::{
    panic,
    sync::Arc,
    time::{Duration, SystemTime},
};

use axum::response::IntoResponse;
use callgate::{
    Executor, Principal, Secret, Session, ToolCall,
    config::{Config, Environment},
    context::CallerToken,
    dialect,
};
use callgate_tool::{Value, json};

use crate::identity_provider::Provider;

/// Every secret the child uses or is given: its own, those of the provider, and the line of the key that holds it.
pub(crate) fn secrets(key: &str) -> Vec<String> {
    let fixed = [
        "canary-of-a-key-1",
        "canary user:canary-of-a-password-2",
        "canary-of-a-password-2",
        "canary-of-a-bearer-3",
        "canary-of-a-session-4",
        "canary-of-a-context-5",
        "canary-of-a-client-6",
        "canary-of-an-actor-7",
        "canary-in-the-environment-8",
        "canary-with-a-line-break-9\r\nx-evil: 1",
        "canary-of-an-error-description",
        "canary-of-a-caller-10",
    ];
    let issued = (1..=40).map(|number| format!("canary-token-{number}"));
    let key = key.lines().find(|line| !line.starts_with('-')).unwrap().to_owned();
    fixed.into_iter().map(ToOwned::to_owned).chain(issued).chain([key]).collect()
}

/// Runs everything.
pub(crate) fn run() {
    tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_writer(std::io::stderr)
        .init();
    panic::catch_unwind(|| panic!("a panic shows {:?}", session())).unwrap_err();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        for settings in good_and_bad() {
            calls(&settings).await;
        }
    });
}

fn good_and_bad() -> Vec<Value> {
    let client = |extra: Value| {
        let mut members = json!({"token_url": "TOKEN", "client_id": "me"});
        members.as_object_mut().unwrap().extend(extra.as_object().cloned().unwrap());
        members
    };
    let oauth = |extra: Value| json!({ "oauth2_client_credentials": client(extra) });
    let secret = "literal:canary-of-a-client-6";
    vec![
        json!({"api_key": {"in": "header", "name": "X-Key", "value": "literal:canary-of-a-key-1"}}),
        json!({"api_key": {"in": "query", "name": "key", "value": "literal:canary-of-a-key-1"}}),
        json!({"basic": {"username": "canary user", "password": "literal:canary-of-a-password-2"}}),
        json!({"bearer": {"token": "literal:canary-of-a-bearer-3"}}),
        json!({"bearer": {"token": "env:CANARY_ENVIRONMENT"}}),
        json!({"bearer": {"token": "$session.params.token"}}),
        json!({"bearer": {"token": "$context.variables.token"}}),
        json!({"bearer": {"token": "literal:canary-with-a-line-break-9\r\nx-evil: 1"}}),
        oauth(json!({"client_secret": secret})),
        oauth(json!({"client_secret": secret, "client_authentication": "body"})),
        oauth(json!({"private_key": "env:CANARY_KEY"})),
        oauth(json!({"private_key": secret})),
        oauth(json!({"client_secret": "literal:canary-with-a-line-break-9\r\nx-evil: 1"})),
        oauth(json!({"client_secret": secret, "audience": "refuse"})),
        oauth(json!({"client_secret": secret, "audience": "break"})),
        json!({"token_exchange": client(json!({
            "subject_token": "$session.params.token", "actor_token": "literal:canary-of-an-actor-7",
            "client_secret": secret,
        }))}),
        json!({"token_exchange": client(json!({
            "subject_token": "$context.variables.token", "audience": "refuse",
        }))}),
        json!({"token_exchange": client(json!({"subject_token": "$caller.token"}))}),
        json!({"token_exchange": client(json!({"subject_token": "$caller.token", "audience": "refuse"}))}),
        json!({"jwt_bearer": client(json!({"assertion": "$session.params.token"}))}),
    ]
}

async fn calls(settings: &Value) {
    let provider = Provider::start().await;
    provider.behave(|provider, asked| match asked.form.get("audience").map(String::as_str) {
        Some("refuse") => {
            let body = json!({
                "error": "invalid_request", "error_description": format!("got {asked:?}"),
                "echo": "canary-of-an-error-description",
            });
            (http::StatusCode::BAD_REQUEST, axum::Json(body)).into_response()
        }
        Some("break") => {
            format!("<h1>canary-of-an-error-description {asked:?}</h1>").into_response()
        }
        _ => provider.issue(json!(3600)),
    });
    for known in ["canary-of-a-bearer-3", "canary-in-the-environment-8", "canary-of-a-session-4"] {
        provider.known.lock().unwrap().insert(known.to_owned());
    }
    let executor = executor(&provider, settings);
    println!("{executor:?}");
    for session in [session(), Session::default()] {
        for arguments in [json!({"petId": 7}), json!({"petId": "x"})] {
            let call = ToolCall::new("1", "getPet", arguments.as_object().cloned().unwrap());
            let planned = executor.dry_run(&call, &session).await;
            println!("{planned:?} {}", dialect::json_result(&planned));
            for _ in 0..2 {
                let result = executor.call(&call, &session).await;
                println!("{result:?} {:?} {}", session, dialect::json_result(&result));
                provider.revoke();
            }
        }
    }
}

fn executor(provider: &Arc<Provider>, settings: &Value) -> Executor {
    let settings = settings.to_string().replace("TOKEN", &provider.url("/token"));
    let description = concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/pets/spec.yaml");
    let toolset = json!({
        "openapi": description,
        "server": provider.url("/v1"),
        "auth": serde_json::from_str::<Value>(&settings).unwrap(),
    });
    let config = Config::from_toolset_text(toolset.to_string(), "").unwrap();
    let built = std::thread::scope(|scope| {
        scope.spawn(|| config.build_blocking(&Environment::new(), None)).join().unwrap()
    });
    let built = built.unwrap();
    println!("{built:?}");
    built.warnings.iter().for_each(|warning| println!("{warning}"));
    built.executor
}

fn session() -> Session {
    let map = |value: Value| value.as_object().cloned().unwrap();
    Session::new("canary-of-a-session-4")
        .with_parameters(map(json!({"token": "canary-of-a-session-4"})))
        .with_context(map(json!({"variables": {"token": "canary-of-a-context-5"}})))
        .with_caller_token(CallerToken::new(
            &Principal::new("kim"),
            Secret::new("canary-of-a-caller-10".to_owned()),
            SystemTime::now() + Duration::from_hours(1),
        ))
}
