//! The difference between two builds of a catalog, as agents notice it: tools that are added, removed or renamed, inputs that
//! are newly required or no longer accepted, effects and servers. Names and schemas are compared; no tool is called.

mod facts;
mod inputs;
mod schema_comparison;

use std::{collections::BTreeMap, fmt};

use callgate_tool::{Effect, Value, json};

use self::facts::Facts;
use crate::executor::Executor;

/// The changes between two executors, in the order of the tools' names.
///
/// ```
/// use callgate_executor::{Changes, Executor};
/// use callgate_tool::json;
///
/// let schema = json!({"type": "object"});
/// let old = Executor::builder().function("clock", "get_time", schema, |_| async { json!(1) }).build()?;
/// let new = Executor::builder().build()?;
/// let changes = Changes::between(&old, &new);
/// assert!(changes.is_breaking());
/// assert_eq!(changes.list()[0].to_string(), "clock-get_time: removed");
/// # Ok::<(), callgate_executor::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Changes {
    list: Vec<Change>,
}

/// One change of one tool.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Change {
    /// The tool's name; the new one if it was renamed.
    pub tool: String,
    /// The kind of change.
    pub kind: ChangeKind,
}

/// The changes of a tool.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ChangeKind {
    /// The tool is new.
    Added,
    /// The tool's description has changed.
    Described,
    /// A call now has another effect on the service.
    Effect {
        /// The old effect.
        from: Effect,
        /// The new effect.
        to: Effect,
    },
    /// An input accepts less than before, or it cannot be shown that it accepts as much.
    Input {
        /// The location of the input: `limit`, `owner.email`, `labels[]`.
        at: String,
        /// The way the input changed.
        change: InputChange,
    },
    /// The tool's operation has another method or another path.
    Moved {
        /// The old operation: `GET /pets`.
        from: String,
        /// The new operation.
        to: String,
    },
    /// The tool no longer exists.
    Removed,
    /// The tool of an operation has a new name.
    Renamed {
        /// The old name.
        from: String,
    },
    /// Calls go to another server.
    Server {
        /// The old server.
        from: String,
        /// The new server.
        to: String,
    },
}

/// The way an input changed.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum InputChange {
    /// The input is new and optional.
    Added,
    /// The input is new and required.
    AddedRequired,
    /// The input refuses some values that it accepted: the reason.
    Narrowed(String),
    /// The input is no longer accepted.
    Removed,
    /// The input was optional and is now required.
    Required,
    /// The comparison cannot decide if the input accepts as much: the keyword that differs.
    Unknown(String),
}

impl Changes {
    /// The changes from one executor to another. Builds the declarations of both, which takes time for thousands of tools.
    pub fn between(old: &Executor, new: &Executor) -> Self {
        let (old, new) = (Facts::tool_facts(old), Facts::tool_facts(new));
        let renamed = renamed_operations(&old, &new);
        let mut list = Vec::new();
        for (name, facts) in &new {
            let mut add = |kind| list.push(Change { tool: (*name).to_owned(), kind });
            let before = match renamed.get(name) {
                Some(from) => {
                    add(ChangeKind::Renamed { from: (*from).to_owned() });
                    old.get(from)
                }
                None => old.get(name),
            };
            match before {
                Some(before) => facts.changes_since(before).into_iter().for_each(add),
                None => add(ChangeKind::Added),
            }
        }
        for name in old.keys() {
            if !new.contains_key(name) && !renamed.values().any(|from| from == name) {
                list.push(Change { tool: (*name).to_owned(), kind: ChangeKind::Removed });
            }
        }
        list.sort_by(|a, b| a.tool.cmp(&b.tool));
        Self { list }
    }

    /// The changes as a list.
    pub fn list(&self) -> &[Change] {
        &self.list
    }

    /// Returns true if an agent that knows the old tools may fail with the new ones.
    pub fn is_breaking(&self) -> bool {
        self.list.iter().any(Change::is_breaking)
    }

    /// The changes as JSON: a list of `{"tool", "change", "breaking"}` with `at`, `from`, `to` and `why` if present.
    pub fn to_value(&self) -> Value {
        Value::Array(self.list.iter().map(Change::to_value).collect())
    }
}

