//! The requests to the file, and their answers.

use callgate_session::Expected;

use crate::{
    address::Address,
    engine::{Page, Put, Row, Rows},
};

/// A request to the file, at a time in milliseconds since 1970.
#[derive(Debug)]
pub(super) enum Request {
    Count { space: &'static str, now: i64 },
    Get { address: Address, now: i64 },
    List { page: Page, now: i64 },
    Put { put: Put, ends: i64, now: i64 },
    Remove { address: Address, expected: Expected, now: i64 },
}

#[derive(Debug)]
pub(super) enum Answer {
    Changed(bool),
    Counted(usize),
    Found(Option<Row>),
    Listed(Rows),
}

impl Request {
    fn space(&self) -> &str {
        match self {
            Self::Count { space, .. } => space,
            Self::Get { address, .. } | Self::Remove { address, .. } => &address.space,
            Self::List { page, .. } => &page.region.space,
            Self::Put { put, .. } => &put.address.space,
        }
    }

    pub(super) fn now(&self) -> i64 {
        match self {
            Self::Count { now, .. }
            | Self::Get { now, .. }
            | Self::List { now, .. }
            | Self::Put { now, .. }
            | Self::Remove { now, .. } => *now,
        }
    }

    pub(super) fn is_change(&self) -> bool {
        matches!(self, Self::Put { .. } | Self::Remove { .. })
    }

    /// Returns true for what must survive a loss of power: without it, a call would be made twice.
    pub(super) fn needs_durability(&self) -> bool {
        self.is_change() && ["approval", "detail", "idempotency", "program"].contains(&self.space())
    }
}
