//! An app of Customer Engagement Suite: `toolsets/NAME/NAME.json` and `tools/NAME/NAME.json`, which name their
//! descriptions relative to the app, with the values of `environment.json` and the calls of `examples/`.

use callgate_tool::{Object, Value};
use callgate_tree::Node;

use crate::{
    import::{self, Imported},
    package::{ENVIRONMENT, Package},
    whole::{
        agents, examples,
        taken::{ImportedTool, Taken},
    },
};

/// Imports the toolsets, the tools and the examples.
pub(super) fn read(package: &Package, app: &Node, taken: &mut Taken) -> Result<(), String> {
    let environment = package.has(ENVIRONMENT).then(|| package.node(ENVIRONMENT)).transpose()?;
    for kind in ["toolsets", "tools"] {
        for (folder, file) in taken.folders(package, kind) {
            let tool = ToolFile { kind, folder: &folder, file: &file };
            if let Err(message) = one(package, tool, environment.as_ref(), taken) {
                taken.notes.left_out(&package.path(&file), message);
            }
        }
    }
    agents::select(package, taken);
    sequence(package, app, taken);
    taken.variables = variables(app);
    examples::of_app(package, taken);
    Ok(())
}

/// The file of a toolset or a tool.
#[derive(Clone, Copy)]
struct ToolFile<'a> {
    /// `toolsets` or `tools`.
    kind: &'a str,
    /// The tool's folder, whose name is the tool's.
    folder: &'a str,
    file: &'a str,
}

/// Imports one toolset or tool.
fn one(
    package: &Package,
    ToolFile { kind, folder, file }: ToolFile<'_>,
    environment: Option<&Node>,
    taken: &mut Taken,
) -> Result<(), String> {
    let mut tool = package.node(file)?;
    if let Some(environment) = environment {
        tool = import::filled(&tool, kind, folder, environment)
            .ok_or("expected a tool that is not nested too deeply")?;
    }
    let displayed = ["displayName", "display_name"].iter().find_map(|key| tool.get(key)?.as_str());
    let name = taken.name(displayed.unwrap_or(folder));
    let mut imported = import::import_ces_into(Imported::with_variables(&name), &tool);
    let description = match imported.schema.take() {
        // A name is looked up among the files of the export: none leads outside.
        Some(named) if import::is_path(&named) => Some(package.text(&named)?.to_owned()),
        text => text,
    };
    let function = ["clientFunction", "client_function"].iter().find_map(|key| tool.get(key));
    let function = function.and_then(|function| function.get("name")?.as_str());
    let aliases = [displayed, Some(folder), tool.get("name").and_then(Node::as_str), function];
    taken.take(&package.path(file), ImportedTool { name, imported, description }, &aliases);
    Ok(())
}

/// app.proto: tools that are chosen at once run in parallel unless the app says otherwise; here the request decides.
fn sequence(package: &Package, app: &Node, taken: &mut Taken) {
    let mode = ["toolExecutionMode", "tool_execution_mode"].iter().find_map(|key| app.get(key));
    if mode.and_then(Node::as_str) == Some("SEQUENTIAL") {
        let message =
            "`toolExecutionMode`: calls of a request run at the same time unless it says otherwise";
        let help = "send `\"mode\": \"sequential\"` with requests of several calls";
        let own = package.first(&["app.json", "app.yaml", "app.yml"]).unwrap_or_default();
        taken.notes.advise(&package.path(&own), message.to_owned(), help);
    }
}

/// The defaults of the variables that an app declares.
fn variables(app: &Node) -> Object {
    let declared = ["variableDeclarations", "variable_declarations"];
    let declared = declared.iter().find_map(|key| app.get(key)?.as_array()).unwrap_or_default();
    let of = |variable: &Node| {
        let default = variable.get("schema")?.get("default").map(Node::to_value)?;
        Some((variable.get("name")?.as_str()?.to_owned(), default))
    };
    declared.iter().filter_map(of).collect::<Vec<(String, Value)>>().into_iter().collect()
}
