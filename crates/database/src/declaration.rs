//! The declarations of tools: names, words, and the schemas of arguments and results. They are short, because a model reads all
//! of them; `plan` checks what a schema leaves open.

use callgate_tool::{InvalidName, Object, Schema, Tool, ToolName, ToolsetName, Value, json};

use crate::{
    catalog::{Column, ColumnKind},
    column,
    engine::Engine,
    entity::{Entity, is_required},
    filter,
    operation::Operation,
    settings::DatabaseLimits,
};

/// The facts that the declarations of one database depend on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terms<'a> {
    pub(crate) engine: Engine,
    pub(crate) prefix: Option<&'a ToolsetName>,
    pub(crate) limits: &'a DatabaseLimits,
}

/// The name of a tool: `shop-orders-list`.
pub(crate) fn tool_name(prefix: Option<&ToolsetName>, rest: &str) -> Result<ToolName, InvalidName> {
    match prefix {
        Some(prefix) => ToolName::new(&format!("{prefix}-{rest}")),
        None => ToolName::new(rest),
    }
}

/// The declaration of one operation.
pub(crate) fn tool(
    entity: &Entity,
    operation: Operation,
    terms: Terms<'_>,
) -> Result<Tool, InvalidName> {
    let name = tool_name(terms.prefix, &format!("{}-{}", entity.name, operation.as_str()))?;
    let input = match operation {
        Operation::Aggregate => aggregate_schema(entity, terms),
        Operation::Create => create_schema(entity, terms),
        Operation::Delete => delete_schema(entity, terms),
        Operation::Get => get_schema(entity, terms),
        Operation::List => list_schema(entity, terms),
        Operation::Update => update_schema(entity, terms),
    };
    let description = description(entity, operation);
    let tool = Tool::new(name, description, Schema::new(input), operation.effect());
    let output = output_schema(entity, operation, terms.engine);
    Ok(tool.with_lazy_output_schema(move || Some(Schema::new(output))))
}

fn description(entity: &Entity, operation: Operation) -> String {
    let name = &entity.name;
    let verb = match operation {
        Operation::Aggregate => format!("Count rows of {name}, with sums and bounds, by groups"),
        Operation::Create => format!("Create a row of {name}"),
        Operation::Delete if entity.many => format!("Delete rows of {name} by key or `where`"),
        Operation::Delete => format!("Delete a row of {name}"),
        Operation::Get => format!("Get a row of {name}"),
        Operation::List => format!("List {name}"),
        Operation::Update if entity.many => format!("Update rows of {name} by key or `where`"),
        Operation::Update => format!("Update a row of {name}"),
    };
    let words = if operation == Operation::List {
        entity.description.as_str()
    } else {
        first_sentence_if_short(&entity.description)
    };
    if words.is_empty() { verb } else { format!("{verb}: {words}") }
}

/// The first sentence, if it is short.
fn first_sentence_if_short(text: &str) -> &str {
    let sentence = text.split(['.', '\n']).next().unwrap_or_default();
    if sentence.len() <= SHORT { sentence } else { "" }
}

fn list_schema(entity: &Entity, terms: Terms<'_>) -> Value {
    let mut properties = Object::new();
    if !entity.filter.is_empty() {
        let columns = entity.columns(&entity.filter);
        properties.insert("where", filter::schema(&columns, terms.engine));
    }
    if !entity.sort.is_empty() {
        let both = entity.sort.iter().flat_map(|name| [name.clone(), format!("-{name}")]);
        let both: Vec<Value> = both.map(Value::String).collect();
        properties.insert("sort", json!({"type": "array", "items": {"enum": both}}));
    }
    let outputs = entity.outputs(Operation::List);
    let mut select = column_names_schema(&outputs);
    let words = column_comments(&outputs);
    if let Some(members) = select.as_object_mut().filter(|_| !words.is_empty()) {
        members.insert("description", words.into());
    }
    properties.insert("select", select);
    properties.insert("limit", limit_schema(terms));
    if entity.is_key_unique {
        let words = "`next` of the result before; `where` and `sort` stay";
        properties.insert("page", json!({"type": "string", "description": words}));
    }
    closed_object_schema(properties, Vec::new())
}

