//! Reads an exported tool as it lies on the disk, joins the files it is spread over, and puts its settings under those of
//! the toolset that names it, which win. What the export's messages mean is in `import`.

mod files;

use std::path::Path;

use callgate_tool::{Object, Value};
use callgate_transport::CaCertificates;
use callgate_tree::{Limits, Node};

use crate::{
    description::Description,
    exported::files::{Export, Schema},
    finding::{Finding, Severity},
    import::{Imported, Remark, RemarkKind},
    reader::{Reader, escaped},
};

/// A toolset that names an export, with the settings of both.
#[derive(Debug)]
pub(crate) struct Joined {
    /// The mapping of the toolset.
    pub(crate) node: Node,
    /// The description: a file of its own, or a text in the export's.
    pub(crate) description: Description,
    /// Whether calls carry a credential that neither has.
    pub(crate) lacks_credential: bool,
}

/// The toolset with the settings of the export it names, relative to `directory`. `None` where it names none, or a fault was written down.
pub(crate) fn joined(
    reader: &mut Reader,
    node: &Node,
    (pointer, directory): (&str, &Path),
) -> Option<Joined> {
    let key = named(node)?;
    let pointer = format!("{pointer}/{key}");
    if node.get("openapi").is_some() {
        let message = format!("expected `{key}` or `openapi`, got both");
        reader.complain("wrong-value", &pointer, message, "an export brings its own description");
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
            reader.complain("exported-tool", &pointer, message, help);
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
            "exported-tool",
            &pointer,
            message,
            "tools of other kinds cannot be called",
        );
        return None;
    };
    server(&schema, &mut imported);
    certificates(&mut imported);
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

/// A configuration may name a file where it needs a certificate; an export may not.
fn certificates(imported: &mut Imported) {
    let tls = imported.settings.get("tls");
    let ca = tls.and_then(|tls| tls.get("ca")).and_then(Value::as_array);
    let shown = tls.and_then(|tls| tls.get("client_certificate"));
    let is_certificate = |known: &Value| {
        known.as_str().is_some_and(|text| CaCertificates::read(text.as_bytes()).is_ok())
    };
    if !ca.into_iter().flatten().chain(shown).all(is_certificate) {
        imported.settings.remove("tls");
        let message = "expected certificates: PEM, or DER in base64";
        imported.remark(RemarkKind::Invalid, "/tlsConfig", message);
    }
}

/// `$env_var` in the server of the description stands for the address that the environment has.
fn server(schema: &Schema, imported: &mut Imported) {
    let text = match schema {
        Schema::File { text, .. } | Schema::Text(text) => text,
    };
    let Ok(parsed) = callgate_tree::read(text.as_bytes(), &Limits::default()) else { return };
    let servers = parsed.value.get("servers").and_then(Node::as_array).unwrap_or_default();
    let url = servers.first().and_then(|server| server.get("url")).and_then(Node::as_str);
    let Some(template) = url.filter(|url| url.contains(ENVIRONMENT)) else { return };
    let Some(path) = path_below(template) else {
        let message = format!(
            "expected `$env_var` for the whole address of the server, with at most a path behind it, got: `{template}`"
        );
        imported.remark(RemarkKind::Invalid, "/servers/0/url", message);
        return;
    };
    if let Some(url) = &imported.url {
        let server = format!("{}{path}", url.trim_end_matches('/'));
        imported.settings.insert("server".to_owned(), server.into());
    } else {
        let message = "the server is `$env_var`, and `environment.json` has no `url` for it";
        imported.remark(RemarkKind::NoEquivalent, "", message);
    }
}

/// The path behind `$env_var`. Where anything else stands beside it, the description chooses the host, and would be trusted
/// like the operator who named the address.
fn path_below(template: &str) -> Option<&str> {
    let path = template.strip_prefix(ENVIRONMENT)?;
    let is_path = path.is_empty() || path.starts_with('/');
    (is_path && !path.contains(ENVIRONMENT)).then_some(path)
}

/// The toolset's own settings over those of the export; of `limits` each by itself.
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

/// Tells the remarks. None has a position: the line may hold a secret.
fn told(reader: &mut Reader, own: &Node, file: &Path, remarks: &[Remark]) {
    for remark in remarks {
        let severity = match remark.kind {
            RemarkKind::Invalid if !is_overridden(own, &remark.pointer) => Severity::Error,
            _ => Severity::Warning,
        };
        let help = match remark.kind {
            RemarkKind::Account => "nothing else; or write `auth:` into the toolset",
            RemarkKind::Ignored => "nothing; calls are not changed by it",
            RemarkKind::Invalid => "correct the export, or write the setting into the toolset",
            RemarkKind::MissingSecret => {
                "write `auth:` into the toolset, with the secret as `env:NAME` or `gcp:projects/…`"
            }
            RemarkKind::NoEquivalent => "write what it should be into the toolset, if it matters",
        };
        reader.elsewhere.push(Finding {
            file: file.to_owned(),
            code: remark.kind.as_str(),
            severity,
            pointer: remark.pointer.clone(),
            position: None,
            message: format!("`{}`: {}", shown(&remark.pointer), remark.message),
            help: help.to_owned(),
        });
    }
}

fn shown(pointer: &str) -> &str {
    if pointer.is_empty() { "/" } else { pointer }
}

/// Whether the toolset itself says what the export says at this place.
fn is_overridden(own: &Node, pointer: &str) -> bool {
    let folded = pointer.to_ascii_lowercase().replace('_', "");
    let says = |key: &str, part: &str| own.get(key).is_some() && folded.contains(&escaped(part));
    says("auth", "authentication")
        || says("tls", "tlsconfig")
        || says("tls", "clientcertificatesettings")
        || says("server", "servers")
        || says("service_directory", "servicedirectoryconfig")
}

/// What stands in an export for a value of its environment.
const ENVIRONMENT: &str = "$env_var";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn env_var_stands_for_the_whole_beginning_of_a_server() {
        for (template, path) in [
            ("$env_var", Some("")),
            ("$env_var/", Some("/")),
            ("$env_var/v1/{tenant}", Some("/v1/{tenant}")),
            ("http://127.0.0.1:8080/$env_var", None),
            ("http://127.0.0.1:8080/?x=$env_var", None),
            (" $env_var", None),
            ("//evil.example/$env_var", None),
            ("$env_var.evil.example", None),
            ("$env_var@evil.example", None),
            ("$env_var:8080/", None),
            ("$env_var?x=1", None),
            ("$env_var#a", None),
            ("$env_var\\@evil.example", None),
            ("$env_var/$env_var", None),
        ] {
            assert_eq!(path_below(template), path, "{template}");
        }
    }
}
