//! Reads Dialogflow's and Customer Engagement Suite's settings for credentials and connections as the settings of a
//! toolset. Pure: an export's JSON in, settings and remarks out. A setting without an equivalent causes a remark, and
//! nothing is guessed; if an authentication cannot be imported, the toolset has no credential, and a remark says so.

mod authentication;
mod ces;
mod code_interpreter;
mod confirmation;
mod connection;
mod connector;
mod cx;
mod data_store;
mod export_check;
mod extra_members;
mod function;
mod message;
mod open_api;
mod text;

use std::fmt;

use callgate_tool::{Object, Value, codes};

use self::text::ExportText;

pub use ces::import_ces;
pub(crate) use ces::{
    export_with_environment, import_ces_tool_into, is_ces_export, is_schema_file_name,
};
pub(crate) use code_interpreter::{import_code_interpreter, is_code_interpreter};
pub(crate) use cx::import_cx_agent_into;
pub(crate) use cx::import_cx_into;
pub use cx::{import_cx, import_cx_agent};
pub(crate) use export_check::{
    fill_server_from_environment, remark_untrusted_endpoint, remove_tls_naming_files,
};
pub(crate) use extra_members::ignored_finding;

/// The result of importing an export.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct Imported {
    /// The settings of a toolset, as in a configuration. They may contain secrets, because an export may contain them
    /// in plain text.
    pub settings: Object,
    /// The description: its text, or in an export of Customer Engagement Suite the name of its file.
    pub schema: Option<String>,
    /// The value that replaces `$env_var` in the server of the description.
    pub url: Option<String>,
    /// True if calls need a credential that could not be imported.
    pub lacks_credential: bool,
    /// Noteworthy facts, in the order of the export.
    pub remarks: Vec<Remark>,
    /// The file beside the configuration that an operator writes the secret into; `None` if the export's own secrets are used.
    secret_file: Option<String>,
}

/// A fact about an export that its settings do not show.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Remark {
    /// The kind of the remark.
    pub kind: RemarkKind,
    /// The JSON pointer of the member that the remark is about.
    pub pointer: String,
    /// The message, without a full stop and without any secret.
    pub message: String,
}

codes! {
    /// The kind of a [`Remark`].
    pub enum RemarkKind {
        /// The account that requests tokens differs from that of the exporting product.
        Account = "import-account":
            "Grant the account of this machine the roles that the service agent of the product has, or write another `auth` into the toolset.";
        /// A member that has no meaning here; it does not change calls.
        Ignored = "import-ignored":
            "No step is needed.";
        /// A value that the format does not allow.
        Invalid = "import-invalid":
            "The tool is left out. Correct the export, or write the setting into the toolset.";
        /// The export refers to a secret that it does not contain.
        MissingSecret = "import-missing-secret":
            "Write where the secret is into the toolset: `env:NAME`, `file:PATH`, `gcp:projects/…`.";
        /// A feature that callgate does not support.
        NoEquivalent = "import-no-equivalent":
            "Calls behave differently without it. If that matters, write what it should be into the configuration.";
    }
}

/// The keys of settings whose toolsets need no description.
pub(crate) const OWN_TOOLS: [&str; 3] = ["code_interpreter", "connection", "vertex"];

impl Imported {
    /// Settings that will be written to a file. The secret of the tool with this number is read from a file of the new folder, which
    /// nobody but the operator writes. The name of a variable is never taken from an export: it could be that of another secret.
    pub(crate) fn for_new_tool_file(number: usize) -> Self {
        Self { secret_file: Some(format!("secret-{number}")), ..Self::default() }
    }

    /// Settings of an agent that will be written to a file. The key of its certificate is read from a file of the new folder.
    pub(crate) fn for_new_agent_file() -> Self {
        Self { secret_file: Some("client-key".to_owned()), ..Self::default() }
    }

    /// The reference to the version in Secret Manager that a member names. Settings that will be written to a file get a file in its
    /// place: nobody could tell there that an export chose the version, and the server that it goes to.
    fn secret_version_or_file(
        &mut self,
        name: ExportText<'_>,
        pointer: String,
        part: &str,
    ) -> Option<Value> {
        let reference = name.secret_version()?;
        let Some(file) = &self.secret_file else { return Some(reference) };
        let file = format!("{file}{part}");
        let message = format!(
            "a version in Secret Manager goes only to a server that you write: write `server:`, or see that it is yours, and write `gcp:{}` in the place of `file:{file}` with `secrets: {{gcp: {{account: default}}}}`",
            name.plain_text()
        );
        self.add_remark(RemarkKind::MissingSecret, pointer, message);
        Some(Value::from(format!("file:{file}")))
    }

    pub(crate) fn add_remark(
        &mut self,
        kind: RemarkKind,
        pointer: impl Into<String>,
        message: impl Into<String>,
    ) {
        self.remarks.push(Remark { kind, pointer: pointer.into(), message: message.into() });
    }

    /// Adds the result of another part of the export.
    pub(crate) fn merge_import(&mut self, other: Self) {
        for (key, value) in other.settings {
            match (self.settings.get_mut(&key), value) {
                (Some(Value::Object(members)), Value::Object(more)) => members.extend(more),
                (_, value) => drop(self.settings.insert(key, value)),
            }
        }
        self.lacks_credential |= other.lacks_credential;
        self.remarks.extend(other.remarks);
    }
}

/// Shows no setting, because one may be a secret.
impl fmt::Debug for Imported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Imported")
            .field("settings", &self.settings.keys().collect::<Vec<_>>())
            .field("schema", &self.schema.as_ref().map(String::len))
            .field("url", &self.url)
            .field("lacks_credential", &self.lacks_credential)
            .field("remarks", &self.remarks)
            .field("secret_file", &self.secret_file)
            .finish()
    }
}
