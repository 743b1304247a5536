//! The inputs of a form that hold others: objects, lists, maps, alternatives. A list and a map have one empty row at their end.

use callgate_tool::{Object, Value};
use maud::{Markup, html};

use super::{
    FIT_DEPTH, Form, Input, Place, help_text, input_label, name_or_arguments, shown_choice,
    state_choice,
};
use crate::{
    fields::{Part, alternative_path, item_path, member_path, undeclared_members_path},
    schema::Kind,
};

/// The members of an object.
#[derive(Clone, Copy)]
pub(super) struct Group<'m> {
    pub(super) members: &'m Object,
    pub(super) required: &'m [&'m str],
    /// The schema of members beside the declared ones.
    pub(super) further: Option<&'m Value>,
    pub(super) is_nullable: bool,
}

/// The items of a list.
#[derive(Clone, Copy)]
pub(super) struct Items<'i> {
    pub(super) schema: &'i Value,
    pub(super) is_nullable: bool,
}

impl Form<'_> {
    /// An object in a frame of its own.
    pub(super) fn group_input(
        &self,
        input: Input<'_>,
        group: Group<'_>,
        place: Place<'_>,
    ) -> Markup {
        let says_nothing = input
            .value
            .is_some_and(|it| self.schemas.is_value_of_empty_form(input.schema, it, FIT_DEPTH));
        html! {
            fieldset {
                (self.legend(input))
                (self.anchor_if_opening(input.path))
                (empty_group_choice(input, group.is_nullable, says_nothing))
                (self.member_inputs(input, group, place))
            }
        }
    }

    pub(super) fn member_inputs(
        &self,
        input: Input<'_>,
        group: Group<'_>,
        place: Place<'_>,
    ) -> Markup {
        let value_of = |name: &str| input.value.and_then(|value| value.get(name));
        let further = group.further.map(|schema| {
            let object = input.value.and_then(Value::as_object);
            let entries = object.into_iter().flat_map(Object::iter);
            let entries = entries.filter(|(name, _)| !group.members.contains_key(name));
            self.map_input(
                &undeclared_members_path(input.path),
                schema,
                &entries.collect::<Vec<_>>(),
                place,
            )
        });
        html! {
            input type="hidden" name=(Part::Count.field_name(input.path)) value="0";
            @for (name, schema) in group.members.iter() {
                @let path = member_path(input.path, name);
                (self.input(Input {
                    name,
                    schema,
                    value: value_of(name),
                    path: &path,
                    is_required: group.required.contains(&name.as_str()),
                }, place))
            }
            @if let Some(further) = further { (further) }
        }
    }

    fn map_input(
        &self,
        path: &str,
        schema: &Value,
        entries: &[(&String, &Value)],
        place: Place<'_>,
    ) -> Markup {
        // A name whose value is not there yet stays.
        let typed = self.fields.get(Part::Key, &item_path(path, entries.len())).unwrap_or_default();
        let is_new = entries.iter().all(|(name, _)| *name != typed);
        let last = (if is_new { typed } else { "" }, None);
        let rows = entries.iter().map(|(name, value)| (name.as_str(), Some(*value))).chain([last]);
        html! {
            input type="hidden" name=(Part::Count.field_name(path)) value=(entries.len() + 1);
            @for (at, (name, value)) in rows.enumerate() {
                @if at == entries.len() { (self.anchor_if_opening(path)) }
                @let path = item_path(path, at);
                div.entry {
                    input name=(Part::Key.field_name(&path)) value=(name) aria-label="name of a further member" placeholder="name" autocomplete="off";
                    (self.input(Input { name: "value", schema, value, path: &path, is_required: false }, place))
                }
            }
            button.plain type="submit" name="open" value=(path) formnovalidate { "One more entry" }
        }
    }

    pub(super) fn list_input(&self, input: Input<'_>, list: Items<'_>, place: Place<'_>) -> Markup {
        let items = input.value.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let rows = items.iter().map(Some).chain([None]);
        html! {
            fieldset {
                (self.legend(input))
                (empty_group_choice(input, list.is_nullable, input.value.is_some_and(Value::is_array) && items.is_empty()))
                input type="hidden" name=(Part::Count.field_name(input.path)) value=(items.len() + 1);
                @for (at, value) in rows.enumerate() {
                    @if at == items.len() { (self.anchor_if_opening(input.path)) }
                    @let path = item_path(input.path, at);
                    @let name = (at + 1).to_string();
                    (self.input(Input { name: &name, schema: list.schema, value, path: &path, is_required: false }, place))
                }
                button.plain type="submit" name="open" value=(input.path) formnovalidate { "One more row" }
            }
        }
    }

    pub(super) fn alternative_inputs(
        &self,
        input: Input<'_>,
        alternatives: &[&Value],
        place: Place<'_>,
    ) -> Markup {
        let chosen = self.chosen_alternative(input, alternatives);
        let is_null = input.value.is_some_and(Value::is_null);
        html! {
            fieldset {
                (self.legend(input))
                (self.anchor_if_opening(input.path))
                @if let Some(at) = self.file_alternative(alternatives) { (self.file_input(input, at)) }
                span.control {
                    select name=(Part::Alternative.field_name(input.path)) aria-label={ (name_or_arguments(input)) ": alternative" } {
                        option value="" { "left out" }
                        @for (at, schema) in alternatives.iter().enumerate() {
                            option value=(at) selected[chosen == Some(at)] { (self.alternative_name(at, schema)) }
                        }
                        option value="null" selected[is_null] { "null" }
                    }
                    button.plain type="submit" name="open" value=(input.path) formnovalidate { "Show its inputs" }
                }
                @if let Some((at, schema)) = chosen.and_then(|at| Some((at, alternatives.get(at)?))) {
                    @let path = alternative_path(input.path, at);
                    (self.input(Input { schema, path: &path, is_required: true, ..input }, place))
                }
            }
        }
    }

    fn legend(&self, input: Input<'_>) -> Markup {
        html! {
            legend { (input_label(input)) }
            (help_text(&self.description(input.schema), None))
        }
    }

    /// The alternative that names a file by its handle.
    fn file_alternative(&self, alternatives: &[&Value]) -> Option<usize> {
        alternatives.iter().position(|schema| {
            let resolved = self.schemas.resolve(schema);
            let members = resolved.schema.get("properties").and_then(Value::as_object);
            members.is_some_and(|it| it.contains_key("handle") && it.contains_key("data"))
        })
    }

    /// A file that is kept, and named by its handle, when the form is sent.
    fn file_input(&self, input: Input<'_>, at: usize) -> Markup {
        self.has_files.set(true);
        let name = Part::File.field_name(&alternative_path(input.path, at));
        html! {
            span.control.file {
                input type="file" name=(name) aria-label={ (name_or_arguments(input)) ": file" };
                button.plain type="submit" name="do" value="upload" formnovalidate { "Keep the file" }
            }
        }
    }

    /// The alternative that a person chose, or the first that the value may mean.
    fn chosen_alternative(&self, input: Input<'_>, alternatives: &[&Value]) -> Option<usize> {
        let typed = self.fields.get(Part::Alternative, input.path).and_then(|at| at.parse().ok());
        let Some(value) = input.value else { return typed };
        let means = |at: &usize| {
            alternatives
                .get(*at)
                .is_some_and(|it| self.schemas.can_fit_schema(it, value, FIT_DEPTH))
        };
        typed.filter(means).or_else(|| (0..alternatives.len()).find(means))
    }

    fn alternative_name(&self, at: usize, schema: &Value) -> String {
        let title = schema.get("title").and_then(Value::as_str);
        let definition =
            schema.get("$ref").and_then(Value::as_str).and_then(|it| it.rsplit('/').next());
        let resolved = self.schemas.resolve(schema);
        let kind = || match resolved.kind() {
            Kind::Choice(choices) => {
                let shown = choices.iter().take(MOST_CHOICES).map(shown_choice);
                let rest = if choices.len() > MOST_CHOICES { ", …" } else { "" };
                format!("{}{rest}", shown.collect::<Vec<_>>().join(", "))
            }
            _ => resolved.schema.get("type").and_then(Value::as_str).unwrap_or("value").to_owned(),
        };
        let name = title.or(definition).map_or_else(kind, str::to_owned);
        format!("{}: {name}", at + 1)
    }
}

/// The choice between a group that is left out when nothing is in it, and an empty one.
fn empty_group_choice(input: Input<'_>, is_nullable: bool, is_empty: bool) -> Markup {
    let current = match input.value {
        Some(Value::Null) => "null",
        _ if is_empty => "empty",
        _ => "",
    };
    let mut states = vec![("", "left out when empty")];
    if input.is_required {
        states = vec![("", "sent")];
    } else {
        states.push(("empty", "sent when empty"));
    }
    if is_nullable {
        states.push(("null", "null"));
    }
    html! { @if states.len() > 1 { (state_choice(input, &states, current)) } }
}

/// The listed values that the name of an alternative shows.
const MOST_CHOICES: usize = 3;
