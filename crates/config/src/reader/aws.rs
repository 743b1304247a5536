//! Reads the settings that everything of AWS has: a region, and keys, which are named or found where AWS puts them for
//! a process.

use std::env;

use callgate_store::aws::{KeySource, NamedKeys};

use super::{Mapping, ReadSecret, Reader};
use crate::code::ConfigCode;

/// `region`, or the region that AWS sets for a process.
pub(crate) fn region(reader: &mut Reader, mapping: Mapping<'_>) -> Option<String> {
    if mapping.object.contains("region") {
        let region = reader.string(mapping, "region")?;
        let is_legal = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        if !region.is_empty() && region.bytes().all(is_legal) {
            return Some(region.to_owned());
        }
        let message = format!("expected a region such as `eu-west-1`, got: `{region}`");
        let help = "regions are written in letters, digits and `-`";
        reader.complain(
            ConfigCode::WrongValue,
            format!("{}/region", mapping.pointer),
            message,
            help,
        );
        return None;
    }
    #[expect(clippy::disallowed_methods, reason = "a region is no secret")]
    let known = ["AWS_REGION", "AWS_DEFAULT_REGION"].iter().find_map(|name| env::var(name).ok());
    if known.is_none() {
        let message = "expected the key `region`, got none";
        let help = "add `region: eu-west-1`, or set the variable `AWS_REGION`";
        reader.complain(ConfigCode::MissingKey, mapping.pointer, message, help);
    }
    known
}

/// Named keys, either all of them or none.
pub(crate) fn keys(
    reader: &mut Reader,
    mapping: Mapping<'_>,
    region: &str,
    secret: ReadSecret,
) -> Option<KeySource> {
    let names = ["access_key_id", "secret_access_key", "session_token"];
    if !names.iter().any(|name| mapping.object.contains(name)) {
        return Some(KeySource::Environment { region: region.to_owned() });
    }
    let access_key_id = secret(reader, mapping, "access_key_id");
    let secret_access_key = secret(reader, mapping, "secret_access_key");
    let session_token = if mapping.object.contains("session_token") {
        Some(secret(reader, mapping, "session_token")?)
    } else {
        None
    };
    Some(KeySource::Named(Box::new(NamedKeys {
        access_key_id: access_key_id?,
        secret_access_key: secret_access_key?,
        session_token,
    })))
}
