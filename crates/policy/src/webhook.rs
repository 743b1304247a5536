//! Tells a service of the operator that a call waits for an approval: signed, again until the service has taken it, and never
//! in the way of a call. A sidecar drives the deliveries by [`Webhook::deliver_until_stopped`].

pub(crate) mod settings;
mod signature;

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use bytes::Bytes;
use callgate_call::retry_after;
use callgate_executor::Stop;
use callgate_session::{FairQueue, QueueBounds, QueuePermit};
use callgate_tool::{json, rfc_3339};
use callgate_transport::{Limits, Transport};
use futures_util::{StreamExt, stream::FuturesUnordered};
use http::{HeaderValue, Request, StatusCode, header::CONTENT_TYPE};
use metrics::counter;
use tokio::{
    sync::mpsc,
    time::{Instant, sleep, timeout},
};
use url::Url;

pub use self::signature::WebhookKey;

/// The service that a webhook tells, and the keys that sign.
#[derive(Clone)]
pub struct WebhookTarget {
    /// The address that notices are sent to.
    pub url: Url,
    /// The keys that sign; several while one replaces another.
    pub keys: Vec<WebhookKey>,
    /// The transport that sends.
    pub transport: Arc<dyn Transport>,
}

// The path of the address may be a secret.
callgate_secret::opaque!(WebhookTarget { keys });

/// A call that began to wait for an approval, without the values of the call.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Notice {
    /// The id of the approval. A notice that is sent again keeps it.
    pub id: String,
    /// The tool.
    pub tool: String,
    /// The principal that made the call, if it has a name.
    pub caller: Option<String>,
    /// The time when the approval ends.
    pub expires: SystemTime,
}

/// Tells a service of calls that wait for an approval, at least once. Clones share one queue, in which the callers take
/// turns.
///
/// ```
/// use std::{sync::Arc, time::{Duration, SystemTime}};
///
/// use callgate_executor::Stop;
/// use callgate_policy::{Notice, Webhook, WebhookKey, WebhookTarget};
/// use callgate_secret::Secret;
/// use callgate_transport::Client;
///
/// # async fn serve(stop: Stop) -> Result<(), Box<dyn std::error::Error>> {
/// let key = WebhookKey::new(&Secret::new(std::env::var("WEBHOOK_SECRET")?))?;
/// let (url, transport) = ("https://chat.example.com/approvals".parse()?, Client::new()?);
/// let webhook = Webhook::new();
/// webhook.set_target(Some(WebhookTarget { url, keys: vec![key], transport: Arc::new(transport) }));
/// let expires = SystemTime::now() + Duration::from_secs(600);
/// let (id, tool) = ("approval_1".to_owned(), "shop-buy".to_owned());
/// webhook.queue_notice(Notice { id, tool, caller: Some("kim".to_owned()), expires });
/// webhook.deliver_until_stopped(&stop).await;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Webhook(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    target: Mutex<Option<Arc<WebhookTarget>>>,
    queue: mpsc::Sender<QueuedNotice>,
    queued: Mutex<Option<mpsc::Receiver<QueuedNotice>>>,
    /// The notices that are kept until they are delivered or given up.
    notices: FairQueue,
    /// True after a failure, until the service takes a notice again.
    is_failing: AtomicBool,
    requests: FairQueue,
}

/// A notice with its part of what is kept.
type QueuedNotice = (Notice, QueuePermit);

/// The reason why the service did not take a notice, and the wait that it asks for.
type Untaken = (String, Option<Duration>);

impl Default for Webhook {
    fn default() -> Self {
        Self::new()
    }
}

impl Webhook {
    /// A webhook that tells nobody yet.
    pub fn new() -> Self {
        let (queue, queued) = mpsc::channel(MOST_QUEUED);
        Self(Arc::new(Shared {
            target: Mutex::default(),
            queue,
            queued: Mutex::new(Some(queued)),
            is_failing: AtomicBool::new(false),
            notices: FairQueue::new(NOTICES),
            requests: FairQueue::new(REQUESTS),
        }))
    }

    /// Tells this service from now on, also what was announced before; `None` for nobody.
    pub fn set_target(&self, target: Option<WebhookTarget>) {
        *self.0.target.lock().unwrap_or_else(PoisonError::into_inner) = target.map(Arc::new);
    }

