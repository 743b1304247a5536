//! The agents of an app of Customer Engagement Suite: the operations of a toolset that they may call (`toolIds`). A
//! toolset that an agent uses without naming operations is offered as a whole, and so is one that no agent uses.

use std::collections::{BTreeMap, BTreeSet};

use callgate_tree::Node;

use crate::{package::Package, whole::collection::Collection};

/// Limits each toolset to the operations that agents name.
pub(super) fn limit_toolsets(package: &Package, collection: &mut Collection) {
    let mut named: BTreeMap<String, Option<BTreeSet<String>>> = BTreeMap::new();
    for (_, file) in collection.limited_tool_folders(package, "agents") {
        let Some(agent) = collection.node_or_note(package, &file) else { continue };
        let toolsets = agent.get("toolsets").and_then(Node::as_array).unwrap_or_default();
        for (toolset, ids) in toolsets.iter().filter_map(toolset_tool_ids) {
            let Some(name) = collection.toolset_of_tool(toolset).map(str::to_owned) else {
                continue;
            };
            let operation_ids = named.entry(name).or_insert_with(|| Some(BTreeSet::new()));
            match (operation_ids, ids.is_empty()) {
                (Some(agent_ids), false) => agent_ids.extend(ids),
                (agent_ids, _) => *agent_ids = None,
            }
        }
    }
    for (name, ids) in named {
        if let Some(ids) = ids {
            collection.limit_toolset_to_operations(&name, ids);
        }
    }
}

/// A toolset that an agent uses, and the operations that the agent names.
fn toolset_tool_ids(toolset: &Node) -> Option<(&str, Vec<String>)> {
    let ids = ["toolIds", "tool_ids"].iter().find_map(|key| toolset.get(key)?.as_array());
    let ids = ids.unwrap_or_default().iter().filter_map(Node::as_str);
    Some((toolset.get("toolset")?.as_str()?, ids.map(str::to_owned).collect()))
}
