//! Chooses the alternative that an operation is called with: the cheapest one whose credentials are all available and
//! have its scopes. Pure; the content of a credential is not known here.

use std::collections::{BTreeMap, BTreeSet};

use callgate_openapi::{RequiredScheme, Requirement, Security, SecurityScheme};

#[derive(Clone, Debug)]
pub(super) struct Holding {
    pub(super) cost: u32,
    pub(super) scopes: Option<Vec<String>>,
}

/// The available credentials, by the name of the scheme.
pub(super) type Holdings = BTreeMap<String, Holding>;

/// The result of solving an operation's requirements.
#[derive(Debug)]
pub(super) enum Solution<'s> {
    /// All schemes of this alternative are satisfied. An alternative without schemes is used only if no other is satisfied.
    Met(&'s Requirement),
    /// The operation requires nothing.
    Open,
    /// No alternative is satisfied: the missing parts of the alternative that lacks least, the first of equals.
    Unmet(Vec<Missing<'s>>),
}

#[derive(Debug)]
pub(super) struct Missing<'s> {
    pub(super) scheme: &'s SecurityScheme,
    /// The scopes that its credential lacks; empty if there is no credential.
    pub(super) scopes: Vec<&'s str>,
}

/// Solves the requirements of an operation with the available credentials.
pub(super) fn choose_alternative<'s>(security: &'s Security, holdings: &Holdings) -> Solution<'s> {
    let mut best: Option<(u32, &Requirement)> = None;
    let mut least: Option<Vec<Missing<'s>>> = None;
    let mut is_open = security.alternatives.is_empty();
    for alternative in &*security.alternatives {
        if alternative.schemes.is_empty() {
            is_open = true;
            continue;
        }
        let missing = missing_schemes(alternative, holdings);
        if missing.is_empty() {
            let cost = alternative_cost(alternative, holdings);
            if best.is_none_or(|(entry, _)| cost < entry) {
                best = Some((cost, alternative));
            }
        } else if least.as_ref().is_none_or(|least_missing| missing.len() < least_missing.len()) {
            least = Some(missing);
        }
    }
    match best {
        Some((_, requirement)) => Solution::Met(requirement),
        None if is_open => Solution::Open,
        None => Solution::Unmet(least.unwrap_or_default()),
    }
}

fn alternative_cost(alternative: &Requirement, holdings: &Holdings) -> u32 {
    let costs = alternative
        .schemes
        .iter()
        .filter_map(|required_scheme| holdings.get(&*required_scheme.scheme.name));
    costs.fold(0, |sum, holding| sum.saturating_add(holding.cost))
}

fn missing_schemes<'s>(alternative: &'s Requirement, holdings: &Holdings) -> Vec<Missing<'s>> {
    alternative.schemes.iter().filter_map(|required| missing_scheme(required, holdings)).collect()
}

fn missing_scheme<'s>(required: &'s RequiredScheme, holdings: &Holdings) -> Option<Missing<'s>> {
    let scheme = &*required.scheme;
    let Some(holding) = holdings.get(&*scheme.name) else {
        return Some(Missing { scheme, scopes: Vec::new() });
    };
    let granted_scopes: BTreeSet<&str> =
        holding.scopes.as_ref()?.iter().map(String::as_str).collect();
    let scopes = required.scopes.iter().map(|scope| &**scope);
    let scopes: Vec<_> = scopes.filter(|scope| !granted_scopes.contains(scope)).collect();
    (!scopes.is_empty()).then_some(Missing { scheme, scopes })
}

#[cfg(test)]
mod tests;
