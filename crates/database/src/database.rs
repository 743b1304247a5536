//! One loaded database as its tools share it: the connections, the limits, and what each transaction begins with. `load` makes
//! it, `tool` runs calls with it.

use std::{collections::BTreeSet, sync::Arc};

use callgate_call::wording::database as wording;
use callgate_executor::Call;
use callgate_tool::{Fault, FingerprintHasher, Journal, Session};
use tokio::time::{Instant, timeout_at};

use crate::{
    driver::Driver,
    engine::Engine,
    estimate::Estimate,
    page::Pages,
    session_values,
    settings::{DatabaseLimits, RoleRule, SessionSource, TableName},
    shares,
    transaction::{Access, Expects, Failure, Step, StepResult, Transaction},
};

/// The parts that the tools of one database share.
#[derive(Debug)]
pub(crate) struct Database {
    pub(crate) driver: Arc<Driver>,
    pub(crate) engine: Engine,
    pub(crate) toolset: String,
    pub(crate) limits: DatabaseLimits,
    pub(crate) identity: Vec<(String, SessionSource)>,
    pub(crate) role: Option<RoleRule>,
    pub(crate) pages: Arc<Pages>,
}

impl Database {
    /// A transaction of these steps for a call, with the identity and the role of its session.
    pub(crate) fn transaction(
        &self,
        access: Access,
        call: &Call<'_>,
        steps: Vec<Step>,
    ) -> Result<Transaction, Box<Fault>> {
        let identity = self.session_identity(call.session())?;
        let role = self.allowed_session_role(call.session())?;
        let (principal, lock_time) =
            (shares::principal_id_or_empty(call).into(), self.limits.lock_time);
        let stands_alone = false;
        Ok(Transaction { principal, access, identity, role, steps, lock_time, stands_alone })
    }

    pub(crate) fn session_identity(
        &self,
        session: &Session,
    ) -> Result<Vec<(String, String)>, Box<Fault>> {
        let variables = self.identity.iter();
        let text = |(name, source): &(String, SessionSource)| {
            Ok((name.clone(), session_values::text(source, session)?))
        };
        variables.map(text).collect()
    }

    pub(crate) fn allowed_session_role(
        &self,
        session: &Session,
    ) -> Result<Option<String>, Box<Fault>> {
        let Some(rule) = &self.role else { return Ok(None) };
        let role = session_values::text(&rule.from, session)?;
        if rule.allow.contains(&role) {
            return Ok(Some(role));
        }
        let reference = rule.from.to_string();
        let expected = "a role that the configuration allows";
        Err(wording::missing_session_value(&reference, expected, "another one"))
    }

    /// True if the session decides which rows the database shows: it counts hidden ones, too, where it estimates.
    pub(crate) fn hides_rows_by_session(&self) -> bool {
        !self.identity.is_empty() || self.role.is_some()
    }

    /// Runs a transaction, and notes its statements with the rows that they concerned. Returns what came of its last step, with the
    /// rows that its change concerned: some engines read them again after it.
    pub(crate) async fn run(
        &self,
        transaction: Transaction,
        deadline: Instant,
        journal: &mut Journal,
    ) -> Result<StepResult, Failure> {
        self.check_plan_row_limit(&transaction, deadline).await?;
        transaction.note_statements(journal);
        let is_change = |step: &Step| matches!(step.expects, Expects::Affected { .. });
        let change = transaction.steps.iter().rposition(is_change);
        let mut came = self.driver.run(transaction, deadline).await?;
        let affected = change.and_then(|at| Some(came.get(at)?.affected));
        let mut last = came.pop().unwrap_or_default();
        last.affected = affected.unwrap_or(last.affected);
        last.note_row_count(journal);
        Ok(last)
    }

    /// Refuses a transaction whose plan reads more rows than a statement may.
    pub(crate) async fn check_plan_row_limit(
        &self,
        transaction: &Transaction,
        deadline: Instant,
    ) -> Result<(), Failure> {
        let Some(most) = self.limits.rows_read else { return Ok(()) };
        let Some(estimate) = Estimate::new(self.engine, most, transaction) else { return Ok(()) };
        let answers = self.driver.run(estimate.transaction.clone(), deadline).await?;
        estimate.check_limit(&answers)
    }

    /// The columns in the conditions and orders of a text of SQL that no index begins with; none if the database does not say.
    pub(crate) async fn unindexed_columns(&self, text: &str, deadline: Instant) -> Vec<String> {
        let text = text.to_lowercase();
        let of_word = |letter: char| letter.is_alphanumeric() || letter == '_';
        let words = |text: &str| -> BTreeSet<String> {
            let words = text.split(|letter| !of_word(letter)).filter(|word| !word.is_empty());
            words.take(MOST_WORDS).map(str::to_owned).collect()
        };
        let begin = CONDITIONS.iter().filter_map(|word| text.find(word)).min();
        let conditions = words(begin.and_then(|at| text.get(at..)).unwrap_or_default());
        let names: Vec<_> =
            words(&text).into_iter().map(|name| TableName { schema: None, name }).collect();
        let Ok(Ok(tables)) = timeout_at(deadline, self.driver.read_tables(&names)).await else {
            return Vec::new();
        };
        let columns = tables.values().flat_map(|table| {
            table
                .columns
                .iter()
                .map(|column| &column.name)
                .filter(|name| !table.is_first_in_index(name))
        });
        let columns: BTreeSet<_> =
            columns.filter(|name| conditions.contains(&name.to_lowercase())).cloned().collect();
        columns.into_iter().collect()
    }

    /// Adds what every transaction reads of the session.
    pub(crate) fn hash_session_values(&self, session: &Session, hasher: &mut FingerprintHasher) {
        for (name, source) in &self.identity {
            hasher.add_text(name);
            hasher.add_source_value(source, session);
        }
        if let Some(rule) = &self.role {
            hasher.add_source_value(&rule.from, session);
        }
    }
}

/// The words of a text among which tables are looked for.
const MOST_WORDS: usize = 200;

/// The words with which conditions and orders begin.
const CONDITIONS: [&str; 4] = ["where", "group by", "having", "order by"];
