//! Texts of SQL as a model could write them, with what must come of each: those of the repository, and those of the corpus
//! where it is.

use callgate_testkit::corpus;
use callgate_tool::{Outcome, Value};

/// A text of SQL.
pub(crate) struct Query {
    pub(crate) sql: String,
    /// True if it gives rows; otherwise it has no effect.
    pub(crate) is_honest: bool,
}

/// The texts for one engine.
pub(crate) fn queries(engine: &str) -> Vec<Query> {
    let mut text = include_str!("queries.jsonl").to_owned();
    if let Some(file) = corpus("suites/database-statements.jsonl") {
        text.push_str(&std::fs::read_to_string(file).unwrap());
    }
    let rows = text.lines().map(|line| Value::parse(line).unwrap());
    let rows = rows.filter(|row| row["engine"] == engine);
    let query = |row: Value| Query {
        sql: row["sql"].as_str().unwrap().to_owned(),
        is_honest: row["expect"] == "rows",
    };
    rows.map(query).collect()
}

/// The rows of an outcome; `None` if the text was refused.
pub(crate) fn rows(outcome: &Outcome) -> Option<Vec<Value>> {
    let result: Value = matches!(outcome, Outcome::Answered(_)).then(|| outcome.json().unwrap())?;
    result["rows"].as_array().cloned()
}
