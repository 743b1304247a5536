//! The arguments of a connection's tools as a model sees them.

use callgate_kind::{ArgumentForm, Operation};
use callgate_tool::{Object, StatementInput, Value, json};

use crate::{
    field::Field,
    filter,
    work::{Entity, Query, Work},
};

/// The schema of a tool's arguments; `rows` is the most rows of a result.
pub(crate) fn input_schema(work: &Work, rows: u32) -> Value {
    match work {
        Work::Action(action) => action.schema.clone(),
        Work::Entity(entity) => entity_schema(entity, rows),
        Work::Query(query) => query_input_schema(query),
        Work::Tool(tool) => tool.schema.clone(),
    }
}

fn entity_schema(entity: &Entity, rows: u32) -> Value {
    match (entity.form, entity.operation) {
        (ArgumentForm::Own, Operation::List) => own_list_schema(entity, rows),
        (ArgumentForm::Google, Operation::List) => google_list_schema(entity, rows),
        (_, Operation::Get) => closed_schema([key_property(entity)], &[&entity.key.0]),
        (_, Operation::Create) => create_schema(entity),
        (ArgumentForm::Own, Operation::Delete) => own_change_schema(entity, None),
        (ArgumentForm::Own, Operation::Update) => {
            own_change_schema(entity, Some(update_values_schema(entity)))
        }
        (ArgumentForm::Google, Operation::Delete) => google_change_schema(entity, Object::new()),
        (ArgumentForm::Google, Operation::Update) => {
            google_change_schema(entity, value_properties(entity))
        }
    }
}

fn own_list_schema(entity: &Entity, rows: u32) -> Value {
    let mut properties = Object::new();
    if !entity.filtered.is_empty() {
        properties.insert(WHERE, filter::where_schema(entity.filtered.iter()));
    }
    if !entity.sorted.is_empty() {
        let both = |name: &String| [name.clone(), format!("-{name}")];
        let choices: Value = entity.sorted.iter().flat_map(both).collect();
        let items = json!({"enum": choices});
        let description = "The field to sort by; `-` before it sorts downwards";
        let sort =
            json!({"type": "array", "items": items, "maxItems": 1, "description": description});
        properties.insert(SORT, sort);
    }
    properties.insert(LIMIT, json!({"type": "integer", "minimum": 1, "maximum": rows}));
    if entity.is_paged {
        let description = "`next` of the page before, with the same other arguments";
        properties
            .insert(PAGE, json!({"type": "string", "minLength": 1, "description": description}));
    }
    closed_schema(properties, &[])
}

fn google_list_schema(entity: &Entity, rows: u32) -> Value {
    let mut properties = Object::new();
    if !entity.filtered.is_empty() {
        properties.insert(FILTER_CLAUSE, clause_schema(&entity.filtered));
    }
    properties.insert("pageSize", json!({"type": "integer", "minimum": 1, "maximum": rows}));
    if entity.is_paged {
        properties.insert("pageToken", json!({"type": "string"}));
    }
    if !entity.sorted.is_empty() {
        let names: Value = entity.sorted.iter().cloned().collect();
        let items = json!({"type": "string", "enum": names});
        properties.insert("sortByColumns", json!({"type": "array", "items": items, "maxItems": 1}));
    }
    closed_schema(properties, &[])
}

fn create_schema(entity: &Entity) -> Value {
    let is_required = |field: &Field| !field.is_nullable && !field.has_default && !field.is_key;
    let required = entity.inputs.iter().filter(|input| is_required(&input.field));
    let required: Vec<_> = required.map(|input| input.argument.as_str()).collect();
    closed_schema(value_properties(entity), &required)
}

/// Update and delete by key; with `many` also by conditions, one of the two.
fn own_change_schema(entity: &Entity, set: Option<Value>) -> Value {
    let mut properties = Object::from_iter([key_property(entity)]);
    let mut required = Vec::new();
    if entity.many {
        let mut conditions = filter::where_schema(entity.filtered.iter());
        if let Some(conditions) = conditions.as_object_mut() {
            conditions.insert("minProperties", 1.into());
        }
        properties.insert(WHERE, conditions);
    } else {
        required.push(entity.key.0.as_str());
    }
    if let Some(set) = set {
        properties.insert(SET, set);
        required.push(SET);
    }
    closed_schema(properties, &required)
}

fn google_change_schema(entity: &Entity, values: Object) -> Value {
    let mut properties = Object::from_iter([key_property(entity)]);
    let mut required = Vec::new();
    if entity.many {
        properties.insert(FILTER_CLAUSE, clause_schema(&entity.filtered));
    } else {
        required.push(entity.key.0.as_str());
    }
    for (name, schema) in values {
        if !properties.contains_key(&name) {
            properties.insert(name, schema);
        }
    }
    closed_schema(properties, &required)
}

fn update_values_schema(entity: &Entity) -> Value {
    json!({
        "type": "object", "properties": Value::Object(value_properties(entity)),
        "minProperties": 1, "additionalProperties": false,
        "description": "The new values; fields that are not named stay as they are",
    })
}

fn value_properties(entity: &Entity) -> Object {
    let inputs = entity.inputs.iter();
    inputs.map(|input| (input.argument.clone(), input.field.schema())).collect()
}

fn key_property(entity: &Entity) -> (String, Value) {
    entity.key.clone()
}

pub(crate) fn clause_schema(fields: &[Field]) -> Value {
    let names: Vec<_> = fields.iter().take(60).map(|field| field.name.as_str()).collect();
    let description = format!(
        "Conditions such as `FIELD = 'text' AND (FIELD > 1 OR FIELD IS NULL)`, with `=`, `!=`, `<`, `<=`, `>`, `>=`, `LIKE` and `IN`, over the fields {}",
        names.join(", ")
    );
    json!({"type": "string", "minLength": 1, "description": description})
}

fn query_input_schema(query: &Query) -> Value {
    let mut properties = Object::new();
    for (name, input) in &query.inputs {
        if let StatementInput::Model(schema) = input {
            properties.insert(name.as_str(), schema.clone());
        }
    }
    let names: Vec<String> = properties.keys().cloned().collect();
    closed_schema(properties, &names.iter().map(String::as_str).collect::<Vec<_>>())
}

/// A schema of these properties and no others.
fn closed_schema(
    properties: impl IntoIterator<Item = (String, Value)>,
    required: &[&str],
) -> Value {
    let properties = Value::Object(properties.into_iter().collect());
    let mut schema = json!({"type": "object", "properties": properties});
    if let Some(schema) = schema.as_object_mut() {
        schema.insert_unless_empty("required", required);
        schema.insert("additionalProperties", false.into());
    }
    schema
}

pub(crate) const WHERE: &str = "where";
pub(crate) const SORT: &str = "sort";
pub(crate) const LIMIT: &str = "limit";
pub(crate) const PAGE: &str = "page";
pub(crate) const SET: &str = "set";
pub(crate) const FILTER_CLAUSE: &str = "filterClause";
pub(crate) const ENTITY_ID: &str = "entityId";
