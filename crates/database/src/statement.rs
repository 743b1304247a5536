//! Statements of the operator: their named values become placeholders, each cast to the type that the database says, and they
//! are prepared and described when they are loaded. A statement that is not what its settings say is a finding.

mod format;
mod kind;
mod permission;
mod text;
mod tool;

use std::sync::Arc;

use callgate_tool::{ArgumentName, Effect, Value, pointer_segment};

use self::{
    kind::{decimal, kind_of_schema, kind_of_type, types},
    text::{MalformedStatement, Piece},
};
pub(crate) use self::{permission::denial_finding, tool::StatementTool};
use crate::{
    catalog::{Column, ColumnKind},
    description::StatementDescription,
    driver::Driver,
    engine::{Ability, Engine},
    error::Error,
    finding::{DatabaseFinding, STATEMENT},
    settings::{DatabaseLimits, SessionSource, StatementInput, StatementSettings},
    sql,
};

/// A statement that the database has described.
#[derive(Debug)]
pub(crate) struct DescribedStatement {
    pub(crate) pointer: String,
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) effect: Effect,
    pub(crate) affected: u64,
    /// The statement with casts, without the reading of its columns as texts.
    body: Body,
    inputs: Vec<Input>,
    /// The input of each placeholder.
    placeholders: Vec<usize>,
    columns: Vec<Column>,
}

/// The way in which the columns of a statement become texts.
#[derive(Debug)]
enum Body {
    /// The driver reads them as they are.
    Plain(String),
    /// The statement changes rows and returns them, within one that makes texts of their columns.
    Returning(String),
    /// The statement reads, within one that makes texts of its columns.
    Wrapped(String),
}

/// A value of a statement. The column stands for its type.
#[derive(Debug)]
struct Input {
    column: Column,
    source: StatementInput,
}

/// The reason why a statement is not prepared.
#[derive(Debug)]
pub(crate) enum Refusal {
    Error(Error),
    Findings(Vec<DatabaseFinding>),
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

/// Prepares and describes a statement.
pub(crate) async fn prepare(
    settings: &StatementSettings,
    driver: &Driver,
    limits: &DatabaseLimits,
) -> Result<DescribedStatement, Refusal> {
    let engine = driver.engine();
    let mut findings = Vec::new();
    let pieces = match text::pieces(&settings.sql, engine) {
        Ok(pieces) => pieces,
        Err(malformed) => return Err(Refusal::Findings(vec![malformed_text(settings, malformed)])),
    };
    let placeholders = placeholder_names(&pieces, engine);
    report_unmatched_values(settings, &placeholders, &mut findings);
    report_illegal_inputs(settings, &mut findings);
    if !findings.is_empty() {
        return Err(Refusal::Findings(findings));
    }
    let plain = statement_text(&pieces, &placeholders, engine, |_, placeholder| placeholder);
    let described = driver.describe(&plain).await?;
    let index = |name: &String| settings.inputs.iter().position(|(entry, _)| entry == name);
    let inputs: Vec<usize> = placeholders.iter().filter_map(index).collect();
    let kinds = placeholder_kinds_and_casts(settings, &inputs, &described, engine);
    let types: Vec<String> = kinds.iter().map(|(_, cast)| cast.clone()).collect();
    let cast = statement_text(&pieces, &placeholders, engine, |at, placeholder| {
        cast(&placeholder, types.get(at).map(String::as_str).unwrap_or_default(), engine)
    });
    let described = driver.describe(&cast).await?;
    findings.extend(contradictions(settings, &described));
    if !findings.is_empty() {
        return Err(Refusal::Findings(findings));
    }
    let values = StatementValues { text: cast, inputs, kinds };
    let prepared = described_statement(settings, values, described, engine);
    let findings = refused_formats(settings, &prepared, engine);
    if !findings.is_empty() {
        return Err(Refusal::Findings(findings));
    }
    // The statement is described as it will run.
    driver.describe(&prepared.sql_to_run(engine, limits.row_bytes)).await?;
    Ok(prepared)
}

/// A statement with the casts of its values.
struct StatementValues {
    text: String,
    /// The input of each placeholder.
    inputs: Vec<usize>,
    /// The kind and the cast of each placeholder.
    kinds: Vec<(ColumnKind, String)>,
}

fn described_statement(
    settings: &StatementSettings,
    values: StatementValues,
    described: StatementDescription,
    engine: Engine,
) -> DescribedStatement {
    let StatementValues { text, inputs: placeholders, kinds } = values;
    let mut columns: Vec<Column> =
        described.columns.into_iter().map(|it| Column::of_statement(&it.name, it.kind)).collect();
    let is_read = settings.effect == Effect::Read;
    let body = match engine {
        _ if !columns.is_empty() && is_read => Body::Wrapped(text),
        _ if !columns.is_empty() && engine.has(Ability::ChangesInWith) => Body::Returning(text),
        _ => Body::Plain(text),
    };
    if matches!(body, Body::Plain(_)) {
        // The driver reads these as they are.
        for column in columns.iter_mut().filter(|column| column.kind == ColumnKind::Any) {
            column.kind = ColumnKind::Other;
        }
    }
    let kind_of = |at: usize| {
        let placeholder = placeholders.iter().position(|input| *input == at);
        placeholder.and_then(|placeholder| kinds.get(placeholder)).map(|(kind, _)| kind.clone())
    };
    let inputs = settings.inputs.iter().enumerate().map(|(at, (name, source))| Input {
        column: Column::of_statement(name, kind_of(at).unwrap_or(ColumnKind::Other)),
        source: source.clone(),
    });
    DescribedStatement {
        pointer: settings.pointer.clone(),
        name: settings.name.clone(),
        description: settings.description.clone(),
        effect: settings.effect,
        affected: settings.affected,
        body,
        inputs: inputs.collect(),
        placeholders,
        columns,
    }
}

impl DescribedStatement {
    /// The text that is run.
    fn sql_to_run(&self, engine: Engine, value_bytes: usize) -> Arc<str> {
        let columns: Vec<&Column> = self.columns.iter().collect();
        // The line breaks end comments at the edges of the statement.
        match &self.body {
            Body::Plain(text) => Arc::from(text.as_str()),
            Body::Returning(text) => {
                let shown = sql::statement_result_columns(engine, &columns, value_bytes);
                Arc::from(format!("WITH callgate AS (\n{text}\n) SELECT {shown} FROM callgate"))
            }
            Body::Wrapped(text) => {
                let shown = sql::statement_result_columns(engine, &columns, value_bytes);
                Arc::from(format!("SELECT {shown} FROM (\n{text}\n) AS callgate"))
            }
        }
    }
}

/// The names of the values by placeholders: where those have numbers, each name once.
fn placeholder_names(pieces: &[Piece], engine: Engine) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for piece in pieces {
        if let Piece::Value(name) = piece
            && (!engine.has(Ability::NumberedPlaceholders) || !names.contains(name))
        {
            names.push(name.clone());
        }
    }
    names
}

