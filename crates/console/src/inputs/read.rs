//! The arguments that the fields of a form say, as JSON. Numbers keep their digits; an input is absent, `null` or empty as the form
//! says. A group or a row in which a person said nothing is left out, also where its required members have values of their own.

use callgate_tool::{Object, Value};

use crate::{
    fields::{Fields, Part, alternative_path, item_path, member_path, undeclared_members_path},
    schema::{Kind, Schemas},
};

/// The arguments of a form, or the inputs that are none.
pub(crate) type Arguments = Result<Value, Vec<String>>;

/// The fields of a form as arguments.
pub(crate) struct ReadForm {
    /// The arguments, without the fields that cannot be read.
    pub(crate) value: Value,
    /// A sentence for each field that cannot be read.
    pub(crate) faults: Vec<String>,
}

impl ReadForm {
    /// The arguments if every field says something.
    pub(crate) fn into_arguments(self) -> Arguments {
        if self.faults.is_empty() { Ok(self.value) } else { Err(self.faults) }
    }
}

/// The arguments that fields say under the schema of a tool.
pub(crate) fn read_form(schema: &Value, fields: &Fields<'_>) -> ReadForm {
    let mut reading = Reading {
        schemas: Schemas::new(schema),
        fields,
        faults: Vec::new(),
        rows_left: MOST_ROWS,
        inputs_left: MOST_INPUTS,
    };
    let read = reading.read(schema, "", true, MOST_DEPTH);
    let value = read.map_or_else(|| Value::Object(Object::new()), |read| read.value);
    ReadForm { value, faults: reading.faults }
}

/// A value of a form.
struct Read {
    value: Value,
    /// False if the form alone made it: an empty group, or a constant.
    is_said: bool,
}

impl Read {
    fn from_stated_value(value: impl Into<Value>) -> Self {
        Self { value: value.into(), is_said: true }
    }
}

struct Reading<'f> {
    schemas: Schemas<'f>,
    fields: &'f Fields<'f>,
    faults: Vec<String>,
    rows_left: usize,
    inputs_left: usize,
}

