//! The tools of a connection, one after the other: what the service says of each, joined with what the operator chose.

use std::{collections::BTreeMap, sync::Arc};

use callgate_executor::Backend;
use callgate_kind::{ArgumentForm, Operation};
use callgate_tool::{Effect, Object, Schema, Tool, ToolName, Value, json};
use callgate_tree::SettingFinding;

use super::{
    Loaded, UNKNOWN,
    entity::{build_entity, unknown_field_finding},
};
use crate::{
    arguments::Bounds,
    catalog::{Action, Catalog, EntityType, MissingDescription, ServiceTool},
    code::ConnectorCode,
    declaration,
    description::Methods,
    field::Field,
    json_schema,
    settings::{ActionKind, ActionSettings, ConnectionSettings},
    sql,
    tool::ConnectionTool,
    work::{self, Query, Work, truncated_underscored_name},
};

/// The tools in the making.
#[derive(Debug)]
pub(super) struct Making<'a> {
    pub(super) catalog: &'a Catalog<'a>,
    pub(super) settings: &'a ConnectionSettings,
    pub(super) methods: Arc<Methods>,
    /// The entity types that were asked for.
    pub(super) entity_types: BTreeMap<String, Result<EntityType, MissingDescription>>,
    /// The connection's own tools, once they were asked for.
    pub(super) service_tools: Option<Result<Vec<ServiceTool>, MissingDescription>>,
    pub(super) loaded: &'a mut Loaded,
}

/// A tool before it has a name.
#[derive(Debug)]
struct UnnamedTool {
    stem: String,
    title: Option<String>,
    description: String,
    work: Work,
}

