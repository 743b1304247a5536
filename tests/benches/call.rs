//! How many calls a second `Executor::call` makes, as a ratio to a bare reqwest client that also bounds and parses
//! the body: it parses whatever is asked of callgate, because callgate answers JSON only where the whole body is JSON.
//!
//! Both are programs of their own, of workspaces of their own, so that each has the features it asks for and no others: the
//! bare one (`tests/benches/bare-client`) none that callgate turns on, callgate's (`calls` in `tests/embedding-program`) none that tests turn on.
//! They talk in turns to the same loopback server, which is a third process: this program with `serve`.
//!
//! Instructions, which load does not change, are counted by `tests/benches/instructions`.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a bench prints, and stops at the first surprise"
)]

use std::{
    fmt,
    io::{BufRead, BufReader},
    net::SocketAddr,
    path::{Path, PathBuf},
    process::{Child, Command, ExitCode, Stdio},
    time::Duration,
};

use axum::{Router, extract::Path as UrlPath, response::IntoResponse, routing::post};

const ROUNDS: usize = 15;
const CALLS: u32 = 6400;
/// One at a time, and as many as one model asks for.
const BARS: [(u32, f64); 2] = [(1, 0.92), (32, 0.90)];
const ANSWER: &str = r#"{"id":7,"name":"Rex","label":["good","dog"],"born":"2020-02-29","weight":31.5,"owner":{"email":"kim@example.com","phone":null},"visits":[{"day":"2026-01-02","cost":"12.50"},{"day":"2026-03-04","cost":"7.00"}]}"#;

fn main() -> ExitCode {
    if std::env::args().nth(1).as_deref() == Some("serve") {
        serve();
        return ExitCode::SUCCESS;
    }
    match compare() {
        0 => ExitCode::SUCCESS,
        missed => {
            println!("{missed} bars are missed");
            ExitCode::FAILURE
        }
    }
}

/// Serves until standard input ends.
fn serve() {
    let (address, _server) = server();
    println!("{address}");
    std::io::stdin().read_line(&mut String::new()).unwrap();
}

/// Prints the figures, and answers how many bars are missed.
fn compare() -> u32 {
    let bare = built("benches/bare-client", "callgate-bare-client");
    let ours = built("embedding-program", "calls");
    let (mut server, address) = served();
    let url = format!("http://{address}/v1/pets/7");
    let mut missed = 0;
    for (parallel, bar) in BARS {
        let runs = [
            (&bare, &*url, None),
            (&ours, &*address, Some("text")),
            (&ours, &*address, Some("value")),
        ];
        let mut times = [Times::default(), Times::default(), Times::default()];
        for round in 0..ROUNDS {
            // Who comes first changes, so that a machine that grows slower favours nobody.
            for at in (0..runs.len()).map(|at| (at + round) % runs.len()) {
                let (program, target, reading) = runs[at];
                times[at].0.push(a_call(program, target, parallel, reading));
            }
        }
        let [bare, text, value] = times;
        println!("parallel {parallel:>2}: bare     {bare}");
        for (what, times) in [("as JSON text", text), ("as a value", value)] {
            let (usual, best) = (bare.median() / times.median(), bare.best() / times.best());
            // A machine that others use makes either one worse, and seldom both.
            missed += u32::from(usual.max(best) < bar);
            println!(
                "parallel {parallel:>2}: callgate {times}, the answer {what}: {usual:.2} x the calls a second of bare reqwest by the medians, {best:.2} x by the best rounds (bar {bar:.2})"
            );
        }
    }
    drop(server.stdin.take());
    server.wait().unwrap();
    missed
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

/// Builds a program of a workspace beside this one, with this workspace's own cargo and a target folder of its own.
fn built(workspace: &str, program: &str) -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = tests.join(workspace);
    let target = tests.join("../target").join(folder.file_name().unwrap());
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--release", "--quiet", "--bin", program, "--manifest-path"]);
    cargo.arg(folder.join("Cargo.toml"));
    assert!(cargo.arg("--target-dir").arg(&target).status().unwrap().success());
    target.join("release").join(program)
}

/// The server as a process of its own, and its address.
fn served() -> (Child, String) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    let server = command.arg("serve").stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut server = server.spawn().unwrap();
    let mut address = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut address).unwrap();
    (server, address.trim().to_owned())
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

async fn token(UrlPath(length): UrlPath<usize>) -> impl IntoResponse {
    let token: String = ('A'..='Z').cycle().take(length).collect();
    axum::Json(callgate_tool::json!({"access_token": token, "expires_in": 3600}))
}

/// The microseconds that a call takes the program, which prints the nanoseconds of all of them.
fn a_call(program: &Path, target: &str, parallel: u32, reading: Option<&str>) -> f64 {
    let mut command = Command::new(program);
    command.args([target, &CALLS.to_string(), &parallel.to_string()]).args(reading);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let nanoseconds = String::from_utf8(output.stdout).unwrap().trim().parse().unwrap();
    Duration::from_nanos(nanoseconds).as_secs_f64() * 1e6 / f64::from(CALLS)
}
