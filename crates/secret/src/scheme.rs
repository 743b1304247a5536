//! The schemes of references to secrets: one table, from which the reader of references, the sidecar and the metrics have their
//! lists, and how a reference to each remote store is read. Parts that could climb out of a store or break a line are refused.

use std::fmt;

/// A scheme of references to secrets: the word before the colon.
///
/// ```
/// use callgate_secret::{SCHEMES, SecretScheme};
///
/// let remote = SCHEMES.iter().filter(|scheme| scheme.is_remote).map(|scheme| scheme.name);
/// assert_eq!(remote.collect::<Vec<_>>(), ["gcp", "vault", "aws", "keyring"]);
/// assert!(SecretScheme::find_by_name("env").is_some_and(|scheme| !scheme.is_remote));
/// assert!(SecretScheme::is_reference_start("vault:pets#key"));
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
    /// How a reference to a remote store is read.
    pub(crate) remote: Option<RemoteScheme>,
}

/// How the text after the colon is read.
#[derive(Debug)]
pub(crate) struct RemoteScheme {
    /// What the text has to be.
    pub(crate) expected: &'static str,
    pub(crate) parse: fn(&str) -> Option<RemoteSecret>,
}

/// A secret in a remote store.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct RemoteSecret {
    /// The path, the resource or the name of the secret.
    pub name: String,
    /// The version by the store's own name for it, such as `version` and `3`; the current one unless it is there.
    pub version: Option<(&'static str, String)>,
    /// The key within the secret; the whole secret unless it is there.
    pub key: Option<String>,
}

impl RemoteSecret {
    fn new(name: &str) -> Self {
        Self { name: name.to_owned(), version: None, key: None }
    }
}

impl fmt::Display for RemoteSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, version, key } = self;
        f.write_str(name)?;
        version.iter().try_for_each(|(name, value)| write!(f, "?{name}={value}"))?;
        key.iter().try_for_each(|key| write!(f, "#{key}"))
    }
}

impl SecretScheme {
    /// The scheme of this name.
    pub fn find_by_name(name: &str) -> Option<&'static Self> {
        SCHEMES.iter().find(|scheme| scheme.name == name)
    }

    /// True if secrets of this scheme are on this machine.
    pub fn is_local(name: &str) -> bool {
        Self::find_by_name(name).is_some_and(|scheme| !scheme.is_remote)
    }

    /// True if secrets of this scheme are in a store that a configuration connects.
    pub fn is_remote_scheme(name: &str) -> bool {
        Self::find_by_name(name).is_some_and(|scheme| scheme.is_remote)
    }

    /// The forms of references of some schemes, as a part of a sentence: "`env:NAME`, `file:path` or `directory:name`".
    pub fn forms_text(is_meant: impl Fn(&Self) -> bool) -> String {
        let forms = SCHEMES.iter().filter(|scheme| is_meant(scheme));
        let forms: Vec<_> = forms.map(|scheme| format!("`{}`", scheme.form)).collect();
        match &*forms {
            [forms @ .., last] if !forms.is_empty() => format!("{} or {last}", forms.join(", ")),
            _ => forms.concat(),
        }
    }

    /// True if a text begins like a reference.
    pub fn is_reference_start(text: &str) -> bool {
        Self::split_scheme(text).is_some()
    }

    /// The scheme of a text, and the text after it. A resource of Secret Manager needs no scheme.
    pub(crate) fn split_scheme(text: &str) -> Option<(&'static Self, &str)> {
        if text.starts_with("projects/") {
            return Some((Self::find_by_name("gcp")?, text));
        }
        let (name, rest) = text.split_once(':')?;
        Some((Self::find_by_name(name)?, rest))
    }
}

/// All schemes of callgate's own stores.
pub const SCHEMES: [SecretScheme; 8] = [
    local_scheme("env", "env:NAME"),
    local_scheme("file", "file:path"),
    local_scheme("directory", "directory:name"),
    remote_scheme("gcp", "gcp:projects/…/secrets/…/versions/…", GCP),
    remote_scheme("vault", "vault:mount/path#key", VAULT),
    remote_scheme("aws", "aws:name#key", AWS),
    remote_scheme("keyring", "keyring:service/user", KEYRING),
    local_scheme("literal", "literal:value"),
];

