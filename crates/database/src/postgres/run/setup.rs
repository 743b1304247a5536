//! The settings of one transaction: its time limits, its identity and its role. All of it ends with the transaction.

use std::{sync::Arc, time::Duration};

use tokio::time::Instant;

use super::super::connection::MaySet;
use crate::transaction::Transaction;

/// The way to set it.
pub(super) enum Setup {
    /// One statement of calls of `set_config`, whose arguments are its values.
    Calls { text: Arc<str>, values: Vec<String> },
    /// `SET LOCAL`, for a login that may not execute `set_config`. It takes no values, so that they are quoted.
    Statements(Vec<String>),
}

impl Setup {
    /// The role comes last: it may not be able to set the others.
    pub(super) fn for_transaction(
        transaction: &Transaction,
        deadline: Instant,
        may_set: MaySet,
    ) -> Self {
        let left = deadline.saturating_duration_since(Instant::now());
        // The server is a little earlier, so that its answer comes in time.
        let time = left.saturating_sub(MARGIN.min(left / 10));
        let mut pairs = vec![
            ("statement_timeout", milliseconds(time)),
            ("lock_timeout", milliseconds(transaction.lock_time)),
            ("idle_in_transaction_session_timeout", milliseconds(left + IDLE)),
        ];
        let identity = transaction.identity.iter().map(|(name, value)| (&**name, value.clone()));
        pairs.extend(identity);
        pairs.extend(transaction.role.iter().map(|role| ("role", role.clone())));
        match may_set {
            MaySet::Calls => setup_calls(pairs),
            MaySet::Statements => {
                let texts = pairs.iter().map(|(name, value)| set_local_statement(name, value));
                Self::Statements(texts.collect())
            }
        }
    }
}

fn setup_calls(pairs: Vec<(&str, String)>) -> Setup {
    let call = |at: usize| format!("pg_catalog.set_config(${}, ${}, true)", at + 1, at + 2);
    let calls: Vec<_> = (0..pairs.len()).map(|at| call(at * 2)).collect();
    let values = pairs.into_iter().flat_map(|(name, value)| [name.to_owned(), value]).collect();
    Setup::Calls { text: format!("select {}", calls.join(", ")).into(), values }
}

/// PostgreSQL, §4.1: a quote in a name or a text is doubled. A connection is used only while texts follow that rule.
fn set_local_statement(name: &str, value: &str) -> String {
    let name: Vec<_> = name.split('.').map(|part| quoted_text(part, '"')).collect();
    format!("set local {} = {}", name.join("."), quoted_text(value, '\''))
}

fn quoted_text(text: &str, quote: char) -> String {
    let doubled = text.replace(quote, &format!("{quote}{quote}"));
    format!("{quote}{doubled}{quote}")
}

/// A time limit as the server takes it; 0 would be none.
fn milliseconds(time: Duration) -> String {
    time.as_millis().clamp(1, i32::MAX as u128).to_string()
}

/// The time that an answer of the server takes at most, as a rule.
const MARGIN: Duration = Duration::from_millis(50);

/// The time after the deadline in which the server gives up a transaction whose connection is silent.
const IDLE: Duration = Duration::from_secs(1);

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, value: &str, expected: &str) {
        assert_eq!(set_local_statement(name, value), expected);
    }

    #[test]
    fn a_value_that_is_set_by_a_statement_is_quoted() {
        check("lock_timeout", "5", r#"set local "lock_timeout" = '5'"#);
        check("app.user", r"o'neil\", r#"set local "app"."user" = 'o''neil\'"#);
        check(
            r#"a"b.c"#,
            "'; drop table t; --",
            r#"set local "a""b"."c" = '''; drop table t; --'"#,
        );
    }
}
