//! The connections of one login to PostgreSQL, for the pool.

use std::{pin::pin, time::Duration};

use tokio::time::timeout;

use super::{connection::Connection, dial::Dialling};
use crate::{
    error::Error,
    pool::{Conditions, Dial, Ending, Pooled},
    transaction::Transaction,
};

/// The connections of one login.
pub(super) type Pool = crate::pool::Pool<Dialling>;

/// A connection on loan.
pub(super) type Loan = crate::pool::Loan<Dialling>;

impl Dial for Dialling {
    type Connection = Connection;

    async fn open(&self) -> Result<Connection, Error> {
        Self::open(self).await
    }

    async fn cancel_and_close(&self, connection: Connection) {
        let token = connection.client.cancel_token();
        let mut ended = pin!(connection.roll_back());
        // A cancellation that arrives between two statements ends neither.
        while {
            drop(Self::cancel(self, &token).await);
            timeout(CANCEL_PAUSE, &mut ended).await.is_err()
        } {}
    }
}

impl Pooled for Connection {
    fn is_closed(&mut self) -> bool {
        Self::is_closed(self)
    }

    fn may_still_run(&mut self) -> bool {
        !Self::is_closed(self) || self.meter.is_limit_exceeded()
    }

    async fn run(&mut self, transaction: &Transaction, conditions: Conditions<'_>) -> Ending {
        super::run::run(self, transaction, conditions).await
    }
}

/// The time after which a cancellation is sent again.
const CANCEL_PAUSE: Duration = Duration::from_millis(100);
