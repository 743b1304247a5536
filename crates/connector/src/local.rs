//! The tools of a connection on a local database instead: the operations on entities run as those of a database toolset with
//! entities of the same names. Actions and tools of the connection itself have no equivalent.

mod conditions;
mod fields;
mod tool;

use std::sync::Arc;

use callgate_call::ArgumentCheck;
use callgate_executor::Backend;
use callgate_kind::{ArgumentForm, Operation};
use callgate_settings::SettingCode;
use callgate_tool::{Object, Schema, Tool, ToolName, Value, json};
use callgate_tree::SettingFinding;

use self::tool::TranslatedTool;
use crate::{
    arguments::id_schema,
    code::ConnectorCode,
    declaration::{ENTITY_ID, FILTER_CLAUSE, LIMIT, PAGE, SET, SORT, WHERE},
    field::Field,
    load::Loaded,
    settings::{ActionKind, ActionSettings, ConnectionSettings},
    work::truncated_underscored_name,
};

/// The tools of a connection, run by the tools of a database. `find` has the tool of a database toolset behind its short name,
/// such as `orders-list`.
pub fn load_on_database(
    settings: &ConnectionSettings,
    find: impl Fn(&str) -> Option<Arc<dyn Backend>>,
) -> Loaded {
    let mut loaded = Loaded { tools: Vec::new(), findings: Vec::new(), unavailable: None };
    let Some(actions) = &settings.actions else {
        let pointer = format!("{}/connection", settings.pointer);
        let message = "expected `actions` of a connection that runs on a database, got none";
        let help = "name the operations on entities under `actions`";
        loaded.findings.push(SettingFinding::error(LOCAL, pointer, message, help));
        return loaded;
    };
    if settings.user.is_some() {
        let pointer = format!("{}/user", settings.pointer);
        let message = "expected no `user` of a connection that runs on a database, got one";
        let help = "map the user to `rows` or `identity` of the database, and leave `user` out";
        loaded.findings.push(SettingFinding::error(LOCAL, pointer, message, help));
        return loaded;
    }
    for action in actions {
        match entity_tool(settings, action, &find) {
            Ok(tool) => {
                loaded.findings.extend(unused_many_finding(action, &*tool));
                loaded.tools.push(tool);
            }
            Err((message, help)) => {
                let finding = SettingFinding::error(LOCAL, &*action.pointer, message, help);
                loaded.findings.push(finding);
            }
        }
    }
    loaded
}

fn entity_tool(
    settings: &ConnectionSettings,
    action: &ActionSettings,
    find: impl Fn(&str) -> Option<Arc<dyn Backend>>,
) -> Result<Arc<dyn Backend>, (String, String)> {
    let ActionKind::Entity { entity, operation, many } = &action.kind else {
        let message = "expected an operation on entities, got an action or a tool, which a database does not have";
        let help = "write a statement of the database, and leave this entry out";
        return Err((message.to_owned(), help.to_owned()));
    };
    let short =
        format!("{}-{}", truncated_underscored_name(entity, MAX_ENTITY), operation.as_str());
    let lacking = || {
        let message = format!("expected a tool of the database, got none: `{short}`");
        (message, format!("add the operation to the entity `{entity}` of the database"))
    };
    let inner = find(&short).ok_or_else(lacking)?;
    let schema = inner.declaration().ok_or_else(lacking)?.input_schema.to_value();
    let is_change = matches!(operation, Operation::Delete | Operation::Update);
    if is_change && !*many && schema.pointer(&format!("/properties/{WHERE}")).is_some() {
        let message = "expected `many: true`, as the entity of the database has it, got none";
        return Err((message.to_owned(), "write `many: true`".to_owned()));
    }
    let schema =
        fields::schema_with_chosen_inputs(&schema, *operation, action).map_err(|message| {
            (message, "correct `input_fields`, or leave it out for all columns".to_owned())
        })?;
    let entity_arguments = EntityArguments::from_schema(&schema, *operation).map_err(|why| {
        (
            why.to_owned(),
            "leave `version` out of the entity, and give it a key of one column".to_owned(),
        )
    })?;
    let name = match (&action.name, &settings.prefix) {
        (Some(name), _) => Ok(name.clone()),
        (None, Some(prefix)) => ToolName::new(&format!("{prefix}-{short}")),
        (None, None) => ToolName::new(&short),
    };
    let name = name.map_err(|error| (error.to_string(), "give the tool a `name`".to_owned()))?;
    let own = match action.form {
        ArgumentForm::Google => google_input_schema(&entity_arguments, *operation, &schema),
        ArgumentForm::Own => schema.clone(),
    };
    let description = match &*action.description {
        "" => inner.declaration().map(|tool| tool.description.clone()).unwrap_or_default(),
        words => words.to_owned(),
    };
    Ok(Arc::new(TranslatedTool {
        tool: Tool::new(name, description, Schema::new(own), inner.effect()),
        toolset: settings.toolset.clone(),
        form: action.form,
        operation: *operation,
        outputs: action.output_fields.clone(),
        entity_arguments,
        check: ArgumentCheck::new(schema),
        inner,
    }))
}

