//! Reads the help of a finding as steps: what a person would type who does what it says. Knows the forms of helps, not single ones.

use callgate_tree::read;
use serde_json::Value;

/// One way to follow a help.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Step {
    /// Add a member; `None` for the value that the operator has.
    Add(Place, String, Option<Value>),
    /// Write one of these keys into the reported mapping.
    Keys(Vec<String>),
    /// Put the reported value into a list.
    List,
    /// Write a value in place of the reported one.
    Put(Value),
    /// Write the reported value as a text.
    Quote,
    /// Remove the reported value, or another member beside it.
    Remove(Option<String>),
    /// Write what the operator has.
    Restore,
    /// Write another name in place of the reported one.
    Rename(String),
}

/// The mapping that a member is added to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Place {
    /// The reported one, or the one that the reported value is in.
    Here,
    /// The one that the reported value is in, without that value.
    Instead,
    /// The toolset.
    Toolset,
}

/// Helps that say where to look for what to write: the operator has it.
const WORDS: [&str; 11] = [
    "copy it from the directory",
    "leave out all else",
    "name a directory or a JSON file",
    "name the directory of one exported tool, or its JSON file",
    "name the engine that has the data stores",
    "regions are written in letters, digits and `-`",
    "say where the service expects the key",
    "the authorization server says how its clients show who they are",
    "use letters, digits and `_`, or `\"\"` for no prefix",
    "use letters, digits, `_` and `-`",
    "write the address that callers reach the sidecar by",
];

/// The steps that a help offers; none if nobody could tell what to write.
pub(crate) fn steps(help: &str) -> Vec<Step> {
    if WORDS.contains(&help) {
        return vec![Step::Restore];
    }
    let parts: Vec<_> = help.split('`').collect();
    let names = || parts.iter().skip(1).step_by(2).map(|name| (*name).to_owned());
    if help.starts_with("its keys are ") {
        return vec![Step::Keys(names().collect())];
    }
    if ["they are ", "one of ", "the toolsets are "].iter().any(|words| help.starts_with(words)) {
        return names().map(Step::Rename).collect();
    }
    let mut steps = Vec::new();
    let mut is_followed = true;
    for around in parts.windows(3).step_by(2) {
        let step = step(around, is_followed);
        is_followed = step.is_some();
        steps.extend(step);
    }
    for (words, other) in [
        ("leave it out", Step::Remove(None)),
        ("leave the key out", Step::Remove(None)),
        ("remove it", Step::Remove(None)),
        ("remove one of them", Step::Remove(None)),
        ("remove the key", Step::Remove(None)),
        ("quote it", Step::Quote),
        ("put it into brackets", Step::List),
    ] {
        if help.contains(words) {
            steps.retain(|step| !matches!((step, &other), (Step::Put(_), Step::List)));
            steps.push(other);
        }
    }
    steps
}

/// The step of the code between two texts; the step before it decides what `or` means.
fn step(around: &[&str], is_followed: bool) -> Option<Step> {
    let [words, code, after] = around else { return None };
    let words = words.trim_start_matches([',', ';', ' ']).trim_end();
    let last = words.rsplit(' ').next().unwrap_or_default();
    match last {
        "mean" => return Some(Step::Rename((*code).to_owned())),
        "leave" => return Some(Step::Remove(Some((*code).to_owned()))),
        "remove" => return Some(Step::Remove(None)),
        "" | "or" | ":" if is_followed => {}
        "add" | "example" | "write" => {}
        "as" | "to" if ["write it as", "move it to"].contains(&words) => {}
        _ if words.len() > 1 && words.ends_with(':') => {}
        _ => return None,
    }
    if code.ends_with(": …}") {
        return Some(Step::Restore);
    }
    if code.contains("{…") {
        return None;
    }
    let value = tree(&code.replace('…', "x"))?;
    let member = value.as_object().filter(|members| members.len() == 1 && !code.starts_with('{'));
    let Some((key, value)) = member.and_then(|members| members.iter().next()) else {
        return Some(Step::Put(value));
    };
    let place = match after.trim_start() {
        after if after.starts_with("in its place") => Place::Instead,
        after if after.starts_with("into the toolset") => Place::Toolset,
        _ => Place::Here,
    };
    let value = (!code.ends_with(": …")).then(|| value.clone());
    Some(Step::Add(place, key.clone(), value))
}

/// A value as YAML writes it.
pub(crate) fn tree(text: &str) -> Option<Value> {
    // A text that begins with a brace is JSON otherwise.
    let text = format!("---\n{text}");
    let node = read(text.as_bytes(), &callgate::openapi::TextLimits::default()).ok()?.value;
    serde_json::from_str(&node.to_value().to_string()).ok()
}
