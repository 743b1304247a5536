//! The tools that `--tag`, `--effect` and `--read` leave of a file.

use std::collections::BTreeSet;

use callgate::{Effect, config::Built};
use callgate_openapi::tags_with_ancestors;
use callgate_tool::{ToolName, nearest};

use crate::{args::ToolsArguments, exit::Failure, number::grouped_digits, output};

#[derive(Debug)]
pub(super) struct Filter {
    /// The names of the tools that are left; `None` if nothing filters.
    kept: Option<BTreeSet<ToolName>>,
    n_all: usize,
    /// The flags as they are typed.
    flags: String,
}

impl Filter {
    /// The filter that the flags make. Fails if no tool has one of the tags.
    pub(super) fn new(built: &Built, arguments: &ToolsArguments) -> Result<Self, Failure> {
        let ToolsArguments { tag: tags, effect, read, .. } = arguments;
        let effects = if *read { &[Effect::Read] } else { &**effect };
        let n_all = built.executor.entries().count();
        if tags.is_empty() && effects.is_empty() {
            return Ok(Self { kept: None, n_all, flags: String::new() });
        }
        let tagged = tool_tags(built);
        let all_tags = || tagged.iter().flat_map(|(_, tags)| tags.iter().copied());
        if let Some(unknown) =
            tags.iter().find(|tag| all_tags().all(|known_tag| known_tag != **tag))
        {
            return Err(unknown_tag_failure(unknown, &all_tags().collect(), arguments));
        }
        let has_tag = |of: &[&str]| tags.is_empty() || tags.iter().any(|tag| of.contains(&&**tag));
        let of_tags: BTreeSet<&ToolName> =
            tagged.iter().filter(|(_, of)| has_tag(of)).map(|(name, _)| *name).collect();
        let kept = built.executor.entries().filter(|entry| {
            (tags.is_empty() || of_tags.contains(entry.name()))
                && (effects.is_empty() || effects.contains(&entry.effect()))
        });
        let kept = Some(kept.map(|entry| entry.name().clone()).collect());
        Ok(Self { kept, n_all, flags: filter_flags(arguments) })
    }

    pub(super) fn for_tool(name: &ToolName) -> Self {
        Self { kept: Some(BTreeSet::from([name.clone()])), n_all: 1, flags: String::new() }
    }

    pub(super) fn keeps(&self, name: &ToolName) -> bool {
        self.kept.as_ref().is_none_or(|kept| kept.contains(name))
    }

    pub(super) fn has_flags(&self) -> bool {
        !self.flags.is_empty()
    }

    pub(super) fn print_count_left_out(&self) {
        let Some(kept) = self.kept.as_ref().filter(|_| self.has_flags()) else { return };
        let n_out = self.n_all.saturating_sub(kept.len());
        output::print_message_line(&format!(
            "note: {} of {} tools; {} are left out by `{}`",
            grouped_digits(kept.len()),
            grouped_digits(self.n_all),
            grouped_digits(n_out),
            self.flags
        ));
    }
}

pub(super) fn tool_tags(built: &Built) -> Vec<(&ToolName, Vec<&str>)> {
    let tagged = built.toolsets.iter().flat_map(|toolset| {
        let names = toolset.operations.iter().map(|operation| &operation.tool_name);
        names.zip(tags_with_ancestors(&toolset.operations))
    });
    tagged.collect()
}

fn unknown_tag_failure(
    unknown: &str,
    all_tags: &BTreeSet<&str>,
    arguments: &ToolsArguments,
) -> Failure {
    let file = arguments.source.file.display();
    let message = format!("expected a tag of a tool of `{file}`, got: `{unknown}`");
    let help = match nearest(unknown, all_tags.iter().copied()) {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None if all_tags.is_empty() => "no tool has a tag; leave `--tag` out".to_owned(),
        None => {
            let named: Vec<_> = all_tags.iter().take(NAMED).map(|tag| format!("`{tag}`")).collect();
            let more = if all_tags.len() > NAMED { ", …" } else { "" };
            format!("the tags are {}{more}", named.join(", "))
        }
    };
    Failure::with_help(&message, &help)
}

fn filter_flags(arguments: &ToolsArguments) -> String {
    let tags = arguments.tag.iter().map(|tag| format!("--tag {tag}"));
    let effects = arguments.effect.iter().map(|effect| format!("--effect {}", effect.as_str()));
    let read = arguments.read.then(|| "--read".to_owned());
    tags.chain(effects).chain(read).collect::<Vec<_>>().join(" ")
}

const NAMED: usize = 12;
