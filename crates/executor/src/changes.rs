//! The difference between two builds of a catalog, as agents feel it: tools that come, go or get another name, inputs
//! that they must give or may no longer give, effects and servers. Names and schemas are compared, nothing is called.

mod facts;
mod inputs;
mod narrowed;

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
    /// The tool's name, the new one where it has another.
    pub tool: String,
    /// The changes.
    pub kind: ChangeKind,
}

/// The changes of a tool.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ChangeKind {
    /// There is such a tool now.
    Added,
    /// It is described in other words.
    Described,
    /// A call does something else to the service.
    Effect {
        /// The effect it had.
        from: Effect,
        /// The effect.
        to: Effect,
    },
    /// An input takes less than it did, or it cannot be said that it takes as much.
    Input {
        /// The place: `limit`, `owner.email`, `labels[]`.
        at: String,
        /// The way it changed.
        change: InputChange,
    },
    /// The method or the path of its operation is another one.
    Moved {
        /// The operation it was: `GET /pets`.
        from: String,
        /// The kind.
        to: String,
    },
    /// There is no such tool any more.
    Removed,
    /// The same operation has another name.
    Renamed {
        /// The one it had.
        from: String,
    },
    /// Calls go to another server.
    Server {
        /// The place where they went.
        from: String,
        /// The place where they go.
        to: String,
    },
}

/// The way an input changed.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum InputChange {
    /// It is new, and may be left out.
    Added,
    /// It is new, and must be given.
    AddedRequired,
    /// Some values that it took are refused: why.
    Narrowed(String),
    /// It is not taken any more.
    Removed,
    /// It could be left out, and must be given.
    Required,
    /// Nobody can say if it takes as much: the keyword that differs.
    Unknown(String),
}

impl Changes {
    /// The changes from one executor to another. The declarations of both are built, which takes its time for thousands of
    /// tools.
    pub fn between(old: &Executor, new: &Executor) -> Self {
        let (old, new) = (Facts::of(old), Facts::of(new));
        let renamed = renamed(&old, &new);
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
                Some(before) => facts.changes(before).into_iter().for_each(add),
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

    /// The changes.
    pub fn list(&self) -> &[Change] {
        &self.list
    }

    /// Returns true if an agent that knows the old tools may fail with the new ones.
    pub fn is_breaking(&self) -> bool {
        self.list.iter().any(Change::is_breaking)
    }

    /// The same as JSON: a list of `{"tool", "change", "breaking"}` with `at`, `from`, `to` and `why` where there are any.
    pub fn to_value(&self) -> Value {
        Value::Array(self.list.iter().map(Change::to_value).collect())
    }
}

/// The old names of operations, by the new ones: an operation whose name is gone, where one of a new name is at its place.
fn renamed<'a>(
    old: &BTreeMap<&'a str, Facts<'a>>,
    new: &BTreeMap<&'a str, Facts<'a>>,
) -> BTreeMap<&'a str, &'a str> {
    let mut gone: BTreeMap<_, Vec<&str>> = BTreeMap::new();
    for (name, facts) in old.iter().filter(|(name, _)| !new.contains_key(*name)) {
        if let Some(place) = facts.place() {
            gone.entry(place).or_default().push(name);
        }
    }
    let mut renamed = BTreeMap::new();
    for (name, facts) in new.iter().filter(|(name, _)| !old.contains_key(*name)) {
        let from = facts.place().and_then(|place| gone.get_mut(&place));
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
            // Whoever approved reading did not approve writing; another way round nobody is harmed.
            ChangeKind::Effect { from, to } => {
                *to == Effect::Write || (*from == Effect::Read && *to != Effect::Read)
            }
            ChangeKind::Input { change, .. } => *change != InputChange::Added,
            ChangeKind::Removed | ChangeKind::Renamed { .. } | ChangeKind::Server { .. } => true,
        }
    }

    /// The word for its kind: `input_narrowed`.
    pub fn word(&self) -> &'static str {
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

    /// The same as JSON: `{"tool", "change", "breaking"}` with `at`, `from`, `to` and `why` where there are any.
    pub fn to_value(&self) -> Value {
        let mut value = json!({
            "tool": self.tool.as_str(),
            "change": self.word(),
            "breaking": self.is_breaking(),
        });
        let mut add = |key: &str, text: &str| {
            if let Some(members) = value.as_object_mut() {
                members.insert(key, text.into());
            }
        };
        match &self.kind {
            ChangeKind::Added | ChangeKind::Described | ChangeKind::Removed => {}
            ChangeKind::Effect { from, to } => {
                add("from", effect(*from));
                add("to", effect(*to));
            }
            ChangeKind::Input { at, change } => {
                add("at", at);
                match change {
                    InputChange::AddedRequired => add("why", "it is required"),
                    InputChange::Narrowed(why) | InputChange::Unknown(why) => add("why", why),
                    InputChange::Added | InputChange::Removed | InputChange::Required => {}
                }
            }
            ChangeKind::Moved { from, to } | ChangeKind::Server { from, to } => {
                add("from", from);
                add("to", to);
            }
            ChangeKind::Renamed { from } => add("from", from),
        }
        value
    }
}

impl fmt::Display for Change {
    /// `pets-listPets: input_narrowed limit: maximum`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.tool, self.word())?;
        match &self.kind {
            ChangeKind::Added | ChangeKind::Described | ChangeKind::Removed => Ok(()),
            ChangeKind::Effect { from, to } => write!(f, " {} → {}", effect(*from), effect(*to)),
            ChangeKind::Input { at, change } => match change {
                InputChange::AddedRequired => write!(f, " {at}: it is required"),
                InputChange::Narrowed(why) | InputChange::Unknown(why) => write!(f, " {at}: {why}"),
                InputChange::Added | InputChange::Removed | InputChange::Required => {
                    write!(f, " {at}")
                }
            },
            ChangeKind::Moved { from, to } | ChangeKind::Server { from, to } => {
                write!(f, " {from} → {to}")
            }
            ChangeKind::Renamed { from } => write!(f, " from {from}"),
        }
    }
}

fn effect(effect: Effect) -> &'static str {
    match effect {
        Effect::Idempotent => "idempotent",
        Effect::Read => "read",
        Effect::Write => "write",
    }
}

#[cfg(test)]
mod tests;
