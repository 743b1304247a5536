//! Limits how many calls run at a time and how many begin in a period: for each principal, for each toolset, and in all.

mod principals;
mod rate_outage;

use std::{
    collections::BTreeMap,
    ops::ControlFlow,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use callgate_call::wording::around as wording;
use callgate_executor::{Backend, Call, Ended, Middleware, OuterCall, Stage};
use callgate_session::{QueuePermit, Store};
use callgate_tool::{Fault, Journal, Outcome};
use tokio::time::Instant;

pub use self::rate_outage::RateOutage;
use self::{
    principals::Principals,
    rate_outage::{Counted, SharedRates},
};
use crate::{
    gate::{Gate, Queue},
    rate::{Bucket, Rate},
};

/// Limits the calls of each principal, of each toolset and of all together. Calls beyond a rate are refused until later;
/// calls beyond a number first wait for a moment.
///
/// ```
/// use callgate_executor::Executor;
/// use callgate_policy::{Bound, Limits, LimitsConfig};
///
/// let mut config = LimitsConfig::default();
/// config.toolsets.insert("pets".to_owned(), Bound { concurrency: Some(8), rate: None });
/// let executor = Executor::builder().middleware(Limits::new(&config)).build()?;
/// # Ok::<(), callgate_executor::Error>(())
/// ```
#[derive(Debug)]
pub struct Limits {
    in_flight: Arc<Gate>,
    principals: Option<Arc<Principals>>,
    toolsets: BTreeMap<String, LimitState>,
    shared: Option<SharedRates>,
}

/// The limits of calls.
///
/// ```
/// use callgate_executor::Executor;
/// use callgate_policy::{Limits, LimitsConfig};
/// use callgate_tool::{Arguments, FaultCode, Outcome, Session, ToolCall, json};
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
/// // One call at a time, and nobody waits.
/// let config = LimitsConfig { in_flight: 1, queue: 0, ..LimitsConfig::default() };
/// let executor = Executor::builder()
/// #     .function("pets", "list", json!({"type": "object"}), |_| async {
/// #         tokio::task::yield_now().await;
/// #         json!([])
/// #     })
///     .middleware(Limits::new(&config))
///     .build()?;
/// let calls = ["1", "2"].map(|id| ToolCall::new(id, "pets-list", Arguments::new()));
/// let second = executor.call_all(&calls, &Session::default()).await.remove(1).outcome;
/// assert!(matches!(second, Outcome::Failed(fault) if fault.code == FaultCode::Overloaded));
/// # Ok::<(), callgate_executor::Error>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct LimitsConfig {
    /// The most calls that run at a time in all.
    pub in_flight: usize,
    /// The most calls of one principal that wait at one limit for another call to end.
    pub queue: usize,
    /// The longest time that they wait.
    pub queue_wait: Duration,
    /// The limits of each principal; calls without a principal count as one principal's.
    pub principal: Bound,
    /// The limits of toolsets, by their names; others have none.
    pub toolsets: BTreeMap<String, Bound>,
}

/// The limits of one principal or one toolset.
///
/// ```
/// # use std::{num::NonZeroU32, time::Duration};
/// #
/// # use callgate_executor::Executor;
/// use callgate_policy::{Bound, Limits, LimitsConfig, Rate};
/// use callgate_tool::{Arguments, FaultCode, Outcome, Session, ToolCall};
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
/// // Each principal may make one call a minute.
/// let (calls, burst) = (NonZeroU32::MIN, NonZeroU32::MIN);
/// let rate = Rate { calls, per: Duration::from_secs(60), burst };
/// let principal = Bound { concurrency: None, rate: Some(rate) };
/// let limits = Limits::new(&LimitsConfig { principal, ..LimitsConfig::default() });
/// # let schema = callgate_tool::json!({"type": "object"});
/// # let executor = Executor::builder()
/// #     .function("pets", "list", schema, |_| async { callgate_tool::json!([]) })
/// #     .middleware(limits)
/// #     .build()?;
/// # let (call, session) = (ToolCall::new("1", "pets-list", Arguments::new()), Session::default());
/// executor.call(&call, &session).await;
/// let outcome = executor.call(&call, &session).await.outcome;
/// assert!(matches!(outcome, Outcome::Failed(fault) if fault.code == FaultCode::RateLimited));
/// # Ok::<(), callgate_executor::Error>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Bound {
    /// The most calls that run at a time.
    pub concurrency: Option<usize>,
    /// The most calls that begin in a period.
    pub rate: Option<Rate>,
}

