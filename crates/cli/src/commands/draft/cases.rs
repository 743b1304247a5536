//! Writes a draft as a fixture: the description, stand-ins for its credentials, and a case for each example.

use std::{collections::BTreeSet, path::Path};

use callgate_config::Kinds;
use callgate_draft::{Case, Draft};
use callgate_tool::{Object, Value, json};

use crate::{commands::test, exit::Failure, new_folder::NewFolder, output, yaml};

/// A credential that no service takes.
const STAND_IN: &str = "literal:stand-in-of-a-fixture";

/// Makes the folder, completely or not at all; requests and results are those of the drafted tools.
pub(super) fn write_cases(draft: &Draft, out: &Path, kinds: &Kinds) -> Result<(), Failure> {
    let folder = NewFolder::create_beside(out)?;
    folder.write("draft/spec.yaml", &yaml::yaml_text(&draft.description))?;
    folder.write("draft/toolset.yaml", &toolset_text(&draft.description))?;
    let mut names = BTreeSet::new();
    let mut n_cases = 0_usize;
    for case in &draft.cases {
        let Some(status) = case.status else {
            output::print_message_line(&format!(
                "note: {} is no case: it has no response",
                case.place
            ));
            continue;
        };
        let name = unique_case_name(&case.tool, &mut names);
        write_case(&folder, &name, case, status)?;
        n_cases += 1;
    }
    test::update_expected_files(folder.path(), kinds)?;
    print_silent_cases(folder.path())?;
    folder.move_into_place()?;
    output::print_message_line(&format!(
        "{n_cases} cases are in `{0}`; `callgate test {0}` replays them",
        out.display()
    ));
    Ok(())
}

fn write_case(folder: &NewFolder, name: &str, case: &Case, status: u16) -> Result<(), Failure> {
    let at = format!("draft/cases/{name}");
    let call = json!({"tool": case.tool, "arguments": case.arguments});
    folder.write(&format!("{at}/call.json"), &format!("{call:#}\n"))?;
    let reason =
        http::StatusCode::from_u16(status).ok().and_then(|status| status.canonical_reason());
    let mut response = format!("HTTP/1.1 {status} {}\n", reason.unwrap_or("Unknown"));
    if let Some(media_type) = &case.media_type {
        response.push_str(&format!("content-type: {media_type}\n"));
    }
    response.push_str(&format!("\n{}", case.body));
    folder.write(&format!("{at}/response.http"), &response)
}

fn unique_case_name(tool: &str, names: &mut BTreeSet<String>) -> String {
    let mut all = (1_u32..).map(|number| format!("{tool}-{number}"));
    all.find(|name| names.insert(name.clone())).unwrap_or_default()
}

/// The settings of the fixture: a stand-in for each credential.
fn toolset_text(description: &Value) -> String {
    let schemes = description.pointer("/components/securitySchemes").and_then(Value::as_object);
    let stand_in = |scheme: &Value| match (scheme["type"].as_str(), scheme["scheme"].as_str()) {
        (Some("http"), Some("basic")) => {
            json!({"basic": {"username": "somebody", "password": STAND_IN}})
        }
        (Some("apiKey"), _) => json!({"api_key": {"value": STAND_IN}}),
        _ => json!({"bearer": {"token": STAND_IN}}),
    };
    let credentials: Object = schemes
        .into_iter()
        .flatten()
        .map(|(name, scheme)| (name.clone(), stand_in(scheme)))
        .collect();
    let mut settings = Object::new();
    settings.insert("openapi", Value::from("spec.yaml"));
    settings.insert_unless_empty("credentials", credentials);
    if description.get("servers").is_none() {
        settings.insert("server", Value::from("https://service.example"));
    }
    yaml::yaml_text(&Value::Object(settings))
}

/// Says which cases send nothing: a required input was not in the example.
fn print_silent_cases(folder: &Path) -> Result<(), Failure> {
    for case in test::sorted_entries(&folder.join("draft/cases"))? {
        if !case.join("request.http").is_file() {
            let name = case.file_name().unwrap_or_default().to_string_lossy();
            output::print_message_line(&format!(
                "note: the case `{name}` sends nothing: its `result.json` says why"
            ));
        }
    }
    Ok(())
}
