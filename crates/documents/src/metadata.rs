//! Metadata of a document: fields with typed values, taken from front matter, JSON or CSV. Conditions compare them.

use std::{
    collections::{BTreeMap, BTreeSet},
    slice,
    sync::Arc,
};

use callgate_tool::{Number, Value};

/// One value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Scalar {
    Boolean(bool),
    Number(Number),
    Text(Box<str>),
}

impl Scalar {
    /// The scalar of a value; `None` for null, lists and objects.
    pub(crate) fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Bool(value) => Some(Self::Boolean(*value)),
            Value::Number(number) => Some(Self::Number(number.clone())),
            Value::String(text) => Some(Self::Text(text.as_str().into())),
            Value::Array(_) | Value::Null | Value::Object(_) => None,
        }
    }

    pub(crate) fn kind(&self) -> Kind {
        match self {
            Self::Boolean(_) => Kind::Boolean,
            Self::Number(_) => Kind::Number,
            Self::Text(_) => Kind::Text,
        }
    }
}

callgate_tool::named! {
    /// The type of a value, by its name in a JSON Schema.
    #[derive(Ord, PartialOrd)]
    pub(crate) enum Kind {
        Boolean = "boolean",
        Number = "number",
        Text = "string",
    }
}

/// The fields of one document, in the order of their names.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Metadata(Box<[Field]>);

type Field = (Arc<str>, Values);

/// The values of a field. Most fields have one.
#[derive(Clone, Debug, PartialEq)]
enum Values {
    Many(Box<[Scalar]>),
    One(Scalar),
}

impl Values {
    fn as_slice(&self) -> &[Scalar] {
        match self {
            Self::Many(values) => values,
            Self::One(value) => slice::from_ref(value),
        }
    }
}

impl From<Vec<Scalar>> for Values {
    fn from(mut values: Vec<Scalar>) -> Self {
        match values.pop() {
            Some(value) if values.is_empty() => Self::One(value),
            last => {
                values.extend(last);
                Self::Many(values.into())
            }
        }
    }
}

impl Metadata {
    /// Reads the members of an object; members of objects inside it have dotted names.
    pub(crate) fn from_value(value: &Value) -> Self {
        let mut fields = BTreeMap::new();
        flatten_fields(value, "", DEPTH, &mut fields);
        Self::from(fields)
    }

    pub(crate) fn values(&self, field: &str) -> &[Scalar] {
        let position = self.0.binary_search_by(|(name, _)| (**name).cmp(field));
        let values =
            position.ok().and_then(|at| self.0.get(at)).map(|(_, values)| values.as_slice());
        values.unwrap_or_default()
    }

    pub(crate) fn fields(&self) -> impl Iterator<Item = (&Arc<str>, &[Scalar])> {
        self.0.iter().map(|(name, values)| (name, values.as_slice()))
    }

    /// Shares the names of fields with other documents.
    pub(crate) fn share_names(&mut self, names: &mut BTreeSet<Arc<str>>) {
        for (name, _) in &mut self.0 {
            if let Some(shared_name) = names.get(name) {
                *name = Arc::clone(shared_name);
            } else {
                names.insert(Arc::clone(name));
            }
        }
    }
}

impl From<BTreeMap<String, Vec<Scalar>>> for Metadata {
    fn from(fields: BTreeMap<String, Vec<Scalar>>) -> Self {
        let fields = fields.into_iter().filter(|(_, values)| !values.is_empty()).take(MOST_FIELDS);
        Self(fields.map(|(name, values)| (name.into(), values.into())).collect())
    }
}

fn flatten_fields(
    value: &Value,
    at: &str,
    depth: usize,
    fields: &mut BTreeMap<String, Vec<Scalar>>,
) {
    match value {
        Value::Object(members) if depth > 0 => {
            for (name, member) in members {
                let at = if at.is_empty() { name.clone() } else { format!("{at}.{name}") };
                flatten_fields(member, &at, depth - 1, fields);
            }
        }
        Value::Array(items) => {
            let values = items.iter().filter_map(Scalar::from_value).take(MOST_VALUES);
            fields.entry(at.to_owned()).or_default().extend(values);
        }
        other => {
            if let Some(value) = Scalar::from_value(other).filter(|_| !at.is_empty()) {
                fields.entry(at.to_owned()).or_default().push(value);
            }
        }
    }
}

/// The most objects in each other whose members are fields.
const DEPTH: usize = 4;
/// The most fields of a document, and the most values of a field.
const MOST_FIELDS: usize = 64;
const MOST_VALUES: usize = 256;

#[cfg(test)]
mod tests {
    use callgate_tool::json;

    use super::*;

    #[test]
    fn members_of_objects_have_dotted_names_and_lists_several_values() {
        let value = json!({"b": [1, "x", null, [2]], "a": {"c": true}, "n": null, "e": []});
        let metadata = Metadata::from_value(&value);
        let fields: Vec<_> = metadata.fields().map(|(name, all)| (&**name, all.len())).collect();
        assert_eq!(fields, [("a.c", 1), ("b", 2)]);
        assert_eq!(metadata.values("a.c"), [Scalar::Boolean(true)]);
        assert_eq!(metadata.values("n"), []);
    }
}
