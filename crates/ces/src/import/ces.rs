//! Imports a toolset or a tool of Customer Engagement Suite, in the format of its REST interface and its exports.

use callgate_tool::{Value, json};
use callgate_tree::{Limits, Node};

use crate::import::{
    Imported, RemarkKind,
    authentication::Product,
    connector, data_store, function,
    message::{ENVIRONMENT, Message},
    open_api,
};

/// Imports an `openApiToolset`, an `openApiTool`, a `connectorToolset`, a `connectorTool`, a `dataStoreTool` or a `clientFunction`. Another kind causes a remark and has no settings.
pub fn import_ces(export: &Node) -> Imported {
    import_ces_tool_into(Imported::default(), export)
}

/// Imports into `imported`, which determines the form of secrets.
pub(crate) fn import_ces_tool_into(mut imported: Imported, export: &Node) -> Imported {
    if let Some(export) = Message::root(export, &mut imported) {
        export.remark_unknown_members(&[&KINDS[..], &DESCRIBED[..]].concat(), &mut imported);
        import_execution(&export, &mut imported);
        if export.has("toolFakeConfig") {
            let message = "no fake answers instead of the service; `upstream: replay` answers from recordings";
            imported.add_remark(
                RemarkKind::NoEquivalent,
                export.member_pointer("toolFakeConfig"),
                message,
            );
        }
        import_by_kind(&export, &mut imported);
    }
    imported
}

/// Returns true if an export is from Customer Engagement Suite and not from Dialogflow.
pub(crate) fn is_ces_export(export: &Node) -> bool {
    Message::root(export, &mut Imported::default())
        .is_some_and(|export| KINDS.iter().any(|kind| export.has(kind)))
}

/// The export of a toolset or tool in `folder` of `kind` (`toolsets`, `tools`), with the values from its app's
/// `environment.json`. `None` if it is nested too deeply.
pub(crate) fn export_with_environment(
    export: &Node,
    kind: &str,
    folder: &str,
    environment: &Node,
) -> Option<Node> {
    let mut value = export.to_value();
    let environment = environment.to_value();
    let displayed = ["displayName", "display_name"].iter().find_map(|name| value.get(name));
    let names = [displayed.and_then(Value::as_str), Some(folder)];
    let tool_values = names.into_iter().flatten().find_map(|name| environment.get(kind)?.get(name));
    if let Some(values) = tool_values {
        fill_environment(&mut value, values);
    }
    let parsed = callgate_tree::read(value.to_string().as_bytes(), &Limits::default());
    parsed.ok().map(|parsed| parsed.value)
}

/// Fills in the values of `$env_var`, and the address of the service.
fn fill_environment(export: &mut Value, environment: &Value) {
    let (Value::Object(members), Value::Object(values)) = (export, environment) else { return };
    for (name, value) in values {
        match members.get_mut(name) {
            Some(existing_value) if existing_value == ENVIRONMENT => {
                *existing_value = value.clone();
            }
            Some(existing_value) => fill_environment(existing_value, value),
            None if name == "url" => drop(members.insert(name.clone(), value.clone())),
            None => {}
        }
    }
}

/// True if a schema is the name of a file and not its text.
pub(crate) fn is_schema_file_name(schema: &str) -> bool {
    let names = [".yaml", ".yml", ".json"];
    !schema.contains(['\n', '{']) && names.iter().any(|end| schema.ends_with(end))
}

fn import_by_kind(export: &Message<'_>, imported: &mut Imported) {
    match export.only_present_member(&KINDS, imported) {
        Some(kind @ ("openApiTool" | "openApiToolset")) => {
            if let Some(message) = export.message(kind, imported) {
                open_api::import_open_api(&message, Product::Ces, imported);
            }
        }
        Some("clientFunction") => function::import_ces_function(export, imported),
        Some(kind @ ("connectorTool" | "connectorToolset")) => {
            if let Some(message) = export.message(kind, imported) {
                match kind {
                    "connectorTool" => connector::import_connector_tool(&message, imported),
                    _ => connector::import_connector_toolset(&message, imported),
                }
            }
        }
        Some("dataStoreTool") => {
            if let Some(message) = export.message("dataStoreTool", imported) {
                data_store::import_ces_data_store(&message, imported);
            }
        }
        Some(kind @ ("fileSearchTool" | "googleSearchTool")) => {
            let message = match kind {
                "fileSearchTool" => {
                    "left out: the files are kept by Google alone; put them into a folder, and name it in a toolset (`documents`)"
                }
                _ => {
                    "left out: Google's models search the web inside of their service, which callgate does not call"
                }
            };
            imported.add_remark(RemarkKind::NoEquivalent, export.member_pointer(kind), message);
        }
        Some(other) => {
            let message = format!("tools with `{other}` are not there yet");
            imported.add_remark(RemarkKind::NoEquivalent, export.member_pointer(other), message);
        }
        None => {
            let message = "expected `openApiToolset` or `openApiTool`, got none";
            imported.add_remark(RemarkKind::Invalid, export.pointer(), message);
        }
    }
}

/// toolset.proto: `timeout`, by default 30 s, or 60 s for asynchronous execution.
fn import_execution(export: &Message<'_>, imported: &mut Imported) {
    let values = ["EXECUTION_TYPE_UNSPECIFIED", "SYNCHRONOUS", "ASYNCHRONOUS"];
    let is_asynchronous = export.enum_position("executionType", &values, imported) == Some(2);
    if is_asynchronous {
        let message = "calls are answered when the service has answered";
        imported.add_remark(
            RemarkKind::NoEquivalent,
            export.member_pointer("executionType"),
            message,
        );
    }
    let text = export.text("timeout", imported);
    let milliseconds = match text.map(|text| milliseconds_of_duration(text.plain_text())) {
        Some(None) => {
            let message = "expected a duration: `30s`, `1.5s`";
            return imported.add_remark(
                RemarkKind::Invalid,
                export.member_pointer("timeout"),
                message,
            );
        }
        Some(given) => given,
        None => is_asynchronous.then_some(60_000),
    };
    if let Some(milliseconds) = milliseconds {
        let timeout = format!("{milliseconds}ms");
        imported.settings.insert("limits".to_owned(), json!({"timeout": timeout}));
    }
}

/// A duration of the protobuf JSON mapping, in milliseconds.
fn milliseconds_of_duration(text: &str) -> Option<u64> {
    let (whole, fraction) =
        text.strip_suffix('s').map(|text| text.split_once('.').unwrap_or((text, "")))?;
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !is_number(fraction) {
        return None;
    }
    let fraction: u64 = format!("{fraction:0<3}").get(..3)?.parse().ok()?;
    let total = whole.parse::<u64>().ok()?.checked_mul(1000)?.checked_add(fraction)?;
    (total > 0).then_some(total)
}

/// The members of which at most one may be set; it determines the kind.
const KINDS: [&str; 15] = [
    "agentTool",
    "clientFunction",
    "connectorTool",
    "connectorToolset",
    "dataStoreTool",
    "fileSearchTool",
    "googleSearchTool",
    "mcpTool",
    "mcpToolset",
    "openApiTool",
    "openApiToolset",
    "pythonFunction",
    "remoteAgentTool",
    "systemTool",
    "widgetTool",
];

/// The members that describe a tool and do not change calls, or are read elsewhere.
const DESCRIBED: [&str; 10] = [
    "createTime",
    "description",
    "displayName",
    "etag",
    "executionType",
    "generatedSummary",
    "name",
    "timeout",
    "toolFakeConfig",
    "updateTime",
];
