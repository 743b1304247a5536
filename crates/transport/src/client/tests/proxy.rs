//! A forward proxy that the operator names: the connections that use it, and those that do not.

use std::sync::PoisonError;

use super::*;
use crate::Proxy;

#[derive(Debug)]
struct At([u8; 4]);

#[async_trait]
impl Resolver for At {
    async fn addresses(&self, _: &str) -> io::Result<Vec<SocketAddr>> {
        Ok(vec![SocketAddr::from((self.0, 0))])
    }
}

type Seen = Arc<Mutex<Vec<String>>>;

fn first_lines(seen: &Seen) -> Vec<String> {
    let seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
    seen.iter().map(|head| head.lines().next().unwrap_or_default().to_owned()).collect()
}

/// A proxy that leads to its own service, and the requests it received.
async fn proxy(answer: &'static str) -> (String, Seen) {
    let seen = Seen::default();
    let noted = Arc::clone(&seen);
    let origin = serve_raw(move |mut connection| {
        let noted = Arc::clone(&noted);
        async move {
            let note = |head: Option<String>| {
                noted.lock().unwrap_or_else(PoisonError::into_inner).extend(head);
            };
            note(connection.read_head().await);
            connection.write(answer).await;
            note(connection.read_head().await);
            connection.write("HTTP/1.1 204 No Content\r\n\r\n").await;
            connection.hold().await;
        }
    });
    (origin.await, seen)
}

fn client(proxy: &str, named_by: NamedBy, address: [u8; 4]) -> Client {
    let proxy: Proxy = proxy.parse().unwrap();
    let network = Network::through_proxy(proxy, Arc::new(At(address)), Listeners::default());
    let allow = vec!["93.184.216.34".parse().unwrap()];
    Client::over_network(&network, ClientSettings { named_by, allow, ..ClientSettings::default() })
}

const CONNECTED: &str = "HTTP/1.1 200 Connected\r\n\r\n";

#[tokio::test]
async fn the_proxy_looks_up_names_of_the_operator() {
    let (address, seen) = proxy(CONNECTED).await;
    let client = client(&address, NamedBy::Operator, [10, 0, 0, 1]);
    let response =
        client.send(get("http://pets.example", "/v1"), &Limits::default()).await.unwrap();
    assert_eq!(response.status(), 204);
    assert_eq!(first_lines(&seen), ["CONNECT pets.example:80 HTTP/1.1", "GET /v1 HTTP/1.1"]);
}

#[tokio::test]
async fn addresses_of_a_descriptions_names_are_checked_before_the_proxy_is_used() {
    let (address, seen) = proxy(CONNECTED).await;
    let private = client(&address, NamedBy::Description, [10, 0, 0, 1]);
    let refused = private.send(get("http://pets.example", "/"), &Limits::default()).await;
    let error = check_failure(refused, ErrorKind::Refused, Reached::No);
    assert_eq!(error.denial(), Some(Denial::Private));
    assert_eq!(first_lines(&seen), [""; 0]);
    let public = client(&address, NamedBy::Description, [93, 184, 216, 34]);
    public.send(get("http://pets.example:81", "/"), &Limits::default()).await.unwrap();
    assert_eq!(first_lines(&seen), ["CONNECT 93.184.216.34:81 HTTP/1.1", "GET / HTTP/1.1"]);
}

#[tokio::test]
async fn loopback_origins_are_called_without_the_proxy() {
    let (address, seen) = proxy(CONNECTED).await;
    let origin = serve_raw(|mut connection| async move {
        connection.read_head().await;
        connection.write("HTTP/1.1 205 Reset Content\r\n\r\n").await;
    });
    let client = client(&address, NamedBy::Operator, [127, 0, 0, 1]);
    let origin = origin.await;
    for origin in [origin.replace("127.0.0.1", "localhost"), origin] {
        let response = client.send(get(&origin, "/"), &Limits::default()).await.unwrap();
        assert_eq!(response.status(), 205);
    }
    assert_eq!(first_lines(&seen), [""; 0]);
}

#[tokio::test]
async fn a_proxy_that_refuses_is_a_service_that_was_not_reached() {
    let (address, _) = proxy("HTTP/1.1 403 Forbidden\r\n\r\n").await;
    let client = client(&address, NamedBy::Operator, [10, 0, 0, 1]);
    let refused = client.send(get("http://pets.example", "/"), &Limits::default()).await;
    assert_eq!(refused.unwrap_err().reached_service(), Reached::No);
}
