//! A storm of calls: while a fifth of the service's answers are faults, the configuration is reloaded again and again, and the
//! sidecar is restarted twice by SIGTERM and once by kill -9. Clients repeat with their idempotency keys what was refused or
//! not answered. At the end the service says what it saw: nothing lost, nothing made twice, nothing answered to somebody else.
//!
//! `storm CALLGATE [CALLS] [CONCURRENCY]`; exits with 1 where a call was lost, duplicated or misattributed.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use axum::{
    Router,
    body::Body,
    extract::{Path as Order, State},
    http::StatusCode,
    response::{IntoResponse, Response},
    routing::post,
};
use reqwest::Client;
use serde_json::{Value, json};
use tokio::{
    net::TcpListener,
    process::{Child, Command},
    time::{sleep, timeout},
};

/// How often the service saw each order.
type Seen = Arc<Mutex<Vec<usize>>>;

/// How the clients' calls ended.
#[derive(Default)]
struct Ended {
    answered: AtomicUsize,
    faults: AtomicUsize,
    lost: AtomicUsize,
    misattributed: AtomicUsize,
    repeated: AtomicUsize,
    unknown: AtomicUsize,
    /// All of them together.
    all: AtomicUsize,
}

#[tokio::main]
async fn main() -> ExitCode {
    let mut given = env::args().skip(1);
    let callgate =
        PathBuf::from(given.next().expect("usage: storm CALLGATE [CALLS] [CONCURRENCY]"));
    let n_calls: usize = given.next().map_or(10_000, |text| text.parse().expect("a number"));
    let concurrency: usize = given.next().map_or(64, |text| text.parse().expect("a number"));
    let seen: Seen = Arc::new(Mutex::new(vec![0; n_calls]));
    let service = served(Arc::clone(&seen)).await;
    let folder = tempfile::tempdir().expect("a folder");
    let sidecar = Sidecar::new(callgate, folder.path(), &service);
    let ended = Arc::new(Ended::default());
    let next = Arc::new(AtomicUsize::new(0));
    let is_over = Arc::new(AtomicBool::new(false));
    let mut child = sidecar.start().await;
    let clients: Vec<_> = (0..concurrency)
        .map(|_| {
            let (next, ended) = (Arc::clone(&next), Arc::clone(&ended));
            tokio::spawn(client(sidecar.address.clone(), next, ended, n_calls))
        })
        .collect();
    let reloads =
        tokio::spawn(reloading(sidecar.config.clone(), sidecar.text.clone(), Arc::clone(&is_over)));
    for (share, how) in [(1, "-TERM"), (2, "-KILL"), (3, "-TERM")] {
        while ended.all.load(Ordering::SeqCst) < n_calls * share / 4 {
            sleep(Duration::from_millis(5)).await;
        }
        stopped(&mut child, how).await;
        child = sidecar.start().await;
    }
    for client in clients {
        client.await.expect("a client that ends");
    }
    is_over.store(true, Ordering::SeqCst);
    let n_reloads = reloads.await.expect("a task that ends");
    stopped(&mut child, "-TERM").await;
    told(&ended, &seen, (n_calls, n_reloads))
}

fn told(ended: &Ended, seen: &Seen, (n_calls, n_reloads): (usize, usize)) -> ExitCode {
    let duplicated = seen.lock().unwrap().iter().filter(|times| **times > 1).count();
    let read = |count: &AtomicUsize| count.load(Ordering::SeqCst);
    let lost = read(&ended.lost) + (n_calls - read(&ended.all));
    let misattributed = read(&ended.misattributed);
    println!(
        "{n_calls} calls, {n_reloads} reloads, 3 restarts: {} answered, {} faults of the service, {} unknown, {} repetitions",
        read(&ended.answered),
        read(&ended.faults),
        read(&ended.unknown),
        read(&ended.repeated),
    );
    println!("{lost} lost, {duplicated} duplicated, {misattributed} misattributed");
    let is_calm = n_reloads < n_calls / CALLS_A_RELOAD;
    if is_calm {
        println!("too few reloads for a storm");
    }
    ExitCode::from(u8::from(is_calm || lost + duplicated + misattributed > 0))
}

/// The service: every order says who it is, every fifth is a fault.
async fn served(seen: Seen) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("an address");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    let router = Router::new().route("/orders/{number}", post(order)).with_state(seen);
    tokio::spawn(async move { axum::serve(listener, router).await });
    address
}

async fn order(State(seen): State<Seen>, Order(number): Order<usize>) -> Response {
    seen.lock().unwrap()[number] += 1;
    // Some calls are always under way when the sidecar is reloaded, stopped or killed.
    sleep(WORK).await;
    let answer = json!({"order": number}).to_string();
    match number % 20 {
        3 => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
        7 => (StatusCode::SERVICE_UNAVAILABLE, [("retry-after", "1")]).into_response(),
        // The connection breaks off in the middle of the body.
        11 => {
            let parts = [Ok(answer), Err(std::io::Error::other("broken off"))];
            Body::from_stream(futures_util::stream::iter(parts)).into_response()
        }
        15 => {
            sleep(Duration::from_millis(300)).await;
            ([("content-type", "application/json")], answer).into_response()
        }
        _ => ([("content-type", "application/json")], answer).into_response(),
    }
}

/// Takes orders until there are none, and repeats what was refused or not answered.
async fn client(address: String, next: Arc<AtomicUsize>, ended: Arc<Ended>, n_calls: usize) {
    let client = Client::builder().no_proxy().build().expect("a client");
    loop {
        let number = next.fetch_add(1, Ordering::SeqCst);
        if number >= n_calls {
            return;
        }
        ordered(&client, &address, number, &ended).await;
        ended.all.fetch_add(1, Ordering::SeqCst);
    }
}

