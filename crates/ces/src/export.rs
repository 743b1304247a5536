//! Reads an exported tool from the disk and joins its files. `import` interprets the export's messages.

mod files;

use std::path::Path;

use callgate_config::{
    Description, Finding, Key, KindCode, Severity, SourceTools, SourceToolset, ToolSource,
};
use callgate_settings::{Section as _, keys};
use callgate_tool::{Object, Value};

use crate::{
    export::files::{Export, Schema},
    import::{self, Imported, Remark, RemarkKind},
    whole::ExportCode,
};

/// Exported tools as sources of toolsets: the keys `ces_toolset` and `dialogflow_tool`.
#[derive(Clone, Copy, Debug)]
pub struct Exports;

keys! {
    ExportKeys over (), in "a toolset" {
        /// A tool as Customer Engagement Suite exports it: its directory or its JSON file.
        ces_toolset => _: String;
        /// A tool as Dialogflow CX exports it: its directory or its JSON file.
        dialogflow_tool => _: String;
    }
}

impl ToolSource for Exports {
    fn keys(&self) -> &'static [Key] {
        ExportKeys::KEYS
    }

    fn codes(&self) -> Vec<(&'static str, &'static str)> {
        let of_exports = ExportCode::ALL.iter().map(|code| (code.as_str(), code.explanation()));
        let of_remarks = RemarkKind::ALL.iter().map(|kind| (kind.as_str(), kind.explanation()));
        of_exports.chain(of_remarks).collect()
    }

    fn read(&self, toolset: &mut SourceToolset<'_>) -> Option<SourceTools> {
        let path =
            toolset.text("the path of an exported tool", "name a directory or a JSON file")?;
        let path = toolset.resolve_readable_path(path, "put the export into that folder")?;
        let Export { file, schema, mut imported, files } = match files::read_export(&path) {
            Ok(export) => export,
            Err(message) => {
                let help = "name the directory of one exported tool, or its JSON file";
                toolset.watch(path);
                toolset.fault(KindCode::ExportedTool.as_str(), message, help);
                return None;
            }
        };
        for file in files {
            toolset.watch(file);
        }
        if let Some(Schema::File { file, .. }) = &schema {
            toolset.watch(file);
        }
        let has_own_tools = |key: &&str| imported.settings.contains_key(key);
        if schema.is_none() && import::OWN_TOOLS.iter().any(has_own_tools) {
            report_remarks(toolset, &file, &imported.remarks);
            let tools = SourceTools::new(Description::none());
            return Some(tools.with_settings(imported.settings));
        }
        if schema.is_none() && imported.settings.contains_key("functions") {
            report_remarks(toolset, &file, &imported.remarks);
            return Some(
                SourceTools::new(Description::none())
                    .with_settings(with_platform_defaults(imported)),
            );
        }
        let Some(schema) = schema else {
            report_remarks(toolset, &file, &imported.remarks);
            let message = "expected an OpenAPI tool with its schema, got none";
            let help = "tools of other kinds cannot be called";
            toolset.fault(KindCode::ExportedTool.as_str(), message, help);
            return None;
        };
        import::fill_server_from_environment(schema.text(), &mut imported);
        import::remove_tls_naming_files(&mut imported);
        report_remarks(toolset, &file, &imported.remarks);
        let description = match schema {
            Schema::File { file, text } => Description::text_in(file, text),
            Schema::Text(text) => Description::text_in(file, text),
        };
        let lacks_credential = imported.lacks_credential;
        let tools = SourceTools::new(description).with_settings(with_platform_defaults(imported));
        Some(if lacks_credential { tools.lacking_credential() } else { tools })
    }
}

/// The settings of an export. Its platform sends every default, and its agents call tools by whole names.
fn with_platform_defaults(imported: Imported) -> Object {
    let mut settings = imported.settings;
    settings.insert("defaults", Value::from("all"));
    settings.insert("tool_names", Value::from("as_written"));
    settings
}

/// Reports the remarks; those about ignored members become one. None has a position: the line may contain a secret.
fn report_remarks(toolset: &mut SourceToolset<'_>, file: &Path, remarks: &[Remark]) {
    let is_ignored = |remark: &&Remark| remark.kind == RemarkKind::Ignored;
    let ignored = remarks.iter().filter(is_ignored);
    let ignored: Vec<_> = ignored.map(|one| (file.to_owned(), one.pointer.clone())).collect();
    if let Some(finding) = import::ignored_finding(&ignored) {
        toolset.report_finding(finding);
    }
    let has_own_auth = toolset.has("auth");
    for remark in remarks {
        let severity = match remark.kind {
            RemarkKind::Ignored => continue,
            // The export's own credential is not used.
            RemarkKind::Account | RemarkKind::MissingSecret if has_own_auth => continue,
            RemarkKind::Invalid if !is_overridden(toolset, &remark.pointer) => Severity::Error,
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
        let message = format!("`{}`: {}", pointer_or_root(&remark.pointer), remark.message);
        let finding = Finding::new(file, severity, remark.kind.as_str(), message);
        toolset.report_finding(finding.at(&remark.pointer).with_help(help));
    }
}

fn pointer_or_root(pointer: &str) -> &str {
    if pointer.is_empty() { "/" } else { pointer }
}

/// Returns true if the toolset itself sets the value that the export has at this place.
fn is_overridden(toolset: &SourceToolset<'_>, pointer: &str) -> bool {
    let folded = pointer.to_ascii_lowercase().replace('_', "");
    let says = |key: &str, part: &str| toolset.has(key) && folded.contains(part);
    says("auth", "authentication")
        || says("tls", "tlsconfig")
        || says("tls", "clientcertificatesettings")
        || says("server", "servers")
        || says("service_directory", "servicedirectoryconfig")
}
