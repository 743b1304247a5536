//! Texts of SQL as a model could write them, with what must come of each: those of the repository, and those of the corpus
//! where it is.

use std::time::Duration;

use callgate_database::{QueryFunctions, QuerySettings, TableName};
use callgate_secret::Secret;
use callgate_testkit::{corpus, shortest_time};
use callgate_tool::{Outcome, Value, json};
use tokio::time::Instant;

use crate::calls::{Tools, user};

/// The settings of a query over these columns of tables.
pub(crate) fn over(url: String, tables: Vec<(TableName, &[&str])>) -> QuerySettings {
    let tables = tables.into_iter().map(|(table, names)| (table, columns(names)));
    QuerySettings {
        pointer: "/query".to_owned(),
        url: Secret::new(url),
        tables: tables.collect(),
        functions: QueryFunctions::default(),
    }
}

pub(crate) fn columns(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

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

impl Query {
    /// Runs the text: it ends in its time, gives rows if it is honest, and shows nothing that its login may not read.
    pub(crate) async fn check(&self, tools: &Tools) {
        let (most, mut outcomes) = (Duration::from_millis(2200), Vec::new());
        let took = shortest_time(most, async || {
            let begun = Instant::now();
            let arguments = json!({"sql": self.sql.as_str()});
            outcomes.push(tools.outcome("shop-query", arguments, &user("ann")).await);
            begun.elapsed()
        });
        let took = took.await;
        assert!(took <= most, "{}: {took:?}", self.sql);
        for outcome in outcomes {
            self.check_outcome(&outcome);
        }
    }

    fn check_outcome(&self, outcome: &Outcome) {
        if self.is_honest {
            let has_rows = rows(outcome).is_some_and(|rows| !rows.is_empty());
            assert!(has_rows, "{}: {outcome:?}", self.sql);
        }
        let shown = format!("{outcome:?}");
        assert!(!shown.contains("hunter2") && shown.len() < 40_000, "{}: {shown}", self.sql);
    }
}
