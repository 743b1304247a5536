//! Turns the calls of an export's examples into cases: the call in callgate's form, the session, and the example's answer
//! as the response of the service. `callgate test --update` writes requests and results from the description.

use std::{collections::BTreeSet, path::Path};

use callgate::{
    Executor, ToolCall,
    config::Environment,
    dialect::{Dialect, Form},
};
use callgate_ces::{ExportKind, ImportedExample, ImportedToolset, WholeExport};
use callgate_config::Kinds;
use callgate_tool::{Object, Value, json};

use crate::{
    commands::{call::message, import::description_file_name},
    effects,
    exit::Failure,
    new_folder::NewFolder,
    open::confined_loader,
    output, yaml,
};

/// Writes the fixtures of all toolsets. Returns their number of cases. A toolset that cannot be built is left out.
pub(super) fn write_fixtures(
    export: &mut WholeExport,
    folder: &NewFolder,
    kinds: &Kinds,
) -> Result<usize, Failure> {
    let mut n_cases = 0;
    for toolset in std::mem::take(&mut export.toolsets) {
        if let Some(text) = &toolset.description {
            folder.write(&format!("{}/{}", toolset.name, description_file_name(text)), text)?;
        }
        let session = write_toolset_settings(&toolset, &export.variables, folder)?;
        let file = folder.path().join(&toolset.name).join("toolset.yaml");
        let built = confined_loader(kinds, effects::IMPORT, folder.path())?
            .load_toolset_settings_file(&file)
            .and_then(|config| config.build_blocking(&Environment::new(), None));
        match built {
            Ok(built) => {
                n_cases += write_cases(export, &toolset, &built.executor, &session, folder)?;
                export.toolsets.push(toolset);
            }
            Err(error) => {
                output::print_message(&Failure::from(error).0);
                output::print_message_line(&format!(
                    "note: the toolset `{}` is left out",
                    toolset.name
                ));
                folder.remove_folder(&toolset.name)?;
            }
        }
    }
    Ok(n_cases)
}

/// Writes the cases of a toolset. Returns their number.
fn write_cases(
    export: &WholeExport,
    toolset: &ImportedToolset,
    executor: &Executor,
    session: &Object,
    folder: &NewFolder,
) -> Result<usize, Failure> {
    let mut names = BTreeSet::new();
    for example in export.examples.iter().filter(|example| example.toolset == toolset.name) {
        match example_call(executor, example, export.kind) {
            Ok(call) => {
                let name = unique_case_name(&example.name, &mut names);
                Case { toolset, name: &name, session }.write_case_files(&call, example, folder)?;
            }
            Err(why) => {
                let name = &example.name;
                output::print_message_line(&format!(
                    "note: the example `{name}` is left out: {why}"
                ));
            }
        }
    }
    Ok(names.len())
}

/// Writes `toolset.yaml`. Returns the session of its cases.
fn write_toolset_settings(
    toolset: &ImportedToolset,
    variables: &Object,
    folder: &NewFolder,
) -> Result<Object, Failure> {
    let (mut settings, session) = stand_in_settings_and_session(&toolset.settings, variables);
    settings.insert_if_some("openapi", toolset.description.as_deref().map(description_file_name));
    let text = format!(
        "# `{}`, as its fixture has it: answers are recorded, credentials are stand-ins.\n{}",
        toolset.name,
        yaml::yaml_text(&Value::Object(settings))
    );
    folder.write(&format!("{}/toolset.yaml", toolset.name), &text)?;
    Ok(session)
}

/// The settings of a fixture, with a stand-in in the place of each credential, and the session that its credentials read. A
/// fixture gets its responses from recordings: it connects to nothing and requests no tokens.
fn stand_in_settings_and_session(settings: &Object, variables: &Object) -> (Object, Object) {
    let mut settings = settings.clone();
    for connected in ["tls", "service_directory", "limits"] {
        settings.remove(connected);
    }
    if settings.remove("code_interpreter").is_some() {
        settings.insert("functions", json!([interpreter_stand_in()]));
    }
    let mut session = Session { parameters: Object::new(), variables: variables.clone() };
    if let Some(auth) = settings.get("auth") {
        let auth = session.stand_in_credential(auth);
        settings.insert("auth", auth);
    }
    (settings, session.into_envelope())
}

/// A function in the place of a code interpreter: what an example's program returned is recorded, and nothing runs it.
fn interpreter_stand_in() -> Value {
    json!({
        "name": "generate_and_execute",
        "description": "Runs a program, as the example's interpreter did.",
        "input": {
            "type": "object",
            "properties": {"input": {"type": "string"}},
            "required": ["input"],
        },
    })
}

struct Session {
    parameters: Object,
    variables: Object,
}

impl Session {
    /// A stand-in for a credential, put into the session if the credential comes from the session.
    fn stand_in_credential(&mut self, auth: &Value) -> Value {
        let stand_in = Value::from(format!("literal:{STAND_IN}"));
        let Some((kind, settings)) = auth.as_object().and_then(|auth| auth.iter().next()) else {
            return auth.clone();
        };
        match &**kind {
            "api_key" => {
                let part = |name: &str| settings.get(name).cloned().unwrap_or_default();
                json!({"api_key": {"in": part("in"), "name": part("name"), "value": stand_in}})
            }
            "bearer" => {
                let token = settings.get("token").and_then(Value::as_str).unwrap_or_default();
                if let Some(name) = token.strip_prefix("$session.params.") {
                    self.parameters.insert(name, Value::from(STAND_IN));
                } else if let Some(name) = token.strip_prefix("$context.variables.") {
                    self.variables.insert(name, Value::from(STAND_IN));
                } else {
                    return json!({"bearer": {"token": stand_in}});
                }
                auth.clone()
            }
            // Tokens from an authorization server go where any bearer token goes.
            _ => json!({"bearer": {"token": stand_in}}),
        }
    }

