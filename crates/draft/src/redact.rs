//! Takes credentials out of exchanges, and masks everything that looks like a secret, before anything else reads them.

mod credential;
mod mask;

use std::collections::BTreeSet;

use self::mask::Mask;
use crate::{exchange::Exchange, security::Scheme};

/// What stands for a secret.
pub(crate) const MASKED: &str = "****";

/// An exchange without secrets.
#[derive(Debug)]
pub(crate) struct Redacted {
    pub(crate) exchange: Exchange,
    /// The schemes whose credentials the request had.
    pub(crate) schemes: BTreeSet<Scheme>,
    /// Cookies that are no credential.
    pub(crate) cookies: Vec<(String, String)>,
}

/// Exchanges without secrets, and a text of a person without them.
pub(crate) fn redact_secrets(exchanges: Vec<Exchange>, prompt: &str) -> (Vec<Redacted>, String) {
    let mut secrets = BTreeSet::new();
    let redacted = exchanges.into_iter().map(|exchange| credential::take(exchange, &mut secrets));
    let mut redacted: Vec<Redacted> = redacted.collect();
    let mask = Mask::new(&secrets);
    for one in &mut redacted {
        mask.mask_exchange(&mut one.exchange);
        for (_, value) in &mut one.cookies {
            mask.mask_text(value);
        }
    }
    let mut prompt = prompt.to_owned();
    mask.mask_text(&mut prompt);
    (redacted, prompt)
}
