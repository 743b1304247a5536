//! A statement of the operator as a tool: its values come from the model or from the session, each checked against its type.

use std::sync::Arc;

use async_trait::async_trait;
use callgate_call::wording::database as wording;
use callgate_executor::{Backend, Call, Review};
use callgate_tool::{
    Effect, Fault, FingerprintHasher, InvalidName, Journal, Number, Object, Outcome, Preview,
    Problem, Schema, Session, Tool, Value, json,
};

use super::{DescribedStatement, Input, format, types};
use crate::{
    column,
    database::Database,
    declaration::{self, Terms},
    engine::Ability,
    failure::FailureContext,
    plan::Purpose,
    result_rows::{Columns, NamedColumn, ResultShape},
    session_values,
    settings::StatementInput,
    tool::script,
    transaction::{Access, Expects, Failure, Step, Transaction},
};

/// One statement of the operator.
#[derive(Debug)]
pub(crate) struct StatementTool {
    tool: Tool,
    statement: DescribedStatement,
    text: Arc<str>,
    database: Arc<Database>,
}

impl StatementTool {
    pub(crate) fn new(
        statement: DescribedStatement,
        terms: Terms<'_>,
        database: &Arc<Database>,
    ) -> Result<Self, InvalidName> {
        let name = declaration::tool_name(terms.prefix, &statement.name)?;
        let description = match statement.description.as_str() {
            "" => format!("Run {}", statement.name),
            words => words.to_owned(),
        };
        let input = Schema::new(input_schema(&statement.inputs));
        let output = output_schema(&statement);
        let tool = Tool::new(name, description, input, statement.effect)
            .with_lazy_output_schema(move || Some(Schema::new(output)));
        let text = statement.sql_to_run(terms.engine, terms.limits.row_bytes);
        Ok(Self { tool, statement, text, database: Arc::clone(database) })
    }

    fn transaction(&self, call: &Call<'_>) -> Result<Transaction, Box<Fault>> {
        let mut problems = Vec::new();
        let mut texts = Vec::new();
        for input in &self.statement.inputs {
            texts.push(self.text_of(input, call, &mut problems)?);
        }
        if !problems.is_empty() {
            return Err(wording::invalid_arguments(problems));
        }
        let values = self.statement.placeholders.iter();
        let values = values.map(|input| texts.get(*input).cloned().flatten()).collect();
        let (access, expects) = match self.statement.effect {
            Effect::Read => (Access::Read, Expects::Rows { most: self.fetch_limit() }),
            Effect::Idempotent | Effect::Write => {
                let most = self.statement.affected;
                (Access::Write, Expects::Affected { most, some: false })
            }
        };
        let step = Step { text: Arc::clone(&self.text), values, expects };
        self.database.transaction(access, call, vec![step])
    }

    /// True if the session decides which rows the caller may see.
    fn hides_rows_by_session(&self) -> bool {
        let mut inputs = self.statement.inputs.iter();
        let has_own = inputs.any(|input| matches!(input.source, StatementInput::Session(_)));
        has_own || self.database.hides_rows_by_session()
    }

    fn fetch_limit(&self) -> u32 {
        self.database.limits.rows.saturating_add(1)
    }

    /// The text that is bound for an input.
    fn text_of(
        &self,
        input: &Input,
        call: &Call<'_>,
        problems: &mut Vec<Problem>,
    ) -> Result<Option<String>, Box<Fault>> {
        let engine = self.database.engine;
        let name = &input.column.name;
        let schema = match &input.source {
            StatementInput::Session(source) => {
                let column = &input.column;
                let text = session_values::session_text_for_column(
                    source,
                    call.session(),
                    column,
                    engine,
                )?;
                if !engine.has(Ability::PlaceholderTypes) && is_noncanonical_number(&text) {
                    return Err(session_values::other_spelling(source));
                }
                return Ok(Some(text));
            }
            StatementInput::Model(schema) => schema,
        };
        let value = call.arguments().get(name).or_else(|| schema.get("default"));
        let value = value.unwrap_or(&Value::Null);
        let fitted = format::date_as_moment(&input.column.kind, schema, value);
        match column::bound_text(&input.column, &fitted, engine) {
            Ok(text) => Ok(text),
            Err(problem) => {
                let got = column::problem("", value).got;
                problems.push(Problem { at: name.clone(), got, ..problem });
                Ok(None)
            }
        }
    }

