//! The reference to a secret: `env:NAME`, `file:path` and so on. The module parses the operator's text and fetches nothing;
//! it never echoes a text that is not a reference.

use std::{fmt, path::PathBuf, str::FromStr};

use crate::{
    error::Error,
    scheme::RemoteSecret,
    secret::{MASK, Secret},
};

mod parse;

/// The name of a secret. Only parsing makes one, so its parts are well-formed; literals are shown as `literal:****`.
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
    /// `directory:name`: a file of the mounted directory.
    #[non_exhaustive]
    Directory {
        /// The file's path within the directory: never absolute, never upwards.
        name: String,
    },
    /// `env:NAME`: an environment variable.
    #[non_exhaustive]
    Env {
        /// The name of the variable, which a shell can expand.
        name: String,
    },
    /// `file:path`: the text of a file.
    #[non_exhaustive]
    File {
        /// The file, relative to the base directory of the store.
        path: PathBuf,
    },
    /// `literal:value`: the value itself.
    #[non_exhaustive]
    Literal {
        /// The value.
        value: Secret,
    },
    /// `scheme:name`: a secret of a store that the program provides ([`SecretReference::own`]).
    #[non_exhaustive]
    Own {
        /// The word before the colon.
        scheme: String,
        /// The name by which the store knows the secret.
        name: String,
    },
    /// `vault:mount/path#key`, `gcp:projects/…/versions/…` and so on: a secret of a store that a configuration connects.
    #[non_exhaustive]
    Remote {
        /// The scheme, by its name in [`SCHEMES`](crate::SCHEMES).
        scheme: &'static str,
        /// The secret in its store.
        #[doc(hidden)]
        secret: RemoteSecret,
    },
}

impl SecretReference {
    /// A reference that holds its value.
    pub fn literal(value: Secret) -> Self {
        Self::Literal { value }
    }

    /// A reference to a secret of a store that the program provides: `corp:pets-key`. Parsing a text never makes one, since
    /// any text with a colon may be a pasted secret. The caller must know that such a store exists, or find out before the
    /// name is shown.
    ///
    /// ```
    /// # use callgate_secret::{Error, SecretReference};
    /// let reference = SecretReference::own("corp", "pets-key")?;
    /// assert_eq!(reference.scheme(), "corp");
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) for a scheme that is not lower-case letters, digits and `-`, or
    /// that is one of callgate's own, and for an empty name or one with control characters.
    pub fn own(scheme: &str, name: &str) -> Result<Self, Error> {
        parse::parse_custom_reference(scheme, name)
    }

    /// The word before the colon.
    pub fn scheme(&self) -> &str {
        match self {
            Self::Directory { .. } => "directory",
            Self::Env { .. } => "env",
            Self::File { .. } => "file",
            Self::Literal { .. } => "literal",
            Self::Own { scheme, .. } => scheme,
            Self::Remote { scheme, .. } => scheme,
        }
    }

    /// The environment variable that holds the secret, for references of `env:`.
    pub fn environment(&self) -> Option<&str> {
        if let Self::Env { name } = self { Some(name) } else { None }
    }

    /// Returns true if the configuration itself holds the secret, which deserves a warning.
    pub fn is_literal(&self) -> bool {
        matches!(self, Self::Literal { .. })
    }
}

impl FromStr for SecretReference {
    type Err = Error;

    /// Reads a reference.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) if the text is not a reference. The message lists the accepted
    /// forms and omits the text.
    fn from_str(text: &str) -> Result<Self, Error> {
        parse::parse_reference(text)
    }
}

impl fmt::Display for SecretReference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Directory { name } => write!(f, "directory:{name}"),
            Self::Env { name } => write!(f, "env:{name}"),
            Self::File { path } => write!(f, "file:{}", path.display()),
            Self::Literal { .. } => write!(f, "literal:{MASK}"),
            Self::Own { scheme, name } => write!(f, "{scheme}:{name}"),
            Self::Remote { scheme, secret } => write!(f, "{scheme}:{secret}"),
        }
    }
}

