//! Calls in the examples of an export, with their responses: `toolUse` of a playbook's example, `toolCall` and
//! `toolResponse` of an app's. A call of a tool that is not imported is counted, and so is a response that does not
//! come from a service.

mod answer;

use callgate_tool::{Value, json};
use callgate_tree::Node;

use crate::{
    import::is_code_interpreter,
    package::{Package, display_name, first_member},
    whole::{ImportedExample, collection::Collection},
};

/// Imports `playbooks/NAME/examples/*.json` of an agent.
pub(super) fn import_agent_examples(package: &Package, collection: &mut Collection) {
    let is_example = |name: &&str| name.split('/').nth(2) == Some("examples");
    let files: Vec<_> =
        package.file_names_below("playbooks").filter(is_example).map(str::to_owned).collect();
    import_examples(package, &files, collection, |example| {
        tool_uses(example).filter_map(example_call).take(MOST_CALLS).collect()
    });
}

/// The tool uses among the actions of a playbook's example.
pub(super) fn tool_uses(example: &Node) -> impl Iterator<Item = &Node> {
    let actions = first_member(example, &["actions"]).and_then(Node::as_array).unwrap_or_default();
    actions.iter().filter_map(|action| first_member(action, &["toolUse", "tool_use"]))
}

pub(super) fn import_app_examples(package: &Package, collection: &mut Collection) {
    let files: Vec<_> = package.file_names_below("examples").map(str::to_owned).collect();
    import_examples(package, &files, collection, |example| {
        let messages =
            first_member(example, &["messages"]).and_then(Node::as_array).unwrap_or_default();
        let chunks =
            messages.iter().filter_map(|message| first_member(message, &["chunks"])?.as_array());
        let chunks: Vec<&Node> = chunks.flatten().collect();
        tool_calls(&chunks)
    });
}

struct ExampleCall {
    tool: String,
    message: Value,
    answer: Option<(u16, Value)>,
}

fn import_examples(
    package: &Package,
    files: &[String],
    collection: &mut Collection,
    calls: impl Fn(&Node) -> Vec<ExampleCall>,
) {
    for file in files {
        let Some(example) = collection.node_or_note(package, file) else { continue };
        let stem = file.rsplit('/').next().and_then(|name| name.rsplit_once('.'));
        let name = display_name(&example).or_else(|| Some(stem?.0)).unwrap_or("example").to_owned();
        let calls = calls(&example);
        let n_calls = calls.len();
        for (at, ExampleCall { tool, message, answer }) in calls.into_iter().enumerate() {
            let Some(toolset) = collection.toolset_of_tool(&tool).map(str::to_owned) else {
                let message = format!("the example calls `{tool}`, which is not taken over");
                collection.notes.note_omission(&package.path(file), message);
                continue;
            };
            if collection.examples.len() >= MOST_EXAMPLES {
                let message = format!("only {MOST_EXAMPLES} calls of examples are taken over");
                return collection.notes.note_omission(&package.path(file), message);
            }
            let name = if n_calls > 1 { format!("{name} {}", at + 1) } else { name.clone() };
            collection.examples.push(ImportedExample { name, toolset, message, answer });
        }
    }
}

/// A `toolUse`, with the members of version 3 or the lists of earlier ones.
fn example_call(tool_use: &Node) -> Option<ExampleCall> {
    let tool = first_member(tool_use, &["tool"])?.as_str()?;
    let action = first_member(tool_use, &["action"]).and_then(Node::as_str);
    let action =
        action.or_else(|| first_member(tool_use, &["displayName"])?.as_str()).unwrap_or(tool);
    let input =
        ["inputActionParameters", "input_action_parameters", "inputParameters", "input_parameters"];
    let input = first_member(tool_use, &input).map_or_else(|| json!({}), Node::to_value);
    let output = [
        "outputActionParameters",
        "output_action_parameters",
        "outputParameters",
        "output_parameters",
    ];
    let output = first_member(tool_use, &output).map(Node::to_value);
    let call = json!({"tool": tool, "action": action, "inputParameters": input});
    let mut answer = output.and_then(|output| answer::action_status_and_body(&output));
    if let Some((_, answer)) = answer.as_mut().filter(|_| is_code_interpreter(tool)) {
        answer::remove_nameless_files(answer);
    }
    Some(ExampleCall { tool: tool.to_owned(), message: json!({"toolCall": call}), answer })
}

/// The calls among the parts of a conversation, each with the response that has its id, or else the next response of
/// its tool.
fn tool_calls(chunks: &[&Node]) -> Vec<ExampleCall> {
    let of = |names: [&str; 2]| {
        let parts = chunks.iter().enumerate();
        parts
            .filter_map(move |(at, chunk)| Some((at, first_member(chunk, &names)?)))
            .collect::<Vec<_>>()
    };
    let mut responses = of(["toolResponse", "tool_response"]);
    let mut shown = Vec::new();
    for (at, call) in of(["toolCall", "tool_call"]).into_iter().take(MOST_CALLS) {
        let Some(tool) = named_tool(call) else { continue };
        let id = first_member(call, &["id"]).and_then(Node::as_str).filter(|id| !id.is_empty());
        let is_its = |(place, response): &(usize, &Node)| {
            let other = first_member(response, &["id"]).and_then(Node::as_str);
            match id {
                Some(id) => other == Some(id),
                None => *place > at && named_tool(response) == Some(tool.clone()),
            }
        };
        let matching_response =
            responses.iter().position(is_its).map(|index| responses.remove(index).1);
        let response = matching_response.and_then(|response| first_member(response, &["response"]));
        let answer =
            response.and_then(|response| answer::response_status_and_body(&response.to_value()));
        let call = call.to_value();
        let message = json!({"toolCalls": {"toolCalls": [call]}});
        shown.push(ExampleCall { tool, message, answer });
    }
    shown
}

fn named_tool(call: &Node) -> Option<String> {
    let toolset = first_member(call, &["toolsetTool", "toolset_tool"]);
    let name = match toolset {
        Some(toolset) => first_member(toolset, &["toolset"]),
        None => first_member(call, &["tool", "displayName", "display_name"]),
    };
    name.and_then(Node::as_str).map(str::to_owned)
}

/// The number of examples. Each becomes a fixture; more add nothing new about an agent.
const MOST_EXAMPLES: usize = 1_000;
/// The number of calls that are read from one example: no written conversation has more.
const MOST_CALLS: usize = 200;
