//! How a secret is named: `env:NAME`, `file:path` and so on. Parses the operator's text and fetches nothing; a text
//! that is no reference is never echoed.

use std::{fmt, path::PathBuf, str::FromStr};

use crate::{
    error::{self, Error},
    secret::{MASK, Secret},
};

/// The name of a secret. Made by parsing, so its parts are well-formed; literals are shown as `literal:****`.
///
/// ```
/// # use callgate_secret::{Error, SecretReference};
/// let reference: SecretReference = "env:PETS_KEY".parse()?;
/// assert_eq!(reference.scheme(), "env");
/// assert_eq!(reference.environment(), Some("PETS_KEY"));
/// assert_eq!("literal:abc".parse::<SecretReference>()?.to_string(), "literal:****");
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub enum SecretReference {
    /// `aws:name#key`: a key of a JSON secret of AWS Secrets Manager.
    #[non_exhaustive]
    Aws {
        /// The secret's name or ARN.
        name: String,
        /// The key within it.
        key: String,
    },
    /// `env:NAME`: an environment variable.
    #[non_exhaustive]
    Env {
        /// The variable's name, which a shell can expand.
        name: String,
    },
    /// `file:path`: the text of a file.
    #[non_exhaustive]
    File {
        /// The file, relative to the base directory of the store.
        path: PathBuf,
    },
    /// `gcp:projects/…/versions/…`, or the resource name alone: a version of a Secret Manager secret.
    #[non_exhaustive]
    Gcp {
        /// The resource name, from `projects/` on.
        resource: String,
    },
    /// `literal:value`: the value itself.
    #[non_exhaustive]
    Literal {
        /// The value.
        value: Secret,
    },
    /// `vault:path#key`: a key of a Vault secret.
    #[non_exhaustive]
    Vault {
        /// The secret's path.
        path: String,
        /// The key within it.
        key: String,
    },
}

impl SecretReference {
    /// A reference that holds its value.
    pub fn literal(value: Secret) -> Self {
        Self::Literal { value }
    }

    /// The word before the colon.
    pub fn scheme(&self) -> &'static str {
        match self {
            Self::Aws { .. } => "aws",
            Self::Env { .. } => "env",
            Self::File { .. } => "file",
            Self::Gcp { .. } => "gcp",
            Self::Literal { .. } => "literal",
            Self::Vault { .. } => "vault",
        }
    }

    /// The environment variable that holds the secret, where one does.
    pub fn environment(&self) -> Option<&str> {
        match self {
            Self::Env { name } => Some(name),
            _ => None,
        }
    }

    /// Whether the configuration itself holds the secret, which deserves a warning.
    pub fn is_literal(&self) -> bool {
        matches!(self, Self::Literal { .. })
    }
}

impl FromStr for SecretReference {
    type Err = Error;

    /// Reads a reference.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) for anything else, with the accepted forms and without the text.
    fn from_str(text: &str) -> Result<Self, Error> {
        if text.starts_with("projects/") {
            return gcp(text);
        }
        let Some((scheme, rest)) = text.split_once(':') else {
            return Err(error::not_a_reference());
        };
        match scheme {
            "aws" => keyed(rest)
                .map(|(name, key)| Self::Aws { name, key })
                .ok_or_else(|| error::malformed("aws", "`name#key`")),
            "env" => env(rest),
            "file" => file(rest),
            "gcp" => gcp(rest),
            "literal" => Ok(Self::literal(Secret::new(rest.to_owned()))),
            "vault" => keyed(rest)
                .map(|(path, key)| Self::Vault { path, key })
                .ok_or_else(|| error::malformed("vault", "`path#key`")),
            _ => Err(error::not_a_reference()),
        }
    }
}

impl fmt::Display for SecretReference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Aws { name, key } => write!(f, "aws:{name}#{key}"),
            Self::Env { name } => write!(f, "env:{name}"),
            Self::File { path } => write!(f, "file:{}", path.display()),
            Self::Gcp { resource } => write!(f, "gcp:{resource}"),
            Self::Literal { .. } => write!(f, "literal:{MASK}"),
            Self::Vault { path, key } => write!(f, "vault:{path}#{key}"),
        }
    }
}

impl fmt::Debug for SecretReference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecretReference({self})")
    }
}

