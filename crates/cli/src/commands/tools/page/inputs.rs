//! The arguments on the page of a tool: required ones first, members below their object, alternatives below `one of`. What is deep is
//! folded as `{…}`.

use callgate_openapi::{Input, Operation};
use callgate_tool::Value;

use super::kind::{Folding, is_object_with_members, kind_words, list_item};
use crate::{
    guide::Guide,
    listing::{Listing, Row},
    output,
};

/// The part of a tool's schema that its page shows.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Detail {
    /// The arguments without what is inside them.
    Brief,
    /// Two levels of names, if they fit on a page; else as brief as need be.
    Folded,
    /// Everything, within bounds for schemas that contain themselves.
    Full,
}

pub(super) struct Inputs {
    pub(super) text: String,
    /// True if it does not show all.
    pub(super) is_folded: bool,
}

#[derive(Clone, Debug)]
struct Argument<'a> {
    name: &'a str,
    given: ArgumentSource,
    is_required: bool,
    guide: Option<Guide<'a>>,
}

/// The location of an argument in the request, and who gives it other than the caller.
#[derive(Clone, Debug, Default)]
struct ArgumentSource {
    location: &'static str,
    source: String,
}

#[derive(Clone, Copy, Debug)]
struct Nesting {
    /// The number of objects around an argument.
    level: usize,
    indent: usize,
}

struct Rows {
    listing: Listing,
    detail: Detail,
    n: usize,
    /// True if there were more rows than a page has.
    is_cut: bool,
}

impl Detail {
    fn most_levels(self) -> usize {
        match self {
            Self::Brief => 1,
            Self::Folded => 2,
            Self::Full => 12,
        }
    }

    pub(super) fn most_rows(self) -> usize {
        match self {
            Self::Brief => 200,
            Self::Folded => 60,
            Self::Full => 3000,
        }
    }

    fn most_lines(self) -> usize {
        match self {
            Self::Brief | Self::Folded => 2,
            Self::Full => 200,
        }
    }

    fn most_legal_values(self) -> usize {
        match self {
            Self::Brief | Self::Folded => 8,
            Self::Full => 1000,
        }
    }
}

impl Inputs {
    pub(super) fn new(schema: &Value, operation: Option<&Operation>, detail: Detail) -> Self {
        let guide = Guide::new(schema);
        let (all, has_own_members) = match operation {
            Some(operation) => (
                operation_arguments(guide, operation),
                operation.body_as_arguments_name().is_some(),
            ),
            None => {
                (member_arguments(guide, &ArgumentSource::default(), &guide.common_members()), true)
            }
        };
        let listing = Listing::new("argument", &["in", "type"], "what it is");
        let mut rows = Rows {
            listing: listing.with_line_limit(detail.most_lines()),
            detail,
            n: 0,
            is_cut: false,
        };
        let (required, optional): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|argument| argument.is_required);
        for (heading, arguments) in [("required", required), ("optional", optional)] {
            if !arguments.is_empty() {
                rows.listing.add_heading(heading);
            }
            for argument in &arguments {
                rows.add_argument(argument, argument.name, Nesting { level: 0, indent: INDENT });
            }
        }
        if has_own_members {
            let location = if operation.is_some() { "body" } else { "" };
            let given = ArgumentSource { location, ..ArgumentSource::default() };
            rows.add_alternatives(guide, "", &given, Nesting { level: 0, indent: 0 });
        }
        if rows.is_cut && detail == Detail::Folded {
            return Self::new(schema, operation, Detail::Brief);
        }
        if rows.n == 0 {
            return Self { text: "It takes no arguments.\n".to_owned(), is_folded: false };
        }
        if rows.is_cut {
            rows.listing.add_row(Row { indent: INDENT, name: "…".to_owned(), ..Row::default() });
        }
        let text = rows.listing.text(output::terminal_width());
        Self { is_folded: text.contains('…'), text }
    }
}

/// The name of a member, as the command line takes it.
fn member_path(at: &str, name: &str) -> String {
    if at.is_empty() { name.to_owned() } else { format!("{at}.{name}") }
}

fn hidden_input_source(input: &Input) -> String {
    match input.default.as_ref() {
        Some(value) => format!("from the configuration: {value}"),
        None => "from nobody: the configuration hides it".to_owned(),
    }
}

/// The arguments of an operation; if the members of its body are arguments, those that every alternative has.
fn operation_arguments<'a>(guide: Guide<'a>, operation: &'a Operation) -> Vec<Argument<'a>> {
    let required = guide.required_members();
    let mut all = Vec::new();
    for input in &operation.inputs {
        let name = input.argument.as_str();
        let source = match input.source.reference() {
            reference if reference.is_empty() && input.edit.is_hidden => hidden_input_source(input),
            reference if reference.is_empty() => String::new(),
            reference if input.visible => format!("from {reference}, or you"),
            reference => format!("from {reference}"),
        };
        let given = ArgumentSource { location: input.place().as_str(), source };
        if operation.body_as_arguments_name() == Some(&input.argument) {
            all.extend(member_arguments(guide, &given, &guide.common_members()));
            continue;
        }
        let is_required = required.contains(&name) || (input.required && !input.visible);
        all.push(Argument { name, given, is_required, guide: guide.member(name) });
    }
    all
}

