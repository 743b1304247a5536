//! Tests how often a token is requested, and which results calls get meanwhile. The time is tokio's and stands still
//! unless a test advances it.

use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::future::join_all;
use tokio::time::{advance, sleep};

use super::*;

#[derive(Debug, Default)]
struct Issuer {
    asked: AtomicUsize,
}

impl Issuer {
    async fn issue(&self, expires_in: Option<f64>) -> Result<IssuedToken, Error> {
        let asked_at = Instant::now();
        let number = self.asked.fetch_add(1, Ordering::Relaxed) + 1;
        sleep(LATENCY).await;
        Ok(IssuedToken { token: Secret::new(format!("token-{number}")), expires_in, asked_at })
    }

    async fn refuse(&self) -> Result<IssuedToken, Error> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        sleep(LATENCY).await;
        Err(error::token_refused("test", "invalid_client", None))
    }

    async fn hang(&self) -> Result<IssuedToken, Error> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        std::future::pending().await
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::Relaxed)
    }
}

fn version(secret: &str) -> SecretsVersion {
    SecretsVersion::new([Secret::new(secret.to_owned())])
}

async fn token(cache: &TokenCache, issuer: &Issuer, expires_in: f64) -> String {
    let token = cache
        .cached_or_fetched_token(&KEY, &version("a"), issuer.issue(Some(expires_in)))
        .await
        .unwrap();
    token.expose().to_owned()
}

