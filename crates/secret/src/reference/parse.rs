//! Parses the text of a reference, scheme by scheme. Parts that could climb out of a store (`..`, an absolute path) or
//! break a line are refused here, so that no store has to check; the text is never echoed.

use std::path::PathBuf;

use super::SecretReference;
use crate::{
    error::{self, Error},
    scheme::{RemoteScheme, SecretScheme, is_path_inside},
    secret::Secret,
};

pub(super) fn parse_reference(text: &str) -> Result<SecretReference, Error> {
    let (scheme, rest) = SecretScheme::split_scheme(text).ok_or_else(error::not_a_reference)?;
    match (scheme.name, &scheme.remote) {
        (name, Some(RemoteScheme { expected, parse })) => match parse(rest) {
            Some(secret) => Ok(SecretReference::Remote { scheme: name, secret }),
            None => Err(error::malformed_reference(name, expected)),
        },
        ("directory", None) => parse_file_in_directory(rest),
        ("env", None) => parse_env(rest),
        ("file", None) => parse_file(rest),
        ("literal", None) => Ok(SecretReference::literal(Secret::new(rest.to_owned()))),
        _ => Err(error::not_a_reference()),
    }
}

pub(super) fn parse_custom_reference(scheme: &str, name: &str) -> Result<SecretReference, Error> {
    let is_legal = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let is_word = scheme.starts_with(|first: char| first.is_ascii_lowercase());
    let is_scheme =
        is_word && scheme.bytes().all(is_legal) && SecretScheme::find_by_name(scheme).is_none();
    if !is_scheme || name.is_empty() || name.contains(char::is_control) {
        return Err(error::not_a_reference());
    }
    Ok(SecretReference::Own { scheme: scheme.to_owned(), name: name.to_owned() })
}

fn parse_file_in_directory(name: &str) -> Result<SecretReference, Error> {
    if name.contains(char::is_control) || !is_path_inside(name) {
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
