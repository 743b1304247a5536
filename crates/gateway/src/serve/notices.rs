//! Delivers the notices of the webhook of approvals, from the start of a sidecar to its end.

use callgate_executor::Stop;
use tokio::task::JoinHandle;

use crate::gateway::Gateway;

#[derive(Debug)]
pub(super) struct Notices {
    stop: Stop,
    task: Option<JoinHandle<()>>,
}

impl Notices {
    pub(super) fn start(gateway: &Gateway) -> Self {
        let stop = Stop::default();
        let task = gateway.current_build().webhook().cloned().map(|webhook| {
            let stop = stop.clone();
            tokio::spawn(async move { webhook.deliver_until_stopped(&stop).await })
        });
        Self { stop, task }
    }

    /// Waits for the last requests, for a moment.
    pub(super) async fn end(mut self) {
        self.stop.stop();
        if let Some(task) = self.task.take() {
            // An error would be a panic of the deliveries, which the runtime has reported.
            task.await.ok();
        }
    }
}

impl Drop for Notices {
    fn drop(&mut self) {
        if let Some(task) = &self.task {
            task.abort();
        }
    }
}