impl Making<'_> {
    /// Adds the connection's own tools that say that they only read.
    pub(super) async fn add_read_only_tools(&mut self) {
        let tools = match self.fetch_service_tools_once().await {
            Ok(tools) => tools,
            Err(undescribed) => {
                let pointer = format!("{}/connection", self.settings.pointer);
                return self.report_missing_description(
                    &undescribed,
                    pointer,
                    "the tools of the connection",
                );
            }
        };
        let readers: Vec<_> =
            tools.into_iter().filter(|tool| tool.effect == Effect::Read).collect();
        if readers.is_empty() {
            let pointer = format!("{}/connection", self.settings.pointer);
            let message = "expected tools of the connection that say that they only read, got none";
            let help = "name the tools, entities and actions under `actions`";
            let finding = SettingFinding::warning(UNKNOWN, pointer, message, help);
            self.loaded.findings.push(finding);
        }
        for tool in readers {
            let action = ActionSettings {
                pointer: format!("{}/connection", self.settings.pointer),
                name: None,
                description: String::new(),
                kind: ActionKind::Tool { tool: tool.name.clone() },
                input_fields: None,
                output_fields: None,
                form: ArgumentForm::Own,
            };
            let made = described_service_tool(&tool, &action, &mut self.loaded.findings);
            self.add_named_tool(&action, made);
        }
    }

    /// Adds the tool of one entry of `actions`.
    pub(super) async fn add_tool(&mut self, action: &ActionSettings) {
        let made = match &action.kind {
            ActionKind::Action { action: id, effect } => {
                self.action_tool(action, id, *effect).await
            }
            ActionKind::Entity { entity, operation, .. } => {
                self.entity_tool(action, entity, *operation).await
            }
            ActionKind::Query { .. } => query_tool(action, &mut self.loaded.findings),
            ActionKind::Tool { tool } => self.service_tool(action, tool).await,
        };
        if let Some(made) = made {
            self.add_named_tool(action, made);
        }
    }

    fn add_named_tool(&mut self, action: &ActionSettings, made: UnnamedTool) {
        let name = match (&action.name, &self.settings.prefix) {
            (Some(name), _) => Ok(name.clone()),
            (None, Some(prefix)) => ToolName::new(&format!("{prefix}-{}", made.stem)),
            (None, None) => ToolName::new(&made.stem),
        };
        let name = match name {
            Ok(name) => name,
            Err(error) => {
                let help = "give the tool a shorter `name`";
                return self.report_error(NAME, &action.pointer, &error.to_string(), help);
            }
        };
        if self.loaded.tools.iter().any(|loaded_tool| *loaded_tool.name() == name) {
            let message = format!("expected another name for each tool, got twice: `{name}`");
            return self.report_error(NAME, &action.pointer, &message, "give one of them a `name`");
        }
        let rows = self.settings.rows.clamp(1, MAX_ROWS);
        let schema = declaration::input_schema(&made.work, rows);
        let description = tool_purpose(&action.description, &made, &self.settings.connection);
        let tool = Tool::new(name, description, Schema::new(schema), made.work.effect());
        let tool = ConnectionTool {
            tool: tool.with_title(made.title),
            toolset: self.settings.toolset.clone(),
            work: made.work,
            methods: Arc::clone(&self.methods),
            bounds: Bounds { rows, seconds: self.settings.call.limits.timeout.as_secs().max(1) },
            result_bytes: self.settings.call.shape.result_bytes,
            has_user: self.settings.user.is_some(),
        };
        let tool: Arc<dyn Backend> = Arc::new(tool);
        self.loaded.tools.push(tool);
    }

    async fn action_tool(
        &mut self,
        action: &ActionSettings,
        id: &str,
        effect: Effect,
    ) -> Option<UnnamedTool> {
        let described = match self.catalog.fetch_action(id).await {
            Ok(described) => described,
            Err(undescribed) => {
                self.report_missing_description(
                    &undescribed,
                    &*action.pointer,
                    &format!("the action `{id}`"),
                );
                return None;
            }
        };
        let schema = action_schema(&described, action, &mut self.loaded.findings);
        let output_fields = action.output_fields.clone();
        let (id, form) = (id.to_owned(), action.form);
        let stem = truncated_underscored_name(&id, MAX_STEM);
        let work = Work::Action(work::Action { id, form, schema, effect, output_fields });
        Some(UnnamedTool { stem, title: None, description: described.description, work })
    }

    async fn service_tool(&mut self, action: &ActionSettings, name: &str) -> Option<UnnamedTool> {
        let tools = match self.fetch_service_tools_once().await {
            Ok(tools) => tools,
            Err(undescribed) => {
                self.report_missing_description(
                    &undescribed,
                    &*action.pointer,
                    "the tools of the connection",
                );
                return None;
            }
        };
        if let Some(tool) = tools.iter().find(|tool| tool.name == name) {
            return Some(described_service_tool(tool, action, &mut self.loaded.findings));
        }
        let names: Vec<_> = tools.iter().take(20).map(|tool| &*tool.name).collect();
        let help = format!("name one of {}", names.join(", "));
        let message = format!("expected a tool of the connection, got: `{name}`");
        self.report_error(UNKNOWN, &action.pointer, &message, &help);
        None
    }

    async fn entity_tool(
        &mut self,
        action: &ActionSettings,
        name: &str,
        operation: Operation,
    ) -> Option<UnnamedTool> {
        if !self.entity_types.contains_key(name) {
            let described = self.catalog.fetch_entity_type(name).await;
            self.entity_types.insert(name.to_owned(), described);
        }
        let described = match self.entity_types.get(name).cloned() {
            Some(Ok(described)) => described,
            Some(Err(undescribed)) => {
                let what = format!("the entity type `{name}`");
                self.report_missing_description(&undescribed, &*action.pointer, &what);
                return None;
            }
            None => return None,
        };
        if !described.operations.is_empty() && !described.operations.contains(&operation) {
            let allowed =
                described.operations.iter().map(|supported_operation| supported_operation.as_str());
            let allowed: Vec<_> = allowed.collect();
            let message = format!(
                "expected an operation that `{name}` has, one of {}, got: `{}`",
                allowed.join(", "),
                operation.as_str()
            );
            self.report_error(UNKNOWN, &action.pointer, &message, "leave the entry out");
            return None;
        }
        let stem = format!("{}-{}", truncated_underscored_name(name, MAX_STEM), operation.as_str());
        let work = build_entity(action, name, &described, &mut self.loaded.findings)?;
        Some(UnnamedTool {
            stem,
            title: None,
            description: String::new(),
            work: Work::Entity(work),
        })
    }

    async fn fetch_service_tools_once(&mut self) -> Result<Vec<ServiceTool>, MissingDescription> {
        if self.service_tools.is_none() {
            self.service_tools = Some(self.catalog.fetch_tools().await);
        }
        self.service_tools.clone().unwrap_or_else(|| Ok(Vec::new()))
    }

    fn report_missing_description(
        &mut self,
        undescribed: &MissingDescription,
        pointer: impl Into<String>,
        what: &str,
    ) {
        match undescribed {
            MissingDescription::Refused(why) => {
                let message = format!("expected a description of {what}, got none: {why}");
                self.report_error(UNKNOWN, &pointer.into(), &message, "correct the name");
            }
            MissingDescription::Unavailable(why) => self.loaded.unavailable = Some(why.clone()),
        }
    }

    fn report_error(&mut self, code: &'static str, pointer: &str, message: &str, help: &str) {
        self.loaded.findings.push(SettingFinding::error(code, pointer, message, help));
    }
}

fn described_service_tool(
    tool: &ServiceTool,
    action: &ActionSettings,
    findings: &mut Vec<SettingFinding>,
) -> UnnamedTool {
    let schema = json_schema::standard_object_schema(tool.input.as_ref());
    let schema = narrow_to_input_fields(schema, action, findings);
    let work = Work::Tool(work::ServiceTool {
        id: tool.name.clone(),
        schema: Value::Object(schema),
        effect: tool.effect,
    });
    let (title, description) = (tool.title.clone(), tool.description.clone());
    UnnamedTool { stem: truncated_underscored_name(&tool.name, MAX_STEM), title, description, work }
}