/// The finding about conditions that the entity of the database does not take.
fn unused_many_finding(action: &ActionSettings, tool: &dyn Backend) -> Option<SettingFinding> {
    let ActionKind::Entity { operation, many: true, .. } = &action.kind else { return None };
    let schema = tool.declaration()?.input_schema.to_value();
    let takes = |name: &str| schema.pointer(&format!("/properties/{name}")).is_some();
    let is_change = matches!(operation, Operation::Delete | Operation::Update);
    if !is_change || takes(WHERE) || takes(FILTER_CLAUSE) {
        return None;
    }
    let pointer = format!("{}/many", action.pointer);
    let message = "expected an entity of the database with `many: true`, got one without: the tool takes no conditions";
    let code = SettingCode::UnusedKey.as_str();
    Some(SettingFinding::warning(code, pointer, message, "remove it"))
}

/// The declaration of a database's tool, as far as it is needed.
#[derive(Debug)]
struct EntityArguments {
    /// The argument for the key, and its schema; `None` where there is none.
    key: Option<(String, Value)>,
    /// The columns that conditions may name.
    filtered: Vec<Field>,
    /// The columns that a model gives.
    inputs: Object,
}

impl EntityArguments {
    fn from_schema(schema: &Value, operation: Operation) -> Result<Self, &'static str> {
        let empty = Object::new();
        let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&empty);
        let required = schema.get("required").and_then(Value::as_array);
        let is_required = |name: &str| required.is_some_and(|all| all.contains(&name.into()));
        // Besides its key, a tool that reads one row takes the columns to read, which may be left out.
        let is_key = |name: &str| match operation {
            Operation::Get => is_required(name),
            _ => ![WHERE, SET].contains(&name),
        };
        let keys: Vec<_> = properties.iter().filter(|(name, _)| is_key(name)).collect();
        let key = match operation {
            Operation::Create | Operation::List => None,
            Operation::Delete | Operation::Get | Operation::Update => match *keys {
                [(name, schema)] => Some((name.clone(), schema.clone())),
                _ => return Err("expected an entity with a key of one column, got another one"),
            },
        };
        let columns = properties.get(WHERE).and_then(|schema| schema.get("properties"));
        let columns = columns.and_then(Value::as_object).unwrap_or(&empty).keys();
        let columns = columns.filter(|name| *name != "any" && *name != "or");
        let field = |name: &String| Field::read(&json!({"name": name}));
        let inputs = match operation {
            Operation::Create => Some(properties),
            Operation::Update => {
                let set = properties.get(SET).and_then(|set| set.get("properties"));
                set.and_then(Value::as_object)
            }
            Operation::Delete | Operation::Get | Operation::List => None,
        };
        let filtered = columns.filter_map(field).collect();
        Ok(Self { key, filtered, inputs: inputs.cloned().unwrap_or_default() })
    }
}

/// The declaration in Google's names.
fn google_input_schema(
    entity_arguments: &EntityArguments,
    operation: Operation,
    schema: &Value,
) -> Value {
    let inner = |name: &str| schema.pointer(&format!("/properties/{name}")).cloned();
    let mut properties = Object::new();
    let mut required: Vec<&str> = Vec::new();
    if entity_arguments.key.is_some() {
        properties.insert(ENTITY_ID, id_schema(None));
    }
    let filtered = !entity_arguments.filtered.is_empty();
    match operation {
        Operation::Create => return schema.clone(),
        Operation::Get => required.push(ENTITY_ID),
        Operation::Delete | Operation::Update if !filtered => required.push(ENTITY_ID),
        Operation::Delete | Operation::Update => {}
        Operation::List => {
            properties.extend(inner(LIMIT).map(|limit| ("pageSize", limit)));
            properties.extend(inner(PAGE).map(|page| ("pageToken", page)));
            properties.extend(inner(SORT).map(|sort| ("sortByColumns", sort)));
        }
    }
    if filtered {
        properties
            .insert(FILTER_CLAUSE, crate::declaration::clause_schema(&entity_arguments.filtered));
    }
    if operation == Operation::Update {
        for (name, schema) in &entity_arguments.inputs {
            properties.entry(name.as_str()).or_insert(schema.clone());
        }
    }
    let mut declared = json!({"type": "object", "properties": Value::Object(properties)});
    if let Some(declared) = declared.as_object_mut() {
        declared.insert_unless_empty("required", required);
        declared.insert("additionalProperties", false.into());
    }
    declared
}

const LOCAL: &str = ConnectorCode::Local.as_str();
const MAX_ENTITY: usize = 60;
