//! The middleware around every call, one file each. The executor fixes the order; the builder of an executor chooses its
//! middleware.

mod approval;
mod approval_record;
mod audit;
mod breaker;
mod digest;
mod error;
mod gate;
mod idempotency;
mod limits;
mod metrics;
mod rate;
mod records;
#[doc(hidden)]
pub mod settings;
#[cfg(test)]
mod subscriber;
#[cfg(test)]
mod tests;
mod timed_store;
mod webhook;

pub use approval::{
    APPROVAL_TIME, ApprovalPage, ApprovalRules, Approvals, AskAtLeast, Confirm, Extent, Listing,
    Marked, approval_text,
};
pub use approval_record::{Approval, ApprovalState};
#[doc(hidden)]
pub use audit::masked_arguments;
pub use audit::{
    Audit, AuditArguments, AuditConfig, AuditMode, Flaw, FlawKind, TurnEnd, TurnId, UnknownCall,
    Verified, verify_audit,
};
pub use breaker::{Breaker, BreakerSettings};
pub use error::{Error, ErrorKind};
pub use idempotency::Idempotency;
pub use limits::{Bound, Limits, LimitsConfig, RateOutage};
pub use metrics::{Metrics, create_toolset_series, describe_metrics};
pub use rate::Rate;
pub use records::{Begun, Guard, IdempotencyKey, RecordBounds, Records};
pub use settings::{AuditedConfig, BreakerChoice, CallLimits};
pub use timed_store::TimedStore;
pub use webhook::{Notice, Webhook, WebhookKey, WebhookTarget, settings::WebhookConfig};
