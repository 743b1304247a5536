//! An operator's edits of single tools: finds the operation that each one means, renames it, and applies the rest to its
//! inputs. The declaration takes its texts from the edit itself. Values are checked where the schemas are built.

mod arguments;

use std::{collections::BTreeMap, sync::Arc};

use callgate_tool::{EditFault, EditFaultKind, Effect, ToolEdit, ToolName, ToolsetName, nearest};

use crate::names::{Identity, LongerName, name_without_toolset};

pub(crate) use arguments::{AppliedArguments, apply_to_layout};

/// The operator's changes to an operation.
///
/// ```
/// use callgate_openapi::{Document, LoadOptions, load};
/// use callgate_tool::{ToolEdit, json};
///
/// # fn main() -> Result<(), Vec<callgate_tree::Diagnostic>> {
/// let text = b"openapi: 3.1.0
/// servers: [{url: https://api.example.com}]
/// paths: {/pets: {get: {operationId: listPets, parameters: [{name: shop, in: query}]}}}";
/// let document = Document::read(text, &Default::default())?.value;
/// let edit = ToolEdit {
///     name: Some("find_pets".to_owned()),
///     fix: [("shop".to_owned(), json!("acme"))].into(),
///     ..ToolEdit::default()
/// };
/// let edits = [("listPets".to_owned(), edit.into())].into();
/// let loaded = load(&document, &LoadOptions { edits, ..LoadOptions::default() });
/// let operation = &loaded.operations[0];
/// assert_eq!(operation.tool_name.as_str(), "find_pets");
/// assert_eq!(operation.edit.as_ref().unwrap().former_name.as_str(), "listPets");
/// assert!(!operation.inputs[0].visible);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AppliedEdit {
    /// The changes.
    pub changes: Arc<ToolEdit>,
    /// The name that the tool would have without its new one.
    pub former_name: ToolName,
}

/// An edit that cannot be applied as it stands.
///
/// ```
/// use callgate_openapi::{Document, LoadOptions, load};
/// use callgate_tool::{EditFaultKind, ToolEdit};
///
/// # fn main() -> Result<(), Vec<callgate_tree::Diagnostic>> {
/// # let text = b"openapi: 3.1.0
/// # servers: [{url: https://api.example.com}]
/// # paths: {/pets: {get: {operationId: listPets}}}";
/// # let document = Document::read(text, &Default::default())?.value;
/// // Of a description whose only operation is `listPets`.
/// let edits = [("listPet".to_owned(), ToolEdit::default().into())].into();
/// let loaded = load(&document, &LoadOptions { edits, ..LoadOptions::default() });
/// let faulty = &loaded.report.edits[0];
/// assert_eq!((&*faulty.tool, faulty.fault.kind), ("listPet", EditFaultKind::Misspelt));
/// assert_eq!(faulty.fault.help, "did you mean `listPets`?");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct FaultyEdit {
    /// The name that the edit has for the tool.
    pub tool: String,
    /// The fault.
    pub fault: EditFault,
}

#[derive(Debug, Default)]
pub(crate) struct Edits<'o> {
    /// The edit of each operation, in their order; empty without edits.
    of: Vec<Option<EditOf<'o>>>,
    pub(crate) faults: Vec<FaultyEdit>,
}

#[derive(Clone, Debug)]
pub(crate) struct EditOf<'o> {
    pub(crate) tool: &'o str,
    pub(crate) applied: AppliedEdit,
}

impl AppliedEdit {
    /// The changes to a tool that would have this name without its new one.
    #[doc(hidden)]
    pub fn new(changes: Arc<ToolEdit>, former_name: ToolName) -> Self {
        Self { changes, former_name }
    }

    /// The operator's own name, without a prefix, and the former one.
    pub(crate) fn new_and_former_name(edit: Option<&Self>) -> [Option<&str>; 2] {
        let new = edit.and_then(|edit| edit.changes.name.as_deref());
        [new, edit.map(|edit| edit.former_name.as_str())]
    }

    pub(crate) fn effect_or(&self, described: Effect) -> Effect {
        self.changes.effect.unwrap_or(described)
    }
}

