//! Further kinds of sources of tools: a toolset names one by a key of its own in place of `openapi`, and the program registers
//! what reads it. The source gives settings, under those that the toolset itself has, and the description.

mod distrust;
mod endpoint;

use std::{
    fmt, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use callgate_settings::{Finding, Key, Reader, SettingCode, pointer_segment};
use callgate_tool::{Object, Value};
use callgate_tree::{Limits, Node};

use crate::description::Description;

pub(crate) use distrust::{Settings, strip_foreign_trust};
pub use endpoint::{UNTRUSTED_ENDPOINT, is_public_https};

/// A further kind of source of tools, which toolsets name by a key. A program registers it with
/// [`Kinds::with_source`](crate::Kinds::with_source).
///
/// ```
/// use callgate_config::{Description, Key, Kinds, Loader, SourceTools, SourceToolset, ToolSource};
/// use callgate_settings::{Section as _, keys};
/// use callgate_tool::{Object, json};
///
/// /// `petstore: HOST`: the pets of a host.
/// #[derive(Debug)]
/// struct Petstore;
///
/// keys! {
///     PetstoreKeys over (), in "a toolset" {
///         /// The host of the pets.
///         petstore => _: String;
///     }
/// }
///
/// impl ToolSource for Petstore {
///     fn keys(&self) -> &'static [Key] {
///         PetstoreKeys::KEYS
///     }
///
///     fn read(&self, toolset: &mut SourceToolset<'_>) -> Option<SourceTools> {
///         let host = toolset.text("the name of a host", "for example `pets.example.com`")?;
///         if host.contains('/') {
///             toolset.fault("petstore", "expected the name of a host alone", "leave the path out");
///             return None;
///         }
///         let settings = Object::from_iter([("server", json!(format!("https://{host}/v1")))]);
///         let description = "openapi: 3.1.0\ninfo: {title: Pets, version: '1'}\npaths: {}";
///         Some(SourceTools::new(Description::text(description)).with_settings(settings))
///     }
/// }
///
/// let loader = Loader::new().with_kinds(Kinds::new().with_source(Petstore));
/// let config = loader.text("toolsets: {pets: {petstore: pets.example.com}}", "")?;
/// let server = config.toolsets[0].server.as_ref().map(|server| server.as_str());
/// assert_eq!(server, Some("https://pets.example.com/v1"));
///
/// let error = loader.text("toolsets: {pets: {petstore: a/b}}", "").unwrap_err();
/// assert_eq!(error.findings()[0].pointer, "/toolsets/pets/petstore");
/// # Ok::<(), callgate_config::Error>(())
/// ```
pub trait ToolSource: fmt::Debug + Send + Sync {
    /// The keys of a toolset that name a source of this kind.
    fn keys(&self) -> &'static [Key];

    /// The codes of the findings that only sources of this kind have, each with its explanation.
    fn codes(&self) -> Vec<(&'static str, &'static str)> {
        Vec::new()
    }

    /// Reads what a key of a toolset names. Returns `None` after a reported fault.
    fn read(&self, toolset: &mut SourceToolset<'_>) -> Option<SourceTools>;
}

pub(crate) type ToolSources = Vec<Arc<dyn ToolSource>>;

/// A toolset that names a source, while the source is read: its settings, and the place for what is found.
///
/// ```
/// use callgate_config::{Description, SourceTools, SourceToolset};
///
/// fn read(toolset: &mut SourceToolset<'_>) -> Option<SourceTools> {
///     let name = toolset.text("the name of a description", "for example `pets`")?;
///     Some(SourceTools::new(Description::file(format!("/srv/{name}.yaml"))))
/// }
/// ```
pub struct SourceToolset<'a> {
    reader: &'a mut Reader,
    own: &'a Node,
    key: &'static str,
    pointer: String,
    directory: &'a Path,
}

/// The tools of a source.
///
/// ```
/// use callgate_config::{Description, SourceTools};
/// use callgate_tool::{Object, json};
///
/// // The settings are those of a toolset; the toolset's own win.
/// let settings = Object::from_iter([("server", json!("https://pets.example.com/v1"))]);
/// let tools = SourceTools::new(Description::file("pets.yaml")).with_settings(settings);
/// # drop(tools);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SourceTools {
    /// The description of the tools; [`Description::none`] if they are functions.
    pub description: Description,
    /// The settings of a toolset, as in a configuration. Those that the toolset itself has win.
    pub settings: Object,
    /// True if calls need a credential that the source does not have.
    pub lacks_credential: bool,
}

impl SourceTools {
    /// The tools of a description.
    pub fn new(description: Description) -> Self {
        Self { description, settings: Object::new(), lacks_credential: false }
    }

    /// Sets the settings of the toolset.
    #[must_use]
    pub fn with_settings(self, settings: Object) -> Self {
        Self { settings, ..self }
    }

    /// Records that calls need a credential that the source does not have: they are refused until the toolset has one.
    #[must_use]
    pub fn lacking_credential(self) -> Self {
        Self { lacks_credential: true, ..self }
    }
}

