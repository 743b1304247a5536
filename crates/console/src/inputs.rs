//! A form for the arguments of a tool, made from their schema and from the arguments so far. An input that a form cannot show as
//! it stands is filled in as JSON; one that a person has to ask for is opened by a button.

mod groups;
mod read;

use std::cell::Cell;

use callgate_tool::Value;
use maud::{Markup, html};

pub(crate) use self::read::{Arguments, ReadForm, read_form};
use crate::{
    fields::{Fields, Part},
    json_view, layout,
    schema::{Kind, Resolved, Schemas, has_type},
};

/// A form that is being written.
pub(crate) struct Form<'f> {
    schemas: Schemas<'f>,
    fields: &'f Fields<'f>,
    n_ids: Cell<usize>,
    has_files: Cell<bool>,
}

/// An input of the form.
#[derive(Clone, Copy)]
struct Input<'i> {
    name: &'i str,
    schema: &'i Value,
    value: Option<&'i Value>,
    path: &'i str,
    is_required: bool,
}

/// The definitions that an input stands in, and its depth.
#[derive(Clone, Copy)]
struct Place<'p> {
    above: Option<&'p Self>,
    definition: Option<&'p str>,
    depth: usize,
}

impl<'f> Form<'f> {
    pub(crate) fn new(schema: &'f Value, fields: &'f Fields<'f>) -> Self {
        Self {
            schemas: Schemas::new(schema),
            fields,
            n_ids: Cell::new(0),
            has_files: Cell::new(false),
        }
    }

    /// True if an input that was written takes a file.
    pub(crate) fn has_files(&self) -> bool {
        self.has_files.get()
    }

    /// The inputs for the arguments, filled with values.
    pub(crate) fn inputs(&self, schema: &Value, arguments: Option<&Value>) -> Markup {
        let place = Place { above: None, definition: None, depth: 0 };
        let root = Input { name: "", schema, value: arguments, path: "", is_required: true };
        html! {
            @for path in self.fields.opened_paths() { input type="hidden" name="opened" value=(path); }
            (self.arguments_input(root, place))
        }
    }

    /// The arguments as one group, or as JSON.
    fn arguments_input(&self, root: Input<'_>, place: Place<'_>) -> Markup {
        let resolved = self.schemas.resolve(root.schema);
        match resolved.kind() {
            Kind::Members { members, required, further }
                if root.value.is_none_or(|value| self.can_show_value(&resolved, value)) =>
            {
                let group = groups::Group {
                    members,
                    required: &required,
                    further,
                    is_nullable: resolved.is_nullable,
                };
                self.member_inputs(root, group, place)
            }
            _ => self.json_input(root, "arguments"),
        }
    }

    fn input(&self, input: Input<'_>, place: Place<'_>) -> Markup {
        let resolved = self.schemas.resolve(input.schema);
        let kind = resolved.kind();
        if let Kind::Any = kind {
            return self.json_input(input, "any JSON");
        }
        if input.value.is_some_and(|value| !self.can_show_value(&resolved, value)) {
            return self.json_input(input, "as JSON");
        }
        if self.is_collapsed_group(&resolved, &kind, input, place) {
            return self.open_button(input);
        }
        let place =
            Place { above: Some(&place), definition: resolved.definition, depth: place.depth + 1 };
        match kind {
            Kind::Alternatives(alternatives) => {
                self.alternative_inputs(input, &alternatives, place)
            }
            Kind::Any => self.json_input(input, "any JSON"),
            Kind::Choice(choices) => self.choice_input(input, &resolved, &choices),
            Kind::List(items) => self.list_input(
                input,
                groups::Items { schema: items, is_nullable: resolved.is_nullable },
                place,
            ),
            Kind::Members { members, required, further } => {
                let group = groups::Group {
                    members,
                    required: &required,
                    further,
                    is_nullable: resolved.is_nullable,
                };
                self.group_input(input, group, place)
            }
            Kind::Number => self.number_input(input, &resolved),
            Kind::Text => self.text_input(input, &resolved),
        }
    }

    /// True for a group that a person opens first: one that repeats, lies deep, or is one of very many.
    fn is_collapsed_group(
        &self,
        resolved: &Resolved<'_>,
        kind: &Kind<'_>,
        input: Input<'_>,
        place: Place<'_>,
    ) -> bool {
        let is_group = matches!(kind, Kind::Alternatives(_) | Kind::List(_) | Kind::Members { .. });
        let is_many = self.n_ids.get() > MOST_INPUTS || place.depth >= MOST_DEPTH;
        let is_deep = place.depth >= OPEN_DEPTH && !input.is_required;
        is_group
            && input.value.is_none()
            && !self.fields.has_been_opened(input.path)
            && (is_many || is_deep || place.is_within_definition(resolved.definition))
    }

