//! Tests that a notice is delivered at least once, signed, and without values of its call.

use std::collections::VecDeque;

use callgate_secret::Secret;
use callgate_tool::Value;
use callgate_transport::{Error, ErrorKind};
use http::Response;

use super::*;
use crate::subscriber::set_thread_subscriber;

/// A receiver that answers from a script, and then takes everything.
#[derive(Debug, Default)]
struct Receiver {
    answers: Mutex<VecDeque<Option<u16>>>,
    received: Mutex<Vec<(Request<Bytes>, Instant)>>,
}

#[async_trait::async_trait]
impl Transport for Receiver {
    async fn send(&self, request: Request<Bytes>, _: &Limits) -> Result<Response<Bytes>, Error> {
        self.received.lock().unwrap().push((request, Instant::now()));
        let answer = self.answers.lock().unwrap().pop_front().unwrap_or(Some(204));
        let status = answer.ok_or_else(|| Error::new(ErrorKind::Connect, "nobody listens"))?;
        Ok(Response::builder().status(status).body(Bytes::new()).unwrap())
    }
}

impl Receiver {
    fn new(answers: &[Option<u16>]) -> Arc<Self> {
        let answers = Mutex::new(answers.iter().copied().collect());
        Arc::new(Self { answers, received: Mutex::default() })
    }

    fn requests(&self) -> Vec<Request<Bytes>> {
        self.received.lock().unwrap().iter().map(|(request, _)| request.clone()).collect()
    }
}

fn webhook(receiver: &Arc<Receiver>) -> Webhook {
    let secrets =
        ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX"];
    let keys = secrets.map(|secret| WebhookKey::new(&Secret::new(secret.to_owned())).unwrap());
    let url = "https://chat.example.com/approvals?team=a".parse().unwrap();
    let transport = Arc::clone(receiver) as Arc<dyn Transport>;
    let webhook = Webhook::new();
    webhook.set_target(Some(WebhookTarget { url, keys: keys.into(), transport }));
    webhook
}

fn notice(id: &str) -> Notice {
    let expires = SystemTime::now() + Duration::from_mins(10);
    let caller = Some("kim\u{202e}".to_owned());
    Notice { id: id.to_owned(), tool: "shop-buy".to_owned(), caller, expires }
}

/// Runs a webhook for a time on the paused clock.
async fn run_for(webhook: &Webhook, time: Duration) {
    let stop = Stop::default();
    tokio::join!(webhook.deliver_until_stopped(&stop), async {
        sleep(time).await;
        stop.stop();
    });
}

#[tokio::test(start_paused = true)]
async fn a_notice_is_signed_by_each_key_and_holds_no_value_of_the_call() {
    let receiver = Receiver::new(&[]);
    let webhook = webhook(&receiver);
    webhook.queue_notice(notice("approval_1"));
    run_for(&webhook, Duration::from_secs(5)).await;
    let requests = receiver.requests();
    assert_eq!(requests.len(), 1);
    let request = &requests[0];
    assert_eq!(request.uri(), "https://chat.example.com/approvals?team=a");
    assert_eq!(request.headers()["webhook-id"], "approval_1");
    let text = |name: &str| request.headers()[name].to_str().unwrap().to_owned();
    let body = std::str::from_utf8(request.body()).unwrap();
    let timestamp = text("webhook-timestamp").parse().unwrap();
    let keys = webhook.current_target().unwrap().keys.clone();
    let signed = signature::signature(&keys, "approval_1", timestamp, body);
    assert_eq!((text("webhook-signature"), signed.split(' ').count()), (signed, 2));
    let body = Value::from_slice(body.as_bytes()).unwrap();
    let data = body["data"].as_object().unwrap();
    let names: Vec<_> = data.keys().map(String::as_str).collect();
    assert_eq!(names, ["id", "tool", "caller", "expires"]);
    assert_eq!((&body["type"], &data["tool"]), (&"approval.requested".into(), &"shop-buy".into()));
}