async fn ordered(client: &Client, address: &str, number: usize, ended: &Ended) {
    let call = json!({"id": format!("c-{number}"), "tool": "order", "args": {"number": number},
        "idempotencyKey": format!("k-{number}")});
    let body = json!({"calls": [call], "session": {"id": "storm"}}).to_string();
    let mut last = String::from("no answer");
    for attempt in 0..ATTEMPTS {
        if attempt > 0 {
            ended.repeated.fetch_add(1, Ordering::SeqCst);
            sleep(Duration::from_millis(50)).await;
        }
        let url = format!("{address}/v1/calls");
        let sent = client.post(url).header("content-type", "application/json").body(body.clone());
        let Ok(Ok(answer)) = timeout(PATIENCE, sent.send()).await else { continue };
        if answer.status() != 200 {
            last = format!("{}: {}", answer.status(), answer.text().await.unwrap_or_default());
            continue;
        }
        let Ok(Ok(text)) = timeout(PATIENCE, answer.text()).await else { continue };
        let Ok(answer) = serde_json::from_str::<Value>(&text) else { continue };
        let result = &answer["results"][0];
        if result["id"] != format!("c-{number}") {
            ended.misattributed.fetch_add(1, Ordering::SeqCst);
            return;
        }
        let error = &result["error"];
        if error["reached"] == "no" && error["next"] == "try_later" {
            last = text;
            continue;
        }
        let of = match error["reached"].as_str() {
            // After a restart an answer is known to have come, and not what it said.
            None if result["response"]["order"] == number || result["response"].is_null() => {
                &ended.answered
            }
            None => &ended.misattributed,
            Some("yes") => &ended.faults,
            Some("maybe") => &ended.unknown,
            Some(_) => {
                eprintln!("order {number}: {error}");
                &ended.lost
            }
        };
        of.fetch_add(1, Ordering::SeqCst);
        return;
    }
    eprintln!("order {number} was never answered: {last}");
    ended.lost.fetch_add(1, Ordering::SeqCst);
}

/// The sidecar's files, and how it is started.
struct Sidecar {
    callgate: PathBuf,
    config: PathBuf,
    text: String,
    address: String,
}

impl Sidecar {
    fn new(callgate: PathBuf, folder: &Path, service: &str) -> Self {
        let port =
            std::net::TcpListener::bind("127.0.0.1:0").and_then(|socket| socket.local_addr());
        let address = port.expect("a port").to_string();
        fs::write(folder.join("orders.yaml"), DESCRIPTION).expect("a file");
        let audit = folder.join("audit.jsonl").display().to_string();
        let text = format!(
            "listen: {address}\naudit: {{file: '{audit}', mode: required, key: 'literal:0123456789abcdef0123456789abcdef'}}\n\
             toolsets:\n  shop:\n    openapi: orders.yaml\n    server: {service}\n    prefix: ''\n    egress: {{allow: [127.0.0.0/8]}}\n\
             \x20   limits: {{breaker: none}}\n"
        );
        let config = folder.join("callgate.yaml");
        fs::write(&config, &text).expect("a file");
        Self { callgate, config, text, address: format!("http://{address}") }
    }

    async fn start(&self) -> Child {
        let mut command = Command::new(&self.callgate);
        let child =
            command.arg("serve").arg(&self.config).stderr(std::process::Stdio::null()).spawn();
        let child = child.expect("a sidecar");
        let client = Client::builder().no_proxy().build().expect("a client");
        for _ in 0..400 {
            let ready = client.get(format!("{}/readyz", self.address)).send().await;
            if ready.is_ok_and(|answer| answer.status() == 200) {
                return child;
            }
            sleep(Duration::from_millis(10)).await;
        }
        panic!("the sidecar is not ready after four seconds");
    }
}

async fn stopped(child: &mut Child, how: &str) {
    let id = child.id().expect("a running sidecar").to_string();
    Command::new("kill").args([how, &id]).status().await.expect("kill");
    let status = timeout(Duration::from_secs(40), child.wait()).await;
    let status = status.expect("an end within the grace").expect("a status");
    assert!(how == "-KILL" || status.success(), "ended by {how}: {status}");
}

/// Writes the configuration anew, again and again; a comment and a limit change.
async fn reloading(config: PathBuf, text: String, is_over: Arc<AtomicBool>) -> usize {
    let mut number = 0;
    while !is_over.load(Ordering::SeqCst) {
        number += 1;
        let changed = text
            .replace("breaker: none", &format!("breaker: none, timeout: {}s", 20 + number % 10));
        let beside = config.with_extension("new");
        fs::write(&beside, format!("# {number}\n{changed}")).expect("a file");
        fs::rename(&beside, &config).expect("a file");
        sleep(Duration::from_millis(150)).await;
    }
    number
}

const ATTEMPTS: usize = 1200;
const WORK: Duration = Duration::from_millis(60);
/// Fifty reloads for ten thousand calls.
const CALLS_A_RELOAD: usize = 200;
const PATIENCE: Duration = Duration::from_secs(40);
const DESCRIPTION: &str = r#"
openapi: 3.1.0
info: {title: Orders, version: "1"}
paths:
  /orders/{number}:
    post:
      operationId: order
      parameters: [{name: number, in: path, required: true, schema: {type: integer}}]
      responses: {"200": {description: made}}
"#;
