//! The middleware around the calls of an executor. Without a key in the configuration a middleware is absent, and costs
//! nothing. The state of the last build is reused: idempotency keys, used-up rates, unavailable services, running
//! calls.

use std::{collections::BTreeMap, sync::Arc};

use callgate_executor::{Builder, Middleware, Stage};
use callgate_policy::{
    ApprovalRules, Approvals, Audit, Bound, Breaker, BreakerChoice, BreakerSettings, Idempotency,
    Limits, LimitsConfig, RecordBounds, Webhook,
};
use callgate_session::Store;
use callgate_settings::{Reader, SettingCode};

use super::{audit, context::BuildContext, state};
use crate::{
    config::Config,
    environment::{Environment, Sidecar},
    serving::ServingLimits,
    state::StateEngine,
    toolset::ToolsetConfig,
};

#[derive(Clone, Debug, Default)]
pub(super) struct Policy {
    /// The store of what outlives a call; `None` for the memory of each part.
    pub(super) state: Option<Arc<dyn Store>>,
    pub(super) audit: Option<Arc<Audit>>,
    pub(super) idempotency: Option<Arc<Idempotency>>,
    limits: Option<Arc<Limits>>,
    breaker: Option<Arc<Breaker>>,
    pub(super) approvals: Option<Arc<Approvals>>,
    /// The trial of the store, where it is examined.
    pub(super) trial: Option<state::Trial>,
    /// The queue of notices about approvals, in a process that serves.
    pub(super) webhook: Option<Webhook>,
}

/// What a build has opened for calls to be recorded in.
struct Files {
    audit: Option<Arc<Audit>>,
    state: Option<Arc<dyn Store>>,
}

impl Policy {
    async fn new(
        config: &Config,
        environment: &Environment,
        Files { audit, state }: Files,
        rules: ApprovalRules,
        previous: Option<&Self>,
    ) -> Self {
        let previous_webhook = previous.and_then(|previous| previous.webhook.clone());
        let is_serving = environment.sidecar == Sidecar::Serving;
        let webhook = previous_webhook.or_else(|| is_serving.then(Webhook::new));
        let makes_calls =
            |toolset: &ToolsetConfig| toolset.kind.as_ref().is_some_and(|kind| kind.makes_calls());
        // Writes of an agent are asked about, and a program waits for a sign-in, whatever the toolsets say.
        let is_needed = !rules.are_empty()
            || !config.agents.is_empty()
            || config.toolsets.iter().any(makes_calls);
        let approvals = build_approvals(is_needed.then_some(rules), state.as_ref(), previous);
        let approvals = approvals.map(|approvals| match &webhook {
            Some(webhook) => Arc::new(approvals.with_webhook(webhook)),
            None => approvals,
        });
        let is_own = |layer: &Arc<dyn Middleware>| layer.stage() == Stage::Idempotency;
        let has_own = environment.middleware.iter().any(is_own);
        // A call that comes with a key is made once, whether or not the configuration sets bounds.
        let usual = (!has_own).then(RecordBounds::default);
        let idempotency = build_idempotency(config.idempotency.or(usual), state.as_ref(), previous);
        if let (Some(audit), Some(idempotency)) = (&audit, &idempotency) {
            // Records that exist here take precedence.
            audit.recall(idempotency).await;
        }
        Self {
            limits: build_limits(config, state.as_ref(), previous),
            state,
            audit,
            idempotency,
            breaker: build_breaker(config, previous),
            approvals,
            trial: None,
            webhook,
        }
    }

    /// Adds the middleware around the calls of an executor.
    pub(super) fn add_middleware(&self, builder: Builder) -> Builder {
        let Self { audit, idempotency, limits, breaker, approvals, .. } = self.clone();
        let layers = [
            audit.map(|it| it as Arc<dyn Middleware>),
            idempotency.map(|it| it as _),
            limits.map(|it| it as _),
            breaker.map(|it| it as _),
            approvals.map(|it| it as _),
        ];
        layers.into_iter().flatten().fold(builder, Builder::shared_middleware)
    }
}

/// Builds the middleware of a configuration, and opens its audit file and its state.
pub(super) async fn build_policy(
    reader: &mut Reader,
    config: &Config,
    build_context: &BuildContext<'_>,
    rules: ApprovalRules,
    previous_policy: Option<&Policy>,
) -> Policy {
    let open = previous_policy.and_then(|previous_policy| previous_policy.audit.as_ref());
    let audit = audit::build_audit(reader, config, build_context, open).await;
    let open = previous_policy.and_then(|previous_policy| previous_policy.state.as_ref());
    let state = state::build_state_store(reader, config, build_context, open).await;
    let trial = state::build_store_trial(reader, config, build_context).await;
    check_shared_limits(reader, config, build_context.environment);
    let files = Files { audit, state };
    Policy {
        trial,
        ..Policy::new(config, build_context.environment, files, rules, previous_policy).await
    }
}

