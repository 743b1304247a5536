//! The form of a credential's source in settings: a reference to a secret, or a value of the session.

use callgate_settings::{
    Kind, Mapping, Reader, SettingCode, forms, member_pointer, note_secret_and_warn,
    parse_secret_reference,
};
use callgate_tool::CallerToken;

use crate::source::CredentialSource;

const SESSION_CREDENTIAL: &str = "$session.credentials.";
const SESSION_PARAMETER: &str = "$session.params.";
const CONTEXT_VARIABLE: &str = "$context.variables.";

forms! {
    CredentialSource => Self, Kind::SecretOrSession, read_credential_source;
}

/// A credential given as a text, such as on the command line: a reference to a secret, or a value of the session.
///
/// # Errors
/// The text is neither.
pub fn parse_credential_source(text: &str) -> Result<CredentialSource, String> {
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
    let reference = parse_secret_reference(text).map_err(|error| error.to_string())?;
    Ok(CredentialSource::Secret(reference))
}

/// A required reference to a secret, or value of the session.
pub fn read_credential_source(
    reader: &mut Reader,
    mapping: Mapping<'_>,
    key: &str,
) -> Option<CredentialSource> {
    let text = reader.required_string(mapping, key)?;
    if text.starts_with('$') {
        reader.session_texts.insert(member_pointer(mapping, key));
    }
    match parse_credential_source(text) {
        Ok(source) => {
            if let CredentialSource::Secret(reference) = &source {
                note_secret_and_warn(reader, member_pointer(mapping, key), reference);
            }
            Some(source)
        }
        Err(message) => {
            let help = if text == CallerToken::PLACE {
                "only `subject_token` of `token_exchange` takes it, to exchange it for another one"
            } else {
                "`$session.credentials.NAME` takes the session's own token"
            };
            reader.report_fault(
                SettingCode::SecretReference,
                member_pointer(mapping, key),
                message,
                help,
            );
            None
        }
    }
}
