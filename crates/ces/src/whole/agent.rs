//! An agent of Dialogflow CX: `tools/NAME/NAME.json` with `schema.yaml` beside it, the certificate in `agent.json` for
//! all tools, and the tool uses of `playbooks/NAME/examples/`.

use callgate_tree::Node;

use crate::{
    import::{self, Imported},
    package::{Package, display_name},
    whole::{
        collection::{Collection, ImportedTool},
        examples, interpreter,
    },
};

pub(super) fn import_agent(package: &Package, agent: &Node, collection: &mut Collection) {
    let of_agent = import::import_cx_agent_into(Imported::for_new_agent_file(), agent);
    let mut is_told = false;
    for (folder, file) in collection.limited_tool_folders(package, "tools") {
        let Some(tool) = collection.node_or_note(package, &file) else { continue };
        let name = collection.unique_toolset_name(display_name(&tool).unwrap_or(&folder));
        let imported = Imported::for_new_tool_file(collection.next_number());
        let mut imported = import::import_cx_into(imported, &tool);
        let mut certificate = of_agent.clone();
        if is_told {
            certificate.remarks.clear();
        }
        is_told = true;
        if !imported.settings.contains_key("functions") {
            imported.merge_import(certificate);
        }
        let beside = ["schema.yaml", "schema.yml", "schema.json"];
        let beside = beside.map(|name| format!("tools/{folder}/{name}"));
        let beside = package.first_existing(&beside.each_ref().map(String::as_str));
        let description = match beside.map(|name| package.text(&name).map(str::to_owned)) {
            Some(Err(message)) => {
                collection.notes.note_omission(&package.path(&file), message);
                continue;
            }
            Some(Ok(text)) if tool_has_schema(&tool) => Some(text),
            _ => imported.schema.take(),
        };
        let aliases =
            [display_name(&tool), Some(&*folder), tool.get("name").and_then(Node::as_str)];
        collection.import_tool_or_note(
            &package.path(&file),
            ImportedTool { name, imported, description },
            &aliases,
        );
    }
    let webhooks = package.file_names_below("webhooks").count();
    if webhooks > 0 {
        let message = format!("{webhooks} webhooks are not taken over: only tools are");
        collection.notes.note_omission(&package.path("webhooks"), message);
    }
    interpreter::import_referenced_interpreter(package, collection);
    examples::import_agent_examples(package, collection);
}

fn tool_has_schema(tool: &Node) -> bool {
    ["openApiSpec", "open_api_spec"].iter().any(|key| tool.get(key).is_some())
}