/// The members of an object, those that it requires first.
fn member_arguments<'a>(
    guide: Guide<'a>,
    given: &ArgumentSource,
    names: &[&'a str],
) -> Vec<Argument<'a>> {
    let required = guide.required_members();
    let argument = |name: &&'a str| Argument {
        name,
        given: given.clone(),
        is_required: required.contains(name),
        guide: guide.member(name),
    };
    let mut all: Vec<_> = names.iter().map(argument).collect();
    all.sort_by_key(|argument| !argument.is_required);
    all
}

impl Rows {
    fn add_argument(&mut self, argument: &Argument<'_>, at: &str, nesting: Nesting) {
        if self.n >= self.detail.most_rows() {
            self.is_cut = true;
            return;
        }
        self.n = self.n.saturating_add(1);
        let level = nesting.level.saturating_add(1);
        let shown = argument.guide.and_then(|guide| self.shown_object(guide, level));
        let folding = match shown {
            Some(_) => Folding::Nothing,
            None => Folding::Objects,
        };
        let kind = argument.guide.map(|guide| kind_words(guide, folding)).unwrap_or_default();
        let text = self.row_text(argument, nesting.level);
        self.listing.add_row(Row {
            indent: nesting.indent,
            name: at.to_owned(),
            words: vec![argument.given.location.to_owned(), kind],
            text,
        });
        if let Some((inside, suffix)) = shown {
            let nesting = Nesting { level, indent: nesting.indent };
            self.add_members(inside, &format!("{at}{suffix}"), &argument.given, nesting);
        }
    }

    /// The object inside an argument whose members are shown, with what its name has behind that of the argument.
    fn shown_object<'a>(
        &self,
        guide: Guide<'a>,
        level: usize,
    ) -> Option<(Guide<'a>, &'static str)> {
        if level >= self.detail.most_levels() {
            return None;
        }
        if is_object_with_members(guide) {
            return Some((guide, ""));
        }
        let item = list_item(guide).filter(|item| is_object_with_members(*item))?;
        (self.detail == Detail::Full).then_some((item, "[]"))
    }

    /// Rows for the members of an object: those that every alternative has, then those of each alternative.
    fn add_members(
        &mut self,
        guide: Guide<'_>,
        at: &str,
        given: &ArgumentSource,
        nesting: Nesting,
    ) {
        let is_union = !guide.object_alternatives().is_empty();
        let names = if is_union { guide.common_members() } else { guide.declared_member_names() };
        let given = ArgumentSource { location: given.location, ..ArgumentSource::default() };
        for member in member_arguments(guide, &given, &names) {
            self.add_argument(&member, &member_path(at, member.name), nesting);
        }
        self.add_alternatives(guide, at, &given, nesting);
    }

    fn add_alternatives(
        &mut self,
        guide: Guide<'_>,
        at: &str,
        given: &ArgumentSource,
        nesting: Nesting,
    ) {
        let alternatives = guide.object_alternatives();
        if alternatives.is_empty() {
            return;
        }
        let common = guide.common_members();
        let inner = Nesting { indent: nesting.indent.saturating_add(2 * INDENT), ..nesting };
        let heading =
            |name: &str, indent: usize| Row { indent, name: name.to_owned(), ..Row::default() };
        self.listing.add_row(heading("one of:", nesting.indent.saturating_add(INDENT)));
        for (index, alternative) in alternatives.into_iter().enumerate() {
            if self.n >= self.detail.most_rows() {
                self.is_cut = true;
                return;
            }
            let nth = || format!("alternative {}", index.saturating_add(1));
            let name = alternative.alternative_heading().unwrap_or_else(nth);
            self.listing
                .add_row(heading(&format!("- {name}"), nesting.indent.saturating_add(INDENT)));
            let is_own = |name: &&str| {
                let is_tag = alternative.member(name).is_some_and(|one| one.only_value().is_some());
                is_tag || !common.contains(name)
            };
            let own: Vec<_> =
                alternative.declared_member_names().into_iter().filter(is_own).collect();
            for member in member_arguments(alternative, given, &own) {
                self.add_argument(&member, &member_path(at, member.name), inner);
            }
        }
    }

    /// The text of a row: what a value must be, then what the description says of it.
    fn row_text(&self, argument: &Argument<'_>, level: usize) -> String {
        let word = |keyword: &str| argument.guide.and_then(|guide| guide.keyword(keyword));
        let only = argument.guide.and_then(Guide::only_value);
        let required = argument.is_required && level > 0;
        let is_mixed = argument.guide.is_some_and(Guide::allows_several_types);
        let legal = word("enum").filter(|_| only.is_none() && !is_mixed);
        let legal = legal.and_then(Value::as_array);
        let legal = legal.map(|legal| self.legal_values_text(legal));
        let default = word("default").map(|default| format!("default {default}"));
        let said = word("description").and_then(Value::as_str).map(ToOwned::to_owned);
        let parts = [
            required.then(|| "required".to_owned()),
            Some(argument.given.source.clone()),
            legal,
            default,
            said,
        ];
        let parts = parts.into_iter().flatten().filter(|part| !part.trim().is_empty());
        parts.collect::<Vec<_>>().join("; ")
    }

    fn legal_values_text(&self, legal: &[Value]) -> String {
        let most = self.detail.most_legal_values();
        let more = if legal.len() > most { ", …" } else { "" };
        let shown: Vec<_> = legal.iter().take(most).map(Value::to_string).collect();
        format!("one of {}{more}", shown.join(", "))
    }
}

const INDENT: usize = 2;
