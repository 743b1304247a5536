//! Says that a call is waiting, when it takes more than a second and somebody watches.

use std::{pin::pin, time::Duration};

use indicatif::{ProgressBar, ProgressStyle};

use crate::output;

/// The time a call may take before it is said to be waiting.
const PATIENCE: Duration = Duration::from_secs(1);
/// The interval at which the clock on the screen moves.
const TICK: Duration = Duration::from_millis(100);

/// Runs `call`, showing a clock on a terminal once it takes long.
pub(super) async fn shown<T>(call: impl Future<Output = T>) -> T {
    let mut call = pin!(call);
    if !output::is_watched() {
        return call.await;
    }
    if let Ok(ended) = tokio::time::timeout(PATIENCE, &mut call).await {
        return ended;
    }
    let bar = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{spinner} waiting for the service, {elapsed}")
    {
        bar.set_style(style);
    }
    bar.enable_steady_tick(TICK);
    let ended = call.await;
    bar.finish_and_clear();
    ended
}
