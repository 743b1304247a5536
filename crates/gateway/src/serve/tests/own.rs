//! Tests a toolset whose service is this sidecar (threat 54 of `SECURITY.md`).

use super::*;

#[tokio::test]
async fn a_service_whose_address_is_this_sidecar_is_never_called() {
    for (listen, host) in
        [("127.0.0.1", "127.0.0.1"), ("127.0.0.1", "localhost"), ("'[::1]", "[::1]")]
    {
        let port = callgate_testkit::free_port();
        let quote = if listen.starts_with('\'') { "'" } else { "" };
        let text = format!(
            "listen: {listen}:{port}{quote}\ntoolsets: {{pets: {{openapi: a.yaml, server: 'http://{host}:{port}/v1'}}}}\n"
        );
        let sidecar = Sidecar::start(&text).await;
        let answer = sidecar.call().await;
        assert!(answer.contains(r#""reached":"no""#), "{host}: {answer}");
        assert!(answer.contains("callgate itself"), "{host}: {answer}");
    }
}
