//! One issuer: turns its tokens into principals, as long as its keys are known or can be fetched.

mod fetch;
mod key_cache;

use std::time::Duration;

use callgate_config::{BuiltIssuer, IssuerConfig, Rights, Scopes};
use callgate_tool::{Object, Principal, Value};

use self::key_cache::KeyCache;
use super::token::{Expected, Unverified, verified_claims};

#[derive(Debug)]
pub(super) struct Issuer {
    built: BuiltIssuer,
    published: KeyCache,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Refusal {
    Invalid(&'static str),
    /// The issuer's keys are not available; how long to wait.
    Unreachable(Duration),
}

impl Refusal {
    /// Combines the refusals of two entries: `Unreachable`, if one of them is.
    pub(super) fn prefer_unreachable(self, other: Self) -> Self {
        match (self, other) {
            (Self::Unreachable(wait), _) => Self::Unreachable(wait),
            (Self::Invalid(_), other) => other,
        }
    }
}

impl Issuer {
    pub(super) fn new(built: &BuiltIssuer) -> Self {
        Self { built: built.clone(), published: KeyCache::new(built) }
    }

    pub(super) fn is_built_from(&self, built: &BuiltIssuer) -> bool {
        self.built == *built
    }

    pub(super) fn name(&self) -> &str {
        &self.built.config.issuer
    }

    pub(super) fn rights(&self) -> &Rights {
        &self.built.config.rights
    }

    pub(super) fn scopes(&self) -> &Scopes {
        &self.built.config.scopes
    }

    pub(super) async fn verify_token(
        &self,
        token: &str,
        unverified: &Unverified,
    ) -> Result<Principal, Refusal> {
        let config = &self.built.config;
        let algorithm = unverified.algorithm;
        if !config.algorithms.contains(&&*format!("{algorithm:?}")) {
            return Err(Refusal::Invalid("the token is signed in a way that is not listed"));
        }
        let keys = self.published.candidate_keys(unverified.key_id.as_deref(), algorithm).await?;
        let expected = Expected { issuer: &config.issuer, audiences: &config.audiences };
        let mut refusal = "no key of the issuer signed this token";
        for key in keys {
            match verified_claims(token, key.decoding_key(), algorithm, &expected) {
                Ok(claims) => {
                    return principal_from_claims(config, claims).map_err(Refusal::Invalid);
                }
                Err(reason) => refusal = reason,
            }
        }
        Err(Refusal::Invalid(refusal))
    }
}

/// Requests the keys of an issuer, as the first token would. Returns what came, or the reason why its tokens are refused.
pub(super) async fn fetch_and_check_keys(built: &BuiltIssuer) -> Result<String, String> {
    let keys = fetch::fetch_keys(built).await?;
    let algorithms = &built.config.algorithms;
    let is_usable = |name: &&str| {
        let algorithm = name.parse().ok();
        algorithm.is_some_and(|algorithm| !keys.candidate_keys(None, algorithm).is_empty())
    };
    let usable: Vec<_> = algorithms.iter().copied().filter(is_usable).collect();
    if usable.is_empty() {
        let listed = algorithms.join("`, `");
        return Err(format!("expected a key for `{listed}`, the listed algorithms, got none"));
    }
    let n_keys = keys.key_count();
    let keys = if n_keys == 1 { "key" } else { "keys" };
    Ok(format!("{n_keys} {keys}, for {}", usable.join(", ")))
}

/// An issuer's name has no `#`, so subjects of different issuers never share an id.
fn principal_from_claims(config: &IssuerConfig, claims: Object) -> Result<Principal, &'static str> {
    let id = principal_id(config, claims.get(&config.principal_claim))?;
    Ok(Principal::new(id).with_claims(claims))
}

fn principal_id(config: &IssuerConfig, subject: Option<&Value>) -> Result<String, &'static str> {
    let subject = subject.and_then(Value::as_str);
    let is_name = |subject: &&str| {
        (1..=LONGEST).contains(&subject.len()) && !subject.chars().any(char::is_control)
    };
    let subject = subject.filter(is_name).ok_or("the token names no principal")?;
    Ok(format!("jwt:{}#{subject}", config.issuer))
}

/// True if an issuer is the one whose token made a principal, for one of the token's audiences.
pub(super) fn identifies_principal(config: &IssuerConfig, principal: &Principal) -> bool {
    let is_listed = |audience: &Value| {
        let audience = audience.as_str();
        audience.is_some_and(|audience| config.audiences.iter().any(|listed| listed == audience))
    };
    let is_for = principal.claim("aud").is_some_and(|audience| match audience {
        Value::Array(audiences) => audiences.iter().any(is_listed),
        audience => is_listed(audience),
    });
    let id = principal_id(config, principal.claim(&config.principal_claim));
    is_for && id.is_ok_and(|id| id == principal.id())
}

/// Longer names are mistakes.
const LONGEST: usize = 255;
