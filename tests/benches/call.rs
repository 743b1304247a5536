//! How many calls a second `Executor::call` makes, as a ratio to a bare reqwest client that also bounds and parses
//! the body. The baseline is a program of its own (`tests/baseline`), so that the features this workspace chooses do
//! not slow it; both talk to the same loopback server in turns.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a bench prints, and stops at the first surprise"
)]

use std::{net::SocketAddr, path::Path, process::Command, sync::Arc, time::Duration};

use axum::{Router, response::IntoResponse};
use tokio::time::Instant;

use callgate::{Arguments, Executor, Outcome, Session, ToolCall, config};

const ROUNDS: usize = 7;
const CALLS: usize = 6000;
const MICROSECONDS: f64 = 1e6 / 6000.0;
const ANSWER: &str = r#"{"id":7,"name":"Rex","label":["good","dog"],"born":"2020-02-29","weight":31.5,"owner":{"email":"kim@example.com","phone":null},"visits":[{"day":"2026-01-02","cost":"12.50"},{"day":"2026-03-04","cost":"7.00"}]}"#;

fn main() {
    let baseline = built_baseline();
    let (address, _server) = server();
    let executor = Arc::new(executor(address));
    for parallel in [1, 32] {
        let mut ratios: Vec<f64> = Vec::new();
        for _ in 0..ROUNDS {
            let bare = bare(&baseline, address, parallel);
            let ours = ours(&executor, parallel);
            ratios.push(bare.as_secs_f64() / ours.as_secs_f64());
            println!(
                "parallel {parallel:>2}: bare {:>7.1} µs, callgate {:>7.1} µs a call",
                bare.as_secs_f64() * MICROSECONDS,
                ours.as_secs_f64() * MICROSECONDS,
            );
        }
        ratios.sort_by(f64::total_cmp);
        let median = ratios[ROUNDS / 2];
        println!(
            "parallel {parallel:>2}: {median:.2} x the calls a second of bare reqwest (bar 0.85)"
        );
    }
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
    runtime.spawn(async move { axum::serve(listener, Router::new().fallback(answer)).await });
    (address, runtime)
}

fn executor(address: SocketAddr) -> Executor {
    let description = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/pets/spec.yaml");
    let options = config::DescriptionOptions {
        server: Some(format!("http://{address}/v1")),
        ..Default::default()
    };
    config::load_description(&description, &options).unwrap().executor
}

fn bare(baseline: &Path, address: SocketAddr, parallel: usize) -> Duration {
    let url = format!("http://{address}/v1/pets/7");
    let mut command = Command::new(baseline);
    let output = command.args([&url, &CALLS.to_string(), &parallel.to_string()]).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    Duration::from_nanos(String::from_utf8(output.stdout).unwrap().trim().parse().unwrap())
}

fn ours(executor: &Arc<Executor>, parallel: usize) -> Duration {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        repeated(executor, parallel * 20).await;
        let started = Instant::now();
        let workers = (0..parallel).map(|_| {
            let executor = Arc::clone(executor);
            tokio::spawn(async move { repeated(&executor, CALLS / parallel).await })
        });
        futures_util::future::try_join_all(workers).await.unwrap();
        started.elapsed()
    })
}

async fn repeated(executor: &Executor, calls: usize) {
    let session = Session::new("bench");
    for _ in 0..calls {
        let arguments = Arguments::from_iter([("petId".to_owned(), 7.into())]);
        let result = executor.call(&ToolCall::new("1", "getPet", arguments), &session).await;
        assert!(matches!(result.outcome, Outcome::Answered(_)), "{result:?}");
    }
}
