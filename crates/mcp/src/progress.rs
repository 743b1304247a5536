//! Progress of a call for clients that ask for it: the seconds since its beginning. A client that receives progress
//! keeps waiting.

use std::{pin::pin, time::Duration};

use rmcp::{RoleServer, model::ProgressNotificationParam, service::RequestContext};
use tokio::time::{Instant, interval};

/// Waits for a call, and reports progress every second.
pub(crate) async fn wait_with_progress<T>(
    context: &RequestContext<RoleServer>,
    call: impl Future<Output = T>,
) -> T {
    let Some(token) = context.meta.get_progress_token() else { return call.await };
    let (began, mut ticks, mut call) = (Instant::now(), interval(EVERY), pin!(call));
    loop {
        tokio::select! {
            ended = &mut call => return ended,
            _ = ticks.tick() => {
                let seconds = began.elapsed().as_secs_f64();
                let progress = ProgressNotificationParam::new(token.clone(), seconds);
                // A client that has left is noticed when the response is written.
                context.peer.notify_progress(progress).await.ok();
            }
        }
    }
}

const EVERY: Duration = Duration::from_secs(1);