impl<'a> SourceToolset<'a> {
    /// The key that names the source.
    pub fn key(&self) -> &'static str {
        self.key
    }

    /// The value of the key as a text that is not empty; any other value is a fault.
    pub fn text(&mut self, expected: &str, help: &str) -> Option<&'a str> {
        let node = self.own.get(self.key)?;
        let text = node.as_str().filter(|text| !text.is_empty());
        if text.is_none() {
            self.reader.report_wrong_type(&self.pointer, expected, node, help);
        }
        text
    }

    /// True if the toolset itself has a key.
    pub fn has(&self, key: &str) -> bool {
        self.own.get(key).is_some()
    }

    /// A file or a folder at a path; a relative one starts at the base of the configuration. One that the load may not read is a fault.
    pub fn resolve_readable_path(&mut self, path: impl AsRef<Path>, help: &str) -> Option<PathBuf> {
        let path = self.directory.join(path);
        match self.reader.check_file_allowed(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                let message = format!("cannot read `{}`: {error}", path.display());
                self.fault(SettingCode::UnreadableFile.as_str(), message, help);
                None
            }
            // What is missing is reported by whoever reads it.
            _ => Some(path),
        }
    }

    /// Adds a file whose change must be followed by a reload.
    pub fn watch(&mut self, file: impl Into<PathBuf>) {
        self.reader.files.insert(file.into());
    }

    /// Reports a fault of the key, by a stable word for its kind.
    pub fn fault(
        &mut self,
        code: &'static str,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.reader.report_fault(SettingCode::WrongValue, &*self.pointer, message, help);
        if let Some(complaint) = self.reader.complaints.last_mut() {
            complaint.code = code;
        }
    }

    /// Reports a finding in a file of the source. An error stops the build.
    pub fn report_finding(&mut self, finding: Finding) {
        self.reader.elsewhere.push(finding);
    }
}

// Shows no setting, because one may be a secret.
callgate_secret::opaque!([] SourceToolset<'_> as "SourceToolset", { pointer });

/// A toolset that names a source, with the settings of both.
#[derive(Debug)]
pub(crate) struct SourcedToolset {
    /// The mapping of the toolset, without the key that names the source; `None` after a reported fault.
    pub(crate) node: Option<Node>,
    /// The tools; `None` after a reported fault.
    pub(crate) tools: Option<SourceTools>,
}

/// Reads the source that a toolset names; `None` if it names none of a registered kind.
pub(crate) fn read_toolset_source(
    reader: &mut Reader,
    sources: &ToolSources,
    own: &Node,
    pointer: &str,
    directory: &Path,
) -> Option<SourcedToolset> {
    let keys =
        sources.iter().flat_map(|source| source.keys().iter().map(move |key| (source, key.name)));
    let named: Vec<_> = keys.filter(|(_, key)| own.get(key).is_some()).collect();
    let (source, key) = *named.first()?;
    let pointer = format!("{pointer}/{}", pointer_segment(key));
    let others = named.iter().skip(1).map(|(_, key)| *key);
    let other = others.chain(own.get("openapi").map(|_| "openapi")).next();
    let tools = if let Some(other) = other {
        let message = format!("expected `{key}` or `{other}`, got both");
        let help = format!("`{key}` brings its own description");
        reader.report_fault(SettingCode::WrongValue, &pointer, message, help);
        None
    } else {
        let pointer = pointer.clone();
        source.read(&mut SourceToolset { reader, own, key, pointer, directory })
    };
    let settings = tools.as_ref().map(|tools| tools.settings.clone()).unwrap_or_default();
    let named: Vec<_> = named.into_iter().map(|(_, key)| key).collect();
    let node = merged_settings(own, &named, settings).map_err(|reason| {
        let message =
            format!("expected settings that can be read beside the toolset's, got: {reason}");
        let help = format!("correct what `{key}` names, or write its settings here");
        reader.report_fault(SettingCode::WrongValue, pointer, message, help);
    });
    Some(SourcedToolset { node: node.ok(), tools })
}

/// The toolset's own settings over those of its source; the keys of `limits` are merged one by one.
fn merged_settings(node: &Node, named: &[&str], mut settings: Object) -> Result<Node, String> {
    let own = node.as_object().into_iter().flat_map(callgate_tree::Object::iter);
    for (key, value) in own.filter(|(key, _)| !named.contains(&&***key)) {
        match (settings.get_mut(key), value.to_value()) {
            (Some(Value::Object(limits)), Value::Object(more)) if &**key == "limits" => {
                limits.extend(more);
            }
            (_, value) => drop(settings.insert(key.to_string(), value)),
        }
    }
    let text = Value::Object(settings).to_string();
    let read = callgate_tree::read(text.as_bytes(), &Limits::default());
    read.map(|parsed| parsed.value).map_err(|diagnostics| {
        diagnostics.into_iter().next().map(|diagnostic| diagnostic.message).unwrap_or_default()
    })
}
