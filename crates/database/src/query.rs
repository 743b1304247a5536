//! The tool that runs SQL of a model: one statement that only reads, with a login that reads the listed columns and nothing
//! else. The database's own grammar keeps the text within the statement around it, and the transaction is always rolled back.

mod description;
mod load;
mod stop;
mod wrap;

use std::sync::Arc;

use async_trait::async_trait;
use callgate_call::wording::database as wording;
use callgate_executor::{Backend, Call};
use callgate_tool::{Effect, Fault, FingerprintHasher, Journal, Outcome, Preview, Session, Tool};
use tokio::time::{Instant, timeout_at};

pub(crate) use self::load::{Loading, OpenLogin};
use self::wrap::WrappedQuery;
use crate::{
    database::Database,
    description::StatementDescription,
    engine::Ability,
    error::{Error, ErrorKind},
    failure::FailureContext,
    plan::Purpose,
    query_text::QueryText,
    result_rows::{Columns, NamedColumn, ResultShape},
    shares,
    transaction::{Access, Expects, Failure, Step},
};

/// The tool for SQL of a model.
#[derive(Debug)]
pub(crate) struct QueryTool {
    tool: Tool,
    database: Arc<Database>,
    /// The names of the tables and columns that a text may read.
    names: Vec<String>,
}

/// One call of the tool.
struct Request<'a> {
    database: &'a Database,
    names: &'a [String],
    call: &'a Call<'a>,
    deadline: Instant,
}

impl Request<'_> {
    async fn run_query(&self, sql: &str, journal: &mut Journal) -> Result<Outcome, Box<Fault>> {
        let wrapped = self.wrap_query(sql).await?;
        let limits = &self.database.limits;
        let step = Step {
            text: Arc::from(wrapped.text.as_str()),
            values: Vec::new(),
            expects: Expects::Rows { most: limits.rows.saturating_add(1) },
        };
        let transaction = self.database.transaction(Access::Read, self.call, vec![step])?;
        let came = self.database.run(transaction, self.deadline, journal).await;
        let came = match came {
            Err(failure @ Failure::ReadsTooMany { .. }) => {
                let unindexed = self.database.unindexed_columns(sql, self.deadline).await;
                return Err(self.failure_context(&unindexed).fault(&failure));
            }
            came => came.map_err(|failure| self.fault(&failure))?,
        };
        let columns = wrapped.columns.into_iter();
        let columns = Columns {
            named: columns.map(|(name, kind)| NamedColumn::new(name, kind)).collect(),
            engine: self.database.engine,
            value_bytes: limits.row_bytes,
            result_bytes: limits.result_bytes,
        };
        let reading = ResultShape::Rows { columns, limit: limits.rows, further: None };
        Ok(reading.outcome(&came, NAME, &self.database.pages))
    }

    /// The statement around a text, which must be a statement of its own, too: no text ends the statement around it.
    async fn wrap_query(&self, sql: &str) -> Result<WrappedQuery, Box<Fault>> {
        let engine = self.database.engine;
        if sql.contains('\0') {
            return Err(wording::not_a_query("a text with the character U+0000"));
        }
        let text = self.permitted_query_text(sql).await?;
        let described = match &*text.with {
            "" => self.describe_query("", sql).await?,
            with => {
                let before = format!("{with}{}", wrap::BEFORE);
                self.describe_query(&before, &format!("{}{}", text.sql, wrap::BEHIND)).await?
            }
        };
        if !described.values.is_empty() {
            return Err(wording::not_a_query("a text with placeholders"));
        }
        if described.columns.is_empty() || described.is_read == Some(false) {
            return Err(wording::not_a_query("one that returns no columns, or changes something"));
        }
        let names = if engine.has(Ability::ColumnsByOrder) {
            None
        } else {
            let columns = self.describe_query("", &wrap::select_star(sql)).await?.columns;
            Some(columns.into_iter().map(|column| column.name).collect())
        };
        Ok(wrap::wrapped_query(engine, &text, &described, names, &self.database.limits))
    }

    /// The text as the database may get it.
    async fn permitted_query_text(&self, sql: &str) -> Result<QueryText, Box<Fault>> {
        let text = self
            .database
            .driver
            .permitted_query_text(shares::principal_id_or_empty(self.call), sql);
        self.await_answer(text, |error| wording::not_a_query(&error.to_string())).await
    }

    /// The description of a text with a beginning of our own.
    async fn describe_query(
        &self,
        before: &str,
        text: &str,
    ) -> Result<StatementDescription, Box<Fault>> {
        let principal = shares::principal_id_or_empty(self.call);
        let whole = format!("{before}{text}");
        let described = self.database.driver.describe_for(principal, &whole);
        self.await_answer(described, |error| self.stopped_query_fault(before, &error)).await
    }

    /// The answer of the database, or the fault that its refusal of a statement makes.
    async fn await_answer<T>(
        &self,
        asked: impl Future<Output = Result<T, Error>>,
        refused: impl FnOnce(Error) -> Box<Fault>,
    ) -> Result<T, Box<Fault>> {
        let Ok(answer) = timeout_at(self.deadline, asked).await else {
            return Err(self.fault(&Failure::TimedOut { is_rolled_back: true }));
        };
        answer.map_err(|error| match error.kind() {
            ErrorKind::Busy => self.fault(&Failure::Busy),
            ErrorKind::Statement => refused(error),
            ErrorKind::Catalog => self.fault(&Failure::Internal),
            ErrorKind::Address
            | ErrorKind::Denied
            | ErrorKind::Feature
            | ErrorKind::Unavailable => wording::unavailable(),
        })
    }

    /// A text that the database does not prepare, with the word at which it stopped behind a beginning of our own.
    fn stopped_query_fault(&self, before: &str, error: &Error) -> Box<Fault> {
        let reason = error.to_string();
        let text = sql_without_semicolon(self.call);
        let character = error.position().and_then(|at| at.checked_sub(before.chars().count()));
        let stopped = character
            .and_then(|at| Some((at, stop::stopped_word_and_nearest(text, at, self.names)?)));
        match stopped {
            Some((at, (word, near))) => {
                wording::stopped_query(&format!("{reason}, at `{word}`, character {at}"), near)
            }
            None if names_all_columns(text) => {
                wording::not_a_query(&format!("{reason}; write the columns in place of `*`"))
            }
            None => wording::not_a_query(&reason),
        }
    }

    fn fault(&self, failure: &Failure) -> Box<Fault> {
        match failure {
            Failure::Denied if names_all_columns(sql_without_semicolon(self.call)) => {
                wording::not_a_query(
                    "one that reads more than these columns; write the columns in place of `*`",
                )
            }
            Failure::Malformed { code, .. } | Failure::Other { code } => {
                wording::failing_query(code.as_deref())
            }
            Failure::Denied => {
                wording::not_a_query("one that reads or calls what the login of this tool may not")
            }
            Failure::InvalidValue => {
                wording::not_a_query("one that gives an operation a value that it does not take")
            }
            failure => self.failure_context(&[]).fault(failure),
        }
    }

    fn failure_context<'c>(&self, unindexed: &'c [String]) -> FailureContext<'c> {
        FailureContext {
            entity: None,
            purposes: READING,
            effect: Effect::Read,
            affected: 0,
            timeout: self.call.duration_within(self.database.limits.timeout),
            rows_read: self.database.limits.rows_read,
            unindexed,
            hides_rows: self.database.hides_rows_by_session(),
        }
    }
}

