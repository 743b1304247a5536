//! The code interpreter of an agent whose export has no file of it: playbooks and examples refer to it by its name.

use callgate_tree::Node;

use crate::{
    import::{self, Imported, is_code_interpreter},
    package::{Package, first_member},
    whole::{
        collection::{Collection, ImportedTool},
        examples::tool_uses,
    },
};

/// Imports the interpreter if a playbook or an example refers to it.
pub(super) fn import_referenced_interpreter(package: &Package, collection: &mut Collection) {
    for file in package.file_names_below("playbooks") {
        // A file that cannot be read is reported with the examples.
        let Ok(node) = package.parse_file(file) else { continue };
        let is_missing =
            |tool: &&str| is_code_interpreter(tool) && collection.toolset_of_tool(tool).is_none();
        let Some(tool) = referenced_tools(&node).into_iter().find(is_missing) else { continue };
        let name = collection.unique_toolset_name("code_interpreter");
        let mut imported = Imported::for_new_tool_file(collection.next_number());
        import::import_code_interpreter(&mut imported, "");
        let last = tool.rsplit('/').next();
        let tool = ImportedTool { name, imported, description: None };
        collection.import_tool_or_note(&package.path(file), tool, &[last]);
    }
}

/// The tools that a playbook or an example names.
fn referenced_tools(node: &Node) -> Vec<&str> {
    let referenced = first_member(node, &["referencedTools", "referenced_tools"]);
    let referenced = referenced.and_then(Node::as_array).unwrap_or_default().iter();
    let used = tool_uses(node).filter_map(|tool_use| first_member(tool_use, &["tool"]));
    referenced.chain(used).filter_map(Node::as_str).collect()
}
