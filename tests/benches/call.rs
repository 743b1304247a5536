//! How many calls a second `Executor::call` makes, as a ratio to a bare reqwest client that also bounds and parses
//! the body. The baseline is a program of its own (`tests/baseline`), so that the features this workspace chooses do
//! not slow it; both talk to the same loopback server in turns.
//!
//! Instructions, which load does not change, are counted by `tests/benches/instructions`: it starts the bench's program with
//! `serve`, and under callgrind with `calls ADDRESS N`, with `calls ADDRESS N bearer` and, for a cached OAuth token of that
//! many characters, with `calls ADDRESS N LENGTH`.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a bench prints, and stops at the first surprise"
)]

use std::{fmt, net::SocketAddr, path::Path, process::Command, sync::Arc, time::Duration};

use axum::{Router, extract::Path as UrlPath, response::IntoResponse, routing::post};
use tokio::time::Instant;

use callgate::{
    Arguments, Content, Executor, Outcome, Session, ToolCall,
    config::{self, Config, Environment},
};

const ROUNDS: usize = 11;
const CALLS: u32 = 6000;
const ANSWER: &str = r#"{"id":7,"name":"Rex","label":["good","dog"],"born":"2020-02-29","weight":31.5,"owner":{"email":"kim@example.com","phone":null},"visits":[{"day":"2026-01-02","cost":"12.50"},{"day":"2026-03-04","cost":"7.00"}]}"#;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match *words {
        ["serve", ..] => serve(),
        ["calls", address, n_calls, credential] if credential != "--bench" => {
            let executor = Arc::new(executor_with(address, &auth(address, credential)));
            runtime().block_on(repeated(&executor, n_calls.parse().unwrap(), Reading::Text));
        }
        ["calls", address, n_calls, ..] => {
            let executor = Arc::new(executor(address.parse().unwrap()));
            runtime().block_on(repeated(&executor, n_calls.parse().unwrap(), Reading::Text));
        }
        _ => compare(),
    }
}

/// Serves until standard input ends.
fn serve() {
    let (address, _server) = server();
    println!("{address}");
    std::io::stdin().read_line(&mut String::new()).unwrap();
}

fn compare() {
    let baseline = built_baseline();
    let (address, _server) = server();
    let executor = Arc::new(executor(address));
    for parallel in [1, 32] {
        let mut bare_times = Times::default();
        let (mut our_times, mut value_times) = (Times::default(), Times::default());
        for round in 0..ROUNDS {
            // Who comes first changes, so that a machine that grows slower favours neither.
            if round % 2 == 0 {
                bare_times.0.push(bare(&baseline, address, parallel));
            }
            our_times.0.push(ours(&executor, parallel, Reading::Text));
            value_times.0.push(ours(&executor, parallel, Reading::Value));
            if round % 2 == 1 {
                bare_times.0.push(bare(&baseline, address, parallel));
            }
        }
        println!("parallel {parallel:>2}: bare     {bare_times}");
        for (what, times) in [("as JSON text", our_times), ("as a value", value_times)] {
            println!(
                "parallel {parallel:>2}: callgate {times}, the answer {what}: {:.2} x the calls a second of bare reqwest by the medians, {:.2} x by the best rounds (bar 0.85)",
                bare_times.median() / times.median(),
                bare_times.best() / times.best(),
            );
        }
    }
}

/// What a caller does with the answer.
#[derive(Clone, Copy, Debug)]
enum Reading {
    /// Hands its text on, as the executor left it.
    Text,
    /// Looks into it.
    Value,
}

/// The microseconds a call took in each round.
#[derive(Debug, Default)]
struct Times(Vec<f64>);

impl Times {
    fn median(&self) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        sorted[sorted.len() / 2]
    }

    fn best(&self) -> f64 {
        self.0.iter().copied().fold(f64::INFINITY, f64::min)
    }
}

impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:>6.1} µs a call (median), {:>6.1} µs (best)", self.median(), self.best())
    }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