    fn can_show_value(&self, resolved: &Resolved<'_>, value: &Value) -> bool {
        if value.is_null() {
            return resolved.is_nullable;
        }
        match (resolved.kind(), value) {
            (Kind::Alternatives(each), value) => {
                each.iter().any(|it| self.schemas.can_fit_schema(it, value, FIT_DEPTH))
            }
            (Kind::Any, _)
            | (Kind::List(_), Value::Array(_))
            | (Kind::Number, Value::Number(_)) => true,
            (Kind::Choice(choices), value) => choices.contains(value),
            (Kind::Members { members, further, .. }, Value::Object(object)) => {
                let is_shown = |name: &String| {
                    members.contains_key(name)
                        || (further.is_some()
                            && !name.is_empty()
                            && has_no_control_characters(name))
                };
                object.keys().all(is_shown)
            }
            (Kind::Text, Value::String(text)) => has_no_control_characters(text),
            _ => false,
        }
    }

    fn text_input(&self, input: Input<'_>, resolved: &Resolved<'_>) -> Markup {
        let value = input.value.and_then(Value::as_str).unwrap_or_default();
        let state = match input.value {
            Some(Value::Null) => "null",
            Some(Value::String(text)) if text.is_empty() => "empty",
            _ => "",
        };
        let states: &[(&str, &str)] = if resolved.is_nullable {
            &[("", "as typed"), ("empty", "empty text"), ("null", "null")]
        } else {
            &[("", "as typed"), ("empty", "empty text")]
        };
        let format = resolved.schema.get("format").and_then(Value::as_str).unwrap_or("text");
        let format = format!("{format}{}", bounds_text(&resolved.schema));
        self.labelled_control(input, &format, |id, help| html! {
            span.control {
                // A browser drops a line break at the beginning.
                textarea id=(id) aria-describedby=[help] name=(Part::Text.field_name(input.path)) dir="auto" rows=(value.lines().count().clamp(1, 8)) { "\n" (value) }
                (state_choice(input, states, state))
            }
        })
    }

    fn number_input(&self, input: Input<'_>, resolved: &Resolved<'_>) -> Markup {
        let typed = self.fields.get(Part::Number, input.path).filter(|_| input.value.is_none());
        let value = match input.value {
            Some(Value::Number(number)) => number.to_string(),
            _ => typed.unwrap_or_default().to_owned(),
        };
        let kind = if has_type(&resolved.schema, "integer") { "integer" } else { "number" };
        let kind = format!("{kind}{}", bounds_text(&resolved.schema));
        let is_null = input.value.is_some_and(Value::is_null);
        self.labelled_control(input, &kind, |id, help| html! {
            span.control {
                input id=(id) aria-describedby=[help] name=(Part::Number.field_name(input.path)) type="text" inputmode="decimal" autocomplete="off" value=(value);
                @if resolved.is_nullable {
                    (state_choice(input, &[("", "as typed"), ("null", "null")], if is_null { "null" } else { "" }))
                }
            }
        })
    }

    fn choice_input(&self, input: Input<'_>, resolved: &Resolved<'_>, choices: &[Value]) -> Markup {
        let only = match choices {
            [only] if input.is_required => Some(only),
            _ => None,
        };
        let chosen = input.value.or(only);
        let null = Value::Null;
        let choices = choices.iter().chain(resolved.is_nullable.then_some(&null));
        let kind = format!("one of{}", bounds_text(&resolved.schema));
        self.labelled_control(input, &kind, |id, help| {
            html! {
                select id=(id) aria-describedby=[help] name=(Part::Choice.field_name(input.path)) {
                    option value="" { "left out" }
                    @for choice in choices {
                        option value=(choice.to_string()) selected[chosen == Some(choice)] {
                            (shown_choice(choice))
                        }
                    }
                }
            }
        })
    }

    /// An input as JSON: what was typed, if it is none.
    fn json_input(&self, input: Input<'_>, kind: &str) -> Markup {
        let typed = self.fields.get(Part::Json, input.path).filter(|_| input.value.is_none());
        let text = input.value.map(json_view::indented_json);
        let text = text.or_else(|| typed.map(str::to_owned)).unwrap_or_default();
        self.labelled_control(input, kind, |id, help| {
            html! {
                textarea.json id=(id) aria-describedby=[help] name=(Part::Json.field_name(input.path)) spellcheck="false"
                    rows=(text.lines().count().clamp(2, 12)) { "\n" (text) }
            }
        })
    }

