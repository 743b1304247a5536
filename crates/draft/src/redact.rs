//! Takes credentials out of exchanges, and masks everything that looks like a secret, before anything else reads them.

mod credential;
mod mask;
mod scan;
mod secret_name;

use std::collections::BTreeSet;

use self::mask::Mask;
pub(crate) use self::secret_name::is_secret_input;
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

/// A text of a source, for a note, without what is secret in it by its names and looks.
pub(crate) fn mask_named_secrets(text: &str) -> String {
    let mut masked = text.to_owned();
    Mask::new(&BTreeSet::new()).mask_secret_looking(&mut masked);
    masked
}

/// Exchanges without secrets, and a text of a person without them.
pub(crate) fn redact_secrets(exchanges: Vec<Exchange>, prompt: &str) -> (Vec<Redacted>, String) {
    let mut secrets = BTreeSet::new();
    let redacted =
        exchanges.into_iter().map(|exchange| credential::take_credentials(exchange, &mut secrets));
    let mut redacted: Vec<Redacted> = redacted.collect();
    credential::add_text_secrets(prompt, &mut secrets);
    let mask = Mask::new(&secrets);
    for one in &mut redacted {
        mask.mask_exchange(&mut one.exchange);
        for text in one.cookies.iter_mut().flat_map(|(name, value)| [name, value]) {
            mask.mask_secret_looking(text);
        }
    }
    let mut prompt = prompt.to_owned();
    mask.mask_text(&mut prompt);
    (redacted, prompt)
}
