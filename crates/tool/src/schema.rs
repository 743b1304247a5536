//! A JSON Schema of the 2020-12 dialect without references to other documents. `openapi` builds schemas, and `dialect`
//! projects them onto providers. Tools share their common definitions.

use std::{fmt, fmt::Write, sync::Arc};

use crate::{Object, Value};

/// A self-contained JSON Schema 2020-12. Cloning copies everything but the shared definitions.
///
/// ```
/// use callgate_tool::{Schema, json};
///
/// let schema = Schema::new(json!({"type": "object", "properties": {"id": {"type": "integer"}}}));
/// assert_eq!(schema.to_value()["properties"]["id"]["type"], "integer");
/// let text = r#"{"type":"object","properties":{"id":{"type":"integer"}}}"#;
/// assert_eq!(schema.to_string(), text);
/// assert_eq!(schema.n_bytes(), text.len());
/// ```
#[derive(Clone, Debug)]
pub struct Schema {
    own: Value,
    definitions: Arc<Definitions>,
}

/// Named schemas, in order, that other schemas refer to as `#/$defs/<name>`. Definitions come in groups, so that sharing
/// all or some of them is cheap.
#[derive(Debug, Default)]
pub struct Definitions {
    groups: Box<[Arc<DefinitionGroup>]>,
    n_bytes: usize,
}

/// Definitions that are always needed together.
#[derive(Debug, Default)]
pub struct DefinitionGroup {
    list: Box<[Definition]>,
    /// Indices into `list`, in the order of the names.
    by_name: Box<[usize]>,
    n_bytes: usize,
}

/// A schema and the name that other schemas use to refer to it.
#[derive(Clone, Debug)]
pub struct Definition {
    /// The name below `#/$defs/`.
    pub name: Arc<str>,
    /// The schema.
    pub schema: Arc<Value>,
    /// The size of the schema as compact JSON, in bytes.
    pub n_bytes: usize,
}

impl Schema {
    /// Wraps a schema that is already canonical.
    pub fn new(value: Value) -> Self {
        Self { own: value, definitions: Arc::default() }
    }

    /// A canonical schema from its own part, which has no `$defs`, and its definitions.
    #[doc(hidden)]
    pub fn with_definitions(own: Value, definitions: Arc<Definitions>) -> Self {
        Self { own, definitions }
    }

    /// The schema as JSON, with its definitions copied into it.
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

    /// The schema as JSON, with its definitions copied into it and its own part moved.
    pub fn into_value(self) -> Value {
        let mut whole = self.own;
        if let (Value::Object(members), false) = (&mut whole, self.definitions.is_empty()) {
            let copied = self.definitions.iter();
            let copied = copied
                .map(|definition| (definition.name.to_string(), (*definition.schema).clone()));
            members.insert(DEFINITIONS.to_owned(), Value::Object(copied.collect::<Object>()));
        }
        whole
    }

    /// The schema without its shared definitions.
    #[doc(hidden)]
    pub fn without_definitions(&self) -> &Value {
        &self.own
    }

    /// The shared definitions of the schema.
    #[doc(hidden)]
    pub fn definitions(&self) -> &Arc<Definitions> {
        &self.definitions
    }

    /// The size of the schema as compact JSON, in bytes.
    pub fn n_bytes(&self) -> usize {
        let definitions = match self.definitions.n_bytes {
            0 => 0,
            // `"$defs":{}`, and a comma if other members precede it.
            n_bytes => {
                let is_first = self.own.as_object().is_none_or(Object::is_empty);
                DEFINITIONS.len() + 5 + usize::from(!is_first) + n_bytes
            }
        };
        n_json_bytes(&self.own) + definitions
    }
}

/// Writes compact JSON without copying the schema.
impl fmt::Display for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let own = self.own.to_string();
        let open = own.strip_suffix('}').filter(|_| !self.definitions.is_empty());
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
        Self::from_groups(vec![Arc::new(DefinitionGroup::new(list))])
    }

    /// The definitions of these groups, in their order; no name may be in two groups.
    pub fn from_groups(groups: Vec<Arc<DefinitionGroup>>) -> Self {
        let n_bytes: usize = groups.iter().map(|group| group.n_bytes).sum();
        Self { n_bytes: n_bytes.saturating_sub(1), groups: groups.into() }
    }

    /// Every definition, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Definition> {
        self.groups.iter().flat_map(|group| group.iter())
    }

    /// The groups, in order.
    pub fn groups(&self) -> &[Arc<DefinitionGroup>] {
        &self.groups
    }

    /// The definition with this name; searches each group.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use callgate_tool::{Definition, DefinitionGroup, Definitions, json};
    ///
    /// let [pet, owner, name] = ["Pet", "Owner", "Name"].map(|name| Definition::new(name.into(), Arc::new(json!({}))));
    /// let shared = Arc::new(DefinitionGroup::new(vec![pet, owner]));
    /// let definitions = Definitions::from_groups(vec![Arc::new(DefinitionGroup::new(vec![name])), shared]);
    /// assert!(definitions.iter().map(|known| &*known.name).eq(["Name", "Pet", "Owner"]));
    /// assert_eq!(definitions.get("Owner").map(|known| &*known.name), Some("Owner"));
    /// assert!(definitions.get("Cat").is_none());
    /// ```
    pub fn get(&self, name: &str) -> Option<&Definition> {
        self.groups.iter().find_map(|group| group.get(name))
    }

    fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }
}

impl DefinitionGroup {
    /// Definitions in this order; their names are unique.
    pub fn new(list: Vec<Definition>) -> Self {
        // `"name":schema`, and a comma between two of them.
        let bytes = |definition: &Definition| {
            n_json_bytes(&Value::from(&*definition.name)) + 2 + definition.n_bytes
        };
        let n_bytes = list.iter().map(bytes).sum();
        let mut by_name: Vec<usize> = (0..list.len()).collect();
        by_name.sort_by_key(|at| list.get(*at).map(|definition| &definition.name));
        Self { n_bytes, by_name: by_name.into(), list: list.into() }
    }

    /// Every definition, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Definition> {
        self.list.iter()
    }

    /// The definition with this name.
    pub fn get(&self, name: &str) -> Option<&Definition> {
        let named = |at: &usize| self.list.get(*at).map(|definition| &*definition.name);
        let index = self.by_name.binary_search_by(|at| named(at).cmp(&Some(name))).ok()?;
        self.list.get(*self.by_name.get(index)?)
    }
}

impl Definition {
    /// A schema under a name.
    pub fn new(name: Arc<str>, schema: Arc<Value>) -> Self {
        let n_bytes = n_json_bytes(&schema);
        Self { name, schema, n_bytes }
    }
}

fn n_json_bytes(value: &Value) -> usize {
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