    /// A label with its control, which gets its id and that of the words about it.
    fn labelled_control(
        &self,
        input: Input<'_>,
        kind: &str,
        control: impl FnOnce(&str, Option<&str>) -> Markup,
    ) -> Markup {
        let (id, words) = (self.next_id(), self.description(input.schema));
        let help = (!words.is_empty()).then(|| format!("{id}-help"));
        html! {
            div.input {
                label for=(id) { (input_label(input)) " " span.kind { (kind) } }
                (control(&id, help.as_deref()))
                (help_text(&words, help.as_deref()))
            }
        }
    }

    /// The words about an input, which may stand in the schema that it refers to.
    fn description(&self, schema: &Value) -> String {
        let own = description(schema);
        if !own.is_empty() {
            return json_view::shortened_text(own, MOST_DESCRIPTION);
        }
        json_view::shortened_text(
            description(&self.schemas.resolve(schema).schema),
            MOST_DESCRIPTION,
        )
    }

    /// The place that a browser shows first, where the inputs at a path were opened just now.
    fn anchor_if_opening(&self, path: &str) -> Markup {
        html! { @if self.fields.is_opened_by_request(path) { (layout::focus_anchor()) } }
    }

    /// The button that opens a group.
    fn open_button(&self, input: Input<'_>) -> Markup {
        html! {
            div.input {
                (input_label(input))
                " "
                button.plain type="submit" name="open" value=(input.path) formnovalidate { "Fill in " (name_or_arguments(input)) }
                (help_text(&self.description(input.schema), None))
            }
        }
    }

    fn next_id(&self) -> String {
        self.n_ids.set(self.n_ids.get() + 1);
        format!("f{}", self.n_ids.get())
    }
}

impl Place<'_> {
    /// True if an input stands in this definition.
    fn is_within_definition(&self, definition: Option<&str>) -> bool {
        definition.is_some()
            && (self.definition == definition
                || self.above.is_some_and(|above| above.is_within_definition(definition)))
    }
}

/// The choice between values that a text cannot say.
fn state_choice(input: Input<'_>, states: &[(&str, &str)], current: &str) -> Markup {
    html! {
        select.state name=(Part::State.field_name(input.path)) aria-label={ (name_or_arguments(input)) ": sent" } {
            @for (state, shown) in states {
                option value=(state) selected[*state == current] { (shown) }
            }
        }
    }
}

fn shown_choice(choice: &Value) -> String {
    match choice {
        Value::String(text) if text.is_empty() => "empty text".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn name_or_arguments(input: Input<'_>) -> &str {
    if input.name.is_empty() { "arguments" } else { input.name }
}

/// The name of an input, with the mark of one that is needed.
fn input_label(input: Input<'_>) -> Markup {
    html! {
        span.name { (name_or_arguments(input)) }
        @if input.is_required { " " span.required aria-hidden="true" { "*" } span.hidden { " required" } }
    }
}

fn description(schema: &Value) -> &str {
    schema.get("description").and_then(Value::as_str).unwrap_or_default()
}

fn help_text(text: &str, id: Option<&str>) -> Markup {
    html! { @if !text.is_empty() { span.help id=[id] dir="auto" { (layout::sentence_with_literals(text)) } } }
}

/// The bounds of a value, and the one that the service takes where none is sent.
fn bounds_text(schema: &Value) -> String {
    let mut text = String::new();
    for (name, before, after) in BOUNDS {
        let value = schema.get(name).filter(|it| !it.is_object() && !it.is_array());
        let Some(value) = value.map(Value::to_string) else { continue };
        let shown = json_view::shortened_text(&value, MOST_BOUND);
        let after = if shown == "1" { after.trim_end_matches('s') } else { after };
        text.extend([" · ", before, &shown, after]);
    }
    text
}

/// True for a text that a field of a form can hold.
fn has_no_control_characters(text: &str) -> bool {
    !text.chars().any(|it| it.is_control() && it != '\n' && it != '\t')
}

/// The keywords that say which values are taken, with the words before and after the value.
const BOUNDS: [(&str, &str, &str); 8] = [
    ("minimum", "at least ", ""),
    ("exclusiveMinimum", "more than ", ""),
    ("maximum", "at most ", ""),
    ("exclusiveMaximum", "less than ", ""),
    ("minLength", "at least ", " letters"),
    ("maxLength", "at most ", " letters"),
    ("pattern", "like ", ""),
    ("default", "usually ", ""),
];
/// A pattern or a default may be long.
const MOST_BOUND: usize = 60;
/// More inputs than a person fills in at once.
const MOST_INPUTS: usize = 250;
const MOST_DEPTH: usize = 12;
/// The depth to which optional groups are open at first.
const OPEN_DEPTH: usize = 2;
const FIT_DEPTH: usize = 12;
const MOST_DESCRIPTION: usize = 600;

#[cfg(test)]
mod tests;
