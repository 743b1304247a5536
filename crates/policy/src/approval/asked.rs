//! The request that a person is asked about: as it is shown, and as the digest by which it is known again.

use callgate_executor::Call;
use callgate_tool::{Preview, Value, json};
use sha2::{Digest as _, Sha256};

use crate::digest::{self, Digest};

/// A request as a person sees it: `{"method", "url", "headers", "body"}`, or `{"text"}` for what sends none.
pub(super) fn shown(preview: &Preview) -> Value {
    // Written as a dry run is; a command line is nothing that is decided about.
    let written = serde_json::to_vec(preview).unwrap_or_default();
    let mut shown = Value::from_slice(&written).unwrap_or_else(|_| json!({}));
    if let Some(members) = shown.as_object_mut() {
        members.remove("curl");
    }
    shown
}

/// The digest of what a call would do: its arguments and its request, without credentials.
pub(super) fn digest(call: &Call<'_>, preview: &Preview) -> Digest {
    let mut hash = Sha256::new();
    hash.update(digest::of_arguments(call.arguments()));
    hash.update(shown(preview).to_string().as_bytes());
    hash.finalize().into()
}
