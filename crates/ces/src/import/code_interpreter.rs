//! The code interpreter that Google has built into Dialogflow CX. It becomes a toolset that runs programs, whose tool has the name of the
//! action. It has no settings: agents refer to it by its name alone.

use callgate_tool::{Object, Value};
use callgate_tree::Node;

use crate::import::{Imported, RemarkKind, message::Message};

/// True for the name of the code interpreter, or the resource name of one.
pub(crate) fn is_code_interpreter(tool: &str) -> bool {
    tool.ends_with("df-code-interpreter-tool")
}

/// True for an exported tool that is the code interpreter.
pub(super) fn is_code_interpreter_tool(tool: &Message<'_>) -> bool {
    let names = ["displayName", "name"].into_iter().filter_map(|member| tool.node(member));
    names.filter_map(Node::as_str).any(is_code_interpreter)
}

/// Imports the interpreter, with a remark about what an agent may expect of Google's.
pub(crate) fn import_code_interpreter(imported: &mut Imported, pointer: &str) {
    imported.settings.insert("code_interpreter", Value::Object(Object::new()));
    imported.settings.insert("prefix", "".into());
    let message = "`code_interpreter: {}` runs the programs that the agent writes; `generate: MODEL` takes tasks in words as well, and `engine: python` has packages, and files for charts";
    imported.add_remark(RemarkKind::NoEquivalent, pointer, message);
}
