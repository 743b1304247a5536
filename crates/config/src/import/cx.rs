//! A tool of Dialogflow CX (v3, v3beta1) or of Dialogflow v2, as its REST interface and its exports write it.

use callgate_tree::Node;

use crate::import::{
    Imported, RemarkKind,
    authentication::{self, Product},
    confirmation, connection, function,
    message::Message,
};

/// Takes over an OpenAPI tool or a function tool. A tool of another kind is remarked and has no settings.
pub fn import_cx(tool: &Node) -> Imported {
    import_cx_into(Imported::default(), tool)
}

/// The same, told how secrets are taken over.
pub(crate) fn import_cx_into(mut imported: Imported, tool: &Node) -> Imported {
    if let Some(tool) = Message::root(tool, &mut imported) {
        tool.only(&[&SPECS[..], &DESCRIBED[..]].concat(), &mut imported);
        confirmation::read(&tool, &mut imported);
        spec(&tool, &mut imported);
    }
    imported
}

/// Takes over what an agent's own file says for all its tools: the certificate it shows.
pub fn import_cx_agent(agent: &Node) -> Imported {
    let mut imported = Imported::default();
    if let Some(agent) = Message::root(agent, &mut imported) {
        connection::client_certificate(&agent, &mut imported);
    }
    imported
}

fn spec(tool: &Message<'_>, imported: &mut Imported) {
    match tool.one_of(&SPECS, imported) {
        Some("openApiSpec") => {
            let Some(spec) = tool.message("openApiSpec", imported) else { return };
            spec.only(
                &[
                    "textSchema",
                    "authentication",
                    "tlsConfig",
                    "serviceDirectoryConfig",
                    // In every export, and what is done anyway: fields an answer has beyond its schema are kept.
                    "ignoreUnknownFields",
                ],
                imported,
            );
            imported.schema = spec.text("textSchema", imported).map(ToOwned::to_owned);
            connection::tls(&spec, imported);
            connection::service_directory(&spec, imported);
            if let Some(message) = spec.message("authentication", imported) {
                authentication::read(&message, Product::Dialogflow, imported);
            } else if spec.has("authentication") {
                imported.lacks_credential = true;
            } else {
                imported.settings.insert("auth".to_owned(), "none".into());
            }
        }
        Some("functionSpec") => function::of_cx(tool, imported),
        Some(other) => {
            let message = format!("tools with `{other}` are not there yet");
            imported.remark(RemarkKind::NoEquivalent, tool.at(other), message);
        }
        None => {
            imported.remark(
                RemarkKind::Invalid,
                tool.pointer(),
                "expected `openApiSpec`, got none",
            );
        }
    }
}

/// At most one of them, which says what kind of tool it is.
const SPECS: [&str; 5] =
    ["openApiSpec", "functionSpec", "dataStoreSpec", "extensionSpec", "connectorSpec"];

/// The members that describe a tool and change no call.
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