#[tokio::test(start_paused = true)]
async fn a_notice_is_sent_again_under_its_id_until_the_service_accepts_it() {
    let receiver = Receiver::new(&[None, Some(500), Some(404), Some(302), Some(200)]);
    let webhook = webhook(&receiver);
    webhook.queue_notice(notice("approval_1"));
    run_for(&webhook, Duration::from_mins(5)).await;
    let requests = receiver.requests();
    assert_eq!(requests.len(), 5);
    assert!(requests.iter().all(|request| request.headers()["webhook-id"] == "approval_1"));
    let at: Vec<_> = receiver.received.lock().unwrap().iter().map(|(_, at)| *at).collect();
    for (pair, whole) in at.windows(2).zip([1000, 2000, 4000, 8000]) {
        let waited = (pair[1] - pair[0]).as_millis();
        assert!((whole / 2..=whole + 1).contains(&waited), "{waited} of {whole}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_notice_is_given_up_when_its_approval_ends() {
    let receiver = Receiver::new(&[None; 1000]);
    let webhook = webhook(&receiver);
    webhook.queue_notice(notice("approval_1"));
    run_for(&webhook, Duration::from_hours(1)).await;
    let received = receiver.received.lock().unwrap();
    let (first, last) = (received[0].1, received[received.len() - 1].1);
    let lasted = last - first;
    assert!(lasted < Duration::from_mins(10) && lasted > Duration::from_mins(8), "{lasted:?}");
    assert!((12..30).contains(&received.len()), "{}", received.len());
}

#[tokio::test(start_paused = true)]
async fn a_notice_that_fails_does_not_delay_others() {
    let receiver = Receiver::new(&[Some(503)]);
    let webhook = webhook(&receiver);
    webhook.queue_notice(notice("approval_1"));
    webhook.queue_notice(notice("approval_2"));
    run_for(&webhook, Duration::from_secs(3)).await;
    let ids: Vec<_> =
        receiver.requests().iter().map(|it| it.headers()["webhook-id"].clone()).collect();
    assert_eq!(ids, ["approval_1", "approval_2", "approval_1"]);
}

/// A receiver that takes a moment for each notice.
#[derive(Debug)]
struct Busy(Arc<Receiver>);

#[async_trait::async_trait]
impl Transport for Busy {
    async fn send(
        &self,
        request: Request<Bytes>,
        limits: &Limits,
    ) -> Result<Response<Bytes>, Error> {
        let answer = self.0.send(request, limits).await;
        sleep(Duration::from_millis(100)).await;
        answer
    }
}

#[tokio::test(start_paused = true)]
async fn the_notices_of_one_caller_do_not_delay_those_of_another() {
    let receiver = Receiver::new(&[]);
    let webhook = webhook(&receiver);
    let target = webhook.current_target().unwrap();
    let (url, keys) = (target.url.clone(), target.keys.clone());
    let transport = Arc::new(Busy(Arc::clone(&receiver)));
    webhook.set_target(Some(WebhookTarget { url, keys, transport }));
    for number in 0..3_000 {
        webhook.queue_notice(notice(&format!("approval_{number}")));
    }
    for (number, caller) in ["lee", "mia"].iter().enumerate() {
        let caller = Some((*caller).to_owned());
        webhook.queue_notice(Notice { caller, ..notice(&format!("approval_of_another_{number}")) });
    }
    run_for(&webhook, Duration::from_mins(2)).await;
    let requests = receiver.requests();
    assert_eq!(requests.len(), 3_002, "none is lost");
    let is_others = |it: &Request<Bytes>| {
        it.headers()["webhook-id"].to_str().unwrap().starts_with("approval_of_another")
    };
    assert_eq!(requests.iter().take(16).filter(|request| is_others(request)).count(), 2);
}

#[tokio::test(start_paused = true)]
async fn one_caller_keeps_no_more_than_half_of_the_notices() {
    let receiver = Receiver::new(&[]);
    let webhook = webhook(&receiver);
    for number in 0..=MOST_QUEUED {
        webhook.queue_notice(notice(&format!("approval_{number}")));
    }
    webhook.queue_notice(Notice { caller: Some("lee".to_owned()), ..notice("approval_of_lee") });
    run_for(&webhook, Duration::from_mins(1)).await;
    let requests = receiver.requests();
    assert_eq!(requests.len(), MOST_QUEUED / 2 + 1);
    assert!(requests.iter().any(|request| request.headers()["webhook-id"] == "approval_of_lee"));
}

#[tokio::test(start_paused = true)]
async fn announcing_never_waits_and_a_stop_ends_the_deliveries_soon() {
    let receiver = Receiver::new(&vec![None; 100_000]);
    let webhook = webhook(&receiver);
    let started = Instant::now();
    for number in 0..MOST_QUEUED + 10 {
        webhook.queue_notice(notice(&format!("approval_{number}")));
    }
    assert_eq!(started.elapsed(), Duration::ZERO);
    run_for(&webhook, Duration::ZERO).await;
    assert!(started.elapsed() <= GRACE, "{:?}", started.elapsed());
    // The queue was taken: nobody delivers twice.
    webhook.deliver_until_stopped(&Stop::default()).await;
}

#[tokio::test(start_paused = true)]
async fn nothing_is_sent_without_a_target() {
    let receiver = Receiver::new(&[]);
    let webhook = webhook(&receiver);
    webhook.set_target(None);
    webhook.queue_notice(notice("approval_1"));
    run_for(&webhook, Duration::from_secs(5)).await;
    assert!(receiver.requests().is_empty());
}

/// A service that answers nothing.
#[derive(Debug)]
struct Absent;

#[async_trait::async_trait]
impl Transport for Absent {
    async fn send(&self, _: Request<Bytes>, _: &Limits) -> Result<Response<Bytes>, Error> {
        Err(Error::new(ErrorKind::Connect, "nobody listens"))
    }
}

/// Keeps every event of the log as a text.
#[derive(Clone, Debug, Default)]
struct Events(Arc<Mutex<Vec<String>>>);

impl tracing::field::Visit for Events {
    fn record_debug(&mut self, field: &tracing::field::Field, value: &dyn std::fmt::Debug) {
        self.0.lock().unwrap().push(format!("{}={value:?}", field.name()));
    }
}

impl tracing::Subscriber for Events {
    fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }

    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}

    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}

    fn event(&self, event: &tracing::Event<'_>) {
        event.record(&mut self.clone());
    }

    fn enter(&self, _: &tracing::span::Id) {}

    fn exit(&self, _: &tracing::span::Id) {}
}

