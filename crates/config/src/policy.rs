//! Settings of the middleware around calls: `audit`, `calls` and `idempotency`, and `rate`, `concurrency` and `breaker`
//! in the `limits` of a toolset. The build of a configuration decides which middleware exists.

use std::{num::NonZeroU32, path::PathBuf, time::Duration};

use callgate_policy::{
    AuditArguments, AuditConfig, AuditMode, Bound, BreakerSettings, Rate, RecordBounds,
};
use callgate_secret::SecretReference;
use callgate_tree::Node;

use crate::{
    code::ConfigCode,
    keys::{AUDIT, BREAKER, CALLS, IDEMPOTENCY, MOST_CALLS, RATE},
    reader::{Mapping, Reader, at, secret::secret},
};

/// The audit file of calls, and the key of its chain.
///
/// ```
/// use callgate_config::{AuditedConfig, Config, Environment};
/// use callgate_policy::{AuditArguments, AuditConfig, AuditMode};
///
/// # let folder = tempfile::tempdir()?;
/// # std::fs::write(folder.path().join("audit.key"), "0123456789abcdef")?;
/// let (mode, arguments) = (AuditMode::Required, AuditArguments::Digest);
/// let audit = AuditConfig { file: "audit.jsonl".into(), mode, arguments };
/// let mut config = Config::new().with_base(folder.path());
/// config.audit = Some(AuditedConfig { audit, key: "file:audit.key".parse()? });
/// let built = config.build_blocking(&Environment::new(), None)?;
/// assert!(built.audit().is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "a chain has a file and a key")]
pub struct AuditedConfig {
    /// The audit file, and its format.
    pub audit: AuditConfig,
    /// The key that chains the lines of the file, at least 16 bytes.
    pub key: SecretReference,
}

/// The limits on all calls. If they are set, each toolset has by default a `concurrency` of 128 and a breaker.
///
/// ```
/// use callgate_config::{CallsConfig, Config};
/// use callgate_policy::Bound;
///
/// let mut config = Config::new();
/// let principal = Bound { concurrency: Some(4), rate: None };
/// config.calls = Some(CallsConfig { in_flight: 200, principal, ..CallsConfig::default() });
/// assert_eq!(config.calls.map(|calls| calls.queue), Some(1024));
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "an operator decides about each bound")]
pub struct CallsConfig {
    /// The total number of calls that run at a time.
    pub in_flight: usize,
    /// The number of calls that wait at one limit for another call to end.
    pub queue: usize,
    /// The time for which calls wait.
    pub queue_wait: Duration,
    /// The limits of each principal.
    pub principal: Bound,
}

/// 1,024 calls, and a queue of 1,024 for one second: a burst to a fast service waits instead of being refused.
impl Default for CallsConfig {
    fn default() -> Self {
        let usual = callgate_policy::LimitsConfig::default();
        Self {
            in_flight: usual.in_flight,
            queue: usual.queue,
            queue_wait: usual.queue_wait,
            principal: usual.principal,
        }
    }
}

/// The limits on a toolset's calls together.
///
/// ```
/// use callgate_config::{BreakerChoice, CallLimits, Config};
///
/// let text = "
/// toolsets:
///   pets: {openapi: pets.yaml, limits: {concurrency: 16, rate: {calls: 100, per: 1m}}}";
/// let config = Config::from_text(text, "")?;
/// let CallLimits { bound, breaker } = config.toolsets[0].call_limits;
/// assert_eq!(bound.concurrency, Some(16));
/// assert_eq!(bound.rate.map(|rate| rate.calls.get()), Some(100));
/// assert_eq!(breaker, BreakerChoice::Usual);
/// # Ok::<(), callgate_config::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "an operator decides about each")]
pub struct CallLimits {
    /// The number of calls that run at a time, and the number that may start in a span of time.
    pub bound: Bound,
    /// The breaker, which pauses calls to its service.
    pub breaker: BreakerChoice,
}

/// The conditions under which calls to an unreachable service pause.
///
/// ```
/// use std::time::Duration;
///
/// use callgate_config::{BreakerChoice, Config};
/// use callgate_policy::BreakerSettings;
///
/// let text = "
/// toolsets:
///   pets: {openapi: pets.yaml, limits: {breaker: {failures: 3, open: 30s}}}
///   shop: {openapi: shop.yaml, limits: {breaker: none}}";
/// let config = Config::from_text(text, "")?;
/// let pets = BreakerSettings { failures: 3, open: Duration::from_secs(30) };
/// assert_eq!(config.toolsets[0].call_limits.breaker, BreakerChoice::Set(pets));
/// assert_eq!(config.toolsets[1].call_limits.breaker, BreakerChoice::Never);
/// # Ok::<(), callgate_config::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "it is left alone so, as usual, or never")]
pub enum BreakerChoice {
    /// Calls never pause.
    Never,
    /// Calls pause by these settings.
    Set(BreakerSettings),
    /// Calls pause by the default settings, if calls have limits at all.
    #[default]
    Usual,
}

