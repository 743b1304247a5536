//! Waits for a future until a deadline, and sets a timer only if the future is not ready at once: most credentials and
//! the bodies of short responses are.

use std::pin::pin;

use futures_util::future::poll_immediate;
use tokio::time::{Instant, error::Elapsed, timeout_at};

pub(super) async fn run_within_deadline<F: Future>(
    deadline: Instant,
    future: F,
) -> Result<F::Output, Elapsed> {
    let mut future = pin!(future);
    match poll_immediate(future.as_mut()).await {
        Some(ended) => Ok(ended),
        None => timeout_at(deadline, future).await,
    }
}

#[cfg(test)]
mod tests {
    use std::{future, time::Duration};

    use tokio::time::sleep;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_future_that_is_not_ready_by_its_deadline_is_given_up() {
        let soon = Instant::now() + Duration::from_secs(2);
        assert_eq!(run_within_deadline(soon, future::ready(1)).await.ok(), Some(1));
        let second = async { sleep(Duration::from_secs(1)).await };
        assert!(run_within_deadline(soon, second).await.is_ok());
        assert!(run_within_deadline(soon, future::pending::<()>()).await.is_err());
        assert_eq!(Instant::now(), soon);
    }
}
