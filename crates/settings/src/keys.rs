//! The keys of mappings, with the types of their values and their purposes. The reader accepts these keys and suggests
//! them for misspelt ones, `config/full.yaml` must show them, and `config/schema.json` lists them.

/// The keys of one kind of mapping.
#[derive(Clone, Copy, Debug)]
pub struct Table<'a> {
    /// The name of the mapping in messages.
    pub name: &'static str,
    /// The mapping's own keys.
    pub keys: &'a [Key],
    /// Keys that the mapping shares with others.
    pub shared: &'a [&'static [Key]],
    /// The number of the table's keys that may be in one mapping.
    pub takes: Takes,
}

/// One key.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// The name of the key.
    pub name: &'static str,
    /// The type of the key's value.
    pub kind: Kind,
    /// The purpose of the key.
    pub about: &'static str,
    /// True if the key is required.
    pub is_required: bool,
    /// The features of which the key needs one; empty if it works in every build.
    pub features: &'static [&'static str],
    /// True if one of the features is in this build.
    pub is_built_in: bool,
}

/// The type of a value.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
pub enum Kind {
    /// An http or https URL.
    Address,
    /// One of several types.
    AnyOf(&'static [Self]),
    /// `true` or `false`.
    Boolean,
    /// A number of bytes: `4096`, `64KiB`, `1MiB`.
    Bytes,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A whole number from 1 to this.
    Count(usize),
    /// A span of time: `500ms`, `30s`, `2m`, `24h`.
    Duration,
    /// A list of such values.
    List(&'static Self),
    /// A mapping from names that the operator chooses to such values.
    Map(&'static Self),
    /// A number.
    Number,
    /// A JSON Schema.
    Schema,
    /// A reference to a secret: `env:NAME`, `file:PATH`.
    Secret,
    /// A reference to a secret, a value of the session, or the caller's own token: `$caller.token`.
    SecretOrCaller,
    /// A reference to a secret, or a value of the session: `$session.credentials.NAME`.
    SecretOrSession,
    /// An http or https URL, or `env:NAME` for the variable that holds it.
    Setting,
    /// A mapping of known keys.
    Table(&'static Table<'static>),
    /// Any text.
    Text,
    /// Any JSON value.
    Value,
    /// A whole number from 0.
    Whole,
}

/// The number of keys of a table that may be in one mapping.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "any of them, or one of them")]
pub enum Takes {
    /// Any number of keys.
    Any,
    /// Exactly one key.
    One,
}

impl<'a> Table<'a> {
    /// The keys of the mapping, in the order of their names.
    pub fn keys(&self) -> Vec<&'a Key> {
        let shared = self.shared.iter().flat_map(|keys| keys.iter());
        let mut keys: Vec<_> = self.keys.iter().chain(shared).collect();
        keys.sort_by_key(|key| key.name);
        // Several kinds of toolsets may have the same limit.
        keys.dedup_by_key(|key| key.name);
        keys
    }

    /// Returns true if the table contains a key.
    pub fn has(&self, name: &str) -> bool {
        self.names().any(|key_name| key_name == name)
    }

    /// The features of which a key of the table needs one, if none is in this build: `mysql`, `postgres` or `sqlite`.
    pub fn absent_feature(&self, name: &str) -> Option<String> {
        let key = self.keys().into_iter().find(|key| key.name == name)?;
        if key.is_built_in { None } else { key.feature_alternatives() }
    }

    /// The names of the table's keys.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + Clone + use<'a> {
        self.keys().into_iter().map(|key| key.name)
    }
}

impl Key {
    /// A key of code that is not in this build: the finding about it names the features of which one is needed.
    pub const fn absent(name: &'static str, features: &'static [&'static str]) -> Self {
        Self {
            name,
            kind: Kind::Value,
            about: "",
            is_required: false,
            features,
            is_built_in: false,
        }
    }

    /// The features of which the key needs one, as words between backticks: `mysql`, `postgres` or `sqlite`.
    pub fn feature_alternatives(&self) -> Option<String> {
        let (last, others) = self.features.split_last()?;
        if others.is_empty() {
            return Some((*last).to_owned());
        }
        Some(format!("{}` or `{last}", others.join("`, `")))
    }
}
