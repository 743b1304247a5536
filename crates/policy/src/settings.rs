//! The keys of the middleware around calls: `audit`, `calls` and `idempotency`, and `rate`, `concurrency` and `breaker` in the
//! `limits` of a toolset; and the words of `confirm`. The build of a configuration decides which middleware exists.

use std::{num::NonZeroU32, path::PathBuf, time::Duration};

use callgate_secret::SecretReference;
use callgate_settings::{
    Bytes, Count, Kind, Mapping, Reader, Whole, forms, keys, member_pointer, words,
};

pub use crate::webhook::settings::Approvals;
use crate::{
    AuditArguments, AuditConfig, AuditMode, Bound, BreakerSettings, Confirm, LimitsConfig, Rate,
    RateOutage, RecordBounds,
};

/// The audit file of calls, and the key of its chain.
///
/// ```
/// use callgate_policy::{AuditArguments, AuditConfig, AuditMode, AuditedConfig};
///
/// let (mode, arguments) = (AuditMode::Required, AuditArguments::Digest);
/// let audit = AuditConfig { file: "audit.jsonl".into(), mode, arguments };
/// let audited = AuditedConfig { audit, key: "file:audit.key".parse()? };
/// assert_eq!(audited.key.to_string(), "file:audit.key");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct AuditedConfig {
    /// The audit file, and its format.
    pub audit: AuditConfig,
    /// The key that chains the lines of the file, at least 16 bytes.
    pub key: SecretReference,
}

/// The limits on a toolset's calls together.
///
/// ```
/// use callgate_policy::{Bound, BreakerChoice, CallLimits};
///
/// // `limits: {concurrency: 16}`
/// let bound = Bound { concurrency: Some(16), ..Bound::default() };
/// let limits = CallLimits { bound, ..CallLimits::default() };
/// assert_eq!(limits.breaker, BreakerChoice::Usual);
/// ```
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
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
/// use callgate_policy::{BreakerChoice, BreakerSettings};
///
/// // `breaker: {failures: 3, open: 30s}`
/// let set = BreakerSettings { failures: 3, open: Duration::from_secs(30) };
/// assert_ne!(BreakerChoice::Set(set), BreakerChoice::Usual);
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

words! {
    Confirm, "`writes` asks about every call that changes something":
    "always" => Always, "destructive" => Destructive, "dialogflow_v2" => DialogflowV2, "never" => Never,
    "writes" => Writes
}
words! { AuditArguments, "leave it out for the first": "digest" => Digest, "full" => Full }
words! { RateOutage, "leave it out for the first": "local" => Local, "refuse" => Refuse }
words! { AuditMode, "leave it out for the first": "best_effort" => BestEffort, "required" => Required }

keys! {
    pub(crate) struct AuditKeys in "`audit`" {
        /// `full` writes arguments as they are, beside their digest.
        arguments: AuditArguments;
        /// The file, relative to this one.
        file: PathBuf, required;
        /// The key that chains the lines, at least 16 bytes.
        key: SecretReference, required;
        /// `required` refuses calls that cannot be recorded.
        mode: AuditMode;
    }
}

keys! {
    /// The keys of the limits on a toolset's calls together.
    pub CallLimitKeys over CallLimits, in "`limits`" {
        /// The conditions under which calls to an unreachable service pause.
        breaker: Breaker;
        /// The number of calls that run at a time.
        concurrency => bound.concurrency: Count;
        /// The number of calls that may start in a span of time.
        rate => bound.rate: CallRate;
    }
}

keys! {
    /// The keys of the limits on all calls.
    pub CallsKeys over LimitsConfig, in "`calls`" {
        /// The number of calls of one principal that run at a time.
        concurrency => principal.concurrency: Count;
        /// The total number of calls that run at a time.
        in_flight: Count;
        /// The number of calls of one principal that wait at one limit for another call to end.
        queue: Whole;
        /// The time for which calls wait.
        queue_wait: Duration;
        /// The number of calls of one principal that may start in a span of time.
        rate => principal.rate: CallRate;
    }
}

keys! {
    /// The keys of the limits on kept results.
    pub IdempotencyKeys over RecordBounds, in "`idempotency`" {
        /// The bytes that the results of one principal may take together.
        bytes: Bytes;
        /// The number of keys that are kept for one principal; further ones are refused.
        most: Count;
        /// The time for which a result is kept.
        ttl: Duration;
    }
}

keys! {
    pub(crate) struct RateKeys in "`rate`" {
        /// The number of calls that may start at once; all unless given.
        burst: CallCount;
        /// The number of calls.
        calls: CallCount, required;
        /// The span of time; a second unless given.
        per: Duration;
    }
}

keys! {
    pub(crate) BreakerKeys over BreakerSettings, in "`breaker`" {
        /// The number of calls in a row that could not reach the service.
        failures: CallCount;
        /// The time until one call tries the service again.
        open: Duration;
    }
}

forms! {
    /// The audit file.
    pub struct Audit => AuditedConfig, AuditKeys::KIND, |reader, mapping, key| {
        let AuditKeys { arguments, file, key, mode } = reader.get::<AuditKeys>(mapping, key)?;
        let (arguments, mode) = (arguments.unwrap_or_default(), mode.unwrap_or_default());
        Some(AuditedConfig { audit: AuditConfig { file: file?, mode, arguments }, key: key? })
    };
    struct CallCount => NonZeroU32, Kind::Count(MOST_CALLS), |reader, mapping, key| {
        let count = reader.whole_number(mapping, key, 1..=MOST_CALLS)?;
        u32::try_from(count).ok().and_then(NonZeroU32::new)
    };
    /// The number of calls in a span of time.
    struct CallRate => Rate, RateKeys::KIND, |reader, mapping, key| {
        let RateKeys { burst, calls, per } = reader.get::<RateKeys>(mapping, key)?;
        let per = per.unwrap_or(Duration::from_secs(1));
        Some(Rate { calls: calls?, per, burst: burst.or(calls)? })
    };
    /// The breaker of a toolset.
    struct Breaker => BreakerChoice, Kind::AnyOf(&[Kind::Choice(&["none"]), BreakerKeys::KIND]), read_breaker;
}

fn read_breaker(reader: &mut Reader, mapping: Mapping<'_>, key: &str) -> Option<BreakerChoice> {
    let node = mapping.object.get(key)?;
    if node.as_str() == Some("none") {
        return Some(BreakerChoice::Never);
    }
    if node.as_object().is_none() {
        let help = "`none` calls it always, `{failures: 5, open: 10s}` leaves it alone";
        reader.report_wrong_type(&member_pointer(mapping, key), "`none` or a mapping", node, help);
        return None;
    }
    reader.get::<BreakerKeys>(mapping, key).map(BreakerChoice::Set)
}

/// The largest number of calls that a rate can count.
const MOST_CALLS: usize = 1_000_000_000;
