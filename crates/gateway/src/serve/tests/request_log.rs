//! Tests the records of ended requests and calls: each has one, and none has a value.

use std::sync::OnceLock;

use callgate_config::Config;
use tracing::{Dispatch, subscriber::DefaultGuard};

use super::*;
use crate::observe::test_log;

/// The records of this thread, as JSON.
struct Log(Arc<Mutex<Vec<Value>>>);

impl Log {
    fn start(keys: &str) -> (Self, DefaultGuard) {
        // With one subscriber, a test of another thread that has none may decide for all that nobody reads an event.
        static SECOND: OnceLock<Dispatch> = OnceLock::new();
        let levels = |keys: &str| {
            let text = format!("log: {{format: json, {keys}}}\n{}", nothing());
            Config::from_text(&text, "").unwrap().log
        };
        let second = || Dispatch::new(test_log(&levels("level: debug"), Box::new(|_| {})));
        SECOND.get_or_init(second);
        let records = Arc::<Mutex<Vec<Value>>>::default();
        let kept = Arc::clone(&records);
        let write = move |line: &str| {
            kept.lock().unwrap().push(serde_json::from_str(line).unwrap());
        };
        let guard = tracing::subscriber::set_default(test_log(&levels(keys), Box::new(write)));
        (Self(records), guard)
    }

    /// The fields of each record with this target, without the time.
    fn of(&self, target: &str) -> Vec<Value> {
        let records = self.0.lock().unwrap();
        let records = records.iter().filter(|record| record["target"] == target);
        let fields = records.map(|record| {
            let mut fields = record["fields"].clone();
            assert!(fields["ms"].is_u64(), "{record}");
            fields.as_object_mut().unwrap().remove("ms");
            fields
        });
        fields.collect()
    }

    fn text(&self) -> String {
        format!("{:?}", self.0.lock().unwrap())
    }
}

async fn one_pet() -> SocketAddr {
    service(Router::new().route("/pets", routing::get(async || "canary"))).await
}

const REQUESTS: &str = "callgate::requests";
const CALLS: &str = "callgate::calls";
const TRACE: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

#[tokio::test]
async fn each_request_and_each_call_is_one_record_without_values() {
    let (log, _guard) = Log::start("level: info");
    let token = "principal-token-that-is-long-enough";
    let kim = format!("{{kim: {{bearer: 'literal:{token}', toolsets: [pets]}}}}");
    let text = format!("{}access: {{principals: {kim}}}\n", pets(one_pet().await));
    let sidecar = Sidecar::start(&text).await;
    let bearer = format!("Bearer {token}");
    let client = Client::builder().no_proxy().build().unwrap();
    let send = async |method: &str, path: &str, bearer: &str, body: &'static str| {
        let request =
            client.request(method.parse().unwrap(), format!("{}{path}", sidecar.calls[0]));
        let request = request.header("authorization", bearer).header("traceparent", TRACE);
        let request = request.header("content-type", "application/json").body(body);
        request.send().await.unwrap().bytes().await.unwrap().len()
    };
    let call = r#"{"calls": [{"id": "c", "tool": "pets-list", "args": {}}], "session": {"id": "canary", "parameters": {"customerId": "canary"}}}"#;
    let n_bytes = send("POST", "/v1/calls", &bearer, call).await;
    let unknown = r#"{"calls": [{"id": "d", "tool": "canary", "args": {}}]}"#;
    send("POST", "/v1/calls", &bearer, unknown).await;
    send("PUT", "/v1/sessions/canary?canary=1", &bearer, r#"{"parameters": {"canary": 1}}"#).await;
    send("GET", "/v1/sessions/canary", "Bearer canary", "").await;
    send("GET", "/canary/canary", &bearer, "").await;
    send("GET", "/healthz", &bearer, "").await;
    drop(sidecar);
    let requests = log.of(REQUESTS);
    let trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    assert_eq!(
        requests[0],
        json!({"method": "POST", "path": "/v1/calls", "status": 200, "bytes": n_bytes, "principal": "principal:kim", "trace": trace})
    );
    let paths =
        requests.iter().map(|fields| (&fields["path"], &fields["status"], &fields["principal"]));
    let (calls, session) = (json!("/v1/calls"), json!("/v1/sessions/{id}"));
    let (kim, nobody) = (json!("principal:kim"), Value::Null);
    let expected = [
        (&calls, &json!(200), &kim),
        (&calls, &json!(200), &kim),
        (&session, &json!(400), &kim),
        (&session, &json!(401), &nobody),
        (&Value::Null, &json!(404), &kim),
    ];
    assert_eq!(paths.collect::<Vec<_>>(), expected);
    assert_eq!(
        log.of(CALLS),
        [
            json!({"tool": "pets-list", "toolset": "pets", "outcome": "answered", "status": 200, "reached": "yes", "principal": "principal:kim", "id": "c", "trace": trace}),
            json!({"outcome": "unknown_tool", "reached": "no", "principal": "principal:kim", "id": "d", "trace": trace}),
        ]
    );
    assert!(!log.text().contains("canary"), "{}", log.text());
}

