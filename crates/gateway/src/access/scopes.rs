//! The scopes of a token: from `scope`, one text (RFC 9068 §2.2.3), or from `scp`, a text or a list, as some issuers write
//! them.

use std::{collections::BTreeSet, sync::Arc};

use callgate_config::{Built, Rights, Scopes};
use callgate_tool::{Principal, Value};

use crate::{caller::Caller, functions};

/// The toolsets that the principal would have if its token had their scopes.
pub(super) fn lacking_scopes(wanted: &Scopes, rights: &Rights, principal: &Principal) -> Scopes {
    if wanted.is_empty() {
        return Scopes::default();
    }
    let had = token_scopes(principal);
    let is_lacking = |(toolset, scopes): &(&String, &Vec<String>)| {
        let is_theirs = rights.toolsets.as_ref().is_none_or(|toolsets| toolsets.contains(*toolset));
        is_theirs && !scopes.iter().all(|scope| had.contains(scope.as_str()))
    };
    let lacking = wanted.iter().filter(is_lacking);
    Arc::new(lacking.map(|(toolset, scopes)| (toolset.clone(), scopes.clone())).collect())
}

/// The caller without the toolsets for which its token lacks scopes.
pub(super) fn without_lacking_toolsets(caller: Caller, lacks: Scopes, built: &Built) -> Caller {
    if lacks.is_empty() {
        return caller;
    }
    let described = built.toolsets.iter().map(|toolset| toolset.name.as_str());
    let names = described.chain(functions::function_only_toolsets(built));
    let theirs = names.filter(|name| caller.may_use(name) && !lacks.contains_key(*name));
    let toolsets = Some(Arc::new(theirs.map(str::to_owned).collect()));
    Caller { toolsets, lacks, ..caller }
}

fn token_scopes(principal: &Principal) -> BTreeSet<&str> {
    let mut scopes = BTreeSet::new();
    for claim in ["scope", "scp"].into_iter().filter_map(|name| principal.claim(name)) {
        match claim {
            Value::String(text) => scopes.extend(text.split(' ').filter(|scope| !scope.is_empty())),
            Value::Array(items) => scopes.extend(items.iter().filter_map(Value::as_str)),
            _ => {}
        }
    }
    scopes
}