/// Compares literals by their values, in constant time.
impl PartialEq for SecretReference {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Literal { value }, Self::Literal { value: other }) => value.is_same_value(other),
            (Self::Literal { .. }, _) | (_, Self::Literal { .. }) => false,
            // The text of any other reference is the whole reference.
            _ => self.to_string() == other.to_string(),
        }
    }
}

impl Eq for SecretReference {}

impl fmt::Debug for SecretReference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // Until a store is found for the reference, it may be a pasted secret.
            Self::Own { .. } => write!(f, "SecretReference({MASK})"),
            _ => write!(f, "SecretReference({self})"),
        }
    }
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
    fn a_reference_is_printed_as_it_was_written() {
        let texts = "env:PETS_KEY env:_x1 file:/run/secrets/key
            gcp:projects/p/secrets/s/versions/latest
            gcp:projects/example.com:p/locations/europe-west1/secrets/s/versions/7
            vault:secret/data/pets#key vault:secret/team/pets?version=3#key aws:pets/prod
            aws:pets/prod#key aws:pets?version_stage=AWSPREVIOUS#key
            aws:pets?version_id=a1b2c3d4-5678-90ab-cdef-EXAMPLE11111 directory:pets-key
            directory:pets/key keyring:callgate/pets keyring:https://pets.example.com/reader
            aws:arn:aws:secretsmanager:eu-west-1:123456789012:secret:pets-a1B2c3#key";
        for text in texts.split_whitespace().chain(["file:../key with space.txt"]) {
            check(text, text);
        }
    }

    #[test]
    fn a_bare_resource_name_is_a_reference_to_secret_manager() {
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
    fn other_texts_than_references_are_refused_without_showing_them() {
        let texts = "canary canary:canary sk-live:canary ENV:canary $session.params.canary env:
            env:canary-1 env:1canary file: gcp:canary gcp:projects/canary/secrets/s
            gcp:projects/canary/secrets/../versions/1 gcp:projects/canary/secrets//versions/1
            projects/canary vault:canary vault:#canary vault:canary# vault:canary#key
            vault:canary/../sys#key vault:canary//pets#key vault:/canary/pets#key
            vault:secret/canary?version=x#key vault:secret/canary?version=3 aws: aws:#canary
            aws:canary# aws:canary?version=3 aws:canary?version_stage=#key directory:
            directory:/canary directory:../canary directory:canary/./key keyring:canary
            keyring:canary/ keyring:/canary";
        let others = ["", "env:canary\n", "file:canary\0", "aws:canary #key", "directory:canary\0"];
        for text in texts.split_whitespace().chain(others) {
            check_refused(text);
        }
    }

    #[test]
    fn a_reference_to_a_store_of_the_program_is_built_but_never_parsed() {
        let reference = SecretReference::own("corp-2", "pets key#1").unwrap();
        assert_eq!(reference.to_string(), "corp-2:pets key#1");
        assert_eq!(format!("{reference:?}"), "SecretReference(****)");
        for (scheme, name) in [
            ("env", "A"),
            ("Corp", "a"),
            ("", "a"),
            ("1a", "a"),
            ("a_b", "a"),
            ("corp", ""),
            ("corp", "a\n"),
        ] {
            let error = SecretReference::own(scheme, name).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Invalid, "{scheme}:{name}");
        }
    }

    #[test]
    fn references_are_equal_if_their_texts_and_literals_are() {
        let parse = |text: &str| text.parse::<SecretReference>().unwrap();
        let rows = [
            ("env:A", "env:A", true),
            ("env:A", "env:B", false),
            ("file:a", "env:a", false),
            ("literal:a", "literal:a", true),
            ("literal:a", "literal:b", false),
            ("literal:****", "env:A", false),
        ];
        for (left, right, expected) in rows {
            assert_eq!(parse(left) == parse(right), expected, "{left} {right}");
        }
    }

    #[test]
    fn the_refusal_says_the_accepted_forms() {
        let shown = "canary".parse::<SecretReference>().unwrap_err().to_string();
        for form in
            ["env:", "file:", "directory:", "gcp:", "vault:", "aws:", "keyring:", "literal:"]
        {
            assert!(shown.contains(form), "{shown}");
        }
    }
}