/// True for `select *` and `orders.*`, which name columns that a text may not read, too.
fn names_all_columns(sql: &str) -> bool {
    let words = sql.to_lowercase();
    let words: Vec<_> = words.split_whitespace().collect();
    words.windows(2).any(|pair| pair == ["select", "*"]) || words.iter().any(|it| it.contains(".*"))
}

/// The text of a call, without a semicolon at its end.
fn sql_without_semicolon<'a>(call: &'a Call<'_>) -> &'a str {
    let text = call.arguments().get("sql").and_then(callgate_tool::Value::as_str);
    let text = text.unwrap_or_default().trim();
    text.strip_suffix(';').unwrap_or(text)
}

#[async_trait]
impl Backend for QueryTool {
    callgate_executor::of_tool!(tool, database.toolset);

    fn has_results_as_declared(&self) -> bool {
        true
    }

    fn target(&self) -> Option<String> {
        Some(NAME.to_owned())
    }

    fn hash_session(&self, session: &Session, hasher: &mut FingerprintHasher) {
        self.database.hash_session_values(session, hasher);
    }

    async fn preview(&self, call: &Call<'_>, _: &mut Journal) -> Result<Preview, Box<Fault>> {
        // A session without the values that policies need makes no call.
        self.database.session_identity(call.session())?;
        let most = self.database.limits.rows.saturating_add(1);
        Ok(Preview::Text(format!(
            "begin read only;\n{} LIMIT {most};\nrollback;",
            wrap::select_star(sql_without_semicolon(call))
        )))
    }

    async fn run(&self, call: &Call<'_>, journal: &mut Journal) -> Outcome {
        let request = Request {
            database: &self.database,
            names: &self.names,
            call,
            deadline: call.deadline_within(self.database.limits.timeout),
        };
        request
            .run_query(sql_without_semicolon(call), journal)
            .await
            .unwrap_or_else(Outcome::Failed)
    }
}

/// The name of the tool in its toolset.
const NAME: &str = "query";

const READING: &[Purpose] = &[Purpose::Reading];