fn action_schema(
    described: &Action,
    action: &ActionSettings,
    findings: &mut Vec<SettingFinding>,
) -> Value {
    let schema =
        described.input.as_ref().map(|schema| json_schema::standard_object_schema(Some(schema)));
    let schema = schema.unwrap_or_else(|| parameters_schema(&described.parameters));
    Value::Object(narrow_to_input_fields(schema, action, findings))
}

/// The schema of parameters that the service describes one by one.
fn parameters_schema(parameters: &[Field]) -> Object {
    let properties = parameters.iter().map(|field| (field.name.clone(), field.schema()));
    let properties = Value::Object(properties.collect());
    let required = parameters.iter().filter(|field| !field.is_nullable && !field.has_default);
    let required: Vec<&str> = required.map(|field| field.name.as_str()).collect();
    let mut schema = Object::from_iter([("type", "object".into()), ("properties", properties)]);
    schema.insert_unless_empty("required", required);
    schema.insert("additionalProperties", false.into());
    schema
}

/// The schema with the chosen properties only.
fn narrow_to_input_fields(
    mut schema: Object,
    action: &ActionSettings,
    findings: &mut Vec<SettingFinding>,
) -> Object {
    let Some(chosen) = &action.input_fields else { return schema };
    let properties = schema.remove("properties").unwrap_or_else(|| json!({}));
    let mut kept = Object::new();
    for name in chosen {
        match properties.get(name.as_str()) {
            Some(property) => {
                kept.insert(name.as_str(), property.clone());
            }
            None => findings.push(unknown_field_finding(action, "input_fields", name)),
        }
    }
    if let Some(Value::Array(required)) = schema.get_mut("required") {
        required.retain(|name| name.as_str().is_some_and(|name| kept.contains_key(name)));
    }
    schema.insert("properties", Value::Object(kept));
    schema.insert("additionalProperties", false.into());
    schema
}

fn query_tool(action: &ActionSettings, findings: &mut Vec<SettingFinding>) -> Option<UnnamedTool> {
    let ActionKind::Query { name, sql, inputs, effect } = &action.kind else { return None };
    let pointer = format!("{}/sql", action.pointer);
    let statement = match sql::parse_statement(sql) {
        Ok(statement) => statement,
        Err(message) => {
            let help = "write `:name` for each value";
            findings.push(SettingFinding::error(STATEMENT, pointer, message, help));
            return None;
        }
    };
    let is_input = |name: &String| inputs.iter().any(|(entry, _)| entry == name);
    let lacking = statement.names.iter().find(|name| !is_input(name));
    let unused = inputs.iter().map(|(name, _)| name).find(|name| !statement.names.contains(name));
    if let Some(name) = lacking.or(unused) {
        let message =
            format!("expected the same values in `sql` and `inputs`, got in one alone: `{name}`");
        findings.push(SettingFinding::error(STATEMENT, pointer, message, "name it in both"));
        return None;
    }
    let work = Work::Query(Query {
        statement,
        inputs: inputs.clone(),
        effect: *effect,
        output_fields: action.output_fields.clone(),
    });
    let stem = truncated_underscored_name(name, MAX_STEM);
    Some(UnnamedTool { stem, title: None, description: String::new(), work })
}

/// The purpose of a tool: the operator's words, the service's, or the operation with the name of what it works on.
fn tool_purpose(own: &str, made: &UnnamedTool, connection: &crate::ConnectionName) -> String {
    let name = connection.as_str().rsplit('/').next().unwrap_or_default();
    match &made.work {
        _ if !own.is_empty() => own.to_owned(),
        _ if !made.description.is_empty() => made.description.clone(),
        Work::Action(action) => format!("Runs the action {} of {name}", action.id),
        Work::Query(_) => format!("Runs the statement {} of {name}", made.stem),
        Work::Tool(tool) => format!("Runs the tool {} of {name}", tool.id),
        Work::Entity(entity) => {
            let what = &entity.name;
            match entity.operation {
                Operation::Create => format!("Creates one entity {what} of {name}"),
                Operation::Delete if entity.many => {
                    format!(
                        "Deletes the entity {what} of {name} with this id, or all that meet conditions"
                    )
                }
                Operation::Delete => format!("Deletes the entity {what} of {name} with this id"),
                Operation::Get => format!("Reads the entity {what} of {name} with this id"),
                Operation::List => {
                    format!("Lists the entities {what} of {name} that meet conditions")
                }
                Operation::Update if entity.many => {
                    format!(
                        "Changes the entity {what} of {name} with this id, or all that meet conditions"
                    )
                }
                Operation::Update => format!("Changes the entity {what} of {name} with this id"),
            }
        }
    }
}

/// The most rows that the service gives at once, less the one that says if there are more.
const MAX_ROWS: u32 = 199;
const MAX_STEM: usize = 40;
const NAME: &str = ConnectorCode::ToolName.as_str();
const STATEMENT: &str = ConnectorCode::Statement.as_str();