/// 1,024 calls in all; at each limit, 1,024 calls wait for a second at most. Principals and toolsets have no limits.
impl Default for LimitsConfig {
    fn default() -> Self {
        Self {
            in_flight: 1024,
            queue: 1024,
            queue_wait: Duration::from_secs(1),
            principal: Bound::default(),
            toolsets: BTreeMap::new(),
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct LimitState {
    bucket: Option<Arc<Bucket>>,
    gate: Option<Arc<Gate>>,
}

impl LimitState {
    /// A limit that continues the state of `known` if the settings are equal.
    fn new(bound: Bound, queue: Queue, previous_state: Option<&Self>) -> Self {
        let bucket = bound.rate.map(|rate| {
            let previous_bucket = previous_state.and_then(|state| state.bucket.as_ref());
            let same = previous_bucket.filter(|bucket| bucket.rate == rate);
            same.map_or_else(|| Arc::new(Bucket::new(rate)), Arc::clone)
        });
        let gate = bound.concurrency.map(|permits| {
            same_or_new_gate(permits, queue, previous_state.and_then(|state| state.gate.as_ref()))
        });
        Self { bucket, gate }
    }
}

fn same_or_new_gate(permits: usize, queue: Queue, previous_gate: Option<&Arc<Gate>>) -> Arc<Gate> {
    let same = previous_gate.filter(|gate| gate.has_settings(permits, queue));
    same.map_or_else(|| Arc::new(Gate::new(permits, queue)), Arc::clone)
}

impl Limits {
    /// Starts with no running calls.
    pub fn new(config: &LimitsConfig) -> Self {
        Self::following(config, None)
    }

    /// Continues the state of `previous` where settings are equal: calls that run there count here.
    pub fn following(config: &LimitsConfig, previous: Option<&Self>) -> Self {
        let queue = Queue { length: config.queue, wait: config.queue_wait };
        let previous_state = |name: &str| previous.and_then(|previous| previous.toolsets.get(name));
        let toolsets = config.toolsets.iter().map(|(name, bound)| {
            (name.clone(), LimitState::new(*bound, queue, previous_state(name)))
        });
        let of_principals = || {
            let previous_principals = previous.and_then(|previous| previous.principals.as_ref());
            let same = previous_principals.filter(|previous_principals| {
                previous_principals.has_settings(config.principal, queue)
            });
            same.map_or_else(|| Arc::new(Principals::new(config.principal, queue)), Arc::clone)
        };
        let previous_gate = previous.map(|previous| &previous.in_flight);
        Self {
            in_flight: same_or_new_gate(config.in_flight, queue, previous_gate),
            principals: (config.principal != Bound::default()).then(of_principals),
            toolsets: toolsets.collect(),
            shared: None,
        }
    }

    /// Counts rates in a store, together with all other processes that do. The number of calls that run at a time stays one of
    /// each process: a process that ends without a word cannot give back what it holds.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use callgate_policy::{Limits, LimitsConfig, RateOutage};
    /// use callgate_session::{Bounds, Memory};
    ///
    /// let store = Arc::new(Memory::new(Bounds { records: 100, bytes: 1 << 20 }));
    /// let limits = Limits::new(&LimitsConfig::default()).with_shared_rates(store, RateOutage::Refuse);
    /// # drop(limits);
    /// ```
    #[doc(hidden)]
    #[must_use]
    pub fn with_shared_rates(mut self, store: Arc<dyn Store>, on_outage: RateOutage) -> Self {
        self.shared = Some(SharedRates { store, on_outage });
        self
    }

    async fn take_permits(
        &self,
        call: &Call<'_>,
        backend: Option<&dyn Backend>,
    ) -> Result<Permits, Box<Fault>> {
        let started = Instant::now();
        let mut permits = Permits::default();
        let overloaded = || wording::overload(Duration::from_secs(1));
        let principal = match &self.principals {
            Some(principals) => Some(
                principals
                    .limit_unless_too_many_principals(call.principal())
                    .ok_or_else(overloaded)?,
            ),
            None => None,
        };
        let toolset = backend.and_then(|backend| self.toolsets.get(backend.toolset()));
        let counted = [
            (Counted::Principal(call.principal()), principal.as_deref()),
            (Counted::Toolset(backend.map_or("", Backend::toolset)), toolset),
        ];
        for (counted, bound) in counted {
            let Some(bucket) = bound.and_then(|bound| bound.bucket.as_deref()) else { continue };
            match &self.shared {
                Some(shared) => shared.take_call(counted, bucket).await?,
                None => bucket.take_call().map_err(wording::rate_limited)?,
            }
        }
        // The permits of the call that makes an inner one stand for both: one that waited for its own would wait for itself.
        let is_inner = call.extensions().get::<OuterCall>().is_some();
        let bounds = [principal.as_deref().filter(|_| !is_inner), toolset].into_iter().flatten();
        // A call that waits for its toolset holds no permit among all calls.
        let all = (!is_inner).then_some(&*self.in_flight);
        let gates = bounds.filter_map(|bound| bound.gate.as_deref()).chain(all);
        for gate in gates {
            permits.add_permit(
                gate.take_permit(call.principal(), started).await.ok_or_else(overloaded)?,
            );
        }
        Ok(permits)
    }
}

/// The permits that a call holds until it ends. A copy of the call, such as in a function that runs on, holds none.
#[derive(Debug, Default)]
struct Permits(Mutex<Vec<QueuePermit>>);

impl Permits {
    fn add_permit(&mut self, permit: QueuePermit) {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner).push(permit);
    }

    fn release_all(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

#[async_trait]
impl Middleware for Limits {
    fn stage(&self) -> Stage {
        Stage::Limits
    }

    async fn before(
        &self,
        call: &mut Call<'_>,
        backend: Option<&dyn Backend>,
        _: &mut Journal,
    ) -> ControlFlow<Outcome> {
        match self.take_permits(call, backend).await {
            Ok(permits) => {
                call.extensions_mut().insert(permits);
                ControlFlow::Continue(())
            }
            Err(fault) => ControlFlow::Break(Outcome::Failed(fault)),
        }
    }

    async fn after(&self, call: &Call<'_>, _: &Ended<'_>) {
        if let Some(permits) = call.extensions().get::<Permits>() {
            permits.release_all();
        }
    }
}

#[cfg(test)]
mod tests;
