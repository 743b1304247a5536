//! Tests what a sidecar needs besides what its calls need: the issuers of its callers' tokens, and the collector of its traces.

use callgate_config::{Built, Examined};

use crate::access;
#[cfg(feature = "otel")]
use crate::observe;

/// Requests the keys of each issuer and sends the collector an empty message, one after another, as a sidecar would from this
/// machine.
#[doc(hidden)]
pub async fn examine_issuers_collector(built: &Built) -> Vec<Examined> {
    let mut all = match &built.access {
        Some(access) => access::examine_issuer_keys(access).await,
        None => Vec::new(),
    };
    #[cfg(feature = "otel")]
    all.extend(observe::check_collector(built).await);
    all.shrink_to_fit();
    all
}
