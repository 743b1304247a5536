//! The environment variables that a command reads: a host passes on none of its own. Their values are not read.

use std::{collections::BTreeSet, path::Path};

use callgate_config::{Location, MAX_FILE_BYTES, read_file};
use callgate_secret::SecretReference;
use callgate_tree::{Limits, Node};

/// The names of the variables that flags, a configuration and the credentials of a session file read, sorted.
pub(super) fn variables(
    location: &Location,
    session: Option<&Path>,
    flags: &[String],
) -> Vec<String> {
    let mut names = BTreeSet::new();
    for flag in flags {
        // `--header` and `--basic` have a name and a colon before the reference.
        let behind = flag.split_once(':').map(|(_, reference)| reference.trim_start());
        names.extend([Some(flag.as_str()), behind].into_iter().flatten().filter_map(variable));
    }
    if let Location::File(file) = location
        && let Some(root) = tree(file).filter(is_configuration)
    {
        add(&root, &mut names);
    }
    // The other members of a session file are values.
    let session = session.and_then(tree);
    if let Some(credentials) = session.as_ref().and_then(|root| root.get("credentials")) {
        add(credentials, &mut names);
    }
    names.into_iter().collect()
}

/// The tree of a file; the start of the command reports one that cannot be read.
fn tree(file: &Path) -> Option<Node> {
    let text = read_file(file, MAX_FILE_BYTES).ok()?;
    callgate_tree::read(&text, &Limits::default()).ok().map(|read| read.value)
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