/// The old names of operations, by their new names: operations whose old name is gone and whose method and path are unchanged.
fn renamed_operations<'a>(
    old: &BTreeMap<&'a str, Facts<'a>>,
    new: &BTreeMap<&'a str, Facts<'a>>,
) -> BTreeMap<&'a str, &'a str> {
    let mut gone: BTreeMap<_, Vec<&str>> = BTreeMap::new();
    for (name, facts) in old.iter().filter(|(name, _)| !new.contains_key(*name)) {
        if let Some(place) = facts.operation_place() {
            gone.entry(place).or_default().push(name);
        }
    }
    let mut renamed = BTreeMap::new();
    for (name, facts) in new.iter().filter(|(name, _)| !old.contains_key(*name)) {
        let from = facts.operation_place().and_then(|place| gone.get_mut(&place));
        if let Some(from) = from.filter(|from| !from.is_empty()) {
            renamed.insert(*name, from.remove(0));
        }
    }
    renamed
}

impl Change {
    /// Returns true if an agent that knows the old tool may fail with the new one.
    pub fn is_breaking(&self) -> bool {
        match &self.kind {
            ChangeKind::Added | ChangeKind::Described | ChangeKind::Moved { .. } => false,
            // A person who approved reading did not approve writing; the opposite change harms nobody.
            ChangeKind::Effect { from, to } => {
                *to == Effect::Write || (*from == Effect::Read && *to != Effect::Read)
            }
            ChangeKind::Input { change, .. } => *change != InputChange::Added,
            ChangeKind::Removed | ChangeKind::Renamed { .. } | ChangeKind::Server { .. } => true,
        }
    }

    /// The word for the kind of change: `input_narrowed`.
    pub fn kind_name(&self) -> &'static str {
        match &self.kind {
            ChangeKind::Added => "added",
            ChangeKind::Described => "described",
            ChangeKind::Effect { .. } => "effect_changed",
            ChangeKind::Input { change, .. } => match change {
                InputChange::Added | InputChange::AddedRequired => "input_added",
                InputChange::Narrowed(_) => "input_narrowed",
                InputChange::Removed => "input_removed",
                InputChange::Required => "input_required",
                InputChange::Unknown(_) => "input_unknown",
            },
            ChangeKind::Moved { .. } => "moved",
            ChangeKind::Removed => "removed",
            ChangeKind::Renamed { .. } => "renamed",
            ChangeKind::Server { .. } => "server_changed",
        }
    }

    /// The change as JSON: `{"tool", "change", "breaking"}` with `at`, `from`, `to` and `why` if present.
    pub fn to_value(&self) -> Value {
        let mut value = json!({
            "tool": self.tool.as_str(),
            "change": self.kind_name(),
            "breaking": self.is_breaking(),
        });
        let Details { at, from, to, why } = self.change_details();
        let details = [("at", at), ("from", from), ("to", to), ("why", why)];
        let given = details.into_iter().filter_map(|(key, text)| Some((key, text?.into())));
        if let Some(members) = value.as_object_mut() {
            given.for_each(|(key, text)| drop(members.insert(key, text)));
        }
        value
    }

    fn change_details(&self) -> Details<'_> {
        let none = Details::default();
        match &self.kind {
            ChangeKind::Added | ChangeKind::Described | ChangeKind::Removed => none,
            ChangeKind::Effect { from, to } => {
                Details { from: Some(from.as_str()), to: Some(to.as_str()), ..none }
            }
            ChangeKind::Input { at, change } => {
                let why = match change {
                    InputChange::AddedRequired => Some("it is required"),
                    InputChange::Narrowed(why) | InputChange::Unknown(why) => Some(&**why),
                    InputChange::Added | InputChange::Removed | InputChange::Required => None,
                };
                Details { at: Some(at), why, ..none }
            }
            ChangeKind::Moved { from, to } | ChangeKind::Server { from, to } => {
                Details { from: Some(from), to: Some(to), ..none }
            }
            ChangeKind::Renamed { from } => Details { from: Some(from), ..none },
        }
    }
}

#[derive(Default)]
struct Details<'a> {
    at: Option<&'a str>,
    from: Option<&'a str>,
    to: Option<&'a str>,
    why: Option<&'a str>,
}

impl fmt::Display for Change {
    /// Writes `pets-listPets: input_narrowed limit: maximum`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.tool, self.kind_name())?;
        match self.change_details() {
            Details { from: Some(from), to: Some(to), .. } => write!(f, " {from} → {to}"),
            Details { from: Some(from), .. } => write!(f, " from {from}"),
            Details { at: Some(at), why: Some(why), .. } => write!(f, " {at}: {why}"),
            Details { at: Some(at), .. } => write!(f, " {at}"),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
