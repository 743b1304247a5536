//! `callgate import EXPORT --out DIR`: writes a whole export as a configuration, with the descriptions of its tools and a
//! fixture for each call in its examples. Parts that cannot be converted are reported; the import goes on.

mod fixture;

use std::path::Path;

use callgate_ces::{ImportedToolset, WholeExport};
use callgate_config::Kinds;
use callgate_tool::{Object, Value, json};

use crate::{
    args::ImportArguments,
    commands::test,
    exit::{Failure, Verdict},
    new_folder::NewFolder,
    open::rendered_findings,
    output, yaml,
};

/// Reads the export and writes the folder, completely or not at all.
pub(crate) fn run(arguments: &ImportArguments, kinds: &Kinds) -> Result<Verdict, Failure> {
    let ImportArguments { export: path, out } = arguments;
    let mut export = callgate_ces::import_export(path)?;
    output::print_message(&rendered_findings(&export.findings));
    if export.toolsets.is_empty() {
        return Err(no_tools_failure(path));
    }
    let n_toolsets = export.toolsets.len();
    let folder = NewFolder::create_beside(out)?;
    let n_cases = fixture::write_fixtures(&mut export, &folder, kinds)?;
    if export.toolsets.is_empty() {
        return Err(no_tools_failure(path));
    }
    folder.write("callgate.yaml", &configuration_text(&export))?;
    test::update_expected_files(folder.path(), kinds)?;
    fixture::print_silent_cases(&export, folder.path())?;
    folder.move_into_place()?;
    output::print_result(&import_summary(&export, n_cases, out));
    let is_faulty = |finding: &callgate::config::Finding| {
        finding.severity == callgate::openapi::Severity::Error
    };
    let is_left_out = export.toolsets.len() < n_toolsets;
    Ok(Verdict::findings_if(is_left_out || export.findings.iter().any(is_faulty)))
}

fn no_tools_failure(export: &Path) -> Failure {
    let message = format!("error: `{}` has no tool that can be taken over", export.display());
    Failure(format!("{message}\nhelp: the findings say why"))
}

/// The file name of a description. The reader decides by the text; the name is for people.
fn description_file_name(text: &str) -> &'static str {
    if text.trim_start().starts_with('{') { "spec.json" } else { "spec.yaml" }
}

fn configuration_text(export: &WholeExport) -> String {
    let settings = |toolset: &ImportedToolset| {
        let mut settings = Object::new();
        if let Some(text) = &toolset.description {
            let file = format!("{}/{}", toolset.name, description_file_name(text));
            settings.insert("openapi", Value::from(file));
        }
        settings.extend(toolset.settings.clone());
        (toolset.name.clone(), Value::Object(settings))
    };
    let toolsets: Object = export.toolsets.iter().map(settings).collect();
    let name: String = export.name.chars().filter(|character| !character.is_control()).collect();
    let configuration = json!({"toolsets": toolsets});
    let text = yaml::yaml_text(&configuration);
    format!("# The tools of `{name}`, made by `callgate import`.\n{text}")
}

fn import_summary(export: &WholeExport, n_cases: usize, out: &Path) -> String {
    let out = out.display();
    let n_toolsets = export.toolsets.len();
    format!(
        "{n_toolsets} toolsets and {n_cases} calls of examples are in `{out}`\n\
         callgate check {out}\ncallgate test {out}\n"
    )
}