#[tokio::test]
async fn keys_and_levels_turn_the_records_off_each_on_its_own() {
    let address = one_pet().await;
    for (keys, requests, calls) in [
        ("level: info", 1, 1),
        ("requests: false", 0, 1),
        ("calls: false", 1, 0),
        ("level: warn", 0, 0),
        ("level: warn, modules: {'callgate::calls': info}", 0, 1),
        ("level: debug", 2, 1),
    ] {
        let (log, _guard) = Log::start(keys);
        let sidecar = Sidecar::start(&pets(address)).await;
        sidecar.call().await;
        sidecar.status("/healthz", &[]).await;
        drop(sidecar);
        assert_eq!((log.of(REQUESTS).len(), log.of(CALLS).len()), (requests, calls), "{keys}");
    }
}

#[tokio::test]
async fn the_record_of_a_caller_that_leaves_says_so() {
    let (log, _guard) = Log::start("level: info");
    let (says, mut said) = mpsc::channel(4);
    let hangs = move || {
        let says = says.clone();
        async move {
            says.send(()).await.ok();
            std::future::pending::<()>().await;
        }
    };
    let address = service(Router::new().route("/pets", routing::get(hangs))).await;
    let sidecar = Sidecar::start(&pets(address)).await;
    let mut stream = sidecar.connect().await;
    let head = "POST /v1/calls HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
    let request = format!("{head}Content-Length: {}\r\n\r\n{CALL}", CALL.len());
    stream.write_all(request.as_bytes()).await.unwrap();
    assert_eq!(said.recv().await, Some(()));
    drop(stream);
    let is_there = async {
        while log.of(REQUESTS).is_empty() {
            tokio::task::yield_now().await;
        }
    };
    assert!(timeout(Duration::from_secs(5), is_there).await.is_ok());
    let [request] = &*log.of(REQUESTS) else { panic!("{}", log.text()) };
    assert_eq!(*request, json!({"method": "POST", "path": "/v1/calls", "bytes": 0, "left": true}));
    let [call] = &*log.of(CALLS) else { panic!("{}", log.text()) };
    assert_eq!((&call["outcome"], &call["reached"]), (&json!("dropped"), &json!("maybe")));
}

#[tokio::test]
async fn the_record_of_a_streamed_response_counts_the_bytes_that_were_sent() {
    let (log, _guard) = Log::start("level: info");
    let sidecar = Sidecar::start(&pets(one_pet().await)).await;
    let client = Client::builder().no_proxy().build().unwrap();
    let request = client.post(format!("{}/v1/calls", sidecar.calls[0])).body(CALL);
    let request = request.header("content-type", "application/json");
    let response = request.header("accept", "text/event-stream").send().await.unwrap();
    let n_bytes = response.bytes().await.unwrap().len();
    drop(sidecar);
    let [record] = &*log.of(REQUESTS) else { panic!("{}", log.text()) };
    let expected = json!({"method": "POST", "path": "/v1/calls", "status": 200, "bytes": n_bytes});
    assert_eq!(*record, expected);
}
