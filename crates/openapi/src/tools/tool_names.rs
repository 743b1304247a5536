//! Names all operations of a description: by their ids, or by the names in the program from which a generator made the
//! ids. The report says which rule made names shorter, and for how many tools.

use std::collections::BTreeMap;

use callgate_tool::ToolName;
use callgate_tree::{Node, Path};

use crate::{
    code::Code,
    edit::{Edits, OperationLookup},
    findings::Findings,
    names::{Generator, Identity, LongerName, ShortName, prefixed_name, short_names, tool_names},
    options::{LoadOptions, ToolNames},
    tools::find::FoundOperation,
};

pub(super) struct NamesOfTools {
    /// `None` where no name is legal.
    pub(super) names: Vec<Option<ToolName>>,
    /// For each short name the longer one that the whole id makes.
    pub(super) longer: Vec<Option<LongerName>>,
}

/// The names of all operations, those that edits give among them, and the edits by their operations.
pub(super) fn names_with_edits<'o>(
    operations: &[Identity<'_>],
    options: &'o LoadOptions,
) -> (NamesOfTools, Edits<'o>) {
    let mut named = unedited_names(operations, options);
    let lookup = OperationLookup { operations, longer: &named.longer };
    let toolset = options.toolset.as_ref();
    let edits = Edits::new(&options.edits, toolset, lookup, &mut named.names);
    (named, edits)
}

/// The names of all operations without edits. Those that an edit gives are not taken by others.
fn unedited_names(operations: &[Identity<'_>], options: &LoadOptions) -> NamesOfTools {
    let toolset = options.toolset.as_ref();
    let mut names = tool_names(toolset, operations);
    let mut longer = vec![None; names.len()];
    if options.tool_names == ToolNames::AsWritten {
        return NamesOfTools { names, longer };
    }
    let edited = options.edits.values().filter_map(|edit| edit.name.as_deref());
    let edited = edited.filter_map(|name| ToolName::new(&prefixed_name(toolset, name)).ok());
    let taken: Vec<_> = options.taken_names.iter().cloned().chain(edited).collect();
    let short = short_names(toolset, operations, &names, &taken);
    for ((own, longer), short) in names.iter_mut().zip(&mut longer).zip(short) {
        if let Some(ShortName { name, generator }) = short {
            *longer = own.replace(name).map(|written| (written, generator));
        }
    }
    NamesOfTools { names, longer }
}

pub(super) fn operation_identity<'a>(found_operation: &'a FoundOperation<'_>) -> Identity<'a> {
    Identity {
        method: found_operation.method.as_str(),
        operation_id: found_operation.operation_id(),
        path: &found_operation.key,
        tag: found_operation.operation.node.list("tags").first().and_then(Node::as_str),
    }
}

/// Reports the names that are shorter than their ids: one finding for each generator.
pub(super) fn report_shorter_names<'a>(
    names: impl Iterator<Item = (&'a ToolName, &'a LongerName)>,
    findings: &mut Findings,
) {
    let mut made: BTreeMap<Generator, Vec<[&ToolName; 2]>> = BTreeMap::new();
    for (name, (longer, generator)) in names {
        made.entry(*generator).or_default().push([longer, name]);
    }
    for (generator, names) in made {
        let Some(pattern) = generator.name_pattern_words() else { continue };
        let shown =
            names.iter().take(SHOWN).map(|[longer, name]| format!("`{longer}` is `{name}`"));
        let shown: Vec<_> = shown.collect();
        let more = if names.len() > SHOWN { ", …" } else { "" };
        let message = format!(
            "expected ids with the names of a program alone, got {} {pattern}: {}{more}",
            names.len(),
            shown.join(", "),
        );
        let help = "no change is needed: both names are understood; `tool_names: as_written` keeps the long ones";
        findings.note(Code::ShortenedNames, Path::ROOT.name("paths"), message, help);
    }
}

const SHOWN: usize = 3;

impl Generator {
    /// The words for ids of this generator; `None` where each operation has a finding of its own.
    fn name_pattern_words(self) -> Option<&'static str> {
        Some(match self {
            Self::FastApi => "with path and method, as FastAPI writes them",
            Self::Nest => "with the word `Controller`, as NestJS writes them",
            Self::Numbered => "with a number behind a name that others have",
            Self::Shared => return None,
            Self::Springfox => "with the method, as springfox writes them",
            Self::Tagged => "that repeat their tag",
        })
    }
}