#[tokio::test(start_paused = true)]
async fn no_line_of_the_log_shows_the_path_of_the_address_or_a_key() {
    let events = Events::default();
    let _log = set_thread_subscriber(events.clone());
    let closed = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        format!("http://{}/canary-path?team=canary-query", listener.local_addr().unwrap())
    };
    let real = || -> Arc<dyn Transport> { Arc::new(callgate_transport::Client::new().unwrap()) };
    let script: [(&str, Arc<dyn Transport>); 4] = [
        (
            "https://chat.example.com/canary-path?team=canary-query",
            Receiver::new(&[Some(500), Some(302), None]),
        ),
        ("https://chat.example.com/canary-path", Arc::new(Absent)),
        (&closed, real()),
        ("ftp://chat.example.com/canary-path", real()),
    ];
    for (url, transport) in script {
        let webhook = Webhook::new();
        let secret = Secret::new("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".to_owned());
        let keys = vec![WebhookKey::new(&secret).unwrap()];
        let target = WebhookTarget { url: url.parse().unwrap(), keys, transport };
        assert!(!format!("{target:?} {webhook:?}").contains("canary"));
        webhook.set_target(Some(target));
        webhook.queue_notice(notice("approval_1"));
        run_for(&webhook, Duration::from_mins(11)).await;
        assert!(!format!("{webhook:?}").contains("canary"));
    }
    let events = events.0.lock().unwrap().join("\n");
    assert!(events.contains("does not take a notice"), "{events}");
    assert!(!events.contains("canary") && !events.contains("MfKQ9r8"), "{events}");
}
