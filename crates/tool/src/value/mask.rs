//! Masks secrets in a value, wherever it has text. The masker of `secret` finds them in a text.

use std::{borrow::Cow, mem};

use callgate_secret::Masker;

use crate::{Object, Value};

impl Value {
    /// Replaces every secret in names, texts and numbers by `****`. A number that holds a secret becomes a text. A secret
    /// that is split among several texts is not found.
    ///
    /// ```
    /// use callgate_secret::{Masker, Secret};
    /// use callgate_tool::json;
    ///
    /// let masker = Masker::new(vec![Secret::new("s3cr3t-key".to_owned())]);
    /// let mut sent = json!({"key": ["is s3cr3t-key"], "n": 7});
    /// sent.mask_secrets(&masker);
    /// assert_eq!(sent, json!({"key": ["is ****"], "n": 7}));
    /// ```
    #[doc(hidden)]
    pub fn mask_secrets(&mut self, masker: &Masker<'_>) {
        match self {
            Self::Array(items) => items.iter_mut().for_each(|item| item.mask_secrets(masker)),
            Self::Bool(_) | Self::Null => {}
            Self::Number(number) => {
                if let Cow::Owned(masked) = masker.mask_text(&number.digits()) {
                    *self = Self::String(masked);
                }
            }
            Self::Object(members) => {
                let is_masked = |name: &String| matches!(masker.mask_text(name), Cow::Owned(_));
                if members.keys().any(is_masked) {
                    *members = mem::take(members)
                        .into_iter()
                        .map(|(name, value)| (masker.mask_text(&name).into_owned(), value))
                        .collect::<Object>();
                }
                members.values_mut().for_each(|member| member.mask_secrets(masker));
            }
            Self::String(text) => {
                masker.mask_in(text);
            }
        }
    }
}