    fn into_envelope(self) -> Object {
        let mut envelope = Object::new();
        envelope.insert("id", Value::from("session-1"));
        envelope.insert_unless_empty("parameters", self.parameters);
        if !self.variables.is_empty() {
            envelope.insert("context", json!({"variables": self.variables}));
        }
        envelope
    }
}

/// Reads the call of an example. A tool call without a recorded answer has nothing to compare with.
fn example_call(
    executor: &Executor,
    example: &ImportedExample,
    kind: ExportKind,
) -> Result<ToolCall, String> {
    let dialect = match kind {
        ExportKind::Agent => Dialect::Dialogflow,
        ExportKind::App => Dialect::Ces,
    };
    let read = message::read_calls(executor, example.message.clone(), dialect, Form::Usual);
    let read = read.map_err(|error| error.to_string())?;
    let call = read.to_make().first().map(|call| (*call).clone());
    let call = call.ok_or("its call cannot be read")?;
    let entry = executor.find(&call.tool);
    let entry = entry.ok_or_else(|| format!("there is no tool `{}`", call.tool))?;
    if entry.operation().is_some() && example.answer.is_none() {
        return Err("it has no answer of the service".to_owned());
    }
    Ok(call)
}

struct Case<'a> {
    toolset: &'a ImportedToolset,
    name: &'a str,
    session: &'a Object,
}

impl Case<'_> {
    fn write_case_files(
        &self,
        call: &ToolCall,
        example: &ImportedExample,
        folder: &NewFolder,
    ) -> Result<(), Failure> {
        let at = format!("{}/cases/{}", self.toolset.name, self.name);
        let call = json!({"tool": call.tool, "arguments": call.arguments});
        folder.write(&format!("{at}/call.json"), &format!("{call:#}\n"))?;
        let session = Value::Object(self.session.clone());
        folder.write(&format!("{at}/session.json"), &format!("{session:#}\n"))?;
        match &example.answer {
            None => Ok(()),
            Some((_, answer)) if self.toolset.description.is_none() => {
                folder.write(&format!("{at}/answer.json"), &format!("{answer:#}\n"))
            }
            Some((status, body)) => {
                folder.write(&format!("{at}/response.http"), &response_text(*status, body))
            }
        }
    }
}

fn response_text(status: u16, body: &Value) -> String {
    let reason = http::StatusCode::from_u16(status).ok();
    let reason = reason.and_then(|status| status.canonical_reason()).unwrap_or("Unknown");
    if body.is_null() {
        return format!("HTTP/1.1 {status} {reason}\n\n");
    }
    format!("HTTP/1.1 {status} {reason}\ncontent-type: application/json\n\n{body}\n")
}

/// A folder name that no other case of the toolset has.
fn unique_case_name(example: &str, names: &mut BTreeSet<String>) -> String {
    let mut name = String::new();
    for letter in example.chars().take(MOST_LETTERS) {
        if letter.is_ascii_alphanumeric() {
            name.push(letter.to_ascii_lowercase());
        } else if !name.is_empty() && !name.ends_with('-') {
            name.push('-');
        }
    }
    let name = name.trim_end_matches('-');
    let name = if name.is_empty() { "example" } else { name };
    let others = (2_u32..).map(|number| format!("{name}-{number}"));
    let mut all = std::iter::once(name.to_owned()).chain(others);
    all.find(|name| names.insert(name.clone())).unwrap_or_default()
}

/// Reports cases that send nothing although their tools have services: a session value is missing, or an argument is wrong.
pub(super) fn print_silent_cases(export: &WholeExport, folder: &Path) -> Result<(), Failure> {
    for toolset in export.toolsets.iter().filter(|toolset| toolset.description.is_some()) {
        let cases = folder.join(&toolset.name).join("cases");
        for case in crate::commands::test::sorted_entries(&cases)? {
            if !case.join("request.http").is_file() {
                let name = case.file_name().unwrap_or_default().to_string_lossy();
                output::print_message_line(&format!(
                    "note: the example `{}/{name}` sends nothing: its `result.json` says why",
                    toolset.name
                ));
            }
        }
    }
    Ok(())
}

/// The value of every credential: no output shows it.
const STAND_IN: &str = "stand-in-of-a-fixture";
const MOST_LETTERS: usize = 60;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_cases_are_plain_and_each_is_once() {
        let mut names = BTreeSet::new();
        let mut name = |example: &str| unique_case_name(example, &mut names);
        assert_eq!(name("Example 1: CFO Contract Query"), "example-1-cfo-contract-query");
        assert_eq!(name("example 1 / CFO contract query!"), "example-1-cfo-contract-query-2");
        assert_eq!(name("../../etc"), "etc");
        assert_eq!(name("…"), "example");
    }
}
