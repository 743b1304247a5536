//! Tests a caller that leaves: its call to the service stops too.

use super::*;

/// Reports when it is dropped.
struct Leaves(mpsc::Sender<&'static str>);

impl Drop for Leaves {
    fn drop(&mut self) {
        self.0.try_send("left").ok();
    }
}

#[tokio::test]
async fn the_call_of_a_caller_that_leaves_ends_within_a_second() {
    let (says, mut said) = mpsc::channel(4);
    let hangs = move || {
        let leaves = Leaves(says.clone());
        async move {
            leaves.0.send("asked").await.ok();
            std::future::pending::<()>().await;
            drop(leaves);
        }
    };
    let address = service(Router::new().route("/pets", routing::get(hangs))).await;
    let sidecar = Sidecar::start(&pets(address)).await;
    let mut stream = sidecar.connect().await;
    let head = "POST /v1/calls HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
    let request = format!("{head}Content-Length: {}\r\n\r\n{CALL}", CALL.len());
    stream.write_all(request.as_bytes()).await.unwrap();
    assert_eq!(said.recv().await, Some("asked"));
    drop(stream);
    assert_eq!(timeout(Duration::from_secs(1), said.recv()).await, Ok(Some("left")));
}
