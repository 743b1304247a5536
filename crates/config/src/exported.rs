//! Reads an exported tool from the disk, joins its files, and applies its settings below those of the toolset that
//! names it, which win. `import` interprets the export's messages.

mod endpoint;
mod files;

use std::path::Path;

use callgate_tool::{Object, Value};
use callgate_tree::{Limits, Node};

use crate::{
    code::ConfigCode,
    description::Description,
    exported::files::{Export, Schema},
    finding::{Finding, Severity},
    import::{self, Remark, RemarkKind},
    reader::{Reader, escaped},
};

pub(crate) use endpoint::distrust;

/// A toolset that names an export, with the settings of both.
#[derive(Debug)]
pub(crate) struct Joined {
    /// The mapping of the toolset.
    pub(crate) node: Node,
    /// The description: a file of its own, or a text in the export's.
    pub(crate) description: Description,
    /// True if calls need a credential that neither contains.
    pub(crate) lacks_credential: bool,
}

/// The toolset with the settings of the export it names, relative to `directory`. `None` if it names none, or a fault
/// was reported.
pub(crate) fn joined(
    reader: &mut Reader,
    node: &Node,
    pointer: &str,
    directory: &Path,
) -> Option<Joined> {
    let key = named(node)?;
    let pointer = format!("{pointer}/{key}");
    if node.get("openapi").is_some() {
        let message = format!("expected `{key}` or `openapi`, got both");
        reader.complain(
            ConfigCode::WrongValue,
            &pointer,
            message,
            "an export brings its own description",
        );
        return None;
    }
    let path = node.get(key).and_then(Node::as_str).filter(|path| !path.is_empty());
    let Some(path) = path else {
        let expected = "the path of an exported tool";
        reader.expected(&pointer, expected, node.get(key)?, "name a directory or a JSON file");
        return None;
    };
    let export = match files::read(&directory.join(path)) {
        Ok(export) => export,
        Err(message) => {
            let help = "name the directory of one exported tool, or its JSON file";
            reader.files.insert(directory.join(path));
            reader.complain(ConfigCode::ExportedTool, &pointer, message, help);
            return None;
        }
    };
    let Export { file, schema, mut imported, files } = export;
    reader.files.extend(files);
    if let Some(Schema::File { file, .. }) = &schema {
        reader.files.insert(file.clone());
    }
    if schema.is_none() && imported.settings.contains_key("functions") {
        told(reader, node, &file, &imported.remarks);
        let node = merged(node, imported.settings)?;
        return Some(Joined { node, description: Description::none(), lacks_credential: false });
    }
    let Some(schema) = schema else {
        told(reader, node, &file, &imported.remarks);
        let message = "expected an OpenAPI tool with its schema, got none";
        reader.complain(
            ConfigCode::ExportedTool,
            &pointer,
            message,
            "tools of other kinds cannot be called",
        );
        return None;
    };
    import::server(schema.text(), &mut imported);
    import::certificates(&mut imported);
    told(reader, node, &file, &imported.remarks);
    let lacks_credential = imported.lacks_credential && node.get("auth").is_none();
    let node = merged(node, imported.settings)?;
    let description = match schema {
        Schema::File { file, text } => Description::held(file, text.into_bytes()),
        Schema::Text(text) => Description::held(file, text.into_bytes()),
    };
    Some(Joined { node, description, lacks_credential })
}

/// The key that names an export.
pub(crate) fn named(node: &Node) -> Option<&'static str> {
    ["ces_toolset", "dialogflow_tool"].into_iter().find(|key| node.get(key).is_some())
}

/// The toolset's own settings over those of the export; the keys of `limits` are merged one by one.
fn merged(node: &Node, mut settings: Object) -> Option<Node> {
    let Value::Object(own) = node.to_value() else { return None };
    for (key, value) in own {
        match (settings.get_mut(&key), value) {
            (Some(Value::Object(known)), Value::Object(more)) if key == "limits" => {
                known.extend(more);
            }
            (_, value) => drop(settings.insert(key, value)),
        }
    }
    let text = Value::Object(settings).to_string();
    callgate_tree::read(text.as_bytes(), &Limits::default()).ok().map(|parsed| parsed.value)
}

/// Reports the remarks; those about ignored members become one. None has a position: the line may contain a secret.
fn told(reader: &mut Reader, own: &Node, file: &Path, remarks: &[Remark]) {
    let is_ignored = |remark: &&Remark| remark.kind == RemarkKind::Ignored;
    let ignored = remarks.iter().filter(is_ignored);
    let ignored: Vec<_> = ignored.map(|one| (file.to_owned(), one.pointer.clone())).collect();
    reader.elsewhere.extend(import::ignored(&ignored));
    let has_own_auth = own.get("auth").is_some();
    for remark in remarks {
        let severity = match remark.kind {
            RemarkKind::Ignored => continue,
            // The export's own credential is not used.
            RemarkKind::Account | RemarkKind::MissingSecret if has_own_auth => continue,
            RemarkKind::Invalid if !is_overridden(own, &remark.pointer) => Severity::Error,
            _ => Severity::Warning,
        };
        let help = match remark.kind {
            RemarkKind::Account => {
                "no other step is needed; another account is named by `auth:` of the toolset"
            }
            RemarkKind::Invalid => "correct the export, or write the setting into the toolset",
            RemarkKind::MissingSecret => {
                "write `auth:` into the toolset, with the secret as `env:NAME` or `gcp:projects/…`"
            }
            _ => "write what it should be into the toolset, if it matters",
        };
        reader.elsewhere.push(Finding {
            file: file.to_owned(),
            code: remark.kind.as_str(),
            severity,
            pointer: remark.pointer.clone(),
            position: None,
            message: format!("`{}`: {}", shown(&remark.pointer), remark.message),
            help: help.to_owned(),
            remedy: None,
            option: None,
        });
    }
}

fn shown(pointer: &str) -> &str {
    if pointer.is_empty() { "/" } else { pointer }
}

/// Returns true if the toolset itself sets the value that the export has at this place.
fn is_overridden(own: &Node, pointer: &str) -> bool {
    let folded = pointer.to_ascii_lowercase().replace('_', "");
    let says = |key: &str, part: &str| own.get(key).is_some() && folded.contains(&escaped(part));
    says("auth", "authentication")
        || says("tls", "tlsconfig")
        || says("tls", "clientcertificatesettings")
        || says("server", "servers")
        || says("service_directory", "servicedirectoryconfig")
}
