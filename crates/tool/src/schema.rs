//! A JSON Schema of the 2020-12 dialect that refers to nothing outside itself. Built in `openapi`, projected onto
//! providers in `dialect`. Schemas of many tools share the definitions they have in common.

use std::{fmt, fmt::Write, sync::Arc};

use crate::{Object, Value};

/// A self-contained JSON Schema 2020-12. Cloning it copies all but its shared definitions.
#[derive(Clone, Debug)]
pub struct Schema {
    own: Value,
    definitions: Arc<Definitions>,
}

/// Schemas by name that others refer to as `#/$defs/<name>`, in order. Sharing them is cheap.
#[derive(Debug, Default)]
pub struct Definitions {
    list: Box<[Definition]>,
    n_bytes: usize,
}

/// A schema and the name others refer to it by.
#[derive(Clone, Debug)]
#[expect(clippy::exhaustive_structs, reason = "a name and a schema, nothing else")]
pub struct Definition {
    /// The name below `#/$defs/`.
    pub name: Arc<str>,
    /// The schema.
    pub schema: Arc<Value>,
    /// The bytes of the schema as compact JSON.
    pub n_bytes: usize,
}

impl Schema {
    /// Wraps a schema that is already canonical.
    pub fn new(value: Value) -> Self {
        Self { own: value, definitions: Arc::default() }
    }

    /// A schema that is already canonical without its `$defs`, which are these.
    pub fn with_definitions(own: Value, definitions: Arc<Definitions>) -> Self {
        Self { own, definitions }
    }

    /// The schema as JSON, its definitions copied into it.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use callgate_tool::{Definition, Definitions, Schema};
    /// use callgate_tool::json;
    ///
    /// let pet = Definition::new("Pet".into(), Arc::new(json!({"type": "string"})));
    /// let definitions = Arc::new(Definitions::new(vec![pet]));
    /// let schema = Schema::with_definitions(json!({"$ref": "#/$defs/Pet"}), definitions);
    /// let whole = r##"{"$ref":"#/$defs/Pet","$defs":{"Pet":{"type":"string"}}}"##;
    /// assert_eq!(schema.to_value().to_string(), whole);
    /// assert_eq!(schema.to_string(), whole);
    /// assert_eq!(schema.n_bytes(), whole.len());
    /// ```
    pub fn to_value(&self) -> Value {
        self.clone().into_value()
    }

    /// The same where nobody else needs it.
    pub fn into_value(self) -> Value {
        let mut whole = self.own;
        if let (Value::Object(members), false) = (&mut whole, self.definitions.list.is_empty()) {
            let copied = self.definitions.list.iter();
            let copied = copied.map(|known| (known.name.to_string(), (*known.schema).clone()));
            members.insert(DEFINITIONS.to_owned(), Value::Object(copied.collect::<Object>()));
        }
        whole
    }

    /// The schema without its shared definitions.
    pub fn own(&self) -> &Value {
        &self.own
    }

    /// Its shared definitions.
    pub fn definitions(&self) -> &Arc<Definitions> {
        &self.definitions
    }

    /// The bytes of the schema as compact JSON.
    pub fn n_bytes(&self) -> usize {
        let definitions = match self.definitions.n_bytes {
            0 => 0,
            // `"$defs":{}`, and a comma where something stands before it.
            n_bytes => {
                let is_first = self.own.as_object().is_none_or(Object::is_empty);
                DEFINITIONS.len() + 5 + usize::from(!is_first) + n_bytes
            }
        };
        n_bytes(&self.own) + definitions
    }
}

/// Compact JSON. Nothing is copied for it.
impl fmt::Display for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let own = self.own.to_string();
        let open = own.strip_suffix('}').filter(|_| !self.definitions.list.is_empty());
        let Some(open) = open else { return f.write_str(&own) };
        f.write_str(open)?;
        f.write_str(if open.len() > 1 { "," } else { "" })?;
        write!(f, "\"{DEFINITIONS}\":{{")?;
        for (at, Definition { name, schema, .. }) in self.definitions.iter().enumerate() {
            f.write_str(if at > 0 { "," } else { "" })?;
            write!(f, "{}:{schema}", Value::from(&**name))?;
        }
        f.write_str("}}")
    }
}

impl PartialEq for Schema {
    fn eq(&self, other: &Self) -> bool {
        self.to_value() == other.to_value()
    }
}

impl Definitions {
    /// Definitions in this order; their names are unique.
    pub fn new(list: Vec<Definition>) -> Self {
        // `"name":schema`, and a comma between two of them.
        let bytes = |known: &Definition| n_bytes(&Value::from(&*known.name)) + 2 + known.n_bytes;
        let n_bytes: usize = list.iter().map(bytes).sum();
        Self { n_bytes: n_bytes.saturating_sub(1), list: list.into() }
    }

    /// Every definition, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Definition> {
        self.list.iter()
    }
}

impl Definition {
    /// A schema under a name.
    pub fn new(name: Arc<str>, schema: Arc<Value>) -> Self {
        let n_bytes = n_bytes(&schema);
        Self { name, schema, n_bytes }
    }
}

/// The bytes of a value as compact JSON.
fn n_bytes(value: &Value) -> usize {
    let mut counter = Counter(0);
    let counted = write!(counter, "{value}");
    counted.map_or(0, |()| counter.0)
}

struct Counter(usize);

impl Write for Counter {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 += text.len();
        Ok(())
    }
}

const DEFINITIONS: &str = "$defs";