impl Reading<'_> {
    fn read(
        &mut self,
        schema: &Value,
        path: &str,
        is_required: bool,
        depth: usize,
    ) -> Option<Read> {
        let Some(deeper) = depth.checked_sub(1) else {
            if self.fields.has_below(path) {
                self.faults.push(format!(
                    "an input lies deeper than the {MOST_DEPTH} levels of a form: write it as JSON"
                ));
            }
            return None;
        };
        let Some(left) = self.inputs_left.checked_sub(1) else {
            let fault = format!("a form has at most {MOST_INPUTS} inputs: write it as JSON");
            if !self.faults.contains(&fault) {
                self.faults.push(fault);
            }
            return None;
        };
        self.inputs_left = left;
        if let Some(text) = self.fields.get(Part::Json, path) {
            return self.read_json(text, path).map(Read::from_stated_value);
        }
        let state = self.fields.get(Part::State, path).unwrap_or_default();
        if state == "null" {
            return Some(Read::from_stated_value(Value::Null));
        }
        let resolved = self.schemas.resolve(schema);
        let read = match resolved.kind() {
            Kind::Alternatives(alternatives) => {
                return self.read_alternative(&alternatives, path, deeper);
            }
            Kind::Any => return None,
            Kind::Choice(choices) => {
                let text = self.fields.get(Part::Choice, path).filter(|text| !text.is_empty())?;
                let is_said = !is_required || choices.len() > 1;
                return self.read_json(text, path).map(|value| Read { value, is_said });
            }
            Kind::List(items) => self.read_list(items, path, deeper)?,
            Kind::Members { members, required, further } => {
                let (mut object, mut is_said) =
                    self.read_members(members, &required, path, deeper)?;
                if let Some(further) = further {
                    is_said |= self.read_undeclared_members(further, &mut object, path, deeper);
                }
                Read { value: Value::Object(object), is_said }
            }
            Kind::Number => return self.read_number(path).map(Read::from_stated_value),
            Kind::Text => return self.read_text(path, state).map(Read::from_stated_value),
        };
        let is_said = read.is_said || state == "empty";
        (is_said || is_required).then_some(Read { is_said, ..read })
    }

    fn read_alternative(
        &mut self,
        alternatives: &[&Value],
        path: &str,
        depth: usize,
    ) -> Option<Read> {
        let chosen = self.fields.get(Part::Alternative, path)?;
        if chosen == "null" {
            return Some(Read::from_stated_value(Value::Null));
        }
        let at = chosen.parse().ok()?;
        let schema = alternatives.get(at).copied()?;
        // A person chose it.
        self.read(schema, &alternative_path(path, at), true, depth)
            .map(|it| Read::from_stated_value(it.value))
    }

    fn read_list(&mut self, items: &Value, path: &str, depth: usize) -> Option<Read> {
        let rows = (0..self.take_row_count(path)?).map(|at| item_path(path, at));
        let items = rows.filter_map(|path| self.read(items, &path, false, depth));
        let items: Vec<_> = items.map(|it| it.value).collect();
        Some(Read { is_said: !items.is_empty(), value: Value::Array(items) })
    }

    fn read_members(
        &mut self,
        members: &Object,
        required: &[&str],
        path: &str,
        depth: usize,
    ) -> Option<(Object, bool)> {
        self.fields.get(Part::Count, path)?;
        let (mut object, mut is_said) = (Object::new(), false);
        for (name, schema) in members.iter() {
            let is_required = required.contains(&name.as_str());
            if let Some(read) = self.read(schema, &member_path(path, name), is_required, depth) {
                is_said |= read.is_said;
                object.insert(name.as_str(), read.value);
            }
        }
        Some((object, is_said))
    }

    /// Adds the members beside the declared ones. Returns true if there are some.
    fn read_undeclared_members(
        &mut self,
        schema: &Value,
        object: &mut Object,
        path: &str,
        depth: usize,
    ) -> bool {
        let (path, n_declared) = (undeclared_members_path(path), object.len());
        for at in 0..self.take_row_count(&path).unwrap_or_default() {
            let path = item_path(&path, at);
            let name = self.fields.get(Part::Key, &path).unwrap_or_default();
            let read = self.read(schema, &path, false, depth);
            self.add_undeclared_member(object, name, read);
        }
        object.len() > n_declared
    }

    fn add_undeclared_member(&mut self, object: &mut Object, name: &str, read: Option<Read>) {
        let fault = match read {
            None if name.is_empty() => return,
            None => format!("the member `{name}` has no value: write one, or say that it is empty"),
            Some(_) if name.is_empty() => "a further member needs a name".to_owned(),
            Some(read) => match object.insert(name, read.value) {
                None => return,
                Some(_) => format!("the member `{name}` is there twice"),
            },
        };
        self.faults.push(fault);
    }

    fn read_text(&self, path: &str, state: &str) -> Option<Value> {
        if state == "empty" {
            return Some("".into());
        }
        // A browser writes a line break as two characters.
        let text = self.fields.get(Part::Text, path)?.replace("\r\n", "\n");
        (!text.is_empty()).then(|| text.into())
    }

    fn read_number(&mut self, path: &str) -> Option<Value> {
        let text = self.fields.get(Part::Number, path)?.trim();
        if text.is_empty() {
            return None;
        }
        if let Ok(number @ Value::Number(_)) = Value::parse(text) {
            return Some(number);
        }
        self.faults
            .push(format!("`{}`: expected a number, got: `{text}`", path_or_arguments(path)));
        None
    }

    fn read_json(&mut self, text: &str, path: &str) -> Option<Value> {
        if text.trim().is_empty() {
            return None;
        }
        match Value::parse(text) {
            Ok(value) => Some(value),
            Err(error) => {
                self.faults.push(format!("`{}`: expected JSON: {error}", path_or_arguments(path)));
                None
            }
        }
    }

    /// The number of rows of a list or map, which are no longer left for others; `None` if the form does not show it.
    fn take_row_count(&mut self, path: &str) -> Option<usize> {
        let count: usize = self.fields.get(Part::Count, path)?.parse().ok()?;
        if let Some(left) = self.rows_left.checked_sub(count) {
            self.rows_left = left;
            return Some(count);
        }
        let fault = format!(
            "`{}`: expected at most {MOST_ROWS} rows in a form, got {count} more; write it as JSON",
            path_or_arguments(path)
        );
        self.faults.push(fault);
        None
    }
}

fn path_or_arguments(path: &str) -> &str {
    let path = path.trim_start_matches('/');
    if path.is_empty() { "arguments" } else { path }
}

const MOST_DEPTH: usize = 100;
/// A whole form has no more rows than a person fills in, at whatever places, and no more inputs.
const MOST_ROWS: usize = 2000;
const MOST_INPUTS: usize = 20_000;