/// Builds the baseline with this workspace's own cargo and target folder.
fn built_baseline() -> std::path::PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("baseline/Cargo.toml");
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/baseline");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--release", "--quiet", "--manifest-path"]).arg(manifest);
    assert!(cargo.arg("--target-dir").arg(&target).status().unwrap().success());
    target.join("release/callgate-baseline")
}

fn server() -> (SocketAddr, tokio::runtime::Runtime) {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
    let address = listener.local_addr().unwrap();
    let answer = async || ([("content-type", "application/json")], ANSWER).into_response();
    let routes = Router::new().route("/token/{length}", post(token)).fallback(answer);
    runtime.spawn(async move { axum::serve(listener, routes).await });
    (address, runtime)
}

fn executor(address: SocketAddr) -> Executor {
    let description = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/pets/spec.yaml");
    let options = config::DescriptionOptions {
        server: Some(format!("http://{address}/v1")),
        ..Default::default()
    };
    let config = config::open(&description, &options).unwrap();
    config.build_blocking(&Environment::new(), None).unwrap().executor
}

async fn token(UrlPath(length): UrlPath<usize>) -> impl IntoResponse {
    let token: String = ('A'..='Z').cycle().take(length).collect();
    axum::Json(callgate_tool::json!({"access_token": token, "expires_in": 3600}))
}

/// `bearer` is a secret that is read for each call, anything else the length of a token that is asked for once.
fn auth(address: &str, credential: &str) -> callgate_tool::Value {
    if credential == "bearer" {
        return callgate_tool::json!({"bearer": {"token": "literal:ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJKLMN"}});
    }
    callgate_tool::json!({"oauth2_client_credentials": {
        "token_url": format!("http://{address}/token/{credential}"),
        "client_id": "bench",
        "client_secret": "literal:canary-secret",
    }})
}

/// The same with a credential.
fn executor_with(address: &str, auth: &callgate_tool::Value) -> Executor {
    let description = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/pets/spec.yaml");
    let toolset = callgate_tool::json!({
        "openapi": description.to_str(),
        "server": format!("http://{address}/v1"),
        "auth": auth,
    });
    let config = Config::from_toolset_text(toolset.to_string(), "").unwrap();
    config.build_blocking(&Environment::new(), None).unwrap().executor
}

fn bare(baseline: &Path, address: SocketAddr, parallel: u32) -> f64 {
    let url = format!("http://{address}/v1/pets/7");
    let mut command = Command::new(baseline);
    let output = command.args([&url, &CALLS.to_string(), &parallel.to_string()]).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let nanoseconds = String::from_utf8(output.stdout).unwrap().trim().parse().unwrap();
    a_call(Duration::from_nanos(nanoseconds))
}

fn ours(executor: &Arc<Executor>, parallel: u32, reading: Reading) -> f64 {
    let elapsed = runtime().block_on(async {
        repeated(executor, parallel * 20, reading).await;
        let started = Instant::now();
        let workers = (0..parallel).map(|_| {
            let executor = Arc::clone(executor);
            tokio::spawn(async move { repeated(&executor, CALLS / parallel, reading).await })
        });
        futures_util::future::try_join_all(workers).await.unwrap();
        started.elapsed()
    });
    a_call(elapsed)
}

fn a_call(elapsed: Duration) -> f64 {
    elapsed.as_secs_f64() * 1e6 / f64::from(CALLS)
}

async fn repeated(executor: &Executor, calls: u32, reading: Reading) {
    let session = Session::new("bench");
    for _ in 0..calls {
        let arguments = Arguments::from_iter([("petId".to_owned(), 7.into())]);
        let result = executor.call(&ToolCall::new("1", "getPet", arguments), &session).await;
        let Outcome::Answered(answer) = result.outcome else { panic!("{result:?}") };
        let Content::Json(json) = answer.content else { panic!("no JSON") };
        if let Reading::Value = reading {
            std::hint::black_box(json.into_value());
        }
    }
}