/// The statement with its placeholders, each as `write` makes it of its index and its text.
fn statement_text(
    pieces: &[Piece],
    placeholders: &[String],
    engine: Engine,
    write: impl Fn(usize, String) -> String,
) -> String {
    let mut text = String::new();
    let mut n_values = 0;
    for piece in pieces {
        match piece {
            Piece::Text(part) => text.push_str(part),
            Piece::Value(name) => {
                let numbered = placeholders.iter().position(|placeholder| placeholder == name);
                let numbered = numbered.filter(|_| engine.has(Ability::NumberedPlaceholders));
                let at = numbered.unwrap_or(n_values);
                n_values += 1;
                text.push_str(&write(at, engine.sql().placeholder(at + 1)));
            }
        }
    }
    text
}

fn cast(placeholder: &str, sql_type: &str, engine: Engine) -> String {
    match sql_type {
        "" => placeholder.to_owned(),
        sql_type => engine.sql().cast(placeholder, sql_type),
    }
}

/// The kind of each placeholder's value, and the type of its cast.
fn placeholder_kinds_and_casts(
    settings: &StatementSettings,
    inputs: &[usize],
    described: &StatementDescription,
    engine: Engine,
) -> Vec<(ColumnKind, String)> {
    let of = |(at, input): (usize, &usize)| {
        if engine.has(Ability::PlaceholderTypes) {
            let sql_type = described.values.get(at).cloned().unwrap_or_default();
            return (kind_of_type(&sql_type), sql_type);
        }
        match settings.inputs.get(*input) {
            Some((_, StatementInput::Model(schema))) => kind_of_schema(schema, engine),
            Some((_, StatementInput::Session(SessionSource::Fixed(Value::Number(_))))) => {
                decimal(engine)
            }
            Some((_, StatementInput::Session(_))) => {
                (ColumnKind::Text { most: None }, engine.facts().session_cast.to_owned())
            }
            None => (ColumnKind::Text { most: None }, String::new()),
        }
    };
    inputs.iter().enumerate().map(of).collect()
}

fn malformed_text(settings: &StatementSettings, malformed: MalformedStatement) -> DatabaseFinding {
    let (message, help) = match malformed {
        MalformedStatement::Placeholder => (
            "expected values by their names, got a placeholder of the database",
            "write a name with a colon (`:no`) in its place, and the name under `inputs`",
        ),
        MalformedStatement::Second => {
            ("expected one statement, got more", "make a statement of each")
        }
        MalformedStatement::Unended => {
            ("expected a string, an identifier or a comment with its end, got none", "end it")
        }
    };
    DatabaseFinding::error(STATEMENT, format!("{}/sql", settings.pointer), message, help)
}

