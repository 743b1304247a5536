//! Reads the words of Dialogflow and of Customer Engagement Suite about credentials and connections, as the settings
//! of a toolset. Pure: an export's JSON in, settings and remarks out. What has no equivalent is remarked and nothing is
//! guessed; an authentication that cannot be taken over leaves the toolset without a credential, and says so.

mod authentication;
mod ces;
mod confirmation;
mod connection;
mod cx;
mod fitting;
mod function;
mod ignored;
mod message;

use std::fmt;

use callgate_tool::{Object, Value};

pub use ces::import_ces;
pub(crate) use ces::{filled, import_ces_into, is_ces, is_path};
pub(crate) use cx::import_cx_into;
pub use cx::{import_cx, import_cx_agent};
pub(crate) use fitting::{certificates, server};
pub(crate) use ignored::ignored;

/// The result of an export.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct Imported {
    /// The settings of a toolset, as a configuration has them. They may hold secrets: an export may have them as they
    /// are.
    pub settings: Object,
    /// The description: its text, or in an export of Customer Engagement Suite the file it is in.
    pub schema: Option<String>,
    /// The stand-in for `$env_var` in the server of the description.
    pub url: Option<String>,
    /// True if calls carry a credential that could not be taken over.
    pub lacks_credential: bool,
    /// The facts worth knowing, in the order of the export.
    pub remarks: Vec<Remark>,
    /// The beginning of the environment variables that secrets are read from; none where those of the export are taken.
    variables: Option<String>,
}

/// Something about an export that its settings do not show.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Remark {
    /// The kind of thing.
    pub kind: RemarkKind,
    /// The member it is about: a JSON pointer.
    pub pointer: String,
    /// The kind, without a full stop and without any secret.
    pub message: String,
}

/// The kind of thing a [`Remark`] says.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum RemarkKind {
    /// Another account asks for tokens than the one that did.
    Account,
    /// A member that means nothing here; calls are not changed by it.
    Ignored,
    /// A value that the format does not allow.
    Invalid,
    /// The export does not hold a secret that it is about.
    MissingSecret,
    /// Something that callgate cannot do.
    NoEquivalent,
}

impl RemarkKind {
    /// Every kind, in alphabetical order.
    pub const ALL: [Self; 5] =
        [Self::Account, Self::Ignored, Self::Invalid, Self::MissingSecret, Self::NoEquivalent];

    /// The stable word for it: `missing-secret`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Account => "import-account",
            Self::Ignored => "import-ignored",
            Self::Invalid => "import-invalid",
            Self::MissingSecret => "import-missing-secret",
            Self::NoEquivalent => "import-no-equivalent",
        }
    }
}

impl Imported {
    /// One whose settings are written to a file: its secrets are read from environment variables that begin like this.
    pub(crate) fn with_variables(beginning: &str) -> Self {
        Self { variables: Some(beginning.to_ascii_uppercase()), ..Self::default() }
    }

    pub(crate) fn remark(
        &mut self,
        kind: RemarkKind,
        pointer: impl Into<String>,
        message: impl Into<String>,
    ) {
        self.remarks.push(Remark { kind, pointer: pointer.into(), message: message.into() });
    }

    /// Takes over what another part of the same export says.
    pub(crate) fn and(&mut self, other: Self) {
        for (key, value) in other.settings {
            match (self.settings.get_mut(&key), value) {
                (Some(Value::Object(known)), Value::Object(more)) => known.extend(more),
                (_, value) => drop(self.settings.insert(key, value)),
            }
        }
        self.lacks_credential |= other.lacks_credential;
        self.remarks.extend(other.remarks);
    }
}

/// Shows no setting: one may be a secret.
impl fmt::Debug for Imported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Imported")
            .field("settings", &self.settings.keys().collect::<Vec<_>>())
            .field("schema", &self.schema.as_ref().map(String::len))
            .field("url", &self.url)
            .field("lacks_credential", &self.lacks_credential)
            .field("remarks", &self.remarks)
            .field("variables", &self.variables)
            .finish()
    }
}
