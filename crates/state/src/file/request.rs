//! The requests to the file, and their answers.

use callgate_session::Expected;

use crate::{
    address::Address,
    engine::{Put, Row},
};

/// A request to the file, at a time in milliseconds since 1970.
#[derive(Debug)]
pub(super) enum Request {
    Get { address: Address, now: i64 },
    Put { put: Put, ends: i64, now: i64 },
    Remove { address: Address, expected: Expected, now: i64 },
}

#[derive(Debug)]
pub(super) enum Answer {
    Changed(bool),
    Found(Option<Row>),
}

impl Request {
    fn address(&self) -> &Address {
        match self {
            Self::Get { address, .. } | Self::Remove { address, .. } => address,
            Self::Put { put, .. } => &put.address,
        }
    }

    pub(super) fn now(&self) -> i64 {
        match self {
            Self::Get { now, .. } | Self::Put { now, .. } | Self::Remove { now, .. } => *now,
        }
    }

    pub(super) fn is_change(&self) -> bool {
        !matches!(self, Self::Get { .. })
    }

    /// Returns true for what must survive a loss of power: without it, a call would be made twice.
    pub(super) fn is_durable(&self) -> bool {
        self.is_change() && ["approval", "idempotency"].contains(&&*self.address().space)
    }
}
