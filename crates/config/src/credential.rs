//! From the `auth:` of a toolset to an authenticator's configuration. References to secrets are read, secrets are
//! not.

use callgate_auth::{AuthConfig, CredentialSource, Place};
use callgate_secret::SecretReference;

use crate::{
    keys::{API_KEY, AUTH, BASIC, BEARER},
    reader::{Mapping, Reader, at},
};

const SESSION_PARAMETER: &str = "$session.params.";

/// Reads `auth:`; `None` where there is none or it is at fault.
pub(crate) fn auth(reader: &mut Reader, toolset: Mapping<'_>) -> Option<AuthConfig> {
    let node = toolset.object.get("auth")?;
    if node.as_str() == Some("none") {
        return Some(AuthConfig::None);
    }
    let pointer = at(toolset, "auth");
    let mapping = reader.mapping(node, &pointer, &AUTH)?;
    let mut kinds = mapping.object.iter().filter(|(kind, _)| AUTH.keys.contains(&kind.as_ref()));
    // Calls without a credential are asked for by `none`, never by leaving the kind out.
    let Some((kind, node)) = kinds.next() else {
        if mapping.object.is_empty() {
            let message = "expected one kind of credential, got none";
            let help = "write `auth: none` for calls without a credential";
            reader.complain("wrong-value", &pointer, message, help);
        }
        return None;
    };
    if kinds.next().is_some() {
        let message = "expected one kind of credential, got several";
        reader.complain("wrong-value", &pointer, message, "keep one");
        return None;
    }
    let pointer = at(mapping, kind);
    match kind.as_ref() {
        "api_key" => {
            let mapping = reader.mapping(node, &pointer, &API_KEY)?;
            api_key(reader, mapping)
        }
        "basic" => {
            let mapping = reader.mapping(node, &pointer, &BASIC)?;
            basic(reader, mapping)
        }
        _ => {
            let mapping = reader.mapping(node, &pointer, &BEARER)?;
            let token = bearer_token(reader, mapping)?;
            Some(AuthConfig::Bearer { token })
        }
    }
}

/// A secret reference given as a text: on the command line, say.
pub(crate) fn source(text: &str) -> Result<CredentialSource, String> {
    if let Some(name) = text.strip_prefix(SESSION_PARAMETER).filter(|name| !name.is_empty()) {
        return Ok(CredentialSource::SessionParameter(name.to_owned()));
    }
    let reference = text.parse::<SecretReference>().map_err(|error| error.to_string())?;
    Ok(CredentialSource::Secret(reference))
}

fn api_key(reader: &mut Reader, mapping: Mapping<'_>) -> Option<AuthConfig> {
    let place = match reader.required_string(mapping, "in") {
        Some("header") => Some(Place::Header),
        Some("query") => Some(Place::Query),
        Some(other) => {
            let message = format!("expected `header` or `query`, got: `{other}`");
            let help = "say where the service expects the key";
            reader.complain("wrong-value", at(mapping, "in"), message, help);
            None
        }
        None => None,
    };
    let name = reader.required_string(mapping, "name").map(ToOwned::to_owned);
    let value = secret(reader, mapping, "value");
    Some(AuthConfig::ApiKey { place: place?, name: name?, value: value? })
}

fn basic(reader: &mut Reader, mapping: Mapping<'_>) -> Option<AuthConfig> {
    let username = reader.required_string(mapping, "username").and_then(username);
    let password = secret(reader, mapping, "password");
    Some(AuthConfig::Basic { username: username?, password: password? })
}

/// A user name is no secret: it may be a reference or stand as it is.
fn username(text: &str) -> Option<SecretReference> {
    text.parse().or_else(|_| format!("literal:{text}").parse()).ok()
}

fn bearer_token(reader: &mut Reader, mapping: Mapping<'_>) -> Option<CredentialSource> {
    let text = reader.required_string(mapping, "token")?;
    match source(text) {
        Ok(source) => {
            if let CredentialSource::Secret(reference) = &source {
                literal_is_warned(reader, at(mapping, "token"), reference);
            }
            Some(source)
        }
        Err(message) => {
            let help = "`$session.params.NAME` takes the session's own token";
            reader.complain("secret-reference", at(mapping, "token"), message, help);
            None
        }
    }
}

fn secret(reader: &mut Reader, mapping: Mapping<'_>, key: &str) -> Option<SecretReference> {
    let text = reader.required_string(mapping, key)?;
    match text.parse::<SecretReference>() {
        Ok(reference) => {
            literal_is_warned(reader, at(mapping, key), &reference);
            Some(reference)
        }
        Err(error) => {
            let help = "write where the secret is, not the secret: `env:PETS_KEY`";
            reader.complain("secret-reference", at(mapping, key), error.to_string(), help);
            None
        }
    }
}

fn literal_is_warned(reader: &mut Reader, pointer: String, reference: &SecretReference) {
    if let SecretReference::Literal { .. } = reference {
        let message = "a secret stands in the configuration as it is";
        reader.warn("literal-secret", pointer, message, "move it to `env:NAME` or `file:PATH`");
    }
}
