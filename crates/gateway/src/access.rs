//! Identifies the caller of a request: by a known token, by a token of a listed issuer, or by a certificate.
//! Without `access:` everybody who reaches the sidecar is served; `listen` then allows only this machine.

mod authorization;
mod issuer;
mod keys;
mod resource;
mod scopes;
mod token;

use std::sync::{Arc, Mutex, PoisonError};

use callgate_config::{
    AltName, Built, BuiltAccess, BuiltIssuer, BuiltPrincipal, Examined, Rights, Scopes, Subject,
};
use callgate_secret::Secret;
use callgate_tool::Principal;
use callgate_transport::SubjectName;
use http::HeaderMap;

use self::issuer::{Issuer, Refusal};
pub(crate) use self::resource::{
    answer_metadata, challenge_parameters, is_mcp_path, is_metadata_path,
};
use crate::{
    caller::{Caller, Credential, Details},
    peer::{ListenerKind, Peer},
    problem::{Problem, ProblemKind},
};

/// The state kept between requests: the keys of issuers.
#[derive(Debug, Default)]
pub(crate) struct Access {
    issuers: Mutex<Vec<Arc<Issuer>>>,
}

impl Access {
    pub(crate) async fn identify_caller(
        &self,
        built: &Built,
        headers: &HeaderMap,
        peer: &Peer,
    ) -> Result<Caller, Problem> {
        if peer.kind == ListenerKind::Admin && peer.is_local() {
            return Ok(Caller { is_admin: true, details: Details::Shown, ..Caller::default() });
        }
        if built.serving.access.is_none() {
            let details = if peer.is_local() { Details::Shown } else { Details::Hidden };
            return Ok(Caller { details, ..Caller::default() });
        }
        // A configuration that was read by a process that does not serve lets nobody in.
        let access = built.access.as_ref().ok_or_else(unauthenticated_problem)?;
        match authorization::bearer_token(headers)? {
            Some(token) => self.caller_of_token(access, built, token).await,
            None => certificate_caller(access, peer).ok_or_else(unauthenticated_problem),
        }
    }

    /// The caller with a token, or the reason why there is none.
    pub(crate) async fn caller_of_token(
        &self,
        access: &BuiltAccess,
        built: &Built,
        token: &str,
    ) -> Result<Caller, Problem> {
        if let Some(principal) = token_principal(access, token) {
            let credential = Credential::Token(Secret::new(token.to_owned()));
            return Ok(caller_with_credential(principal, credential));
        }
        let Some(unverified) = token::Unverified::from_signed_jwt(token) else {
            return Err(invalid_token_problem("no principal has this token"));
        };
        let mut refusal = Refusal::Invalid("no listed issuer made this token");
        for issuer in self.current_issuers(access) {
            if issuer.name() != unverified.issuer {
                continue;
            }
            match issuer.verify_token(token, &unverified).await {
                Ok(principal) => {
                    let lacks =
                        scopes::lacking_scopes(issuer.scopes(), issuer.rights(), &principal);
                    let shown = token::caller_token(&principal, token);
                    let caller = Caller {
                        token: Some(shown),
                        ..caller_with_rights(principal, issuer.rights())
                    };
                    return Ok(scopes::without_lacking_toolsets(caller, lacks, built));
                }
                // Another entry for this issuer may accept the token, for example for another audience.
                Err(issuer_refusal) => refusal = refusal.prefer_unreachable(issuer_refusal),
            }
        }
        Err(match refusal {
            Refusal::Invalid(detail) => invalid_token_problem(detail),
            Refusal::Unreachable(wait) => {
                let detail = "the issuer of this token cannot be asked for its keys";
                Problem::new(ProblemKind::ISSUER_UNREACHABLE, detail).with_retry_after(wait)
            }
        })
    }

    fn current_issuers(&self, access: &BuiltAccess) -> Vec<Arc<Issuer>> {
        let mut current_issuers = self.issuers.lock().unwrap_or_else(PoisonError::into_inner);
        let is_same = current_issuers.len() == access.issuers.len()
            && current_issuers
                .iter()
                .zip(&access.issuers)
                .all(|(entry, built)| entry.is_built_from(built));
        if !is_same {
            let kept = |built: &BuiltIssuer| {
                let matching_issuer =
                    current_issuers.iter().find(|issuer| issuer.is_built_from(built));
                matching_issuer.map_or_else(|| Arc::new(Issuer::new(built)), Arc::clone)
            };
            *current_issuers = access.issuers.iter().map(kept).collect();
        }
        current_issuers.clone()
    }
}

/// True if a build lets a caller use a toolset who was identified under an earlier build.
pub(crate) fn may_still_use_toolset(built: &Built, caller: &Caller, toolset: &str) -> bool {
    is_still_allowed(built, caller, |rights, lacks| {
        rights.toolsets.as_ref().is_none_or(|all| all.contains(toolset))
            && !lacks.contains_key(toolset)
    })
}

/// True if a build lets a caller take turns with an agent who was identified under an earlier build.
#[cfg(feature = "agents")]
pub(crate) fn may_still_use_agent(built: &Built, caller: &Caller, agent: &str) -> bool {
    is_still_allowed(built, caller, |rights, _| {
        rights.agents.as_ref().is_none_or(|agents| agents.contains(agent))
    })
}

