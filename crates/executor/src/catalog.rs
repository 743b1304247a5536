//! Finds a tool by its name: exactly, or by the longer name that its whole `operationId` makes, or else the only tool that
//! matches when case and `- _ .` are folded. Tools keep the order in which they were added.

mod permit;

use std::{
    collections::BTreeMap,
    sync::{Arc, OnceLock},
};

use callgate_openapi::{AppliedEdit, Operation};
use callgate_tool::{
    Effect, FingerprintHasher, Session, Tool, ToolName, nearest_first, shortened_text,
};

use crate::{
    backend::Backend,
    error::{self, Error},
    execution::Execution,
    rights::CallRights,
    toolset::RefusedTool,
};

pub(crate) use self::permit::Permit;

const NEAREST: usize = 3;
/// The characters in the line about a tool's purpose.
const BRIEF: usize = 160;

#[derive(Debug, Default)]
pub(crate) struct Catalog {
    slots: Vec<Slot>,
    exact: BTreeMap<ToolName, usize>,
    /// The tools by their longer names; `None` if several tools have one.
    written: BTreeMap<ToolName, Option<usize>>,
    /// `None` if several tools fold to one name.
    folded: BTreeMap<String, Option<usize>>,
    /// The tools that are not offered, by their folded names.
    refused: BTreeMap<String, RefusedEntry>,
}

#[derive(Debug)]
struct RefusedEntry {
    toolset: Arc<str>,
    reason: Arc<str>,
}

#[derive(Debug)]
pub(crate) struct Slot {
    name: ToolName,
    pub(crate) backend: Arc<dyn Backend>,
    operation: Option<Arc<Operation>>,
    edit: Option<AppliedEdit>,
    /// The purpose in one line, once somebody asked for it: the text that it begins may be very long.
    brief: OnceLock<Box<str>>,
}

impl Slot {
    pub(crate) fn new(
        name: ToolName,
        backend: Arc<dyn Backend>,
        operation: Option<Arc<Operation>>,
        edit: Option<AppliedEdit>,
    ) -> Self {
        Self { name, backend, operation, edit, brief: OnceLock::new() }
    }
}

/// One tool of an executor.
///
/// ```
/// use callgate_executor::Executor;
/// use callgate_tool::json;
///
/// let executor = Executor::builder()
///     .function("clock", "get_time", json!({"type": "object"}), |_| async { json!("12:00") })
///     .build()?;
/// let entry = executor.find("clock-get_time").expect("a tool");
/// assert_eq!((entry.name().as_str(), entry.toolset()), ("clock-get_time", "clock"));
/// # Ok::<(), callgate_executor::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a>(&'a Slot);

impl Catalog {
    pub(crate) fn add(&mut self, slot: Slot) -> Result<(), Error> {
        if let Some(first) = self.exact.get(&slot.name).and_then(|at| self.slots.get(*at)) {
            return Err(error::duplicate_tool(
                &slot.name,
                &operation_label(first),
                &operation_label(&slot),
            ));
        }
        let at = self.slots.len();
        self.exact.insert(slot.name.clone(), at);
        self.folded
            .entry(folded_name(slot.name.as_str()))
            .and_modify(|index| *index = None)
            .or_insert(Some(at));
        let written = slot.operation.as_ref().and_then(|operation| operation.written_name.clone());
        if let Some(written) = written {
            self.written.entry(written).and_modify(|index| *index = None).or_insert(Some(at));
        }
        self.slots.push(slot);
        Ok(())
    }

    pub(crate) fn add_refused_tools(&mut self, toolset: &str, refused: Vec<RefusedTool>) {
        let toolset: Arc<str> = toolset.into();
        for RefusedTool { name, reason } in refused {
            let refused = RefusedEntry { toolset: Arc::clone(&toolset), reason };
            self.refused.entry(folded_name(name.as_str())).or_insert(refused);
        }
    }

    /// The reason why a tool is not offered, if it is one of a toolset that `sees` takes.
    pub(crate) fn refusal_reason(&self, asked: &str, sees: impl Fn(&str) -> bool) -> Option<&str> {
        let refused = self.refused.get(&folded_name(asked))?;
        sees(&refused.toolset).then_some(&*refused.reason)
    }