    fn result_shape(&self) -> ResultShape {
        let limits = &self.database.limits;
        let columns = self.statement.columns.iter();
        let columns = Columns {
            named: columns.map(NamedColumn::from_column).collect(),
            engine: self.database.engine,
            value_bytes: limits.row_bytes,
            result_bytes: limits.result_bytes,
        };
        match self.statement.effect {
            Effect::Read => ResultShape::Rows { columns, limit: limits.rows, further: None },
            _ if columns.named.is_empty() => ResultShape::Affected(columns),
            _ => ResultShape::AffectedRows { columns, limit: limits.rows },
        }
    }
}

/// True for a text that engines without types compare as a number that is written otherwise: `07`, ` 7`, `7.0`.
fn is_noncanonical_number(text: &str) -> bool {
    let trimmed = text.trim();
    let is_number = trimmed.parse::<f64>().is_ok() || trimmed.starts_with(['+', '.']);
    let is_canonical = Number::from_digits(text).is_some()
        && text.parse::<i128>().is_ok_and(|number| number.to_string() == text);
    is_number && !is_canonical
}

#[async_trait]
impl Backend for StatementTool {
    callgate_executor::of_tool!(tool, database.toolset);

    fn has_results_as_declared(&self) -> bool {
        true
    }

    fn target(&self) -> Option<String> {
        Some(format!("statement {}", self.statement.name))
    }

    fn hash_session(&self, session: &Session, hasher: &mut FingerprintHasher) {
        self.database.hash_session_values(session, hasher);
        for input in &self.statement.inputs {
            if let StatementInput::Session(source) = &input.source {
                hasher.add_text(&input.column.name);
                hasher.add_source_value(source, session);
            }
        }
    }

    async fn preview(&self, call: &Call<'_>, _: &mut Journal) -> Result<Preview, Box<Fault>> {
        Ok(Preview::Text(script(&self.transaction(call)?)))
    }

    async fn review(&self, call: &Call<'_>, _: &mut Journal) -> Result<Review, Box<Fault>> {
        let mut text = script(&self.transaction(call)?);
        for input in &self.statement.inputs {
            let name = &input.column.name;
            if let StatementInput::Model(schema) = &input.source {
                let value = call.arguments().get(name).or_else(|| schema.get("default"));
                // As JSON, so that no line break of a text begins a line.
                text.push_str(&format!("\n{name}: {}", value.unwrap_or(&Value::Null)));
            }
        }
        Ok(Review::new(Preview::Text(text)))
    }

    async fn run(&self, call: &Call<'_>, journal: &mut Journal) -> Outcome {
        let transaction = match self.transaction(call) {
            Ok(transaction) => transaction,
            Err(fault) => return Outcome::Failed(fault),
        };
        let limit = self.database.limits.timeout;
        let deadline = call.deadline_within(limit);
        match self.database.run(transaction, deadline, journal).await {
            Ok(came) => {
                self.result_shape().outcome(&came, &self.statement.name, &self.database.pages)
            }
            Err(failure) => {
                let unindexed = if matches!(failure, Failure::ReadsTooMany { .. }) {
                    self.database.unindexed_columns(&self.text, deadline).await
                } else {
                    Vec::new()
                };
                let failed = FailureContext {
                    entity: None,
                    purposes: &[Purpose::Change],
                    effect: self.statement.effect,
                    affected: self.statement.affected,
                    timeout: call.duration_within(limit),
                    rows_read: self.database.limits.rows_read,
                    unindexed: &unindexed,
                    hides_rows: self.hides_rows_by_session(),
                };
                Outcome::Failed(failed.fault(&failure))
            }
        }
    }
}

fn input_schema(inputs: &[Input]) -> Value {
    let mut properties = Object::new();
    let mut required = Vec::new();
    for input in inputs {
        let StatementInput::Model(schema) = &input.source else { continue };
        properties.insert(input.column.name.as_str(), schema.clone());
        if schema.get("default").is_none() && types(schema).all(|it| it != "null") {
            required.push(input.column.name.clone());
        }
    }
    declaration::closed_object_schema(properties, required)
}

fn output_schema(statement: &DescribedStatement) -> Value {
    let columns = statement.columns.iter().map(|it| (it.name.as_str(), &it.kind));
    match statement.effect {
        Effect::Read => declaration::rows_schema(columns),
        Effect::Idempotent | Effect::Write => {
            let mut schema = declaration::rows_schema(columns);
            if let Some(members) = schema.as_object_mut() {
                members.insert("required", json!(["affected"]));
            }
            if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
                properties.insert("affected", json!({"type": "integer"}));
            }
            schema
        }
    }
}