/// The names by which a configuration may mean an operation: the tool's, the id, those of its edit, the one that the whole
/// id makes, and a short one without the toolset's.
pub(crate) fn operation_names<'a>(
    own: Option<&'a ToolName>,
    operation_id: Option<&'a str>,
    written: Option<&'a ToolName>,
    edit: Option<&'a AppliedEdit>,
) -> [Option<&'a str>; 6] {
    let [new, former] = AppliedEdit::new_and_former_name(edit);
    let unedited = edit.map(|edit| &edit.former_name).or(own);
    let short = written.and_then(|_| name_without_toolset(unedited?));
    let [own, written] = [own, written].map(|name| name.map(ToolName::as_str));
    [own, operation_id, new, former, written, short]
}

impl FaultyEdit {
    pub(crate) fn new(tool: &str, fault: EditFault) -> Self {
        Self { tool: tool.to_owned(), fault }
    }
}

/// The operations that edits may mean, with their names before any edit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OperationLookup<'a> {
    pub(crate) operations: &'a [Identity<'a>],
    /// For each operation with a short name the one that the whole id makes.
    pub(crate) longer: &'a [Option<LongerName>],
}

impl OperationLookup<'_> {
    /// The operation that an edit means: by the name of its tool, by the longer name, by its id, or by its short name without
    /// the toolset's.
    fn operation_index(self, tool: &str, names: &[Option<ToolName>]) -> Result<usize, EditFault> {
        let is_tool = |name: Option<&ToolName>| name.is_some_and(|name| name.as_str() == tool);
        if let Some(at) = names.iter().position(|name| is_tool(name.as_ref())) {
            return Ok(at);
        }
        let longer = |at: usize| self.longer.get(at).and_then(Option::as_ref).map(|(name, _)| name);
        let id = |at: usize| self.operations.get(at).and_then(|one| one.operation_id);
        let short =
            |at: usize| longer(at).and_then(|_| name_without_toolset(names.get(at)?.as_ref()?));
        let ways: [(&str, &dyn Fn(usize) -> bool); 3] = [
            ("whole name", &|at| is_tool(longer(at))),
            ("`operationId`", &|at| id(at) == Some(tool)),
            ("short name", &|at| short(at) == Some(tool)),
        ];
        for (way, is_meant) in ways {
            let mut meant = (0..names.len()).filter(|at| is_meant(*at));
            let Some(at) = meant.next() else { continue };
            return match meant.count() {
                0 => Ok(at),
                n_more => {
                    let n = n_more.saturating_add(1);
                    let message =
                        format!("expected one operation, got {n} with the {way}: `{tool}`");
                    let help = "write the name of the tool, as `callgate tools` lists it";
                    Err(EditFault::impossible_change("", message, help))
                }
            };
        }
        Err(unknown_tool_fault(tool, self.operations, names))
    }
}

impl<'o> Edits<'o> {
    /// Finds the operation of each edit by one of its names, and puts the new names into `names`.
    pub(crate) fn new(
        edits: &'o BTreeMap<String, Arc<ToolEdit>>,
        toolset: Option<&ToolsetName>,
        lookup: OperationLookup<'_>,
        names: &mut [Option<ToolName>],
    ) -> Self {
        let mut matched_edits = Self::default();
        if edits.is_empty() {
            return matched_edits;
        }
        matched_edits.of.resize(names.len(), None);
        for (tool, edit) in edits {
            if let Some(fault) = matched_edits.add_edit(tool, edit, lookup, names).err() {
                matched_edits.faults.push(FaultyEdit::new(tool, fault));
            }
        }
        for (at, name) in names.iter_mut().enumerate() {
            let Some(EditOf { tool, applied }) = matched_edits.of.get(at).and_then(Option::as_ref)
            else {
                continue;
            };
            match edited_tool_name(toolset, &applied.changes) {
                None => {}
                Some(Ok(new)) => *name = Some(new),
                Some(Err(fault)) => matched_edits.faults.push(FaultyEdit::new(tool, fault)),
            }
        }
        matched_edits
    }

