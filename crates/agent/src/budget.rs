//! The tokens of an agent that each principal may use in a span of time. They are counted in a store by compare-and-swap, so
//! that programs that share the store count together. A turn that runs when the last token is used ends with its round.

use std::{sync::Arc, time::Duration};

use callgate_config::AgentBudget as Budget;
use callgate_session::{
    Error as StoreError, ErrorKind as StoreErrorKind, Expected, Key, Owner, Record, Space, Store,
    Stored,
};
use callgate_tool::{Principal, Session};

use crate::{
    error::{self, Error},
    keeper::now,
};

/// The tokens of one principal that are counted.
#[derive(Debug)]
pub(crate) struct Spending {
    store: Arc<dyn Store>,
    key: Key,
    budget: Budget,
    /// The tokens that the store has not counted yet.
    n_uncounted: u64,
}

impl Spending {
    /// The tokens that a principal uses of the agent with this name.
    pub(crate) fn new(
        store: Arc<dyn Store>,
        agent: &str,
        principal: Option<&Principal>,
        budget: Budget,
    ) -> Self {
        let key = Key::new(Space::Budget, Owner::new(principal, &Session::default()), agent);
        Self { store, key, budget, n_uncounted: 0 }
    }

    /// The sentence for a budget that is used up, and the time until it is free again; `None` if some of it is left.
    pub(crate) async fn refusal_of_spent_budget(
        &mut self,
    ) -> Result<Option<(String, Duration)>, Error> {
        if self.n_uncounted > 0 {
            self.record_tokens(0).await.map_err(error::budget_error)?;
        }
        let (used, left, _) = self.used_and_remaining_time().await.map_err(error::budget_error)?;
        let Budget { tokens, per } = self.budget;
        if used < tokens {
            return Ok(None);
        }
        let (per, wait) = (duration_text(per), duration_text(left));
        let said = format!(
            "the budget of {tokens} tokens in {per} is used up; it is free again in {wait}"
        );
        Ok(Some((said, left)))
    }

    /// Counts tokens. If the store is away, they are counted with the next ones.
    pub(crate) async fn add_or_defer(&mut self, tokens: u64) {
        if let Err(error) = self.record_tokens(tokens).await {
            let n_uncounted = self.n_uncounted;
            tracing::warn!(%error, n_uncounted, "the tokens of a turn are not counted");
        }
    }

    async fn record_tokens(&mut self, tokens: u64) -> Result<(), StoreError> {
        self.n_uncounted = self.n_uncounted.saturating_add(tokens);
        let mut last = None;
        for _ in 0..ATTEMPTS {
            let (used, left, expected) = self.used_and_remaining_time().await?;
            let used = used.saturating_add(self.n_uncounted);
            let record = Record::json(&used)?.with_time_to_live(left);
            match self.store.put(&self.key, record, expected, now()).await {
                Ok(_) => {
                    self.n_uncounted = 0;
                    return Ok(());
                }
                // Another turn was faster.
                Err(error) if error.kind() == StoreErrorKind::Conflict => last = Some(error),
                Err(error) => return Err(error),
            }
        }
        last.map_or(Ok(()), Err)
    }

    /// The tokens that were used, the time until the span ends, and the version of the record.
    async fn used_and_remaining_time(&self) -> Result<(u64, Duration, Expected), StoreError> {
        let per = self.budget.per;
        match self.store.get(&self.key, now()).await? {
            None => Ok((0, per, Expected::Absent)),
            Some(Stored { record, version }) => {
                let left = record.time_to_live().unwrap_or(per).min(per);
                Ok((record.read()?, left, Expected::Version(version)))
            }
        }
    }
}

/// A span of time in words: its whole hours, minutes or seconds.
fn duration_text(time: Duration) -> String {
    let seconds = time.as_secs().max(1);
    let (number, unit) = match seconds {
        7200.. => (seconds.div_ceil(3600), "hours"),
        120..7200 => (seconds.div_ceil(60), "minutes"),
        _ => (seconds, "seconds"),
    };
    format!("{number} {unit}")
}

/// The number of turns that may be faster than one. Each time, one of them succeeds.
const ATTEMPTS: usize = 64;
