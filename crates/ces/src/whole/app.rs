//! An app of Customer Engagement Suite: `toolsets/NAME/NAME.json` and `tools/NAME/NAME.json`, which name their
//! descriptions relative to the app, with the values of `environment.json` and the calls of `examples/`.

use callgate_tool::{Object, Value};
use callgate_tree::Node;

use crate::{
    import::{self, Imported},
    package::{ENVIRONMENT, Package, display_name, first_member},
    whole::{
        agents,
        collection::{Collection, ImportedTool},
        examples,
    },
};

/// Imports the toolsets, the tools and the examples.
pub(super) fn import_app(
    package: &Package,
    app: &Node,
    collection: &mut Collection,
) -> Result<(), String> {
    let environment =
        package.has_file(ENVIRONMENT).then(|| package.parse_file(ENVIRONMENT)).transpose()?;
    for kind in ["toolsets", "tools"] {
        for (folder, file) in collection.limited_tool_folders(package, kind) {
            let tool = ToolFile { kind, folder: &folder, file: &file };
            if let Err(message) = import_tool(package, tool, environment.as_ref(), collection) {
                collection.notes.note_omission(&package.path(&file), message);
            }
        }
    }
    agents::limit_toolsets(package, collection);
    advise_sequential_mode(package, app, collection);
    collection.variables = variable_defaults(app);
    examples::import_app_examples(package, collection);
    Ok(())
}

#[derive(Clone, Copy)]
struct ToolFile<'a> {
    /// `toolsets` or `tools`.
    kind: &'a str,
    /// The tool's folder, whose name is the tool's.
    folder: &'a str,
    file: &'a str,
}

fn import_tool(
    package: &Package,
    ToolFile { kind, folder, file }: ToolFile<'_>,
    environment: Option<&Node>,
    collection: &mut Collection,
) -> Result<(), String> {
    let mut tool = package.parse_file(file)?;
    if let Some(environment) = environment {
        tool = import::export_with_environment(&tool, kind, folder, environment)
            .ok_or("expected a tool that is not nested too deeply")?;
    }
    let displayed = display_name(&tool);
    let name = collection.unique_toolset_name(displayed.unwrap_or(folder));
    let imported = Imported::for_new_tool_file(collection.next_number());
    let mut imported = import::import_ces_tool_into(imported, &tool);
    let description = match imported.schema.take() {
        // A name is looked up among the files of the export: none leads outside.
        Some(named) if import::is_schema_file_name(&named) => {
            Some(package.text(&named)?.to_owned())
        }
        text => text,
    };
    let function = first_member(&tool, &["clientFunction", "client_function"]);
    let function = function.and_then(|function| function.get("name")?.as_str());
    let aliases = [displayed, Some(folder), tool.get("name").and_then(Node::as_str), function];
    collection.import_tool_or_note(
        &package.path(file),
        ImportedTool { name, imported, description },
        &aliases,
    );
    Ok(())
}

/// app.proto: tools that are chosen at once run in parallel unless the app says otherwise; here the request decides.
fn advise_sequential_mode(package: &Package, app: &Node, collection: &mut Collection) {
    let mode = first_member(app, &["toolExecutionMode", "tool_execution_mode"]);
    if mode.and_then(Node::as_str) == Some("SEQUENTIAL") {
        let message =
            "`toolExecutionMode`: calls of a request run at the same time unless it says otherwise";
        let help = "send `\"mode\": \"sequential\"` with requests of several calls";
        let own = package.first_existing(&["app.json", "app.yaml", "app.yml"]).unwrap_or_default();
        collection.notes.advise(&package.path(&own), message.to_owned(), help);
    }
}

fn variable_defaults(app: &Node) -> Object {
    let declared = first_member(app, &["variableDeclarations", "variable_declarations"]);
    let declared = declared.and_then(Node::as_array).unwrap_or_default();
    let of = |variable: &Node| {
        let default = variable.get("schema")?.get("default").map(Node::to_value)?;
        Some((variable.get("name")?.as_str()?.to_owned(), default))
    };
    declared.iter().filter_map(of).collect::<Vec<(String, Value)>>().into_iter().collect()
}
