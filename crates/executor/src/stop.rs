//! The moment when a program stops waiting for calls. A call that knows of it then ends with what is known of the call.

use tokio::sync::watch;

/// Ends calls when the program must end. Clones share one state, which never goes back.
///
/// ```
/// use callgate_executor::{Call, Executor, Stop};
/// use callgate_tool::{Session, ToolCall};
///
/// # async fn run(executor: &Executor, asked: &ToolCall, session: &Session, stop: &Stop) {
/// // Once somebody calls `stop.stop()`, this is a result that says whether the service may have been reached.
/// let result = executor.call_with(Call::new(asked, session).with_stop(stop.clone())).await;
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Stop(watch::Sender<bool>);

impl Default for Stop {
    fn default() -> Self {
        Self(watch::Sender::new(false))
    }
}

impl Stop {
    /// Ends all calls that hold this stop, later ones too.
    pub fn stop(&self) {
        self.0.send_replace(true);
    }

    /// True if calls must end.
    pub fn is_stopped(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until calls must end.
    pub async fn wait_for_stop(&self) {
        let mut state = self.0.subscribe();
        // An error means that the last sender is gone, and `self` is a sender.
        state.wait_for(|is_stopped| *is_stopped).await.ok();
    }

    /// The output of a future, or `None` if calls must end first. A future is not started after that.
    pub(crate) async fn run_unless_stopped<F: Future>(
        stop: Option<&Self>,
        future: F,
    ) -> Option<F::Output> {
        let Some(stop) = stop else { return Some(future.await) };
        if stop.is_stopped() {
            return None;
        }
        tokio::select! {
            biased;
            ended = future => Some(ended),
            () = stop.wait_for_stop() => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};

    use super::*;

    #[tokio::test]
    async fn a_stop_ends_running_work_and_further_work_does_not_begin() {
        let stop = Stop::default();
        assert_eq!(Stop::run_unless_stopped(None, ready(1)).await, Some(1));
        assert_eq!(Stop::run_unless_stopped(Some(&stop), ready(1)).await, Some(1));
        let (ended, ()) =
            tokio::join!(Stop::run_unless_stopped(Some(&stop), pending::<()>()), async {
                stop.clone().stop();
            });
        assert_eq!(ended, None);
        assert_eq!(Stop::run_unless_stopped(Some(&stop), ready(1)).await, None);
        stop.wait_for_stop().await;
    }
}