fn build_idempotency(
    bounds: Option<RecordBounds>,
    state: Option<&Arc<dyn Store>>,
    previous: Option<&Policy>,
) -> Option<Arc<Idempotency>> {
    let bounds = bounds?;
    let previous_idempotency = previous.and_then(|previous| previous.idempotency.clone());
    let idempotency = previous_idempotency.unwrap_or_else(|| {
        Arc::new(match state {
            Some(state) => Idempotency::over(Arc::clone(state), bounds.ttl),
            None => Idempotency::new(bounds),
        })
    });
    idempotency.records().set_bounds(bounds);
    Some(idempotency)
}

/// Refuses limits that nothing shares, and the key that means nothing without them.
fn check_shared_limits(reader: &mut Reader, config: &Config, environment: &Environment) {
    let ServingLimits { shared, on_outage, .. } = config.serving.limits;
    if shared != Some(true) {
        if shared.is_none() && on_outage.is_some() {
            let message = "`on_outage` is for `shared: true`, which is not given";
            let help = "leave `on_outage` out, or add `shared: true`";
            reader.report_fault(SettingCode::WrongValue, "/limits/on_outage", message, help);
        }
        return;
    }
    // The program's own store comes before that of the configuration.
    let got = match (&environment.state, config.state.as_ref().map(|state| &state.engine)) {
        (Some(own), _) if own.is_shared() => return,
        (None, Some(StateEngine::Redis(_))) => return,
        (Some(_), _) => "a store of one process",
        (None, Some(StateEngine::File { .. })) => "a file, which one sidecar has",
        (None, None) => "none",
    };
    let message =
        format!("expected `state: {{redis: …}}`, where several sidecars count together, got {got}");
    let help = "name a Redis server under `state`, or leave `shared` out and give each sidecar its part of the rate";
    reader.report_fault(SettingCode::WrongValue, "/limits/shared", message, help);
}

fn build_limits(
    config: &Config,
    state: Option<&Arc<dyn Store>>,
    previous: Option<&Policy>,
) -> Option<Arc<Limits>> {
    let usual = config.calls.is_some().then_some(PARALLEL_CALLS);
    let bounded = config.toolsets.iter().map(|toolset| {
        let bound = toolset.call_limits.bound;
        (toolset_name(toolset), Bound { concurrency: bound.concurrency.or(usual), ..bound })
    });
    let bounded = bounded.filter(|(_, bound)| *bound != Bound::default());
    let mut limits = config
        .calls
        .clone()
        .unwrap_or_else(|| LimitsConfig { in_flight: usize::MAX, ..LimitsConfig::default() });
    limits.toolsets.extend(bounded);
    if config.calls.is_none() && limits.toolsets.is_empty() {
        return None;
    }
    let previous = previous.and_then(|previous| previous.limits.as_deref());
    let limits = Limits::following(&limits, previous);
    let ServingLimits { shared, on_outage, .. } = config.serving.limits;
    Some(Arc::new(match state.filter(|_| shared == Some(true)) {
        Some(state) => limits.with_shared_rates(Arc::clone(state), on_outage.unwrap_or_default()),
        None => limits,
    }))
}

fn build_breaker(config: &Config, previous: Option<&Policy>) -> Option<Arc<Breaker>> {
    let usual = config.calls.is_some().then(BreakerSettings::default);
    let settings = config.toolsets.iter().filter_map(|toolset| {
        let settings = match toolset.call_limits.breaker {
            BreakerChoice::Never => None,
            BreakerChoice::Set(settings) => Some(settings),
            BreakerChoice::Usual => usual,
        };
        Some((toolset_name(toolset), settings?))
    });
    let settings: BTreeMap<_, _> = settings.collect();
    if settings.is_empty() {
        return None;
    }
    let previous = previous.and_then(|previous| previous.breaker.as_deref());
    Some(Arc::new(Breaker::following(settings, previous)))
}

/// Waiting calls can be decided after a reload.
fn build_approvals(
    rules: Option<ApprovalRules>,
    state: Option<&Arc<dyn Store>>,
    previous: Option<&Policy>,
) -> Option<Arc<Approvals>> {
    let previous_approvals = previous.and_then(|previous| previous.approvals.as_deref());
    if rules.is_none() && previous_approvals.is_none() {
        return None;
    }
    let rules = rules.unwrap_or_default();
    let approvals = match previous_approvals {
        Some(previous_approvals) => previous_approvals.with_rules(rules),
        None => match state {
            Some(state) => Approvals::over(rules, Arc::clone(state)),
            None => Approvals::new(rules),
        },
    };
    Some(Arc::new(approvals))
}

fn toolset_name(toolset: &ToolsetConfig) -> String {
    toolset.name.as_ref().map(ToString::to_string).unwrap_or_default()
}

/// The default number of calls of one toolset that run at a time: a service that hangs cannot occupy all places.
const PARALLEL_CALLS: usize = 128;
