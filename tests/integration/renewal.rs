//! What becomes of a call whose credential the service refuses: sent once more with a fresh one, where the answer names
//! the token and a fresh one is to be had. The credential here counts its versions; real tokens are in `tokens`.

use crate::prelude::*;

use callgate::auth::{ApiKeyLocation, AuthConfig, CredentialPlace, Error};

/// A token with a version, which each refusal raises.
#[derive(Debug, Default)]
struct Versioned {
    version: AtomicUsize,
    refusals: Arc<Mutex<Vec<CredentialRefusal>>>,
}

#[async_trait::async_trait]
impl Authenticator for Versioned {
    async fn authorize(
        &self,
        request: &mut http::Request<bytes::Bytes>,
        _: &Session,
    ) -> Result<Authorization, Error> {
        let token = format!("token-{}", self.version.load(Ordering::Relaxed));
        request.headers_mut().insert("x-token", token.parse().unwrap());
        Ok(Authorization::from_places(self.places()).with_secrets([Secret::new(token)]))
    }

    fn places(&self) -> Vec<CredentialPlace> {
        CredentialPlace::new(ApiKeyLocation::Header, "x-token").into_iter().collect()
    }

    async fn handle_refusal(
        &self,
        _: &Authorization,
        refusal: CredentialRefusal,
        _: &Session,
    ) -> bool {
        self.version.fetch_add(1, Ordering::Relaxed);
        self.refusals.lock().unwrap().push(refusal);
        true
    }
}

/// What the service does with each request, and what it saw.
#[derive(Debug)]
struct Service {
    /// The token it takes; none for never.
    accepted: &'static str,
    status: u16,
    challenge: &'static str,
    seen: Mutex<Vec<[String; 2]>>,
}

async fn answer(State(service): State<Arc<Service>>, request: Request) -> Response {
    let token = request.headers()["x-token"].to_str().unwrap().to_owned();
    let body = to_bytes(request.into_body(), 1 << 20).await.unwrap();
    let body = String::from_utf8(body.to_vec()).unwrap();
    let seen = {
        let mut seen = service.seen.lock().unwrap();
        seen.push([token.clone(), body]);
        seen.clone()
    };
    let echoed = Json(json!({"id": 7, "name": token, "echo": seen}));
    if token == service.accepted {
        return echoed.into_response();
    }
    let status = StatusCode::from_u16(service.status).unwrap();
    (status, [("www-authenticate", service.challenge)], echoed).into_response()
}

async fn check(
    (accepted, status, challenge): (&'static str, u16, &'static str),
    tokens: &[&str],
    refusals: &[CredentialRefusal],
) -> ToolResult {
    let service = Service { accepted, status, challenge, seen: Mutex::default() };
    let service = Arc::new(service);
    let server = serve(Router::new().fallback(answer).with_state(Arc::clone(&service))).await;
    let authenticator = Versioned::default();
    let known = Arc::clone(&authenticator.refusals);
    let description = fs::read(crate::root().join("fixtures/pets/spec.yaml")).unwrap();
    let tools = callgate::openapi(description).server(server).auth(AuthConfig::own(authenticator));
    let executor = tools.build().await.unwrap();
    let result = call(&executor, "createPet", json!({"name": "Rex", "species": "dog"})).await;
    let seen = service.seen.lock().unwrap();
    let sent: Vec<_> = seen.iter().map(|[token, _]| token.as_str()).collect();
    assert_eq!(sent, tokens, "{status} {challenge}");
    assert!(seen.iter().all(|[_, body]| body.contains("Rex")), "{seen:?}");
    assert_eq!(*known.lock().unwrap(), refusals, "{status} {challenge}");
    let renewed =
        result.journal.events().iter().filter(|event| **event == Event::CredentialRenewed);
    assert_eq!(renewed.count(), tokens.len() - 1);
    assert!(!format!("{result:?}").contains("token-"), "{result:?}");
    result
}

#[tokio::test]
async fn a_call_whose_token_is_refused_is_sent_once_more_with_a_fresh_one() {
    for challenge in ["Bearer error=\"invalid_token\"", "Bearer"] {
        let row = ("token-1", 401, challenge);
        let result = check(row, &["token-0", "token-1"], &[CredentialRefusal::Token]).await;
        assert!(matches!(result.outcome, Outcome::Answered(_)), "{result:?}");
    }
}

/// Threat 38 of `SECURITY.md`.
#[tokio::test]
async fn an_always_refused_token_is_replaced_only_once() {
    let row = ("none", 401, "Bearer error=\"invalid_token\"");
    let result = check(row, &["token-0", "token-1"], &[CredentialRefusal::Token]).await;
    let Outcome::Failed(fault) = result.outcome else { panic!("{result:?}") };
    assert_eq!((fault.status, fault.reached), (Some(401), Reached::Yes));
    let told = "the credential and did nothing: it says `invalid_token`; a fresh one was tried";
    assert!(fault.message.contains(told), "{fault:?}");
}

#[tokio::test]
async fn a_refusal_that_does_not_name_the_token_is_reported_and_not_retried() {
    for challenge in ["", "Basic realm=\"x\""] {
        let row = ("token-1", 401, challenge);
        let result = check(row, &["token-0"], &[CredentialRefusal::Unnamed]).await;
        let Outcome::Failed(fault) = result.outcome else { panic!("{result:?}") };
        let told = "it names no reason, and there is no fresh one to try";
        assert!(fault.message.contains(told), "{fault:?}");
    }
    check(("token-1", 401, "Bearer error=\"insufficient_scope\""), &["token-0"], &[]).await;
    let challenge = "Bearer error=\"insufficient_scope\", scope=\"orders:write token-0\"";
    let result = check(("token-1", 403, challenge), &["token-0"], &[]).await;
    let Outcome::Failed(fault) = result.outcome else { panic!("{result:?}") };
    let told = "it says `insufficient_scope` and asks for the scope `orders:write ****`";
    assert!(fault.message.contains(told), "{fault:?}");
    check(("token-0", 401, "Bearer"), &["token-0"], &[]).await;
}
