//! The parameters of an operation: parts of the path, the query, headers, cookies.

use std::collections::BTreeMap;

use callgate_tool::{Object, Value, json};

use crate::{
    guess::{Evidence, Guesses, below},
    path::{Slot, Template},
    redact::Redacted,
    schema::write_schema,
    shape::Shape,
};

const SETTLE_PATH: &str = "rename it, or write the part as it is if it is always the same";
const SETTLE_REQUIRED: &str = "remove `required` if the service takes a request without it";
const SETTLE_OPTIONAL: &str = "write `required: true` if the service needs it";

/// The parameters that the exchanges of one operation show.
pub(crate) fn write_parameters(
    exchanges: &[&Redacted],
    template: &Template,
    pointer: &str,
    guesses: &mut Guesses,
) -> Vec<Value> {
    let mut parameters = path_parameters(exchanges, template);
    for (place, values) in [
        ("query", named_values(exchanges, |one| &one.exchange.query)),
        ("header", named_values(exchanges, |one| &one.exchange.request.headers)),
        ("cookie", named_values(exchanges, |one| &one.cookies)),
    ] {
        let of_place = values.into_iter().map(|(name, samples)| Parameter { place, name, samples });
        parameters.extend(of_place);
    }
    let with_pointer = parameters.into_iter().enumerate();
    with_pointer
        .map(|(at, parameter)| {
            parameter.write(exchanges.len(), &below(pointer, &at.to_string()), guesses)
        })
        .collect()
}

/// A parameter with its values: a list for each exchange that has it.
struct Parameter<'e> {
    place: &'static str,
    name: String,
    samples: Vec<Vec<&'e str>>,
}

impl Parameter<'_> {
    fn write(&self, n_exchanges: usize, pointer: &str, guesses: &mut Guesses) -> Value {
        let Self { place, name, samples } = self;
        let is_list = name.ends_with("[]") || samples.iter().any(|values| values.len() > 1);
        let schema_place = below(pointer, "schema");
        let values = || samples.iter().flatten().copied();
        let schema = if is_list {
            let items = text_schema(values(), name, &below(&schema_place, "items"), guesses);
            json!({"type": "array", "items": items})
        } else {
            text_schema(values(), name, &schema_place, guesses)
        };
        let mut parameter = Object::new();
        parameter.insert("name", Value::from(name.as_str()));
        parameter.insert("in", Value::from(*place));
        let evidence = Evidence(samples.len(), n_exchanges);
        if *place == "path" {
            guesses.add(pointer, self.path_parameter_reason(), evidence, SETTLE_PATH);
            parameter.insert("required", Value::Bool(true));
        } else if samples.len() == n_exchanges && n_exchanges > 1 {
            guesses.add(pointer, format!("`{name}` is required"), evidence, SETTLE_REQUIRED);
            parameter.insert("required", Value::Bool(true));
        } else {
            guesses.add(pointer, format!("`{name}` is optional"), evidence, SETTLE_OPTIONAL);
        }
        parameter.insert("schema", schema);
        Value::Object(parameter)
    }
}

impl Parameter<'_> {
    /// The reason why a part of the path is an input.
    fn path_parameter_reason(&self) -> String {
        let name = &self.name;
        let mut values = self.samples.iter().flatten();
        let first = values.next();
        match first {
            None => format!("`{name}` has no value in the examples"),
            Some(first) if values.all(|value| value == first) => {
                format!("`{name}` looks like a value")
            }
            Some(_) => format!("`{name}` differs between addresses"),
        }
    }
}

/// The schema of texts: numbers or truth values where all of them are.
pub(crate) fn text_schema<'t>(
    values: impl Iterator<Item = &'t str> + Clone,
    name: &str,
    pointer: &str,
    guesses: &mut Guesses,
) -> Value {
    let mut shape = Shape::default();
    values.clone().for_each(|value| shape.add_typed_text(value));
    let n_numbers = shape.n_integers + shape.n_fractions;
    let is_one_kind =
        [n_numbers, shape.n_booleans, shape.texts.n_samples].contains(&shape.n_samples);
    if shape.n_samples == 0 {
        return json!({"type": "string"});
    }
    if !is_one_kind {
        shape = Shape::default();
        values.for_each(|value| shape.add_sample(&Value::from(value)));
    }
    write_schema(&shape, name, pointer, guesses)
}

fn path_parameters<'e>(exchanges: &[&'e Redacted], template: &Template) -> Vec<Parameter<'e>> {
    let slots = template.slots.iter().enumerate();
    let parameters = slots.filter_map(|(at, slot)| {
        let Slot::Variable { name, suffix } = slot else { return None };
        let values = exchanges
            .iter()
            .filter_map(|one| one.exchange.segments.get(at)?.value_unless_placeholder());
        let samples = values.map(|text| vec![text.strip_suffix(suffix.as_str()).unwrap_or(text)]);
        Some(Parameter { place: "path", name: name.clone(), samples: samples.collect() })
    });
    parameters.collect()
}

/// Each name in the order of first use, with its values in each exchange that has it.
fn named_values<'e>(
    exchanges: &[&'e Redacted],
    pairs: impl Fn(&'e Redacted) -> &'e [(String, String)],
) -> Vec<(String, Vec<Vec<&'e str>>)> {
    let mut named: Vec<(String, Vec<Vec<&str>>)> = Vec::new();
    let mut places = BTreeMap::new();
    for (number, redacted) in exchanges.iter().enumerate() {
        for (name, value) in pairs(redacted) {
            let (at, last) = places.entry(name).or_insert((named.len(), None));
            if *at == named.len() {
                named.push((name.clone(), Vec::new()));
            }
            let Some((_, samples)) = named.get_mut(*at) else { continue };
            match samples.last_mut().filter(|_| *last == Some(number)) {
                Some(values) => values.push(value.as_str()),
                None => samples.push(vec![value.as_str()]),
            }
            *last = Some(number);
        }
    }
    named
}
