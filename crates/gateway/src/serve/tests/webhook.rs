//! Tests the webhook of approvals with a real receiver, which is stopped and started again on the port it had.

use super::*;

use base64::{Engine, prelude::BASE64_STANDARD};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use tokio::net::{TcpListener, TcpStream};

const DESCRIPTION: &str = "
paths:
  /pets:
    post:
      operationId: add
      parameters: [{name: name, in: query, schema: {type: string}}]
      responses: {'200': {description: added}}
";
const KEY: &str = "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const TOKEN: &str = "a-token-of-kim-0123456789";
const VALUE: &str = "canary-of-the-argument";

/// A request that a receiver has read.
struct Received {
    head: String,
    body: String,
}

impl Received {
    /// Reads the next request, and leaves its connection open for an answer.
    async fn next(listener: &TcpListener) -> (Self, TcpStream) {
        let (mut stream, _) = timeout(LONG, listener.accept()).await.unwrap().unwrap();
        let (mut bytes, mut piece) = (Vec::new(), [0; 4096]);
        loop {
            if let Some(received) = Self::whole(&String::from_utf8_lossy(&bytes)) {
                return (received, stream);
            }
            let n_read = stream.read(&mut piece).await.unwrap();
            assert!(n_read > 0, "the request is cut off after {} bytes", bytes.len());
            bytes.extend_from_slice(&piece[..n_read]);
        }
    }

    /// A request, once its head and its body are there.
    fn whole(text: &str) -> Option<Self> {
        let (head, body) = text.split_once("\r\n\r\n")?;
        let received = Self { head: head.to_owned(), body: body.to_owned() };
        let length: usize = received.header("content-length").parse().unwrap();
        (body.len() >= length).then_some(received)
    }

    fn header(&self, name: &str) -> &str {
        let mut fields = self.head.lines().filter_map(|line| line.split_once(": "));
        fields.find(|(known, _)| known.eq_ignore_ascii_case(name)).unwrap().1
    }

    /// The signature as a receiver computes it.
    fn expected_signature(&self) -> String {
        let (id, time) = (self.header("webhook-id"), self.header("webhook-timestamp"));
        let key = BASE64_STANDARD.decode(KEY).unwrap();
        let code = Hmac::<Sha256>::new_from_slice(&key).unwrap();
        let code = code.chain_update(format!("{id}.{time}.{}", self.body)).finalize();
        format!("v1,{}", BASE64_STANDARD.encode(code.into_bytes()))
    }
}

/// A sidecar whose calls wait for an approval, and the listener of its webhook.
async fn started() -> (Sidecar, TcpListener) {
    let receiver = TcpListener::bind(("127.0.0.1", callgate_testkit::free_port())).await.unwrap();
    let address = receiver.local_addr().unwrap();
    let text = format!(
        "approvals: {{webhook: {{url: 'http://{address}/hook', secret: 'literal:whsec_{KEY}'}}}}\n\
         toolsets: {{pets: {{openapi: pets.yaml, server: 'http://127.0.0.1:9', confirm: writes}}}}\n\
         access: {{principals: {{kim: {{bearer: 'literal:{TOKEN}', approves: [pets]}}}}}}\n"
    );
    (Sidecar::describing(&text, DESCRIPTION).await, receiver)
}

async fn call(sidecar: &Sidecar) -> Value {
    let body = json!({"calls": [{"tool": "pets-add", "args": {"name": VALUE}}]});
    let client = Client::builder().no_proxy().build().unwrap();
    let request = client.post(format!("{}/v1/calls", sidecar.calls[0])).bearer_auth(TOKEN);
    let request = request.header("content-type", "application/json").body(body.to_string());
    request.send().await.unwrap().json().await.unwrap()
}

#[tokio::test]
async fn a_notice_reaches_a_receiver_that_was_restarted_before_it_answered() {
    let (sidecar, receiver) = started().await;
    let address = receiver.local_addr().unwrap();
    let asked = call(&sidecar).await;
    let (first, connection) = Received::next(&receiver).await;
    drop((connection, receiver));

    let receiver = TcpListener::bind(address).await.unwrap();
    let (second, mut connection) = Received::next(&receiver).await;
    connection.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").await.unwrap();

    let id = first.header("webhook-id").to_owned();
    assert!(asked.to_string().contains(&id), "{id} {asked}");
    for received in [&first, &second] {
        assert!(received.head.starts_with("POST /hook HTTP/1.1\r\n"), "{}", received.head);
        assert_eq!(received.header("webhook-id"), id);
        assert_eq!(received.header("webhook-signature"), received.expected_signature());
        let body: Value = serde_json::from_str(&received.body).unwrap();
        assert_eq!(body["type"], "approval.requested");
        let data = &body["data"];
        assert_eq!(
            (&data["id"], &data["tool"], &data["caller"]),
            (&json!(id), &json!("pets-add"), &json!("principal:kim"))
        );
        let all = format!("{}{}", received.head, received.body);
        assert!(![VALUE, TOKEN, KEY].iter().any(|secret| all.contains(secret)), "{all}");
    }
}

/// The time after which a test fails.
const LONG: Duration = Duration::from_secs(30);
