//! The environment variables that change a client, and those that must not. Each test runs itself again in a process whose
//! environment it sets, because a process with threads must not write its environment.

use std::{
    env,
    process::{Command, Output},
};

use super::*;

/// The origin that the test in the second process calls.
const TARGET: &str = "CALLGATE_TEST_TARGET";

fn target() -> Option<String> {
    env::var_os(TARGET).map(|target| target.into_string().unwrap())
}

async fn run_again(test: &str, target: &str, environment: &[(&str, &str)]) -> Output {
    let mut again = Command::new(env::current_exe().unwrap());
    again.args([&format!("client::tests::environment::{test}"), "--exact", "--nocapture"]);
    again.env(TARGET, target).envs(environment.iter().copied());
    tokio::task::spawn_blocking(move || again.output().unwrap()).await.unwrap()
}

#[track_caller]
fn check_passed(output: &Output) {
    let shown = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && shown.contains("1 passed"), "{shown}{output:?}");
}

async fn counting_server() -> (String, Arc<AtomicUsize>) {
    let n_calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&n_calls);
    let count = move || async move {
        counted.fetch_add(1, Ordering::SeqCst);
        "here"
    };
    (serve(Router::new().fallback(any(count))).await, n_calls)
}

/// Threat 53 of `SECURITY.md`.
#[tokio::test]
async fn a_proxy_of_the_environment_is_ignored() {
    if let Some(target) = target() {
        assert_eq!(send(get(&target, "/ours")).await.unwrap().body(), "here");
        // This environment does send a client with the usual settings to the proxy; otherwise this test proves nothing.
        let usual = reqwest::Client::builder().tls_certs_only([]).build().unwrap();
        usual.get(format!("{target}/usual")).send().await.unwrap();
        return;
    }
    let (origin, n_direct) = counting_server().await;
    let (proxy, n_proxied) = counting_server().await;
    let environment = [
        ("HTTP_PROXY", &*proxy),
        ("http_proxy", &proxy),
        ("ALL_PROXY", &proxy),
        ("NO_PROXY", ""),
        ("no_proxy", ""),
    ];
    check_passed(&run_again("a_proxy_of_the_environment_is_ignored", &origin, &environment).await);
    assert_eq!(n_direct.load(Ordering::SeqCst), 1, "our call went to the service");
    assert_eq!(n_proxied.load(Ordering::SeqCst), 1, "only the usual client went to the proxy");
}

#[tokio::test]
async fn a_machine_without_root_certificates_still_calls_http_origins() {
    if let Some(target) = target() {
        assert_eq!(send(get(&target, "/")).await.unwrap().body(), "here");
        let secure = closed_origin().replace("http://", "https://");
        let error = check_failure(send(get(&secure, "/")).await, ErrorKind::Tls, Reached::No);
        assert!(error.to_string().contains("certificates"), "{error}");
        return;
    }
    let (origin, n_calls) = counting_server().await;
    let empty = tempfile::tempdir().unwrap();
    let directory = empty.path().display().to_string();
    let file = empty.path().join("none.pem").display().to_string();
    let environment = [("SSL_CERT_DIR", &*directory), ("SSL_CERT_FILE", &file)];
    let test = "a_machine_without_root_certificates_still_calls_http_origins";
    check_passed(&run_again(test, &origin, &environment).await);
    assert_eq!(n_calls.load(Ordering::SeqCst), 1);
}
