//! Reports that a call is waiting, after more than a second and only on a terminal.

use std::{pin::pin, time::Duration};

use indicatif::{ProgressBar, ProgressStyle};

use crate::output;

/// The time that a call may take before it is reported as waiting.
const PATIENCE: Duration = Duration::from_secs(1);
const TICK: Duration = Duration::from_millis(100);

/// Runs `call` and shows a clock on a terminal if it takes long.
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