    fn current_target(&self) -> Option<Arc<WebhookTarget>> {
        self.0.target.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Queues a notice. Never waits: a notice beyond the share of its caller is dropped, and the log says so.
    pub fn queue_notice(&self, notice: Notice) {
        if self.current_target().is_none() {
            return;
        }
        let permit = self.0.notices.try_enter(notice.caller_or_empty(), 1);
        let Some(permit) = permit else { return record_dropped_notice(&notice) };
        if let Err(error) = self.0.queue.try_send((notice, permit)) {
            record_dropped_notice(&error.into_inner().0);
        }
    }

    /// Delivers notices until the program stops. The first run takes the queue; others end at once.
    pub async fn deliver_until_stopped(&self, stop: &Stop) {
        let queued = self.0.queued.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(mut queued) = queued else { return };
        let mut deliveries = FuturesUnordered::new();
        loop {
            tokio::select! {
                biased;
                () = stop.wait_for_stop() => break,
                Some(kept) = queued.recv() => deliveries.push(self.deliver_with_retries(kept)),
                Some(()) = deliveries.next() => {}
            }
        }
        while let Ok(kept) = queued.try_recv() {
            deliveries.push(self.deliver_with_retries(kept));
        }
        wait_for_deliveries(deliveries).await;
    }

    async fn deliver_with_retries(&self, (notice, _permit): QueuedNotice) {
        let left = notice.expires.duration_since(SystemTime::now()).unwrap_or_default();
        let Some(ends) = Instant::now().checked_add(left) else { return };
        let body = notice_body(&notice);
        let mut n_failed = 0;
        loop {
            let Some(target) = self.current_target() else { return count_outcome("dropped") };
            let (why, asked) = match self.send_once(&target, &notice, &body).await {
                Ok(()) => return self.record_success(),
                Err(untaken) => untaken,
            };
            n_failed += 1;
            self.record_failure(&why);
            let wait = pause_after(n_failed).max(asked.unwrap_or_default());
            if Instant::now().checked_add(wait).is_none_or(|then| then >= ends) {
                count_outcome("expired");
                let approval = notice.id.as_str();
                tracing::warn!(
                    approval,
                    n_failed,
                    why,
                    "the webhook was not told of an approval in time"
                );
                return;
            }
            sleep(wait).await;
        }
    }

    async fn send_once(
        &self,
        target: &WebhookTarget,
        notice: &Notice,
        body: &str,
    ) -> Result<(), Untaken> {
        // More requests wait than notices are kept, so that there is always a permit.
        let _permit = self.0.requests.enter(notice.caller_or_empty(), 1).await;
        let request = signed_request(target, &notice.id, body).ok_or_else(|| {
            ("the address of the webhook cannot be used in a request".to_owned(), None)
        })?;
        let limits = Limits { timeout: REQUEST_TIME, response_bytes: MOST_READ };
        let answer = target.transport.send(request, &limits).await;
        let answer = answer.map_err(|error| (error.to_string(), None))?;
        if answer.status().is_success() {
            return Ok(());
        }
        Err((status_message(answer.status()), retry_after(answer.headers())))
    }

    fn record_success(&self) {
        count_outcome("delivered");
        if self.0.is_failing.swap(false, Ordering::Relaxed) {
            tracing::info!("the webhook of approvals takes notices again");
        }
    }

    fn record_failure(&self, why: &str) {
        count_outcome("failed");
        if !self.0.is_failing.swap(true, Ordering::Relaxed) {
            let help = "notices are sent again until their approvals end";
            tracing::warn!(why, help, "the webhook of approvals does not take a notice");
        }
    }
}

impl Notice {
    /// The principal whose share the notice is of; callers without a name have one together.
    fn caller_or_empty(&self) -> &str {
        self.caller.as_deref().unwrap_or_default()
    }
}

fn record_dropped_notice(notice: &Notice) {
    count_outcome("dropped");
    let approval = notice.id.as_str();
    tracing::warn!(
        approval,
        "the webhook is not told of an approval: too many of its caller wait for it"
    );
}

/// The body of a notice: its type, its time and its facts, as Standard Webhooks advises.
fn notice_body(notice: &Notice) -> String {
    let mut data = json!({"id": notice.id.as_str(), "tool": notice.tool.as_str()});
    if let Some(members) = data.as_object_mut() {
        members.insert_if_some("caller", notice.caller.as_deref());
        members.insert("expires".to_owned(), rfc_3339(notice.expires).into());
    }
    let (kind, now) = ("approval.requested", rfc_3339(SystemTime::now()));
    json!({"type": kind, "timestamp": now, "data": data}).to_string()
}

fn signed_request(target: &WebhookTarget, id: &str, body: &str) -> Option<Request<Bytes>> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let signed = signature::signature(&target.keys, id, now, body);
    let request = Request::post(target.url.as_str())
        .header(CONTENT_TYPE, HeaderValue::from_static("application/json"))
        .header("webhook-id", id)
        .header("webhook-timestamp", now)
        .header("webhook-signature", signed);
    request.body(Bytes::copy_from_slice(body.as_bytes())).ok()
}

fn status_message(status: StatusCode) -> String {
    format!("it answered with status {}", status.as_u16())
}

/// Waits for deliveries for a moment. Those that are not made then are counted.
async fn wait_for_deliveries(mut deliveries: FuturesUnordered<impl Future<Output = ()>>) {
    let rest = async { while deliveries.next().await.is_some() {} };
    if timeout(GRACE, rest).await.is_err() {
        let count = deliveries.len();
        counter!(FAMILY, "outcome" => "dropped").increment(count as u64);
        tracing::warn!(count, "stopping: the webhook was not told of approvals that wait");
    }
}

/// The wait after this many failures of a notice: doubled each time, and between its half and its whole at random.
fn pause_after(n_failed: u32) -> Duration {
    let whole = FIRST_WAIT.saturating_mul(2_u32.saturating_pow(n_failed - 1)).min(LONGEST_WAIT);
    let mut random = [0; 4];
    let part = getrandom::fill(&mut random).map_or(0, |()| u32::from_le_bytes(random));
    let half = whole / 2;
    half + half.mul_f64(f64::from(part) / f64::from(u32::MAX))
}

fn count_outcome(outcome: &'static str) {
    counter!(FAMILY, "outcome" => outcome).increment(1);
}

const FAMILY: &str = "callgate_webhook_deliveries_total";
/// The notices that are not delivered yet; each takes some hundred bytes.
const MOST_QUEUED: usize = 10_000;
const NOTICES: QueueBounds = QueueBounds { units: MOST_QUEUED, each: MOST_QUEUED / 2, waiting: 0 };
/// The requests that run at once: enough for a burst, and no load for the service.
const REQUESTS: QueueBounds = QueueBounds { units: 8, each: 4, waiting: 2 * MOST_QUEUED };
const REQUEST_TIME: Duration = Duration::from_secs(10);
/// The bytes of a response that are read, and ignored.
const MOST_READ: usize = 64 << 10;
/// The longest wait after the first failure.
const FIRST_WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_mins(1);
/// The time for the last requests of a program that stops.
const GRACE: Duration = Duration::from_secs(2);

#[cfg(test)]
mod tests;