fn get_schema(entity: &Entity, terms: Terms<'_>) -> Value {
    let (mut properties, required) = key_arguments(entity, terms);
    if !properties.contains_key("select") {
        properties.insert("select", column_names_schema(&entity.outputs(Operation::Get)));
    }
    closed_object_schema(properties, required)
}

fn aggregate_schema(entity: &Entity, terms: Terms<'_>) -> Value {
    let (groups, aggregates) = (entity.group_columns(), entity.aggregates(terms.engine));
    let results: Vec<&Column> = aggregates.iter().map(|it| &it.result).collect();
    let mut properties = Object::new();
    if !entity.filter.is_empty() {
        let columns = entity.columns(&entity.filter);
        properties.insert("where", filter::schema(&columns, terms.engine));
    }
    if !groups.is_empty() {
        properties.insert("group", column_names_schema(&groups));
    }
    let mut select = column_names_schema(&results);
    if let Some(members) = select.as_object_mut() {
        members.insert("description", "default: count".into());
    }
    properties.insert("select", select);
    properties.insert("having", json!({"type": "object", "description": HAVING}));
    let sort = json!({"type": "array", "items": {"type": "string"}, "description": ORDER});
    properties.insert("sort", sort);
    properties.insert("limit", limit_schema(terms));
    closed_object_schema(properties, Vec::new())
}

/// A list of the names of columns.
fn column_names_schema(columns: &[&Column]) -> Value {
    let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
    json!({"type": "array", "items": {"enum": names}})
}

/// The words about columns, which are declared where the format of a model has no results.
fn column_comments(columns: &[&Column]) -> String {
    let words = |column: &&Column| {
        let words = first_sentence_if_short(column.comment.as_deref()?.trim());
        (!words.is_empty()).then(|| format!("{}: {words}", column.name))
    };
    columns.iter().filter_map(words).take(MOST_WORDS).collect::<Vec<_>>().join("; ")
}

fn limit_schema(terms: Terms<'_>) -> Value {
    json!({"type": "integer", "minimum": 1, "maximum": terms.limits.rows})
}

fn create_schema(entity: &Entity, terms: Terms<'_>) -> Value {
    let columns = entity.inputs(Operation::Create);
    let required = columns.iter().filter(|column| is_required(column));
    let required = required.map(|column| column.name.clone()).collect();
    closed_object_schema(column_properties(&columns, terms), required)
}

fn update_schema(entity: &Entity, terms: Terms<'_>) -> Value {
    let set = closed_object_schema(
        column_properties(&entity.inputs(Operation::Update), terms),
        Vec::new(),
    );
    let (mut properties, mut required) = change_target_arguments(entity, terms);
    properties.insert("set", set);
    required.push("set".to_owned());
    closed_object_schema(properties, required)
}

fn delete_schema(entity: &Entity, terms: Terms<'_>) -> Value {
    let (properties, required) = change_target_arguments(entity, terms);
    closed_object_schema(properties, required)
}

/// The arguments that name the rows of a change.
fn change_target_arguments(entity: &Entity, terms: Terms<'_>) -> (Object, Vec<String>) {
    let (mut properties, mut required) = key_arguments(entity, terms);
    if let Some(version) = entity.version.as_deref().and_then(|name| entity.column(name)) {
        let mut schema = column::schema(version, terms.engine);
        if let Some(members) = schema.as_object_mut() {
            members.insert("description", "as it was read".into());
        }
        properties.insert(version.name.as_str(), schema);
        required.push(version.name.clone());
    }
    if entity.many {
        let columns = entity.columns(&entity.filter);
        properties.insert("where", filter::schema(&columns, terms.engine));
        required.clear();
    }
    (properties, required)
}

