//! The connections of one login to MariaDB or MySQL, for the pool.

use super::connection::Dialling;

/// The connections of one login.
pub(super) type Pool = crate::pool::Pool<Dialling>;

/// A connection on loan.
pub(super) type Loan = crate::pool::Loan<Dialling>;
