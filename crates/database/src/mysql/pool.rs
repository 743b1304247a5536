//! The connections of one login to MariaDB or MySQL, for the pool.

use super::connection::{Connection, Dialling};
use crate::{
    pool::{Conditions, Ending, Pooled},
    transaction::Transaction,
};

/// The connections of one login.
pub(super) type Pool = crate::pool::Pool<Dialling>;

/// A connection on loan.
pub(super) type Loan = crate::pool::Loan<Dialling>;

impl Pooled for Connection {
    fn is_closed(&mut self) -> bool {
        self.client.is_closed()
    }

    /// A server goes on with a statement whose connection was closed.
    fn may_still_run(&mut self) -> bool {
        true
    }

    async fn run(&mut self, transaction: &Transaction, conditions: Conditions<'_>) -> Ending {
        // Layers above move the future.
        Box::pin(super::run::run(self, transaction, conditions)).await
    }
}
