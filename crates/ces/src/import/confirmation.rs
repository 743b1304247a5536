//! Imports the `actionConfirmationRequirement` of a Dialogflow v2 tool, the actions that a person approves, as
//! `confirm`. An action that it does not name needs approval unless its method is GET.

use callgate_tool::{Object, Value};
use callgate_tree::Node;

use crate::import::{Imported, RemarkKind, message::Message};

/// Imports the requirement; without one nobody is asked.
pub(super) fn import_confirmation(tool: &Message<'_>, imported: &mut Imported) {
    let Some(node) = tool.node(MEMBER) else { return };
    let Some(actions) = node.as_object() else {
        let message = format!("expected an object, got: {}", node.kind());
        return imported.add_remark(RemarkKind::Invalid, tool.member_pointer(MEMBER), message);
    };
    let mut tools = Object::new();
    for (action, requirement) in actions.iter() {
        if let Some(rule) = confirmation_rule(requirement) {
            tools.insert(action.to_string(), Value::from(rule));
        } else {
            let message = "expected `REQUIRED` or `NOT_REQUIRED`, got neither";
            imported.add_remark(RemarkKind::Invalid, tool.member_pointer(MEMBER), message);
        }
    }
    let mut confirm = Object::new();
    confirm.insert("default", "dialogflow_v2".into());
    confirm.insert_unless_empty("tools", tools);
    imported.settings.insert("confirm", Value::Object(confirm));
}

fn confirmation_rule(requirement: &Node) -> Option<&'static str> {
    match requirement.as_str()? {
        "REQUIRED" => Some("always"),
        "NOT_REQUIRED" => Some("never"),
        _ => None,
    }
}

const MEMBER: &str = "actionConfirmationRequirement";
