//! References to secrets, and values of the session in their place. Literals cause a warning; nothing is fetched.

use callgate_auth::CredentialSource;
use callgate_secret::{Error, SHORTEST, SecretReference};
use callgate_tool::CallerToken;
use callgate_tree::Node;

use crate::{
    code::ConfigCode,
    form::forms,
    keys::Kind,
    reader::{Mapping, Reader, at},
};

const SESSION_CREDENTIAL: &str = "$session.credentials.";
const SESSION_PARAMETER: &str = "$session.params.";
const CONTEXT_VARIABLE: &str = "$context.variables.";

forms! {
    SecretReference => Self, Kind::Secret, secret;
    CredentialSource => Self, Kind::SecretOrSession, required_source;
    /// The name of a user or a client, which is no secret: a reference or a literal.
    struct SecretOrName => SecretReference, Kind::Text, |reader, mapping, key| {
        let text = reader.string(mapping, key)?;
        let reference = text.parse().or_else(|_| format!("literal:{text}").parse());
        let reference: SecretReference = reference.ok()?;
        reader.references.push((at(mapping, key), reference.scheme().to_owned()));
        Some(reference)
    };
}

/// A secret reference given as a text, such as on the command line.
pub(crate) fn source(text: &str) -> Result<CredentialSource, String> {
    if let Some(name) = text.strip_prefix(SESSION_CREDENTIAL).filter(|name| !name.is_empty()) {
        return Ok(CredentialSource::SessionCredential(name.to_owned()));
    }
    if let Some(name) = text.strip_prefix(SESSION_PARAMETER).filter(|name| !name.is_empty()) {
        return Ok(CredentialSource::SessionParameter(name.to_owned()));
    }
    if let Some(name) = text.strip_prefix(CONTEXT_VARIABLE).filter(|name| !name.is_empty()) {
        return Ok(CredentialSource::ContextVariable(name.to_owned()));
    }
    if text == CallerToken::PLACE {
        return Err("the caller's token is never passed on".to_owned());
    }
    let reference = reference(text).map_err(|error| error.to_string())?;
    Ok(CredentialSource::Secret(reference))
}

/// A reference to a secret in callgate's stores, or in one that the program supplies. A scheme without a store is
/// detected before the build, and the text after the scheme is never shown.
pub(crate) fn reference(text: &str) -> Result<SecretReference, Error> {
    let own =
        || text.split_once(':').and_then(|(scheme, name)| SecretReference::own(scheme, name).ok());
    text.parse().or_else(|error| own().ok_or(error))
}

/// A required reference to a secret, or value of the session.
pub(crate) fn required_source(
    reader: &mut Reader,
    mapping: Mapping<'_>,
    key: &str,
) -> Option<CredentialSource> {
    let text = reader.required_string(mapping, key)?;
    match source(text) {
        Ok(source) => {
            if let CredentialSource::Secret(reference) = &source {
                noted(reader, at(mapping, key), reference);
            }
            Some(source)
        }
        Err(message) => {
            let help = if text == CallerToken::PLACE {
                "only `subject_token` of `token_exchange` takes it, to exchange it for another one"
            } else {
                "`$session.credentials.NAME` takes the session's own token"
            };
            reader.complain(ConfigCode::SecretReference, at(mapping, key), message, help);
            None
        }
    }
}

/// A required reference to a secret.
pub(crate) fn secret(
    reader: &mut Reader,
    mapping: Mapping<'_>,
    key: &str,
) -> Option<SecretReference> {
    let text = reader.required_string(mapping, key)?;
    match reference(text) {
        Ok(reference) => {
            noted(reader, at(mapping, key), &reference);
            Some(reference)
        }
        Err(error) => {
            let help = "write where the secret is, not the secret: `env:PETS_KEY`";
            reader.complain(ConfigCode::SecretReference, at(mapping, key), error.to_string(), help);
            None
        }
    }
}

/// One reference to a secret or a list of them, each with its place; empty if the key is missing.
pub(crate) fn secrets(
    reader: &mut Reader,
    mapping: Mapping<'_>,
    key: &str,
) -> Vec<(String, SecretReference)> {
    let pointer = at(mapping, key);
    let Some(Node::Array(items)) = mapping.object.get(key) else {
        let is_there = mapping.object.contains(key);
        let one = is_there.then(|| secret(reader, mapping, key)).flatten();
        return one.map(|one| (pointer, one)).into_iter().collect();
    };
    if items.is_empty() {
        let help = "leave the key out, or name one: `env:NAME`";
        reader.complain(
            ConfigCode::WrongValue,
            &pointer,
            "expected one secret at least, got none",
            help,
        );
    }
    let mut found = Vec::new();
    for (index, text) in reader.strings(mapping, key).into_iter().enumerate() {
        let pointer = format!("{pointer}/{index}");
        match reference(text) {
            Ok(reference) => {
                noted(reader, pointer.clone(), &reference);
                found.push((pointer, reference));
            }
            Err(error) => {
                let help = "write where the secret is, not the secret: `env:PETS_KEY`";
                reader.complain(ConfigCode::SecretReference, pointer, error.to_string(), help);
            }
        }
    }
    found
}

/// Records the store that is needed.
pub(crate) fn noted_quietly(reader: &mut Reader, pointer: String, reference: &SecretReference) {
    reader.references.push((pointer, reference.scheme().to_owned()));
    reader.secrets.push(reference.clone());
}

/// Records the store that is needed, and warns about a literal.
fn noted(reader: &mut Reader, pointer: String, reference: &SecretReference) {
    if reference.is_literal() {
        let message = "a secret stands in the configuration as it is";
        reader.warn(
            ConfigCode::LiteralSecret,
            pointer.clone(),
            message,
            "move it to `env:NAME` or `file:PATH`",
        );
    }
    unmasked(reader, &pointer, reference);
    noted_quietly(reader, pointer, reference);
}

/// Warns about a literal that is too short to be masked in answers.
pub(crate) fn unmasked(reader: &mut Reader, pointer: &str, reference: &SecretReference) {
    let SecretReference::Literal { value, .. } = reference else { return };
    if value.is_too_short_to_mask() {
        let message = format!(
            "expected a secret of at least {SHORTEST} characters, got a shorter one, which is not masked where a service answers with it"
        );
        let help =
            "let the service issue a longer one; if it is no secret, write it without `literal:`";
        reader.warn(ConfigCode::LiteralSecret, pointer.to_owned(), &message, help);
    }
}
