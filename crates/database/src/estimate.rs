//! The rows that a statement would read by the server's own plan, which is asked for and not run. The estimates are those of the server's
//! statistics: a table that was never looked at has none.

use std::sync::Arc;

use crate::{
    engine::{Engine, LexicalRules, PlanReader, TableSizes},
    row_buffer::{Row, RowBuffer},
    transaction::{Access, Expects, Failure, Step, StepResult, Transaction},
};

/// The questions about the plans of a transaction, and the limit that they are asked for.
pub(crate) struct Estimate {
    reader: &'static PlanReader,
    most: u64,
    /// The steps are the questions.
    pub(crate) transaction: Transaction,
}

impl Estimate {
    /// The questions about a transaction; `None` for an engine that estimates nothing.
    pub(crate) fn new(engine: Engine, most: usize, of: &Transaction) -> Option<Self> {
        let reader = engine.facts().plan_reader.as_ref()?;
        let mut steps = explain_steps(engine, of)?;
        steps.push(estimate_step(reader.large_tables.to_owned(), vec![Some(most.to_string())]));
        let transaction = Transaction { access: Access::Read, steps, ..of.clone() };
        Some(Self { reader, most: most as u64, transaction })
    }

    /// The failure of a transaction that would read more rows than it may.
    pub(crate) fn check_limit(&self, answers: &[StepResult]) -> Result<(), Failure> {
        let [plans @ .., tables] = answers else { return Ok(()) };
        let tables = sizes(&tables.rows);
        let rows_read = |plan: &StepResult| (self.reader.rows_read)(&plan.rows.to_texts(), &tables);
        // A plan that cannot be read is no permission.
        let rows: f64 = plans.iter().map(rows_read).sum::<Option<_>>().ok_or(Failure::Internal)?;
        let rows = row_count(rows);
        if rows > self.most { Err(Failure::ReadsTooMany { rows: Some(rows) }) } else { Ok(()) }
    }
}

/// The questions for the plans of a transaction; `None` if the engine plans none of its steps.
pub(crate) fn explain_steps(engine: Engine, of: &Transaction) -> Option<Vec<Step>> {
    let reader = engine.facts().plan_reader.as_ref()?;
    if of.access == Access::Write && !reader.plans_changes {
        return None;
    }
    let planned = of.steps.iter().filter(|step| is_planned_statement(engine, &step.text));
    let ask = |step: &Step| {
        estimate_step(format!("{} {}", reader.explain, step.text), step.values.clone())
    };
    let steps: Vec<_> = planned.map(ask).collect();
    (!steps.is_empty()).then_some(steps)
}

fn sizes(rows: &RowBuffer) -> TableSizes {
    let size = |row: Row<'_>| Some((row.value(0)??.to_owned(), row.value(1)??.parse().ok()?));
    rows.rows().filter_map(size).collect()
}

/// True for a statement that a server plans. `CALL` is none.
fn is_planned_statement(engine: Engine, text: &str) -> bool {
    let text = skip_to_first_word(&engine.facts().lexical_rules, text);
    let first = text.split(|letter: char| !letter.is_alphabetic()).next().unwrap_or_default();
    let planned = ["DELETE", "INSERT", "REPLACE", "SELECT", "TABLE", "UPDATE", "VALUES", "WITH"];
    planned.iter().any(|word| first.eq_ignore_ascii_case(word))
}

/// The text without the comments, spaces and parentheses that it begins with.
fn skip_to_first_word<'t>(rules: &LexicalRules, mut text: &'t str) -> &'t str {
    loop {
        text = text.trim_start_matches(|c: char| c.is_whitespace() || c == '(');
        if text.starts_with("--") || text.starts_with(rules.line_comments) {
            text = text.split_once('\n').map_or("", |(_, rest)| rest);
        } else if let Some(inner) = text.strip_prefix("/*") {
            text = behind_comment(rules, inner);
        } else {
            return text;
        }
    }
}

/// The text behind a comment whose beginning was read.
fn behind_comment<'t>(rules: &LexicalRules, mut rest: &'t str) -> &'t str {
    let mut depth = 1_u32;
    while depth > 0 {
        let begin = rest.find("/*").filter(|_| rules.nests_comments);
        let Some(end) = rest.find("*/") else { return "" };
        let at = begin.filter(|begin| *begin < end);
        depth = if at.is_some() { depth.saturating_add(1) } else { depth - 1 };
        rest = rest.get(at.unwrap_or(end) + 2..).unwrap_or_default();
    }
    rest
}

fn estimate_step(text: String, values: Vec<Option<String>>) -> Step {
    Step { text: Arc::from(text), values, expects: Expects::Rows { most: MOST_LINES } }
}

/// An estimate as a whole number. What is no number is none.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a cast of a float ends at the bounds of the type, and no estimate is below zero"
)]
fn row_count(rows: f64) -> u64 {
    rows.max(0.0) as u64
}

/// The lines of a plan that are read.
const MOST_LINES: u32 = 10_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_without_a_plan_are_not_planned() {
        let texts = "select 1|(select 1)|With a as (select 1) select 1|\nUPDATE a SET b = 1|-- call it\n/* or */ select 1|\
            /* call /* it */ do */ ( select 1)";
        for text in texts.split('|') {
            assert!(is_planned_statement(Engine::Postgres, text), "{text}");
        }
        assert!(is_planned_statement(Engine::Mysql, "# call it\n/* call /* it */ select 1"));
        for text in ["call a()", "", "show tables", "do 1", "/* select", "-- select 1"] {
            assert!(!is_planned_statement(Engine::Postgres, text), "{text}");
        }
    }

    #[test]
    fn an_estimate_of_any_size_is_a_whole_number() {
        assert_eq!([-1.0, f64::NAN, 2.5, 1e300].map(row_count), [0, 0, 2, u64::MAX]);
    }
}