/// Threat 35 of `SECURITY.md`.
#[tokio::test(start_paused = true)]
async fn a_thousand_concurrent_calls_request_one_token() {
    let (cache, issuer) = (TokenCache::default(), Issuer::default());
    for (round, expected) in ["token-1", "token-1", "token-2"].into_iter().enumerate() {
        if round == 2 {
            advance(Duration::from_hours(1)).await;
        }
        let tokens = join_all((0..1000).map(|_| token(&cache, &issuer, 3600.0))).await;
        assert!(tokens.iter().all(|token| token == expected), "{round}");
    }
    assert_eq!(issuer.asked(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_token_without_lifetime_serves_only_the_calls_that_waited_for_it() {
    for none in [0.0, -5.0] {
        let (cache, issuer) = (TokenCache::default(), Issuer::default());
        join_all((0..1000).map(|_| token(&cache, &issuer, none))).await;
        assert_eq!(issuer.asked(), 1);
        assert_eq!(token(&cache, &issuer, none).await, "token-2");
    }
}

/// Threat 36 of `SECURITY.md`.
#[tokio::test(start_paused = true)]
async fn while_the_old_token_is_valid_no_call_fails_or_waits_long() {
    let (cache, issuer) = (TokenCache::default(), Issuer::default());
    token(&cache, &issuer, 3600.0).await;
    advance(Duration::from_mins(56)).await;
    let refused =
        cache.cached_or_fetched_token(&KEY, &version("a"), issuer.refuse()).await.unwrap();
    assert_eq!(refused.expose(), "token-1");
    // The source is not retried for a while.
    assert_eq!(token(&cache, &issuer, 3600.0).await, "token-1");
    assert_eq!(issuer.asked(), 2);
    advance(Duration::from_secs(11)).await;
    let started = Instant::now();
    let hung = cache.cached_or_fetched_token(&KEY, &version("a"), issuer.hang()).await.unwrap();
    assert_eq!((hung.expose(), started.elapsed().as_secs()), ("token-1", 3));
    advance(Duration::from_secs(11)).await;
    assert_eq!(token(&cache, &issuer, 3600.0).await, "token-4");
}

#[tokio::test(start_paused = true)]
async fn a_token_is_requested_again_after_an_early_renewal_failed() {
    let (cache, issuer) = (TokenCache::default(), Issuer::default());
    token(&cache, &issuer, 5.0).await;
    advance(Duration::from_millis(3400)).await;
    let version = version("a");
    let (ahead, needed) = (cache.cached_or_fetched_token(&KEY, &version, issuer.hang()), async {
        sleep(Duration::from_secs(1)).await;
        join_all((0..100).map(|_| token(&cache, &issuer, 5.0))).await
    });
    let (ahead, needed) = tokio::join!(ahead, needed);
    assert_eq!(ahead.unwrap().expose(), "token-1");
    assert!(needed.iter().all(|token| token == "token-3"), "{needed:?}");
    assert_eq!(issuer.asked(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_changed_client_secret_is_tried_at_once() {
    let (cache, issuer) = (TokenCache::default(), Issuer::default());
    cache.cached_or_fetched_token(&KEY, &version("wrong"), issuer.refuse()).await.unwrap_err();
    assert_eq!(token(&cache, &issuer, 3600.0).await, "token-2");
    let new = cache.cached_or_fetched_token(&KEY, &version("b"), issuer.issue(None)).await.unwrap();
    assert_eq!(new.expose(), "token-3");
}

#[tokio::test(start_paused = true)]
async fn a_hanging_token_request_delays_no_other_credential() {
    let (cache, issuer) = (TokenCache::default(), Issuer::default());
    let version = version("a");
    let hanging = cache.cached_or_fetched_token(&KEY, &version, issuer.hang());
    let other = cache.cached_or_fetched_token(&[2; 32], &version, issuer.issue(None));
    tokio::select! {
        biased;
        _ = hanging => panic!("it hangs"),
        token = other => assert_eq!(token.unwrap().expose(), "token-2"),
    }
}

/// Threat 38 of `SECURITY.md`.
#[tokio::test(start_paused = true)]
async fn a_refused_token_is_replaced_once_and_its_replacement_not_for_a_while() {
    let (cache, issuer) = (TokenCache::default(), Issuer::default());
    let refused = |token: &str, refusal| {
        cache.handle_refusal(&KEY, &[Secret::new(token.to_owned())], refusal)
    };
    token(&cache, &issuer, 3600.0).await;
    assert!(
        !refused("token-1", CredentialRefusal::Unnamed),
        "it is young, and nothing says that it is at fault"
    );
    assert!(refused("token-1", CredentialRefusal::Token));
    assert!(refused("token-1", CredentialRefusal::Token), "others had it too");
    assert_eq!(token(&cache, &issuer, 3600.0).await, "token-2");
    assert!(refused("token-1", CredentialRefusal::Token), "there is a newer one");
    assert!(!refused("token-2", CredentialRefusal::Token));
    assert_eq!(token(&cache, &issuer, 3600.0).await, "token-2");
    advance(Duration::from_secs(11)).await;
    assert!(refused("token-2", CredentialRefusal::Unnamed));
    assert_eq!(token(&cache, &issuer, 3600.0).await, "token-3");
}

#[tokio::test(start_paused = true)]
async fn the_number_of_cached_tokens_is_bounded() {
    let (cache, issuer) = (TokenCache::default(), Issuer::default());
    let version = version("a");
    let key = |number: usize| {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&number.to_be_bytes());
        key
    };
    let all = (0..MAX_TOKENS + 10).map(|number| {
        let life = if number < 5000 { 1800.0 } else { 3600.0 };
        let (cache, version, issuer) = (&cache, &version, &issuer);
        async move {
            cache
                .cached_or_fetched_token(&key(number), version, issuer.issue(Some(life)))
                .await
                .unwrap()
        }
    });
    let all: Vec<_> = all.collect();
    for asking in all {
        asking.await;
    }
    assert!(cache.tokens.len() <= MAX_TOKENS);
    assert!(cache.valid_token(&key(MAX_TOKENS + 9)).is_some(), "the last is kept");
    assert!(cache.valid_token(&key(0)).is_none(), "those that end first go first");
}

#[test]
fn debug_output_of_the_token_cache_shows_no_token() {
    let issued = IssuedToken {
        token: Secret::new("canary".to_owned()),
        expires_in: None,
        asked_at: Instant::now(),
    };
    let shown = format!("{issued:?} {:?}", version("canary"));
    assert!(!shown.contains("canary"), "{shown}");
}

const KEY: Key = [1; 32];
const LATENCY: Duration = Duration::from_millis(50);