fn key_arguments(entity: &Entity, terms: Terms<'_>) -> (Object, Vec<String>) {
    let columns: Vec<&Column> =
        entity.key_given_by_model().filter_map(|name| entity.column(name)).collect();
    let required = columns.iter().map(|column| column.name.clone()).collect();
    (column_properties(&columns, terms), required)
}

/// Columns as arguments.
fn column_properties(columns: &[&Column], terms: Terms<'_>) -> Object {
    let property = |column: &&Column| {
        let mut schema = column::schema(column, terms.engine);
        let words =
            column.comment.as_deref().map(first_sentence_if_short).filter(|it| !it.is_empty());
        if let (Some(members), Some(words)) = (schema.as_object_mut(), words)
            && !members.contains_key("description")
        {
            members.insert("description", words.into());
        }
        (column.name.clone(), schema)
    };
    columns.iter().map(property).collect()
}

pub(crate) fn closed_object_schema(properties: Object, required: Vec<String>) -> Value {
    let mut schema = Object::new();
    schema.insert("type", "object".into());
    schema.insert("properties", Value::Object(properties));
    if !required.is_empty() {
        let required = required.into_iter().map(Value::String).collect();
        schema.insert("required", Value::Array(required));
    }
    schema.insert("additionalProperties", false.into());
    Value::Object(schema)
}

fn output_schema(entity: &Entity, operation: Operation, engine: Engine) -> Value {
    let outputs = entity.outputs(operation);
    let columns = outputs.iter().map(|column| (column.name.as_str(), &column.kind));
    match operation {
        Operation::Aggregate => {
            let (groups, aggregates) = (entity.group_columns(), entity.aggregates(engine));
            let columns = groups.into_iter().chain(aggregates.iter().map(|it| &it.result));
            rows_schema(columns.map(|column| (column.name.as_str(), &column.kind)))
        }
        Operation::Get => {
            json!({"type": "object", "required": ["row"], "properties": {"row": row_schema(columns), "note": {"type": "string"}}})
        }
        Operation::List => rows_schema(columns),
        Operation::Create | Operation::Delete | Operation::Update => {
            json!({"type": "object", "required": ["affected"], "properties": {"affected": {"type": "integer"}, "row": row_schema(columns), "note": {"type": "string"}}})
        }
    }
}

/// The schema of a result of rows.
pub(crate) fn rows_schema<'a>(columns: impl Iterator<Item = (&'a str, &'a ColumnKind)>) -> Value {
    json!({
        "type": "object",
        "required": ["rows", "more"],
        "properties": {
            "rows": {"type": "array", "items": row_schema(columns)},
            "more": {"type": "boolean"},
            "next": {"type": "string"},
            "note": {"type": "string"},
        },
    })
}

fn row_schema<'a>(columns: impl Iterator<Item = (&'a str, &'a ColumnKind)>) -> Value {
    let properties: Object =
        columns.map(|(name, kind)| (name.to_owned(), result_value_schema(kind))).collect();
    json!({"type": "object", "properties": properties})
}

/// The schema of a value in a result. A value that is cut, or is not what its column says, is a text.
fn result_value_schema(kind: &ColumnKind) -> Value {
    let own = match kind {
        ColumnKind::Boolean => "boolean",
        ColumnKind::Flag { .. } => {
            return json!({"type": ["boolean", "integer", "string", "null"]});
        }
        ColumnKind::Float | ColumnKind::Numeric { .. } => "number",
        ColumnKind::Integer { .. } => "integer",
        ColumnKind::Any | ColumnKind::Array(_) | ColumnKind::Json | ColumnKind::Other => {
            return json!({});
        }
        _ => return json!({"type": ["string", "null"]}),
    };
    json!({"type": [own, "string", "null"]})
}

const HAVING: &str = "conditions on values of select, as in where: {\"count\": {\"gte\": 2}}";

const ORDER: &str = "names of group and select; \"-count\" descends";

/// The columns whose words a list has.
const MOST_WORDS: usize = 20;

/// The bytes of words that each tool of an entity repeats, and of the words about a column.
const SHORT: usize = 80;
