//! Stops calls to a service that cannot be reached, and now and then lets one through to test whether it can be reached again.

use std::{
    collections::BTreeMap,
    ops::ControlFlow,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use callgate_call::wording::around as wording;
use callgate_executor::{Backend, Call, Ended, Ending, Middleware, Stage};
use callgate_tool::{Event, FaultCode, Journal, Outcome};
use tokio::time::Instant;

/// Ends calls to a toolset at once after a number of consecutive attempts of calls could not reach its service. A service
/// that responds, with any status, is reached.
///
/// ```
/// use std::{collections::BTreeMap, time::Duration};
///
/// use callgate_executor::Executor;
/// use callgate_policy::{Breaker, BreakerSettings};
///
/// let settings = BreakerSettings { failures: 5, open: Duration::from_secs(10) };
/// let breaker = Breaker::new(BTreeMap::from([("pets".to_owned(), settings)]));
/// let executor = Executor::builder().middleware(breaker).build()?;
/// # Ok::<(), callgate_executor::Error>(())
/// ```
#[derive(Debug)]
pub struct Breaker {
    circuits: BTreeMap<String, Arc<Circuit>>,
}

/// The settings for a toolset whose service cannot be reached.
///
/// ```
/// use std::collections::BTreeMap;
///
/// use callgate_executor::Executor;
/// use callgate_policy::{Breaker, BreakerSettings};
/// use callgate_tool::{Arguments, Fault, FaultCode, Next, Outcome, Session, ToolCall, json};
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
/// let settings = BreakerSettings { failures: 1, ..BreakerSettings::default() };
/// let executor = Executor::builder()
///     .function("pets", "list", json!({"type": "object"}), |_| async {
///         Fault::new(FaultCode::Unreachable, "the service is down", Next::TryLater)
///     })
///     .middleware(Breaker::new(BTreeMap::from([("pets".to_owned(), settings)])))
///     .build()?;
/// # let (call, session) = (ToolCall::new("1", "pets-list", Arguments::new()), Session::default());
/// executor.call(&call, &session).await;
/// let outcome = executor.call(&call, &session).await.outcome;
/// assert!(matches!(outcome, Outcome::Failed(fault) if fault.code == FaultCode::Overloaded));
/// # Ok::<(), callgate_executor::Error>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct BreakerSettings {
    /// The number of consecutive attempts that cannot reach the service before calls stop.
    pub failures: u32,
    /// The time before one call tests whether the service can be reached again.
    pub open: Duration,
}

impl Default for BreakerSettings {
    fn default() -> Self {
        Self { failures: 5, open: Duration::from_secs(10) }
    }
}

#[derive(Debug)]
struct Circuit {
    toolset: String,
    settings: BreakerSettings,
    state: Mutex<State>,
}

#[derive(Clone, Copy, Debug)]
enum State {
    /// Calls go through; this many of the last ones did not reach the service.
    Closed { failures: u32 },
    /// Calls do not go through until then; the first call after that tests the service.
    Open { until: Instant },
    /// One call tests whether the service can be reached again.
    Probing,
}

#[derive(Debug)]
struct Passed {
    circuit: Arc<Circuit>,
    is_probe: bool,
}

impl Breaker {
    /// Makes a breaker for the toolsets with these names. Calls to others always go through.
    pub fn new(settings: BTreeMap<String, BreakerSettings>) -> Self {
        Self::following(settings, None)
    }

    /// Makes a breaker that keeps the state of `previous` for toolsets with unchanged settings.
    pub fn following(settings: BTreeMap<String, BreakerSettings>, previous: Option<&Self>) -> Self {
        let circuits = settings.into_iter().map(|(name, settings)| {
            let previous_circuit = previous.and_then(|previous| previous.circuits.get(&name));
            let same =
                previous_circuit.filter(|previous_circuit| previous_circuit.settings == settings);
            let circuit = same.map_or_else(|| Arc::new(Circuit::new(&name, settings)), Arc::clone);
            (name, circuit)
        });
        Self { circuits: circuits.collect() }
    }
}