/// The database does not prepare the statement. The error has the driver's words, not those of the server.
pub(crate) fn unprepared_finding(settings: &StatementSettings, error: &Error) -> DatabaseFinding {
    let help = match settings.effect {
        Effect::Read => {
            "run it in the database's own client, which shows the fault; one that changes something has `effect: write`"
        }
        Effect::Idempotent | Effect::Write => {
            "run it in the database's own client, which shows the fault"
        }
    };
    let message = format!("expected a statement that the database can prepare: {error}");
    DatabaseFinding::error(STATEMENT, format!("{}/sql", settings.pointer), message, help)
}

/// Values of the text that have no input, and inputs that no value has.
fn report_unmatched_values(
    settings: &StatementSettings,
    placeholders: &[String],
    findings: &mut Vec<DatabaseFinding>,
) {
    let inputs = || settings.inputs.iter().map(|(name, _)| name.as_str());
    for name in
        placeholders.iter().filter(|name| inputs().all(|input_name| input_name != name.as_str()))
    {
        let pointer = format!("{}/sql", settings.pointer);
        let what = "the name of one of `inputs`";
        findings.push(DatabaseFinding::unknown(STATEMENT, pointer, what, name, inputs()));
    }
    for name in inputs().filter(|name| placeholders.iter().all(|placeholder| placeholder != name)) {
        let pointer = format!("{}/inputs/{}", settings.pointer, pointer_segment(name));
        let message = format!("expected an input that the statement has as `:{name}`, got none");
        let help = "write it in `sql`, or leave the input out";
        findings.push(DatabaseFinding::error(STATEMENT, pointer, message, help));
    }
}

fn report_illegal_inputs(settings: &StatementSettings, findings: &mut Vec<DatabaseFinding>) {
    for (name, input) in &settings.inputs {
        let StatementInput::Model(schema) = input else { continue };
        let pointer = format!("{}/inputs/{}", settings.pointer, pointer_segment(name));
        let is_scalar =
            |it: &str| matches!(it, "boolean" | "integer" | "null" | "number" | "string");
        if types(schema).next().is_none() || !types(schema).all(is_scalar) {
            let message = format!(
                "expected `type` to be `boolean`, `integer`, `number` or `string`, got another one for: `{name}`"
            );
            let help = "give each value of the statement a scalar type";
            findings.push(DatabaseFinding::error(STATEMENT, pointer, message, help));
        } else if let Err(error) = ArgumentName::new(name) {
            let help = "give the value another name, also in `sql`";
            findings.push(DatabaseFinding::error(STATEMENT, pointer, error.to_string(), help));
        }
    }
}

/// Inputs whose schema has values of one form, which the database's type of the value refuses.
fn refused_formats(
    settings: &StatementSettings,
    prepared: &DescribedStatement,
    engine: Engine,
) -> Vec<DatabaseFinding> {
    let finding = |input: &Input| {
        let StatementInput::Model(schema) = &input.source else { return None };
        let example = format::refused_example(&input.column, schema, engine)?;
        let name = &input.column.name;
        let pointer = format!("{}/inputs/{}", settings.pointer, pointer_segment(name));
        let message = format!(
            "expected a schema of values that the database takes here, got one that allows {example}: `{name}`"
        );
        let help =
            "give the value the type that the statement compares it with, or cast it in `sql`";
        Some(DatabaseFinding::error(STATEMENT, pointer, message, help))
    };
    prepared.inputs.iter().filter_map(finding).collect()
}

/// Contradictions between the settings of a statement and the database's description of it.
fn contradictions(
    settings: &StatementSettings,
    described: &StatementDescription,
) -> Vec<DatabaseFinding> {
    let mut findings = Vec::new();
    let mut error = |below: &str, message: String, help: &str| {
        let pointer = format!("{}/{below}", settings.pointer);
        findings.push(DatabaseFinding::error(STATEMENT, pointer, message, help));
    };
    if settings.effect == Effect::Read && described.is_read == Some(false) {
        let message = "expected a statement that only reads, got one that changes something";
        error("effect", message.to_owned(), "write `effect: write`");
    }
    if settings.effect == Effect::Read && described.columns.is_empty() {
        let message = "expected a statement with columns, got one without";
        error("sql", message.to_owned(), "select something, or write `effect: write`");
    }
    for (at, column) in described.columns.iter().enumerate() {
        if described.columns.iter().take(at).any(|earlier| earlier.name == column.name) {
            let message =
                format!("expected columns of different names, got two: `{}`", column.name);
            error("sql", message, "name one of them otherwise by `as`");
        }
    }
    findings
}
