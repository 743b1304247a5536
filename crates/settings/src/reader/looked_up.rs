//! The variables that settings consist of, and their values. Findings name the variable: a value that is no address may be a
//! secret that stands under the wrong name.

use std::fmt;

/// The variables, with their values.
#[derive(Clone, Default)]
pub struct LookedUp(Vec<(String, String)>);

impl LookedUp {
    pub(super) fn add_value(&mut self, name: &str, value: &str) {
        self.0.push((name.to_owned(), value.to_owned()));
    }

    /// Puts `$NAME` in the place of each value in a text. A short value is replaced only where a message quotes it alone.
    /// Returns true if there was one.
    pub fn replace_values_by_names(&self, text: &mut String) -> bool {
        let mut was_there = false;
        for (name, value) in &self.0 {
            let (old, new) = match value.len() {
                0 => continue,
                1..SHORT => (format!("`{value}`"), format!("`${name}`")),
                _ => (value.clone(), format!("${name}")),
            };
            if text.contains(&old) {
                *text = text.replace(&old, &new);
                was_there = true;
            }
        }
        was_there
    }
}

impl fmt::Debug for LookedUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|(name, _)| name)).finish()
    }
}

/// The source of environment variables.
#[derive(Clone, Copy)]
pub(super) struct Variables(pub(super) fn(&str) -> Option<String>);

impl Default for Variables {
    fn default() -> Self {
        Self(|name| {
            #[expect(clippy::disallowed_methods, reason = "an address or a name is no secret")]
            std::env::var(name).ok().filter(|value| !value.is_empty())
        })
    }
}

callgate_secret::opaque!(Variables = "Variables");

/// Values of fewer bytes are parts of words.
const SHORT: usize = 6;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_names_the_variable_in_place_of_its_value() {
        let mut looked_up = LookedUp::default();
        looked_up.add_value("SERVER", "canary value");
        looked_up.add_value("REGION", "eu");
        for (text, expected) in [
            ("expected a URL, got: `canary value`", "expected a URL, got: `$SERVER`"),
            ("write `http://canary value`", "write `http://$SERVER`"),
            ("a queue of `eu`", "a queue of `$REGION`"),
            ("nothing", "nothing"),
        ] {
            let mut shown = text.to_owned();
            assert_eq!(looked_up.replace_values_by_names(&mut shown), text != expected);
            assert_eq!(shown, expected);
        }
        assert!(!format!("{looked_up:?}").contains("canary"));
    }
}
