//! The shares of principals in the connections to a database. They take turns, so that the calls of one never wait behind all those of
//! another; which connection a call gets is decided by the pools.

use callgate_executor::Call;
use callgate_session::{FairQueue, QueueBounds, QueuePermit};
use callgate_tool::Principal;
use tokio::time::{Instant, timeout_at};

use crate::transaction::Failure;

/// The connections that are in use at once, and the calls that wait for one.
#[derive(Debug)]
pub(crate) struct Shares(FairQueue);

impl Shares {
    /// Shares in a number of connections. One principal has at most three quarters of them, so that its slow statements leave one to
    /// the others.
    pub(crate) fn new(connections: usize) -> Self {
        let units = connections.max(1);
        let each = (units - units.div_ceil(4)).max(1);
        Self(FairQueue::new(QueueBounds { units, each, waiting: WAITING }))
    }

    /// A permit for one connection, as soon as it is free; `None` if too many calls wait already.
    pub(crate) async fn permit(&self, principal: &str) -> Option<QueuePermit> {
        self.0.enter(principal, 1).await
    }

    /// A permit for one connection that is free by `deadline`.
    pub(crate) async fn permit_by(
        &self,
        deadline: Instant,
        principal: &str,
    ) -> Result<QueuePermit, Failure> {
        let permit = timeout_at(deadline, self.permit(principal)).await;
        permit.ok().flatten().ok_or(Failure::Busy)
    }
}

/// The id of the principal of a call; callers without a name are one principal.
pub(crate) fn principal_id_or_empty<'a>(call: &'a Call<'_>) -> &'a str {
    call.principal().map_or("", Principal::id)
}

/// Whose loads and reloads are; no principal has this name.
pub(crate) const OPERATOR: &str = "\0";

/// The calls that wait for a connection; one principal has at most half of what the others leave.
const WAITING: usize = 4096;

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[test]
    fn one_principal_has_at_most_three_quarters_of_the_connections() {
        for (connections, expected) in [(0, 1), (1, 1), (2, 1), (3, 2), (4, 3), (8, 6), (9, 6)] {
            let shares = Shares::new(connections);
            let permit = |principal| shares.permit(principal).now_or_never().flatten();
            let mut permits = Vec::new();
            permits.extend(std::iter::from_fn(|| permit("kim")));
            assert_eq!(permits.len(), expected, "{connections} connections");
            assert_eq!(permit("lee").is_some(), connections > 1, "{connections} connections");
        }
    }
}