/// Reads `audit:`.
pub(crate) fn audit(reader: &mut Reader, root: Mapping<'_>) -> Option<AuditedConfig> {
    let (node, pointer) = below(root, "audit")?;
    let mapping = reader.mapping(node, &pointer, &AUDIT)?;
    let arguments = choice(
        reader,
        mapping,
        "arguments",
        [("digest", AuditArguments::Digest), ("full", AuditArguments::Full)],
    );
    let mode = choice(
        reader,
        mapping,
        "mode",
        [("best_effort", AuditMode::BestEffort), ("required", AuditMode::Required)],
    );
    let file = reader.required_string(mapping, "file").map(PathBuf::from);
    let key = secret(reader, mapping, "key");
    Some(AuditedConfig { audit: AuditConfig { file: file?, mode, arguments }, key: key? })
}

/// Reads one of two words.
fn choice<T: Copy + Default>(
    reader: &mut Reader,
    mapping: Mapping<'_>,
    key: &str,
    words: [(&str, T); 2],
) -> T {
    let Some(node) = mapping.object.get(key) else { return T::default() };
    let chosen = words.iter().find(|(word, _)| node.as_str() == Some(word));
    if chosen.is_none() {
        let [(first, _), (second, _)] = words;
        let expected = format!("`{first}` or `{second}`");
        reader.expected(&at(mapping, key), &expected, node, "leave it out for the first");
    }
    chosen.map_or_else(T::default, |(_, value)| *value)
}

/// Reads `calls:`.
pub(crate) fn calls(reader: &mut Reader, root: Mapping<'_>) -> Option<CallsConfig> {
    let (node, pointer) = below(root, "calls")?;
    let mapping = reader.mapping(node, &pointer, &CALLS)?;
    let usual = CallsConfig::default();
    Some(CallsConfig {
        in_flight: reader.count(mapping, "in_flight", usize::MAX).unwrap_or(usual.in_flight),
        queue: reader.whole(mapping, "queue", 0..=usize::MAX).unwrap_or(usual.queue),
        queue_wait: reader.duration(mapping, "queue_wait").unwrap_or(usual.queue_wait),
        principal: bound(reader, mapping),
    })
}

/// Reads `idempotency:`.
pub(crate) fn idempotency(reader: &mut Reader, root: Mapping<'_>) -> Option<RecordBounds> {
    let (node, pointer) = below(root, "idempotency")?;
    let mapping = reader.mapping(node, &pointer, &IDEMPOTENCY)?;
    let usual = RecordBounds::default();
    Some(RecordBounds {
        ttl: reader.duration(mapping, "ttl").unwrap_or(usual.ttl),
        most: reader.count(mapping, "most", usize::MAX).unwrap_or(usual.most),
        bytes: reader.bytes(mapping, "bytes").unwrap_or(usual.bytes),
    })
}

/// Reads the limits on calls under `limits` of a toolset. The module `limits` reports faults of the mapping itself.
pub(crate) fn call_limits(reader: &mut Reader, toolset: Mapping<'_>) -> CallLimits {
    let Some((node, pointer)) = below(toolset, LIMITS_KEY) else { return CallLimits::default() };
    let Some(object) = node.as_object() else { return CallLimits::default() };
    let mapping = Mapping { object, pointer: &pointer };
    CallLimits { bound: bound(reader, mapping), breaker: breaker(reader, mapping) }
}

fn bound(reader: &mut Reader, mapping: Mapping<'_>) -> Bound {
    Bound {
        concurrency: reader.count(mapping, "concurrency", usize::MAX),
        rate: rate(reader, mapping),
    }
}

fn rate(reader: &mut Reader, mapping: Mapping<'_>) -> Option<Rate> {
    let (node, pointer) = below(mapping, "rate")?;
    let mapping = reader.mapping(node, &pointer, &RATE)?;
    if !mapping.object.contains("calls") {
        let message = "expected the key `calls`, got none";
        reader.complain(ConfigCode::MissingKey, &*pointer, message, "add `calls: …`");
    }
    let per = reader.duration(mapping, "per").unwrap_or(Duration::from_secs(1));
    let burst = count(reader, mapping, "burst");
    let calls = count(reader, mapping, "calls")?;
    Some(Rate { calls, per, burst: burst.unwrap_or(calls) })
}

fn breaker(reader: &mut Reader, mapping: Mapping<'_>) -> BreakerChoice {
    let Some((node, pointer)) = below(mapping, "breaker") else { return BreakerChoice::Usual };
    if node.as_str() == Some("none") {
        return BreakerChoice::Never;
    }
    if node.as_object().is_none() {
        let help = "`none` calls it always, `{failures: 5, open: 10s}` leaves it alone";
        reader.expected(&pointer, "`none` or a mapping", node, help);
        return BreakerChoice::Usual;
    }
    let Some(mapping) = reader.mapping(node, &pointer, &BREAKER) else {
        return BreakerChoice::Usual;
    };
    let usual = BreakerSettings::default();
    BreakerChoice::Set(BreakerSettings {
        failures: count(reader, mapping, "failures").map_or(usual.failures, NonZeroU32::get),
        open: reader.duration(mapping, "open").unwrap_or(usual.open),
    })
}

fn count(reader: &mut Reader, mapping: Mapping<'_>, key: &str) -> Option<NonZeroU32> {
    let count = reader.count(mapping, key, MOST_CALLS)?;
    u32::try_from(count).ok().and_then(NonZeroU32::new)
}

fn below<'a>(mapping: Mapping<'a>, key: &str) -> Option<(&'a Node, String)> {
    Some((mapping.object.get(key)?, at(mapping, key)))
}

/// The key of a toolset that contains its limits.
const LIMITS_KEY: &str = "limits";
