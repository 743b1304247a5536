//! An approval as a store keeps it: the request that a person sees, who asked, and what was decided. The arguments and the
//! session of the call are not part of it.

use std::time::{Duration, SystemTime};

use callgate_session::{Error, Key, Record, Stored, Version};
use callgate_tool::{Effect, Value};
use serde::{Deserialize, Serialize};

use crate::digest::Digest;

/// A call that waits for an approval, as those see it who may decide about it.
///
/// ```
/// use callgate_policy::{Approval, ApprovalState, approval_text};
///
/// fn line(approval: &Approval) -> String {
///     let caller = approval.caller.as_deref().unwrap_or("somebody");
///     let state = match &approval.state {
///         ApprovalState::Approved { by } => format!("approved by {by}"),
///         ApprovalState::Rejected { by } => format!("rejected by {by}"),
///         ApprovalState::Waiting => "waits".to_owned(),
///     };
///     format!("{caller} asks for {}: {state}\n{}", approval.tool, approval_text(&approval.request))
/// }
/// ```
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Approval {
    /// The id under which it is decided.
    pub id: String,
    /// The tool.
    pub tool: String,
    /// The toolset of the tool.
    pub toolset: String,
    /// The effect of the tool.
    pub effect: Effect,
    /// The request that would be sent, with `****` for credentials. Null in a listing where it is larger than 4 KiB:
    /// [`Approvals::find`](crate::Approvals::find) has it.
    pub request: Value,
    /// The id of the principal that made the call; `None` for a caller without a name.
    pub caller: Option<String>,
    /// The time when the call was made.
    pub asked: SystemTime,
    /// The time when the approval ends, decided or not.
    pub expires: SystemTime,
    /// What was decided.
    pub state: ApprovalState,
    /// That of the request and of what the call is.
    pub(crate) digest: Digest,
    pub(crate) used: Option<Use>,
}

#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub(crate) enum Use {
    /// Its call is about to be made, or runs.
    Begun {
        user: User,
        /// The milliseconds that are left of the record when nobody counts as running the call any more.
        lapse: u64,
    },
    Made,
    Rejected,
}

/// The name of whoever uses an approval.
pub(crate) type User = [u8; 16];

impl Use {
    /// The time in which a call usually ends, and a use that was not one is taken back.
    pub(crate) const TIME: Duration = Duration::from_secs(30);

    /// The use of an approval that begins now. Its end is said by the time that is then left of the record, so that the
    /// store's clock tells it.
    pub(crate) fn begin_for_user(user: User, approval: &Approval) -> Self {
        let lapse = approval.time_left().saturating_sub(Self::TIME).as_millis();
        Self::Begun { user, lapse: u64::try_from(lapse).unwrap_or(u64::MAX) }
    }
}

/// The state of an approval that was not used yet.
///
/// ```
/// use callgate_policy::ApprovalState;
///
/// let state = ApprovalState::Approved { by: "principal:lee".to_owned() };
/// assert_eq!((state.as_str(), state.by()), ("approved", Some("principal:lee")));
/// ```
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
pub enum ApprovalState {
    /// Somebody else than the caller approved the call, which was not made yet.
    Approved {
        /// The id of the principal.
        by: String,
    },
    /// Somebody else than the caller rejected the call, and the caller does not know yet.
    Rejected {
        /// The id of the principal.
        by: String,
    },
    /// Nobody has decided.
    Waiting,
}

#[derive(Clone, Debug)]
pub(crate) struct StoredApproval {
    pub(crate) key: Key,
    pub(crate) version: Version,
    pub(crate) approval: Approval,
    /// The bytes of its record.
    pub(crate) n_bytes: usize,
}

impl ApprovalState {
    /// `approved`, `rejected` or `waiting`.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Approved { .. } => "approved",
            Self::Rejected { .. } => "rejected",
            Self::Waiting => "waiting",
        }
    }

    /// The id of the principal that decided.
    pub fn by(&self) -> Option<&str> {
        match self {
            Self::Approved { by } | Self::Rejected { by } => Some(by),
            Self::Waiting => None,
        }
    }
}

impl Approval {
    /// The approval as a record that lives until the approval ends.
    pub(crate) fn to_record(&self) -> Result<Record, Error> {
        Ok(Record::json(self)?.with_time_to_live(self.time_left()))
    }

    fn time_left(&self) -> Duration {
        self.expires.duration_since(SystemTime::now()).unwrap_or(Duration::ZERO)
    }

    /// The approval after its use: without the request, which nobody decides about any more.
    pub(crate) fn with_use(&self, by: Use) -> Self {
        Self { request: Value::Null, used: Some(by), ..self.clone() }
    }

    /// True if this user has begun to use the approval.
    pub(crate) fn is_use_begun_by(&self, expected: &User) -> bool {
        matches!(&self.used, Some(Use::Begun { user, .. }) if user == expected)
    }

    /// True if the principal of this id made the call.
    pub fn is_of(&self, principal: &str) -> bool {
        self.caller.as_deref() == Some(principal)
    }
}

impl StoredApproval {
    /// True if the request of an unused approval lies beside it.
    pub(crate) fn has_separate_request(&self) -> bool {
        self.approval.used.is_none() && self.approval.request.is_null()
    }

    /// `None` if the record is none of this release.
    pub(crate) fn from_stored(key: Key, stored: &Stored) -> Option<Self> {
        let mut approval: Approval = stored.record.read().ok()?;
        // A store that does not say how much time is left lets no use lapse.
        let left = stored.record.time_to_live().map_or(u128::MAX, |left| left.as_millis());
        if matches!(approval.used, Some(Use::Begun { lapse, .. }) if left <= u128::from(lapse)) {
            approval.used = Some(Use::Made);
        }
        Some(Self { key, version: stored.version, approval, n_bytes: stored.record.size() })
    }
}

/// The most bytes of a request that lies with its approval, and is listed with it.
pub(crate) const MOST_LISTED: usize = 4096;

/// The decision that a call was made or ended by, as an extension of the call.
#[derive(Clone, Debug)]
pub(crate) struct Permit {
    pub(crate) approval: String,
    /// The id of the principal that decided, if it is known.
    pub(crate) by: Option<String>,
}

/// The id under which an equal call with the same idempotency key waits, as an extension of the call.
#[derive(Debug)]
pub(crate) struct AskedApproval(pub(crate) String);