fn env(name: &str) -> Result<SecretReference, Error> {
    // POSIX.1-2024 §8.1 names, because the dry run writes the variable into a shell command.
    let starts_well = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    if starts_well && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
        return Ok(SecretReference::Env { name: name.to_owned() });
    }
    Err(error::malformed("env", "a variable's name of letters, digits and `_`"))
}

fn file(path: &str) -> Result<SecretReference, Error> {
    if path.is_empty() || path.contains(char::is_control) {
        return Err(error::malformed("file", "the path of a file"));
    }
    Ok(SecretReference::File { path: PathBuf::from(path) })
}

fn gcp(resource: &str) -> Result<SecretReference, Error> {
    let parts: Vec<&str> = resource.split('/').collect();
    let is_global = matches!(*parts, ["projects", _, "secrets", _, "versions", _]);
    let is_regional =
        matches!(*parts, ["projects", _, "locations", _, "secrets", _, "versions", _]);
    if (is_global || is_regional) && parts.iter().all(|part| is_resource_word(part)) {
        return Ok(SecretReference::Gcp { resource: resource.to_owned() });
    }
    Err(error::malformed("gcp", "`projects/…/secrets/…/versions/…`"))
}

/// Project ids may be prefixed by a domain (`example.com:pets`); dots alone would climb in the URL of the store.
fn is_resource_word(word: &str) -> bool {
    let legal =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b':');
    word.bytes().all(legal) && word.bytes().any(|byte| byte != b'.')
}

fn keyed(rest: &str) -> Option<(String, String)> {
    let (name, key) = rest.rsplit_once('#')?;
    let is_word = |part: &str| {
        !part.is_empty() && !part.contains(|part: char| part.is_control() || part.is_whitespace())
    };
    (is_word(name) && is_word(key)).then(|| (name.to_owned(), key.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let reference: SecretReference = text.parse().unwrap();
        assert_eq!(reference.to_string(), expected);
        assert!(expected.starts_with(&format!("{}:", reference.scheme())));
    }

    #[test]
    fn a_reference_is_shown_as_it_was_written() {
        for text in [
            "env:PETS_KEY",
            "env:_x1",
            "file:/run/secrets/key",
            "file:../key with space.txt",
            "gcp:projects/p/secrets/s/versions/latest",
            "gcp:projects/example.com:p/locations/europe-west1/secrets/s/versions/7",
            "vault:secret/data/pets#key",
            "aws:arn:aws:secretsmanager:eu-west-1:123456789012:secret:pets-a1B2c3#key",
        ] {
            check(text, text);
        }
    }

    #[test]
    fn a_bare_resource_name_is_googles() {
        check("projects/p/secrets/s/versions/1", "gcp:projects/p/secrets/s/versions/1");
    }

    #[test]
    fn a_literal_is_never_shown() {
        check("literal:canary", "literal:****");
        let reference: SecretReference = "literal:canary:with:colons".parse().unwrap();
        let shown = format!("{reference} {reference:?} {reference:#?}");
        assert!(!shown.contains("canary"), "{shown}");
        let SecretReference::Literal { value } = reference else { panic!("{shown}") };
        assert_eq!(value.expose(), "canary:with:colons");
    }

    #[track_caller]
    fn check_refused(text: &str) {
        let error = text.parse::<SecretReference>().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid, "{text}");
        let shown = format!("{error} {error:?}");
        assert!(!shown.contains("canary"), "{shown}");
    }

    #[test]
    fn anything_else_is_refused_without_showing_it() {
        for text in [
            "",
            "canary",
            "canary:canary",
            "sk-live:canary",
            "ENV:canary",
            "$session.params.canary",
            "env:",
            "env:canary-1",
            "env:1canary",
            "env:canary\n",
            "file:",
            "file:canary\0",
            "gcp:canary",
            "gcp:projects/canary/secrets/s",
            "gcp:projects/canary/secrets/../versions/1",
            "gcp:projects/canary/secrets//versions/1",
            "projects/canary",
            "vault:canary",
            "vault:#canary",
            "vault:canary#",
            "aws:canary",
            "aws:canary #key",
        ] {
            check_refused(text);
        }
    }

    #[test]
    fn the_refusal_says_the_accepted_forms() {
        let shown = "canary".parse::<SecretReference>().unwrap_err().to_string();
        for form in ["env:", "file:", "gcp:", "vault:", "aws:", "literal:"] {
            assert!(shown.contains(form), "{shown}");
        }
    }
}
