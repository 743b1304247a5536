//! Time limits for what a caller sends and reads. A task can wait for its turn longer than its limit, and what the caller
//! did in that time is seen only after the runtime has looked at the sockets again. So a limit is over at its second look.

use std::{
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use tokio::time::{Instant, Sleep, sleep_until};

/// Ends after its time and a second look. Polled after what it limits.
#[derive(Debug)]
pub(crate) struct TimeLimit {
    timer: Pin<Box<Sleep>>,
    is_second: bool,
}

impl TimeLimit {
    pub(crate) fn after(time: Duration) -> Self {
        Self::until(Instant::now() + time)
    }

    pub(crate) fn until(end: Instant) -> Self {
        Self { timer: Box::pin(sleep_until(end)), is_second: false }
    }
}

impl Future for TimeLimit {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let this = self.get_mut();
        while this.timer.as_mut().poll(context).is_ready() {
            if this.is_second {
                return Poll::Ready(());
            }
            this.is_second = true;
            this.timer.as_mut().reset(Instant::now() + SECOND_LOOK);
        }
        Poll::Pending
    }
}

/// The time from the end of a limit to the second look; it also keeps coarse timers from being checked all the time.
pub(crate) const SECOND_LOOK: Duration = Duration::from_millis(100);
