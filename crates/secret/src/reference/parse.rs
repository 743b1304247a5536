//! Parses the text of a reference, scheme by scheme. Parts that could climb out of a store (`..`, an absolute path) or
//! break a line are refused here, so that no store has to check; the text is never echoed.

use std::path::PathBuf;

use super::{AwsVersion, SecretReference};
use crate::{
    error::{self, Error},
    scheme::{BARE_RESOURCE, SecretScheme},
    secret::Secret,
};

pub(super) fn parse_reference(text: &str) -> Result<SecretReference, Error> {
    if text.starts_with(BARE_RESOURCE) {
        return parse_gcp(text);
    }
    let Some((scheme, rest)) = text.split_once(':') else {
        return Err(error::not_a_reference());
    };
    match scheme {
        "aws" => parse_aws(rest).ok_or_else(|| error::malformed_reference("aws", AWS)),
        "directory" => parse_directory(rest),
        "env" => parse_env(rest),
        "file" => parse_file(rest),
        "gcp" => parse_gcp(rest),
        "keyring" => parse_keyring(rest),
        "literal" => Ok(SecretReference::literal(Secret::new(rest.to_owned()))),
        "vault" => parse_vault(rest).ok_or_else(|| error::malformed_reference("vault", VAULT)),
        _ => Err(error::not_a_reference()),
    }
}

pub(super) fn parse_own(scheme: &str, name: &str) -> Result<SecretReference, Error> {
    let is_legal = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let is_word = scheme.starts_with(|first: char| first.is_ascii_lowercase());
    let is_scheme =
        is_word && scheme.bytes().all(is_legal) && SecretScheme::with_name(scheme).is_none();
    if !is_scheme || name.is_empty() || name.contains(char::is_control) {
        return Err(error::not_a_reference());
    }
    Ok(SecretReference::Own { scheme: scheme.to_owned(), name: name.to_owned() })
}

fn parse_aws(rest: &str) -> Option<SecretReference> {
    let (name, key) = match rest.split_once('#') {
        Some((name, key)) => (name, Some(plain_word(key)?)),
        None => (rest, None),
    };
    let (name, version) = match name.split_once('?') {
        Some((name, version)) => (name, Some(aws_version(version)?)),
        None => (name, None),
    };
    // The characters of names, and of ARNs: `CreateSecret` of the AWS Secrets Manager API Reference.
    let is_legal = |byte: u8| byte.is_ascii_alphanumeric() || b"/_+=.@-:".contains(&byte);
    let is_name = !name.is_empty() && name.bytes().all(is_legal);
    is_name.then(|| SecretReference::Aws { name: name.to_owned(), version, key })
}

fn aws_version(text: &str) -> Option<AwsVersion> {
    let (name, value) = text.split_once('=')?;
    let value = plain_word(value)?;
    match name {
        "version_id" => Some(AwsVersion::Id(value)),
        "version_stage" => Some(AwsVersion::Stage(value)),
        _ => None,
    }
}

fn parse_directory(name: &str) -> Result<SecretReference, Error> {
    if name.contains(char::is_control) || !is_downward(name) {
        return Err(error::malformed_reference(
            "directory",
            "the name of a file in the mounted directory",
        ));
    }
    Ok(SecretReference::Directory { name: name.to_owned() })
}

fn parse_env(name: &str) -> Result<SecretReference, Error> {
    // POSIX.1-2024 §8.1 names, because the dry run writes the variable into a shell command.
    let starts_well = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    if starts_well && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
        return Ok(SecretReference::Env { name: name.to_owned() });
    }
    Err(error::malformed_reference("env", "a variable's name of letters, digits and `_`"))
}

fn parse_file(path: &str) -> Result<SecretReference, Error> {
    if path.is_empty() || path.contains(char::is_control) {
        return Err(error::malformed_reference("file", "the path of a file"));
    }
    Ok(SecretReference::File { path: PathBuf::from(path) })
}

fn parse_gcp(resource: &str) -> Result<SecretReference, Error> {
    let parts: Vec<&str> = resource.split('/').collect();
    let is_global = matches!(*parts, ["projects", _, "secrets", _, "versions", _]);
    let is_regional =
        matches!(*parts, ["projects", _, "locations", _, "secrets", _, "versions", _]);
    if (is_global || is_regional) && parts.iter().all(|part| is_resource_id(part)) {
        return Ok(SecretReference::Gcp { resource: resource.to_owned() });
    }
    Err(error::malformed_reference("gcp", "`projects/…/secrets/…/versions/…`"))
}

/// Project ids may have a domain as a prefix (`example.com:pets`); a word of dots alone would climb in the URL of the
/// store.
fn is_resource_id(word: &str) -> bool {
    let legal =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b':');
    word.bytes().all(legal) && word.bytes().any(|byte| byte != b'.')
}

fn parse_keyring(rest: &str) -> Result<SecretReference, Error> {
    let parts = rest.rsplit_once('/').filter(|_| !rest.contains(char::is_control));
    match parts.filter(|(service, user)| !service.is_empty() && !user.is_empty()) {
        Some((service, user)) => {
            Ok(SecretReference::Keyring { service: service.to_owned(), user: user.to_owned() })
        }
        None => Err(error::malformed_reference("keyring", "`service/user`")),
    }
}

fn parse_vault(rest: &str) -> Option<SecretReference> {
    let (path, key) = rest.rsplit_once('#')?;
    let (path, version) = match path.split_once('?') {
        Some((path, version)) => (path, Some(version.strip_prefix("version=")?.parse().ok()?)),
        None => (path, None),
    };
    let (path, key) = (plain_word(path)?, plain_word(key)?);
    (path.contains('/') && is_downward(&path)).then_some(SecretReference::Vault {
        path,
        version,
        key,
    })
}

fn is_downward(path: &str) -> bool {
    path.split('/').all(|segment| !matches!(segment, "" | "." | ".."))
}

fn plain_word(text: &str) -> Option<String> {
    let is_word = !text.is_empty() && !text.contains(|c: char| c.is_control() || c.is_whitespace());
    is_word.then(|| text.to_owned())
}

const AWS: &str = "`name#key`, or `name` for all of a secret, with `?version_stage=AWSPREVIOUS` or \
    `?version_id=…` after the name for another version than the current one";
const VAULT: &str =
    "`mount/path#key`, with `?version=3` after the path for another version than the latest";