/// True if a build lets a caller see the calls of others, of all toolsets for which an earlier build did.
pub(crate) fn may_still_see_calls(built: &Built, caller: &Caller) -> bool {
    let is_shown_here = caller.is_admin || built.serving.console != Some(false);
    is_shown_here
        && is_still_allowed(built, caller, |rights, lacks| {
            let is_left = |name: &String| {
                let is_listed = rights.toolsets.as_ref().is_none_or(|all| all.contains(name));
                is_listed && !lacks.contains_key(name)
            };
            rights.is_admin
                && match &caller.toolsets {
                    None => rights.toolsets.is_none() && lacks.is_empty(),
                    Some(toolsets) => toolsets.iter().all(is_left),
                }
        })
}

/// True if a build serves a caller who was identified under an earlier build.
pub(crate) fn is_still_served(built: &Built, caller: &Caller) -> bool {
    match (&caller.lists, &built.serving.access) {
        (Some(_), Some(access)) => !access.public_listing.is_empty(),
        _ => is_still_allowed(built, caller, |_, _| true),
    }
}

/// True if a build identifies a caller by what they showed to an earlier one, with rights that allow something. The scopes are
/// those that the caller's token lacks.
fn is_still_allowed(
    built: &Built,
    caller: &Caller,
    allow: impl Fn(&Rights, &Scopes) -> bool,
) -> bool {
    let Some(principal) = &caller.principal else {
        return caller.is_admin || built.serving.access.is_none();
    };
    let Some(access) = &built.access else { return false };
    if let Some(named) = access.principals.iter().find(|it| it.id.as_str() == principal.id()) {
        return identifies_principal(&caller.credential, named)
            && allow(&named.rights, &Scopes::default());
    }
    access.issuers.iter().map(|issuer| &issuer.config).any(|config| {
        issuer::identifies_principal(config, principal)
            && allow(
                &config.rights,
                &scopes::lacking_scopes(&config.scopes, &config.rights, principal),
            )
    })
}

/// Requests the keys of each issuer, as the first token of it would.
pub(crate) async fn examine_issuer_keys(access: &BuiltAccess) -> Vec<Examined> {
    let mut all = Vec::new();
    for built in &access.issuers {
        let subject = Subject::Issuer(built.config.issuer.clone());
        all.push(
            callgate_config::examine_subject(subject, issuer::fetch_and_check_keys(built)).await,
        );
    }
    all
}

/// The principal with this token. Compares every token, so that the time reveals nothing.
fn token_principal<'a>(access: &'a BuiltAccess, token: &str) -> Option<&'a BuiltPrincipal> {
    let token = Secret::new(token.to_owned());
    let mut matching_principal = None;
    for principal in &access.principals {
        for listed_token in &principal.tokens {
            if listed_token.is_same_value(&token) {
                matching_principal = Some(principal);
            }
        }
    }
    matching_principal
}

fn certificate_caller(access: &BuiltAccess, peer: &Peer) -> Option<Caller> {
    let is_named = |principal: &&BuiltPrincipal| {
        let certificate = principal.certificate.as_ref();
        certificate.is_some_and(|wanted| {
            peer.names.iter().any(|name| is_matching_subject_name(name, wanted))
        })
    };
    let principal = access.principals.iter().find(is_named)?;
    Some(caller_with_credential(principal, Credential::Certificate(peer.names.as_slice().into())))
}

/// True if a principal is identified by what a caller showed.
fn identifies_principal(credential: &Credential, principal: &BuiltPrincipal) -> bool {
    match credential {
        Credential::Certificate(names) => {
            let wanted = principal.certificate.as_ref();
            wanted.is_some_and(|wanted| {
                names.iter().any(|name| is_matching_subject_name(name, wanted))
            })
        }
        Credential::Other => false,
        Credential::Token(token) => {
            principal.tokens.iter().any(|listed| listed.is_same_value(token))
        }
    }
}

fn is_matching_subject_name(name: &SubjectName, wanted: &AltName) -> bool {
    match (name, wanted) {
        (SubjectName::Dns(name), AltName::Dns(wanted)) => name.eq_ignore_ascii_case(wanted),
        (SubjectName::Email(name), AltName::Email(wanted))
        | (SubjectName::Uri(name), AltName::Uri(wanted)) => name == wanted,
        _ => false,
    }
}

fn caller_with_credential(principal: &BuiltPrincipal, credential: Credential) -> Caller {
    let caller = caller_with_rights(Principal::new(principal.id.as_str()), &principal.rights);
    Caller { credential, ..caller }
}

fn caller_with_rights(principal: Principal, rights: &Rights) -> Caller {
    let Rights { toolsets, agents, is_admin, approves, .. } = rights.clone();
    let principal = Some(principal);
    let base_caller = Caller { principal, toolsets, agents, ..Caller::default() };
    Caller { is_admin, approves, details: Details::Shown, ..base_caller }
}

fn unauthenticated_problem() -> Problem {
    let detail = "expected `Authorization: Bearer …`, or a certificate that names a principal";
    Problem::new(ProblemKind::UNAUTHENTICATED, detail)
}

fn invalid_token_problem(detail: &'static str) -> Problem {
    Problem::new(ProblemKind::INVALID_TOKEN, detail)
}

#[cfg(test)]
mod tests;