    fn add_edit(
        &mut self,
        tool: &'o str,
        edit: &Arc<ToolEdit>,
        lookup: OperationLookup<'_>,
        names: &[Option<ToolName>],
    ) -> Result<(), EditFault> {
        let at = lookup.operation_index(tool, names)?;
        let former_name = names.get(at).cloned().flatten();
        let (Some(slot), Some(former_name)) = (self.of.get_mut(at), former_name) else {
            return Err(unknown_tool_fault(tool, lookup.operations, names));
        };
        if let Some(other) = slot {
            let message =
                format!("expected one edit of a tool, got another one of it: `{}`", other.tool);
            return Err(EditFault::impossible_change("", message, "put both into one"));
        }
        let applied = AppliedEdit { changes: Arc::clone(edit), former_name };
        *slot = Some(EditOf { tool, applied });
        Ok(())
    }

    pub(crate) fn edit_at(&self, at: usize) -> Option<&EditOf<'o>> {
        self.of.get(at)?.as_ref()
    }

    /// Adds the faults that depend on the operations that are offered: edits of others, and new names that another one has.
    pub(crate) fn add_selection_faults(
        &mut self,
        operations: &[Identity<'_>],
        names: &[Option<ToolName>],
        selected: &[bool],
    ) {
        let is_selected = |at: &usize| selected.get(*at).copied().unwrap_or_default();
        let mut faults = Vec::new();
        for (at, edit) in self.of.iter().enumerate() {
            let Some(EditOf { tool, applied }) = edit else { continue };
            if !is_selected(&at) {
                faults.push(FaultyEdit::new(tool, unoffered_tool_fault(tool)));
                continue;
            }
            let (Some(new), Some(Some(name))) = (&applied.changes.name, names.get(at)) else {
                continue;
            };
            let is_id =
                |at: usize| operations.get(at).is_some_and(|one| one.operation_id == Some(new));
            let is_name = |at: usize| names.get(at).and_then(Option::as_ref) == Some(name);
            let is_former =
                |at| self.edit_at(at).is_some_and(|one| one.applied.former_name == *name);
            let others = (0..operations.len()).filter(|other| *other != at && is_selected(other));
            let mut others = others.filter(|at| is_id(*at) || is_name(*at) || is_former(*at));
            if let Some(other) = others.next().and_then(|at| operations.get(at)) {
                let label = format!("{} {}", other.method, other.path);
                faults.push(FaultyEdit::new(tool, taken_name_fault(new, &label)));
            }
        }
        self.faults.extend(faults);
    }
}

/// The new name of a tool behind the prefix of its toolset; `None` if it keeps its name.
#[doc(hidden)]
pub fn edited_tool_name(
    toolset: Option<&ToolsetName>,
    edit: &ToolEdit,
) -> Option<Result<ToolName, EditFault>> {
    let new = edit.name.as_deref()?;
    let full = toolset.map_or_else(|| new.to_owned(), |toolset| format!("{toolset}-{new}"));
    Some(ToolName::new(&full).map_err(|error| {
        let help = "use letters, digits, `_` and `-`, at most 60 with the prefix of the toolset";
        EditFault::impossible_change("/name", error.to_string(), help)
            .with_kind(EditFaultKind::Name)
    }))
}

fn unknown_tool_fault(
    tool: &str,
    operations: &[Identity<'_>],
    names: &[Option<ToolName>],
) -> EditFault {
    let ids = operations.iter().filter_map(|operation| operation.operation_id);
    let near = nearest(tool, names.iter().flatten().map(ToolName::as_str).chain(ids));
    let help =
        near.map_or_else(|| "remove it".to_owned(), |near| format!("did you mean `{near}`?"));
    let kind = EditFaultKind::misspelt_or_gone(tool, near);
    EditFault::impossible_change("", no_tool_message(tool), help).with_kind(kind)
}

fn unoffered_tool_fault(tool: &str) -> EditFault {
    let help = "remove it, or let the other keys of `tools` select the operation";
    EditFault::impossible_change("", no_tool_message(tool), help).with_kind(EditFaultKind::Gone)
}

fn no_tool_message(tool: &str) -> String {
    format!("expected the name of a tool that is offered, got: `{tool}`")
}

fn taken_name_fault(new: &str, other: &str) -> EditFault {
    let message = format!("expected a name that no other tool has, got that of `{other}`: `{new}`");
    let help = "choose another, also if that tool gets a new name itself";
    EditFault::impossible_change("/name", message, help).with_kind(EditFaultKind::Taken)
}