impl Circuit {
    fn new(toolset: &str, settings: BreakerSettings) -> Self {
        let state = Mutex::new(State::Closed { failures: 0 });
        Self { toolset: toolset.to_owned(), settings, state }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets a call through, and returns true if it tests the service; or returns how long to wait.
    fn try_pass(&self) -> Result<bool, Duration> {
        let (mut state, now) = (self.lock(), Instant::now());
        match *state {
            State::Closed { .. } => Ok(false),
            State::Open { until } if until > now => Err(until - now),
            State::Probing => Err(SOON),
            State::Open { .. } => {
                *state = State::Probing;
                self.set_state_gauge(HALF_OPEN);
                Ok(true)
            }
        }
    }

    fn note_end(&self, ended: &Ended<'_>, is_probe: bool) {
        let (mut state, (seen, n_failed)) =
            (self.lock(), Seen::last_with_consecutive_failures(ended));
        let next = match (*state, seen) {
            (State::Probing, Seen::Reached) if is_probe => State::Closed { failures: 0 },
            (State::Probing, Seen::Unreachable) if is_probe => self.open_state(),
            // This ending says nothing about the service: the next call tests it.
            (State::Probing, Seen::Nothing) if is_probe => State::Open { until: Instant::now() },
            (State::Closed { .. }, Seen::Reached) => State::Closed { failures: 0 },
            (State::Closed { failures }, Seen::Unreachable) => {
                let failures = failures.saturating_add(n_failed);
                let is_over = failures >= self.settings.failures;
                if is_over { self.open_state() } else { State::Closed { failures } }
            }
            // Calls that went through before the circuit opened.
            (state, _) => state,
        };
        *state = next;
        match next {
            State::Closed { .. } if is_probe => self.set_state_gauge(CLOSED),
            State::Open { .. } => self.set_state_gauge(OPEN),
            _ => {}
        }
    }

    fn open_state(&self) -> State {
        State::Open { until: Instant::now() + self.settings.open }
    }

    fn set_state_gauge(&self, state: f64) {
        metrics::gauge!("callgate_breaker_state", "toolset" => self.toolset.clone()).set(state);
    }
}

/// The information about the service in the end of a call.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Seen {
    Nothing,
    Reached,
    Unreachable,
}

impl Seen {
    /// The last information in the attempts of a call, and the number of attempts in a row that could not reach the service.
    fn last_with_consecutive_failures(ended: &Ended<'_>) -> (Self, u32) {
        let retried = ended.journal.events().iter().filter_map(Self::from_retry_event);
        let seen = retried.chain([Self::from_ending(ended.ending)]);
        seen.fold((Self::Nothing, 0), |(last, n_failed), next| match next {
            Self::Nothing => (last, n_failed),
            Self::Reached => (next, 0),
            Self::Unreachable => (next, n_failed.saturating_add(1)),
        })
    }

    fn from_retry_event(event: &Event) -> Option<Self> {
        match event {
            Event::Retried { status: Some(_), .. } => Some(Self::Reached),
            Event::Retried { code: FaultCode::Unreachable, .. } => Some(Self::Unreachable),
            _ => None,
        }
    }

    fn from_ending(ending: Ending<'_>) -> Self {
        match ending {
            Ending::Outcome(Outcome::Answered(_)) => Self::Reached,
            Ending::Outcome(Outcome::Failed(fault)) if fault.status.is_some() => Self::Reached,
            Ending::Outcome(Outcome::Failed(fault)) if fault.code == FaultCode::Unreachable => {
                Self::Unreachable
            }
            _ => Self::Nothing,
        }
    }
}

#[async_trait]
impl Middleware for Breaker {
    fn stage(&self) -> Stage {
        Stage::Breaker
    }

    async fn before(
        &self,
        call: &mut Call<'_>,
        backend: Option<&dyn Backend>,
        _: &mut Journal,
    ) -> ControlFlow<Outcome> {
        let circuit = backend.and_then(|backend| self.circuits.get(backend.toolset()));
        let Some(circuit) = circuit else { return ControlFlow::Continue(()) };
        match circuit.try_pass() {
            Ok(is_probe) => {
                let circuit = Arc::clone(circuit);
                call.extensions_mut().insert(Passed { circuit, is_probe });
                ControlFlow::Continue(())
            }
            Err(wait) => ControlFlow::Break(Outcome::Failed(wording::known_to_be_down(wait))),
        }
    }

    async fn after(&self, call: &Call<'_>, ended: &Ended<'_>) {
        if let Some(Passed { circuit, is_probe }) = call.extensions().get() {
            circuit.note_end(ended, *is_probe);
        }
    }
}

/// The time to wait while another call tests the service.
const SOON: Duration = Duration::from_secs(1);
/// The states as numbers: the higher, the worse.
const CLOSED: f64 = 0.0;
const HALF_OPEN: f64 = 1.0;
const OPEN: f64 = 2.0;

#[cfg(test)]
mod tests;
