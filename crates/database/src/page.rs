//! Tokens of the next page: the values of the last row's sort columns, sealed and bound to the tool, its conditions and order,
//! the caller, the session and the values that decide whose rows these are. `plan` checks the values again.

use std::sync::LazyLock;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use callgate_call::wording::database as wording;
use callgate_secret::Secret;
use callgate_session::{Error, ErrorKind, Sealer};
use callgate_tool::{Fault, FingerprintHasher, Value};

/// Seals and opens tokens.
#[derive(Debug)]
pub(crate) struct Pages(Sealer);

/// The call that a token belongs to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place([u8; 32]);

impl Place {
    pub(crate) fn new(hasher: FingerprintHasher) -> Self {
        Self(*hasher.finish().as_bytes())
    }
}

impl Pages {
    /// Tokens under a key of their own; without a sealer under the random key of this process, which outlives a reload.
    pub(crate) fn new(sealer: Option<&Sealer>) -> Result<Self, Error> {
        if let Some(sealer) = sealer {
            return sealer.for_purpose(PURPOSE).map(Self);
        }
        let random = RANDOM.as_ref();
        let random = random.ok_or_else(|| Error::new(ErrorKind::Sealing, "no random number"))?;
        Sealer::with_key(random)?.for_purpose(PURPOSE).map(Self)
    }

    /// The token of the rows after these values; `None` if it cannot be sealed or is too long.
    pub(crate) fn token(&self, after: &[Option<String>], place: Place) -> Option<String> {
        let item = |text: &Option<String>| match text {
            Some(text) => Value::String(text.clone()),
            None => Value::Null,
        };
        let values = Value::Array(after.iter().map(item).collect()).to_string();
        let sealed = self.0.seal(values.as_bytes(), &place.0).ok()?;
        Some(URL_SAFE_NO_PAD.encode(sealed)).filter(|token| token.len() <= MOST_BYTES)
    }

    /// The values of a token of this call.
    pub(crate) fn values(
        &self,
        token: &str,
        place: Place,
    ) -> Result<Vec<Option<String>>, Box<Fault>> {
        self.token_values(token, place).ok_or_else(wording::invalid_page_token)
    }

    fn token_values(&self, token: &str, place: Place) -> Option<Vec<Option<String>>> {
        if token.len() > MOST_BYTES {
            return None;
        }
        let sealed = URL_SAFE_NO_PAD.decode(token).ok()?;
        let values = self.0.open(&sealed, &place.0).ok()?;
        let Value::Array(items) = Value::from_slice(&values).ok()? else { return None };
        let item = |item: Value| match item {
            Value::Null => Some(None),
            Value::String(text) => Some(Some(text)),
            _ => None,
        };
        items.into_iter().map(item).collect()
    }
}

/// The key of tokens where no state has one.
static RANDOM: LazyLock<Option<Secret>> = LazyLock::new(|| {
    let mut random = [0; 32];
    getrandom::fill(&mut random).ok()?;
    Some(Secret::new(URL_SAFE_NO_PAD.encode(random)))
});

const PURPOSE: &str = "pages of databases";
/// The bytes of a token that a model still repeats without a mistake; longer keys have no further page.
const MOST_BYTES: usize = 4096;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn place(parts: &[&str]) -> Place {
        let mut hasher = FingerprintHasher::default();
        for part in parts {
            hasher.add_text(part);
        }
        Place::new(hasher)
    }

    #[test]
    fn a_token_without_a_sealer_opens_after_another_load() {
        let (one, other) = (Pages::new(None).unwrap(), Pages::new(None).unwrap());
        let token = one.token(&[Some("7".to_owned()), None], place(&["a"])).unwrap();
        let values = other.values(&token, place(&["a"])).unwrap();
        assert_eq!(values, [Some("7".to_owned()), None]);
        let key = Sealer::with_key(&Secret::new("1".repeat(32))).unwrap();
        let sealed = Pages::new(Some(&key)).unwrap();
        assert!(sealed.values(&token, place(&["a"])).is_err());
        // The key of a state outlives the process.
        let token = sealed.token(&[Some("7".to_owned())], place(&["a"])).unwrap();
        let after_restart = Pages::new(Some(&key)).unwrap();
        assert_eq!(after_restart.values(&token, place(&["a"])).unwrap(), [Some("7".to_owned())]);
    }

    proptest! {
        #[test]
        fn a_token_of_another_call_or_a_changed_one_is_refused(
            values in prop::collection::vec(prop::option::of(".{0,20}"), 0..4),
            at in any::<prop::sample::Index>(),
        ) {
            let pages = Pages::new(None).unwrap();
            let token = pages.token(&values, place(&["orders", "ann"])).unwrap();
            prop_assert_eq!(pages.values(&token, place(&["orders", "ann"])).unwrap(), values);
            for other in [place(&["orders", "bob"]), place(&["items", "ann"]), place(&[])] {
                prop_assert!(pages.values(&token, other).is_err());
            }
            let mut changed = token.clone().into_bytes();
            let at = at.index(changed.len());
            changed[at] = if changed[at] == b'A' { b'B' } else { b'A' };
            let changed = String::from_utf8(changed).unwrap();
            let opened = pages.values(&changed, place(&["orders", "ann"]));
            prop_assert!(opened.is_err() || changed == token);
        }
    }
}
