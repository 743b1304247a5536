//! The arguments that the fields of a form say, as JSON. Numbers keep their digits; an input is absent, `null` or empty as the form
//! says.

use callgate_tool::{Object, Value};

use crate::{
    fields::{Fields, Part, alternative_path, further_path, item_path, member_path},
    schema::{Kind, Schemas},
};

/// The arguments of a form, or the inputs that are none.
pub(crate) type Arguments = Result<Value, Vec<String>>;

/// The arguments that fields say under the schema of a tool.
///
/// # Errors
/// A sentence for each field that cannot be read.
pub(crate) fn read_arguments(schema: &Value, fields: &Fields<'_>) -> Arguments {
    let mut reading = Reading { schemas: Schemas::new(schema), fields, faults: Vec::new() };
    let read = reading.read(schema, "", true, MOST_DEPTH);
    if reading.faults.is_empty() {
        return Ok(read.unwrap_or_else(|| Value::Object(Object::new())));
    }
    Err(reading.faults)
}

struct Reading<'f> {
    schemas: Schemas<'f>,
    fields: &'f Fields<'f>,
    faults: Vec<String>,
}

impl Reading<'_> {
    fn read(
        &mut self,
        schema: &Value,
        path: &str,
        is_required: bool,
        depth: usize,
    ) -> Option<Value> {
        let deeper = depth.checked_sub(1)?;
        if let Some(text) = self.fields.get(Part::Json, path) {
            return self.json(text, path);
        }
        let state = self.fields.get(Part::State, path).unwrap_or_default();
        if state == "null" {
            return Some(Value::Null);
        }
        let resolved = self.schemas.resolve(schema);
        let read = match resolved.kind() {
            Kind::Alternatives(alternatives) => {
                return self.alternative(&alternatives, path, deeper);
            }
            Kind::Any => return None,
            Kind::Choice(_) => {
                let text = self.fields.get(Part::Choice, path).filter(|text| !text.is_empty())?;
                return self.json(text, path);
            }
            Kind::List(items) => self.list(items, path, deeper).map(Value::Array),
            Kind::Members { members, required, further } => {
                let mut object = self.members(members, &required, path, deeper)?;
                if let Some(further) = further {
                    self.further(further, &mut object, path, deeper);
                }
                Some(Value::Object(object))
            }
            Kind::Number => return self.number(path),
            Kind::Text => return self.text(path, state),
        }?;
        let is_empty = match &read {
            Value::Array(items) => items.is_empty(),
            Value::Object(members) => members.is_empty(),
            _ => false,
        };
        (!is_empty || is_required || state == "empty").then_some(read)
    }

    fn alternative(&mut self, alternatives: &[&Value], path: &str, depth: usize) -> Option<Value> {
        let chosen = self.fields.get(Part::Alternative, path)?;
        if chosen == "null" {
            return Some(Value::Null);
        }
        let at = chosen.parse().ok()?;
        self.read(alternatives.get(at).copied()?, &alternative_path(path, at), true, depth)
    }

    fn list(&mut self, items: &Value, path: &str, depth: usize) -> Option<Vec<Value>> {
        let rows = (0..self.count(path)?).map(|at| item_path(path, at));
        Some(rows.filter_map(|path| self.read(items, &path, false, depth)).collect())
    }

    fn members(
        &mut self,
        members: &Object,
        required: &[&str],
        path: &str,
        depth: usize,
    ) -> Option<Object> {
        self.count(path)?;
        let mut object = Object::new();
        for (name, schema) in members.iter() {
            let is_required = required.contains(&name.as_str());
            if let Some(value) = self.read(schema, &member_path(path, name), is_required, depth) {
                object.insert(name.as_str(), value);
            }
        }
        Some(object)
    }

    fn further(&mut self, schema: &Value, object: &mut Object, path: &str, depth: usize) {
        let path = further_path(path);
        for at in 0..self.count(&path).unwrap_or_default() {
            let path = item_path(&path, at);
            let name = self.fields.get(Part::Key, &path).unwrap_or_default();
            let value = self.read(schema, &path, false, depth);
            let Some(value) = value else { continue };
            if name.is_empty() {
                self.faults.push("a further member needs a name".to_owned());
            } else if object.insert(name, value).is_some() {
                self.faults.push(format!("the member `{name}` is there twice"));
            }
        }
    }

    fn text(&self, path: &str, state: &str) -> Option<Value> {
        if state == "empty" {
            return Some("".into());
        }
        // A browser writes a line break as two characters.
        let text = self.fields.get(Part::Text, path)?.replace("\r\n", "\n");
        (!text.is_empty()).then(|| text.into())
    }

    fn number(&mut self, path: &str) -> Option<Value> {
        let text = self.fields.get(Part::Number, path)?.trim();
        if text.is_empty() {
            return None;
        }
        if let Ok(number @ Value::Number(_)) = Value::parse(text) {
            return Some(number);
        }
        self.faults.push(format!("`{}`: expected a number, got: `{text}`", input_name(path)));
        None
    }

    fn json(&mut self, text: &str, path: &str) -> Option<Value> {
        if text.trim().is_empty() {
            return None;
        }
        match Value::parse(text) {
            Ok(value) => Some(value),
            Err(error) => {
                self.faults.push(format!("`{}`: expected JSON: {error}", input_name(path)));
                None
            }
        }
    }

    /// The number of rows of a group; `None` if the form does not show it.
    fn count(&self, path: &str) -> Option<usize> {
        let count = self.fields.get(Part::Count, path)?.parse().ok()?;
        Some(usize::min(count, MOST_ROWS))
    }
}

fn input_name(path: &str) -> &str {
    let path = path.trim_start_matches('/');
    if path.is_empty() { "arguments" } else { path }
}

const MOST_DEPTH: usize = 40;
/// A form has no more rows than a person fills in.
const MOST_ROWS: usize = 1000;