const fn local_scheme(name: &'static str, form: &'static str) -> SecretScheme {
    SecretScheme { name, form, is_remote: false, remote: None }
}

const fn remote_scheme(
    name: &'static str,
    form: &'static str,
    remote: RemoteScheme,
) -> SecretScheme {
    SecretScheme { name, form, is_remote: true, remote: Some(remote) }
}

const AWS: RemoteScheme = RemoteScheme {
    expected: "`name#key`, or `name` for all of a secret, with `?version_stage=AWSPREVIOUS` or \
        `?version_id=…` after the name for another version than the current one",
    parse: |text| {
        let (name, key) = match text.split_once('#') {
            Some((name, key)) => (name, Some(single_word(key)?)),
            None => (text, None),
        };
        let (name, version) = match name.split_once('?') {
            Some((name, version)) => {
                (name, Some(allowed_version(version, &["version_id", "version_stage"])?))
            }
            None => (name, None),
        };
        // The characters of names, and of ARNs: `CreateSecret` of the AWS Secrets Manager API Reference.
        let is_legal = |byte: u8| byte.is_ascii_alphanumeric() || b"/_+=.@-:".contains(&byte);
        let is_name = !name.is_empty() && name.bytes().all(is_legal);
        is_name.then(|| RemoteSecret { version, key, ..RemoteSecret::new(name) })
    },
};

const GCP: RemoteScheme = RemoteScheme {
    expected: "`projects/…/secrets/…/versions/…`",
    parse: |resource| {
        let parts: Vec<&str> = resource.split('/').collect();
        let is_global = matches!(*parts, ["projects", _, "secrets", _, "versions", _]);
        let is_regional =
            matches!(*parts, ["projects", _, "locations", _, "secrets", _, "versions", _]);
        let is_resource = is_global || is_regional;
        (is_resource && parts.iter().all(|part| is_resource_id(part)))
            .then(|| RemoteSecret::new(resource))
    },
};

const KEYRING: RemoteScheme = RemoteScheme {
    expected: "`service/user`",
    parse: |text| {
        let (service, user) = text.rsplit_once('/').filter(|_| !text.contains(char::is_control))?;
        (!service.is_empty() && !user.is_empty()).then(|| RemoteSecret::new(text))
    },
};

const VAULT: RemoteScheme = RemoteScheme {
    expected: "`mount/path#key`, with `?version=3` after the path for another version than the latest",
    parse: |text| {
        let (path, key) = text.rsplit_once('#')?;
        let (path, version) = match path.split_once('?') {
            Some((path, version)) => {
                let (name, number) = allowed_version(version, &["version"])?;
                (path, Some((name, number.parse::<u64>().ok()?.to_string())))
            }
            None => (path, None),
        };
        let (path, key) = (single_word(path)?, Some(single_word(key)?));
        let is_path = path.contains('/') && is_path_inside(&path);
        is_path.then(|| RemoteSecret { version, key, ..RemoteSecret::new(&path) })
    },
};

/// The version in `name=value`, if the name is one of those.
fn allowed_version(text: &str, names: &[&'static str]) -> Option<(&'static str, String)> {
    let (name, value) = text.split_once('=')?;
    let name = names.iter().find(|allowed| **allowed == name)?;
    Some((name, single_word(value)?))
}

/// Project ids may have a domain as a prefix (`example.com:pets`); a word of dots alone would climb in the URL of the
/// store.
fn is_resource_id(word: &str) -> bool {
    let legal =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b':');
    word.bytes().all(legal) && word.bytes().any(|byte| byte != b'.')
}

/// True for a relative path that stays below its beginning.
pub(crate) fn is_path_inside(path: &str) -> bool {
    path.split('/').all(|segment| !matches!(segment, "" | "." | ".."))
}

fn single_word(text: &str) -> Option<String> {
    let is_word = !text.is_empty() && !text.contains(|c: char| c.is_control() || c.is_whitespace());
    is_word.then(|| text.to_owned())
}
