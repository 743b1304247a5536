//! The environment variables that a command reads: a host passes on none of its own. Their values are not read.

use std::collections::BTreeSet;

use callgate_config::{Location, MAX_FILE_BYTES, read_file};
use callgate_secret::SecretReference;
use callgate_tree::{Limits, Node};

/// The names of the variables, sorted.
pub(super) fn variables(location: &Location, flags: &[String]) -> Vec<String> {
    let mut names = BTreeSet::new();
    for flag in flags {
        // `--header` and `--basic` have a name and a colon before the reference.
        let behind = flag.split_once(':').map(|(_, reference)| reference.trim_start());
        names.extend([Some(flag.as_str()), behind].into_iter().flatten().filter_map(variable));
    }
    if let Location::File(file) = location {
        let text = read_file(file, MAX_FILE_BYTES).unwrap_or_default();
        let root = callgate_tree::read(&text, &Limits::default()).map(|read| read.value);
        if let Some(root) = root.ok().filter(is_configuration) {
            add(&root, &mut names);
        }
    }
    names.into_iter().collect()
}

/// Text of a description is never a reference.
fn is_configuration(root: &Node) -> bool {
    root.get("toolsets").is_some() && root.get("openapi").is_none() && root.get("swagger").is_none()
}

/// Adds the variables of every text that is a reference.
fn add(root: &Node, names: &mut BTreeSet<String>) {
    let (mut left, mut seen) = (vec![root], BTreeSet::new());
    while let Some(node) = left.pop() {
        // An alias of YAML leads to one object many times.
        if node.as_object().is_some_and(|object| !seen.insert(object.address())) {
            continue;
        }
        names.extend(node.as_str().and_then(variable));
        left.extend(node.as_array().unwrap_or_default());
        left.extend(
            node.as_object()
                .into_iter()
                .flat_map(callgate_tree::Object::iter)
                .map(|(_, node)| node),
        );
    }
}

fn variable(text: &str) -> Option<String> {
    let reference = text.trim().parse::<SecretReference>().ok()?;
    reference.environment().map(ToOwned::to_owned)
}
