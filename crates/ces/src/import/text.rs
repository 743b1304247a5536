//! A text of an export: data of a stranger. An importer gets no other text, and writes it into settings only in the forms
//! of this file, none of which can be read as a reference to a secret, except the name of a version in Secret Manager.

use callgate_secret::SecretReference;
use callgate_tool::Value;
use url::Url;

#[derive(Clone, Copy, Debug)]
pub(super) struct ExportText<'a>(&'a str);

impl<'a> ExportText<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self(text)
    }

    /// The text for a key that takes no reference, such as a scope, or for a message.
    pub(super) fn plain_text(self) -> &'a str {
        self.0
    }

    /// The text for a key that takes a text or a reference to a secret: the text, never a reference.
    pub(super) fn text_never_read_as_reference(self) -> Value {
        let is_taken = self.0.starts_with("projects/") || self.0.contains(':');
        Value::from(if is_taken { format!("literal:{}", self.0) } else { self.0.to_owned() })
    }

    /// The text for a key that takes only references to secrets.
    pub(super) fn secret_literal(self) -> Value {
        Value::from(format!("literal:{}", self.0))
    }

    /// The text, if it is the address of a server, for a key that takes one.
    pub(super) fn server_address(self) -> Option<&'a str> {
        let has_scheme = |scheme: &str| {
            self.0.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
        };
        let has_scheme = ["https://", "http://"].into_iter().any(has_scheme);
        (has_scheme && Url::parse(self.0).is_ok()).then_some(self.0)
    }

    /// The reference to a secret, if the text is the name of its version in Secret Manager: the only references that an
    /// export makes.
    pub(super) fn secret_version(self) -> Option<Value> {
        let reference: SecretReference =
            self.0.starts_with("projects/").then(|| self.0.parse().ok())??;
        (reference.scheme() == "gcp").then(|| Value::from(reference.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Texts that begin like a reference, and others.
    fn text() -> impl Strategy<Value = String> {
        let texts = "env: file: vault: aws: gcp: directory: keyring: literal: projects/ corp:
            ENV:";
        let scheme =
            prop::sample::select(texts.split_whitespace().chain(["", " env:"]).collect::<Vec<_>>());
        let rest = prop_oneof![
            "[A-Za-z0-9_/#:.-]{0,20}",
            Just("p/secrets/s/versions/1".to_owned()),
            any::<String>()
        ];
        (scheme, rest).prop_map(|(scheme, rest)| format!("{scheme}{rest}"))
    }

    proptest! {
        /// Read back as `reader::secret::name` reads it.
        #[test]
        fn a_text_of_an_export_is_written_as_a_literal_and_never_as_a_reference(text in text()) {
            let written = ExportText::new(&text).text_never_read_as_reference();
            let written = written.as_str().unwrap();
            let read = written.parse().or_else(|_| format!("literal:{written}").parse());
            let SecretReference::Literal { value, .. } = read.unwrap() else { panic!("{written}") };
            prop_assert_eq!(value.expose(), text);
        }

        #[test]
        fn only_the_resource_name_of_a_secret_version_becomes_a_reference(text in text()) {
            if let Some(reference) = ExportText::new(&text).secret_version() {
                let expected = format!("gcp:{text}");
                prop_assert_eq!(reference.as_str(), Some(&*expected));
                prop_assert!(text.starts_with("projects/") && text.contains("/secrets/"));
            }
            prop_assert!(ExportText::new(&text).secret_literal().as_str().unwrap().starts_with("literal:"));
        }
    }

    #[test]
    fn a_text_of_an_export_is_an_address_only_if_it_begins_with_http_or_https() {
        for (text, expected) in [
            ("https://a.example/t", true),
            ("HTTP://a.example", true),
            ("env:https://a.example", false),
            ("literal:https://a.example", false),
            (" https://a.example", false),
            ("https://", false),
            ("file:///etc/passwd", false),
        ] {
            assert_eq!(ExportText::new(text).server_address().is_some(), expected, "{text}");
        }
    }
}
