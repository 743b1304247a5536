//! References to secrets. Literals cause a warning; nothing is fetched.

use callgate_secret::{Error, SHORTEST, SecretReference};
use callgate_tree::Node;

use crate::{
    code::SettingCode,
    forms,
    keys::Kind,
    reader::{Mapping, Reader, member_pointer},
};

forms! {
    SecretReference => Self, Kind::Secret, read_required_secret;
    /// The name of a user or a client, which is no secret: a reference or a literal.
    pub struct SecretOrName => SecretReference, Kind::Text, |reader, mapping, key| {
        let text = reader.string(mapping, key)?;
        let reference = text.parse().or_else(|_| format!("literal:{text}").parse());
        let reference: SecretReference = reference.ok()?;
        if !reference.is_literal() {
            note_secret(reader, member_pointer(mapping, key), &reference);
        }
        Some(reference)
    };
}

/// A reference to a secret in callgate's stores, or in one that the program supplies. A scheme without a store is
/// detected before the build, and the text after the scheme is never shown.
///
/// # Errors
/// The text is no reference.
pub fn parse_secret_reference(text: &str) -> Result<SecretReference, Error> {
    let own =
        || text.split_once(':').and_then(|(scheme, name)| SecretReference::own(scheme, name).ok());
    text.parse().or_else(|error| own().ok_or(error))
}

/// A required reference to a secret.
pub fn read_required_secret(
    reader: &mut Reader,
    mapping: Mapping<'_>,
    key: &str,
) -> Option<SecretReference> {
    let text = reader.required_string(mapping, key)?;
    match parse_secret_reference(text) {
        Ok(reference) => {
            note_secret_and_warn(reader, member_pointer(mapping, key), &reference);
            Some(reference)
        }
        Err(error) => {
            let help = "write where the secret is, not the secret: `env:PETS_KEY`";
            reader.report_fault(
                SettingCode::SecretReference,
                member_pointer(mapping, key),
                error.to_string(),
                help,
            );
            None
        }
    }
}

/// One reference to a secret or a list of them, each with its place; empty if the key is missing.
pub fn read_secrets(
    reader: &mut Reader,
    mapping: Mapping<'_>,
    key: &str,
) -> Vec<(String, SecretReference)> {
    let pointer = member_pointer(mapping, key);
    let Some(Node::Array(items)) = mapping.object.get(key) else {
        let is_there = mapping.object.contains(key);
        let one = is_there.then(|| read_required_secret(reader, mapping, key)).flatten();
        return one.map(|one| (pointer, one)).into_iter().collect();
    };
    if items.is_empty() {
        let help = "name one: `env:NAME`";
        reader.report_fault(
            SettingCode::WrongValue,
            &pointer,
            "expected one secret at least, got none",
            help,
        );
    }
    let mut secrets = Vec::new();
    for (index, text) in reader.strings(mapping, key).into_iter().enumerate() {
        let pointer = format!("{pointer}/{index}");
        match parse_secret_reference(text) {
            Ok(reference) => {
                note_secret_and_warn(reader, pointer.clone(), &reference);
                secrets.push((pointer, reference));
            }
            Err(error) => {
                let help = "write where the secret is, not the secret: `env:PETS_KEY`";
                reader.report_fault(SettingCode::SecretReference, pointer, error.to_string(), help);
            }
        }
    }
    secrets
}

/// Records the store that is needed.
pub fn note_secret(reader: &mut Reader, pointer: String, reference: &SecretReference) {
    reader.references.push((pointer, reference.scheme().to_owned()));
    reader.secrets.push(reference.clone());
}

/// Records the store that is needed, and warns about a literal.
pub fn note_secret_and_warn(reader: &mut Reader, pointer: String, reference: &SecretReference) {
    if reference.is_literal() {
        let message = "a secret stands in the configuration as it is";
        reader.warn(
            SettingCode::LiteralSecret,
            pointer.clone(),
            message,
            "move it to `env:NAME` or `file:PATH`",
        );
    }
    warn_of_short_literal(reader, &pointer, reference);
    note_secret(reader, pointer, reference);
}

/// Warns about a literal that is too short to be masked in answers.
pub fn warn_of_short_literal(reader: &mut Reader, pointer: &str, reference: &SecretReference) {
    let SecretReference::Literal { value, .. } = reference else { return };
    if value.is_too_short_to_mask() {
        let message = format!(
            "expected a secret of at least {SHORTEST} characters, got a shorter one, which is not masked where a service answers with it"
        );
        let help =
            "let the service issue a longer one; if it is no secret, write it without `literal:`";
        reader.warn(SettingCode::LiteralSecret, pointer.to_owned(), &message, help);
    }
}
