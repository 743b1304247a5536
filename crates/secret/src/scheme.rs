//! The schemes of references to secrets: one table, from which the reader of references, the sidecar and the metrics have their lists.

/// A scheme of references to secrets: the word before the colon.
///
/// ```
/// use callgate_secret::{SCHEMES, SecretScheme};
///
/// let remote = SCHEMES.iter().filter(|scheme| scheme.is_remote).map(|scheme| scheme.name);
/// assert_eq!(remote.collect::<Vec<_>>(), ["gcp", "vault", "aws", "keyring"]);
/// assert!(SecretScheme::with_name("env").is_some_and(|scheme| !scheme.is_remote));
/// assert!(SecretScheme::is_beginning_of("vault:pets#key"));
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct SecretScheme {
    /// The word before the colon.
    pub name: &'static str,
    /// The form of a reference.
    pub form: &'static str,
    /// True if a store that a configuration connects holds the secret; false if it is on this machine.
    pub is_remote: bool,
}

impl SecretScheme {
    /// The scheme of this name.
    pub fn with_name(name: &str) -> Option<&'static Self> {
        SCHEMES.iter().find(|scheme| scheme.name == name)
    }

    /// True if secrets of this scheme are on this machine.
    pub fn is_local(name: &str) -> bool {
        Self::with_name(name).is_some_and(|scheme| !scheme.is_remote)
    }

    /// True if secrets of this scheme are in a store that a configuration connects.
    pub fn is_connected(name: &str) -> bool {
        Self::with_name(name).is_some_and(|scheme| scheme.is_remote)
    }

    /// The forms of references of some schemes, as a part of a sentence: "`env:NAME`, `file:path` or `directory:name`".
    pub fn forms(is_meant: fn(&Self) -> bool) -> String {
        let forms = SCHEMES.iter().filter(|scheme| is_meant(scheme));
        let forms: Vec<_> = forms.map(|scheme| format!("`{}`", scheme.form)).collect();
        match &*forms {
            [forms @ .., last] if !forms.is_empty() => format!("{} or {last}", forms.join(", ")),
            _ => forms.concat(),
        }
    }

    /// True if a text begins like a reference.
    pub fn is_beginning_of(text: &str) -> bool {
        let scheme = text.split_once(':').map(|(scheme, _)| scheme);
        text.starts_with(BARE_RESOURCE) || scheme.and_then(Self::with_name).is_some()
    }
}

/// The beginning of a resource of Secret Manager, which needs no scheme.
pub(crate) const BARE_RESOURCE: &str = "projects/";

/// All schemes of callgate's own stores.
pub const SCHEMES: [SecretScheme; 8] = [
    local("env", "env:NAME"),
    local("file", "file:path"),
    local("directory", "directory:name"),
    remote("gcp", "gcp:projects/…/secrets/…/versions/…"),
    remote("vault", "vault:mount/path#key"),
    remote("aws", "aws:name#key"),
    remote("keyring", "keyring:service/user"),
    local("literal", "literal:value"),
];

const fn local(name: &'static str, form: &'static str) -> SecretScheme {
    SecretScheme { name, form, is_remote: false }
}

const fn remote(name: &'static str, form: &'static str) -> SecretScheme {
    SecretScheme { name, form, is_remote: true }
}
