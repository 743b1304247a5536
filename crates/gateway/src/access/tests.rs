//! Tests the keys of an issuer over time, with a clock that the tests control.

use std::{sync::Arc, time::Duration};

use callgate_config::{Built, Config, Description, Environment};
use callgate_transport::Listeners;
use http::{HeaderMap, HeaderValue, header};
use serde_json::json;
use tokio::time::{Instant, advance};

use super::Access;
use crate::{
    caller::{Caller, Details},
    peer::{ListenerKind, Peer},
    problem::Problem,
    test_issuer::{ISSUER, Published, Signer, claims},
};

struct Sidecar {
    access: Access,
    built: Built,
    issuer: Arc<Published>,
}

impl Sidecar {
    async fn of(signers: &[&Signer]) -> Self {
        let issuer = Arc::new(Published::default());
        issuer.publish(signers);
        let jwt = format!("{{issuer: '{ISSUER}', audience: callgate}}");
        let text = format!("toolsets: {{a: {{openapi: a.yaml}}}}\naccess: {{jwt: [{jwt}]}}");
        let mut config = Config::from_text(text, "").unwrap();
        config.toolsets[0].description = Description::text(
            "openapi: 3.1.0\ninfo: {title: a, version: '1'}\nservers: [{url: 'https://a.example'}]\npaths: {}",
        );
        let environment = Environment::new().with_listeners(Listeners::default());
        let environment = environment.with_transport(Arc::clone(&issuer) as _);
        let built = config.build(&environment, None).await.unwrap();
        Self { access: Access::default(), built, issuer }
    }

    async fn caller(&self, signer: &Signer) -> Result<Caller, Problem> {
        let token =
            HeaderValue::from_str(&signer.bearer_token(&claims(ISSUER, &json!({})))).unwrap();
        let headers = HeaderMap::from_iter([(header::AUTHORIZATION, token)]);
        let dialled = Some([127, 0, 0, 1].into());
        let peer =
            Peer { kind: ListenerKind::Calls, is_encrypted: false, dialled, names: Vec::new() };
        self.access.identify_caller(&self.built, &headers, &peer).await
    }

    async fn status(&self, signer: &Signer) -> u16 {
        self.caller(signer).await.err().map_or(200, |problem| problem.status())
    }
}

#[tokio::test(start_paused = true)]
async fn without_access_a_caller_on_another_machine_sees_no_details() {
    let mut sidecar = Sidecar::of(&[&Signer::new("one")]).await;
    sidecar.built.serving.access = None;
    for (dialled, details) in [
        (Some([127, 0, 0, 1].into()), Details::Shown),
        (None, Details::Shown),
        (Some([10, 0, 0, 1].into()), Details::Hidden),
    ] {
        let peer =
            Peer { kind: ListenerKind::Calls, is_encrypted: false, dialled, names: Vec::new() };
        let caller = sidecar.access.identify_caller(&sidecar.built, &HeaderMap::new(), &peer).await;
        assert_eq!(caller.unwrap().details, details, "{dialled:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_token_yields_its_principal_with_the_claims() {
    let signer = Signer::new("one");
    let sidecar = Sidecar::of(&[&signer]).await;
    let principal = sidecar.caller(&signer).await.unwrap().principal.unwrap();
    assert_eq!(principal.id(), "jwt:https://idp.example#kim");
    assert_eq!(principal.claim("tier").and_then(|tier| tier.as_str()), Some("gold"));
}

#[tokio::test(start_paused = true)]
async fn a_new_key_of_an_issuer_is_fetched_at_most_once_in_ten_seconds() {
    let (old, new) = (Signer::new("old"), Signer::new("new"));
    let sidecar = Sidecar::of(&[&old]).await;
    assert_eq!(sidecar.status(&old).await, 200);
    sidecar.issuer.publish(&[&new]);
    let began = Instant::now();
    assert_eq!(sidecar.status(&new).await, 200);
    assert!((9..=11).contains(&began.elapsed().as_secs()), "{:?}", began.elapsed());
    assert_eq!(sidecar.status(&new).await, 200);
    assert_eq!(sidecar.issuer.key_request_count(), 2);
    assert_eq!(sidecar.status(&old).await, 401);
    assert_eq!(sidecar.issuer.key_request_count(), 3);
}

#[tokio::test(start_paused = true)]
async fn keys_of_an_issuer_are_renewed_while_they_are_used() {
    let (old, new) = (Signer::new("old"), Signer::new("new"));
    let sidecar = Sidecar::of(&[&old]).await;
    assert_eq!(sidecar.status(&old).await, 200);
    sidecar.issuer.publish(&[&new]);
    advance(Duration::from_mins(6)).await;
    assert_eq!(sidecar.status(&old).await, 200);
    while sidecar.issuer.key_request_count() < 2 {
        tokio::task::yield_now().await;
    }
    tokio::task::yield_now().await;
    // No request waits for a key that was published in the meantime.
    let began = Instant::now();
    assert_eq!(sidecar.status(&new).await, 200);
    assert_eq!(began.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn keys_of_an_unreachable_issuer_are_used_for_an_hour() {
    let signer = Signer::new("one");
    let sidecar = Sidecar::of(&[&signer]).await;
    assert_eq!(sidecar.status(&signer).await, 200);
    sidecar.issuer.stop_answering();
    advance(Duration::from_mins(59)).await;
    assert_eq!(sidecar.status(&signer).await, 200);
    advance(Duration::from_mins(2)).await;
    assert_eq!(sidecar.status(&signer).await, 503);
    sidecar.issuer.publish(&[&signer]);
    advance(Duration::from_secs(11)).await;
    assert_eq!(sidecar.status(&signer).await, 200);
}
