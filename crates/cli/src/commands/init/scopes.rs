//! The scopes that a person's login requests: all scopes that operations of the description need, so that one login is enough.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use callgate_openapi::{Operation, SecuritySchemeKind};
use callgate_tool::Value;

/// Writes the scopes into the logins among these credentials, by scheme.
pub(super) fn add(credentials: &mut BTreeMap<String, Value>, operations: &[Arc<Operation>]) {
    for (scheme, credential) in credentials {
        let Some(login) = credential.get_mut("oauth2_authorization_code") else { continue };
        let scopes = asked(scheme, operations);
        if let (Value::Object(login), false) = (login, scopes.is_empty()) {
            let scopes = scopes.into_iter().map(Value::from).collect();
            login.insert("scopes", Value::Array(scopes));
        }
    }
}

/// The scopes of a scheme, ordered by name. A login at an `OpenID` provider begins with `openid`.
fn asked<'a>(scheme: &str, operations: &'a [Arc<Operation>]) -> Vec<&'a str> {
    let alternatives =
        operations.iter().flat_map(|operation| operation.security.alternatives.iter());
    let needed = alternatives.flat_map(|alternative| alternative.schemes.iter());
    let (mut scopes, mut is_openid) = (BTreeSet::new(), false);
    for known in needed.filter(|known| &*known.scheme.name == scheme) {
        is_openid |= matches!(known.scheme.kind, SecuritySchemeKind::OpenIdConnect { .. });
        scopes.extend(known.scopes.iter().map(|scope| &**scope));
    }
    if is_openid {
        scopes.remove(OPENID);
    }
    is_openid.then_some(OPENID).into_iter().chain(scopes).collect()
}

/// The scope that turns a login into one of `OpenID` Connect (its Core 1.0, §3.1.2.1).
const OPENID: &str = "openid";
