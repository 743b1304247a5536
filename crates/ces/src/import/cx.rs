//! Imports a tool of Dialogflow CX (v3, v3beta1) or of Dialogflow v2, in the format of its REST interface and its exports.

use callgate_tree::Node;

use crate::import::{
    Imported, RemarkKind, authentication::Product, code_interpreter, confirmation, connection,
    connector, data_store, function, message::Message, open_api,
};

/// Imports an OpenAPI tool, a function tool, a connector tool, a data store tool or the code interpreter. A tool of another kind causes a remark and has no settings.
pub fn import_cx(tool: &Node) -> Imported {
    import_cx_into(Imported::default(), tool)
}

/// Imports into `imported`, which determines the form of secrets.
pub(crate) fn import_cx_into(mut imported: Imported, tool: &Node) -> Imported {
    if let Some(tool) = Message::root(tool, &mut imported) {
        tool.remark_unknown_members(&[&SPECS[..], &DESCRIBED[..]].concat(), &mut imported);
        confirmation::import_confirmation(&tool, &mut imported);
        import_spec(&tool, &mut imported);
    }
    imported
}

/// Imports the setting of an agent's own file that applies to all its tools: its client certificate.
pub fn import_cx_agent(agent: &Node) -> Imported {
    import_cx_agent_into(Imported::default(), agent)
}

pub(crate) fn import_cx_agent_into(mut imported: Imported, agent: &Node) -> Imported {
    if let Some(agent) = Message::root(agent, &mut imported) {
        connection::import_client_certificate(&agent, &mut imported);
    }
    imported
}

fn import_spec(tool: &Message<'_>, imported: &mut Imported) {
    if code_interpreter::is_code_interpreter_tool(tool) {
        return code_interpreter::import_code_interpreter(imported, tool.pointer());
    }
    match tool.only_present_member(&SPECS, imported) {
        Some("openApiSpec") => {
            if let Some(spec) = tool.message("openApiSpec", imported) {
                open_api::import_open_api(&spec, Product::Dialogflow, imported);
            }
        }
        Some("functionSpec") => function::import_cx_function(tool, imported),
        Some("connectorSpec") => {
            if let Some(spec) = tool.message("connectorSpec", imported) {
                connector::import_cx_connector(&spec, imported);
            }
        }
        Some("dataStoreSpec") => data_store::import_cx_data_store(tool, imported),
        Some(other) => {
            let message = format!("tools with `{other}` are not there yet");
            imported.add_remark(RemarkKind::NoEquivalent, tool.member_pointer(other), message);
        }
        None => {
            imported.add_remark(
                RemarkKind::Invalid,
                tool.pointer(),
                "expected `openApiSpec`, got none",
            );
        }
    }
}

/// The members of which at most one may be set; it determines the kind of tool.
const SPECS: [&str; 5] =
    ["openApiSpec", "functionSpec", "dataStoreSpec", "extensionSpec", "connectorSpec"];

/// The members that describe a tool and do not change calls.
const DESCRIBED: [&str; 8] = [
    "actionConfirmationRequirement",
    "createTime",
    "description",
    "displayName",
    "name",
    "toolKey",
    "toolType",
    "updateTime",
];