    pub(crate) fn entries(&self) -> impl Iterator<Item = Entry<'_>> {
        self.slots.iter().map(Entry)
    }

    pub(crate) fn backends(&self) -> impl Iterator<Item = &dyn Backend> {
        self.slots.iter().map(|slot| &*slot.backend)
    }

    pub(crate) fn entry(&self, at: usize) -> Option<Entry<'_>> {
        self.slots.get(at).map(Entry)
    }

    pub(crate) fn find(&self, asked: &str) -> Option<Entry<'_>> {
        let exact = self.exact.get(asked).copied();
        let written = || self.written.get(asked).copied().flatten();
        let folded = || self.folded.get(&folded_name(asked)).copied().flatten();
        let at = exact.or_else(written).or_else(folded)?;
        self.slots.get(at).map(Entry)
    }

    /// True if a toolset has a tool of exactly this name.
    pub(crate) fn has_tool(&self, toolset: &str, tool: &str) -> bool {
        let entry = self.exact.get(tool).and_then(|at| self.entry(*at));
        entry.is_some_and(|entry| entry.toolset() == toolset)
    }

    /// The names most similar to `asked`, the most similar first, of the tools that `sees` takes.
    pub(crate) fn nearest_names<'e>(
        &'e self,
        asked: &str,
        sees: impl Fn(Entry<'e>) -> bool,
    ) -> Vec<&'e str> {
        let seen = self.entries().filter(|entry| sees(*entry));
        let mut nearest = nearest_first(asked, seen.map(|entry| entry.name().as_str()));
        nearest.truncate(NEAREST);
        nearest
    }
}

impl<'a> Entry<'a> {
    /// The name that the model calls the tool by.
    pub fn name(self) -> &'a ToolName {
        &self.0.name
    }

    /// The toolset of the tool; empty if it has none.
    pub fn toolset(self) -> &'a str {
        self.0.backend.toolset()
    }

    /// True if calls of the tool may be made now by these rights.
    #[doc(hidden)]
    pub fn is_permitted(self, rights: &CallRights) -> bool {
        rights.allows_call(self.toolset(), self.name().as_str())
    }

    /// The tool's declaration, built on first use and kept. `None` if the declaration exceeds its limits, as
    /// `callgate check` reports.
    pub fn declaration(self) -> Option<&'a Tool> {
        self.0.backend.declaration()
    }

    /// The effect of a call on the service.
    pub fn effect(self) -> Effect {
        self.0.backend.effect()
    }

    /// The tool's purpose in one line: the first line of its description as declared, cut if it is long.
    pub fn brief(self) -> String {
        let read = || {
            let said = self.operation().map(|operation| operation.purpose());
            let said = said.or_else(|| Some(self.declaration()?.description.trim().to_owned()));
            shortened_line(said.unwrap_or_default().lines().next().unwrap_or_default()).into()
        };
        self.0.brief.get_or_init(read).to_string()
    }

    /// Sentences for the person who configures the tool.
    #[doc(hidden)]
    pub fn operator_notes(self) -> Vec<String> {
        self.0.backend.operator_notes()
    }

    /// True if calls of the tool call tools.
    #[doc(hidden)]
    pub fn can_call_tools(self) -> bool {
        self.0.backend.can_call_tools()
    }

    /// Adds to a fingerprint what a call of the tool reads of a session, and whose credential it sends. A client gets no value of the
    /// session: its answer is for the users whom it acts for.
    #[doc(hidden)]
    pub fn hash_session(self, session: &Session, hasher: &mut FingerprintHasher) {
        if self.execution() == Execution::Client {
            hasher.add_credential_owners(session);
        } else {
            self.0.backend.hash_session(session, hasher);
        }
    }

    /// The place where calls run.
    #[doc(hidden)]
    pub fn execution(self) -> Execution {
        self.0.backend.execution()
    }

    /// The operation of a description that the tool calls; `None` for another kind of tool.
    #[doc(hidden)]
    pub fn operation(self) -> Option<&'a Arc<Operation>> {
        self.0.operation.as_ref()
    }

    /// The operator's changes to the tool, whatever its kind; `None` if there are none.
    #[doc(hidden)]
    pub fn edit(self) -> Option<&'a AppliedEdit> {
        self.0.edit.as_ref()
    }

    /// The tool's arguments that are credentials.
    #[doc(hidden)]
    pub fn secret_arguments(self) -> &'a [String] {
        self.0.backend.secret_arguments()
    }
}

fn operation_label(slot: &Slot) -> String {
    match &slot.operation {
        Some(operation) => format!("`{} {}`", operation.method.as_str(), operation.path),
        None => "a tool that is no operation".to_owned(),
    }
}

/// A line short enough for a list, without control characters.
fn shortened_line(line: &str) -> String {
    let seen: String = line.chars().filter(|c| !c.is_control()).collect();
    shortened_text(&seen, BRIEF).into_owned()
}

fn folded_name(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '-' | '_' | '.')).flat_map(char::to_lowercase).collect()
}
