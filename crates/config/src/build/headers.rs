//! Sets the fixed headers of a toolset on the requests of its operations, before their credentials.

use std::sync::Arc;

use callgate_auth::{ApiKeyLocation, Authenticator, combined_authenticator};
use callgate_executor::Callable;
use callgate_settings::{Reader, SettingCode};

use crate::{headers::FixedHeader, toolset::ToolsetConfig};

/// Sets the headers on the requests of all operations; each entry of `made` sets one.
pub(super) fn set_fixed_headers(
    reader: &mut Reader,
    config: &ToolsetConfig,
    made: &[Option<Arc<dyn Authenticator>>],
    callables: &mut [Callable],
) {
    for FixedHeader { pointer, name, .. } in &config.headers {
        if callables.iter().any(|callable| is_credential_header(name, callable)) {
            let message = format!("expected a header that no credential is put in, got: `{name}`");
            let help = "remove it; the credential is the one of `auth` or `credentials`";
            reader.report_fault(SettingCode::WrongValue, pointer.clone(), message, help);
        }
    }
    if made.is_empty() {
        return;
    }
    for callable in callables {
        let mut parts: Vec<_> = made.iter().flatten().cloned().collect();
        parts.push(Arc::clone(&callable.authenticator));
        callable.authenticator = combined_authenticator(parts);
    }
}

/// Returns true if a credential of the operation goes to the header.
fn is_credential_header(name: &str, callable: &Callable) -> bool {
    let places = callable.authenticator.places();
    places.iter().any(|credential_place| {
        credential_place.place() == ApiKeyLocation::Header
            && credential_place.name().eq_ignore_ascii_case(name)
    })
}
