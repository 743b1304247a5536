//! The addresses that are dialled: with a scripted resolver, and servers on loopback that stand for allowed and forbidden
//! addresses. Security rows 13, 14 and 54.

use tokio::sync::Mutex;

use super::*;

/// Resolves every name to this machine.
#[derive(Debug)]
pub(super) struct Here;

#[async_trait]
impl Resolver for Here {
    async fn addresses(&self, _: &str) -> io::Result<Vec<SocketAddr>> {
        Ok(vec![SocketAddr::from(([127, 0, 0, 1], 0))])
    }
}

/// Returns the scripted results one after the other; the last result is repeated.
#[derive(Debug)]
struct ScriptedResolver {
    answers: Mutex<Vec<Vec<SocketAddr>>>,
    n_asked: AtomicUsize,
}

impl ScriptedResolver {
    fn new(answers: &[&[&str]]) -> Arc<Self> {
        let address = |address: &&str| SocketAddr::from((address.parse::<IpAddr>().unwrap(), 0));
        let answers = answers.iter().rev();
        let answers = answers.map(|answer| answer.iter().map(address).collect()).collect();
        Arc::new(Self { answers: Mutex::new(answers), n_asked: AtomicUsize::new(0) })
    }

    fn n_asked(&self) -> usize {
        self.n_asked.load(Ordering::SeqCst)
    }
}

#[async_trait]
impl Resolver for ScriptedResolver {
    async fn addresses(&self, _: &str) -> io::Result<Vec<SocketAddr>> {
        self.n_asked.fetch_add(1, Ordering::SeqCst);
        let mut answers = self.answers.lock().await;
        if answers.len() > 1 { Ok(answers.pop().unwrap()) } else { Ok(answers[0].clone()) }
    }
}

#[derive(Debug)]
struct Silent;

#[async_trait]
impl Resolver for Silent {
    async fn addresses(&self, _: &str) -> io::Result<Vec<SocketAddr>> {
        std::future::pending().await
    }
}

/// A server on every address of this machine, which counts its connections and closes each after one response.
async fn counting_server() -> (u16, Arc<AtomicUsize>) {
    let n_connections = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&n_connections);
    let origin = serve_raw(move |mut connection| {
        counted.fetch_add(1, Ordering::SeqCst);
        async move {
            connection.read_head().await;
            connection.write("HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n").await;
        }
    });
    let origin: Url = origin.await.parse().unwrap();
    (origin.port().unwrap(), n_connections)
}

/// A client for origins from descriptions, with the ranges that it may call beyond public https.
fn described(resolver: Arc<dyn Resolver>, allow: &[&str]) -> Client {
    let allow = allow.iter().map(|range| range.parse().unwrap()).collect();
    let settings =
        ClientSettings { named_by: NamedBy::Description, allow, ..ClientSettings::default() };
    Client::over_network(&Network::with_resolver(resolver, Listeners::default()), settings)
}

async fn called(client: &Client, origin: &str) -> Result<u16, Error> {
    let response = client.send(get(origin, "/"), &Limits::default()).await;
    response.map(|response| response.status().as_u16())
}

#[track_caller]
fn check_denied(result: Result<u16, Error>, denial: Denial, address: Option<&str>) {
    let error = check_failure(result, ErrorKind::Refused, Reached::No);
    let address = address.map(|address| address.parse::<IpAddr>().unwrap());
    assert_eq!((error.denial(), error.denied_address()), (Some(denial), address), "{error:?}");
}

#[tokio::test]
async fn a_name_that_is_rebound_is_refused_at_the_next_connection() {
    let (port, n_connections) = counting_server().await;
    let resolver = ScriptedResolver::new(&[&["127.0.0.1"], &["127.0.0.2"]]);
    let client = described(Arc::clone(&resolver) as _, &["127.0.0.1"]);
    let origin = format!("http://pets.example:{port}");
    assert_eq!(called(&client, &origin).await.unwrap(), 204);
    assert_eq!(resolver.n_asked(), 1, "what was checked is what was dialled: nobody asks twice");
    check_denied(called(&client, &origin).await, Denial::Private, Some("127.0.0.2"));
    assert_eq!(n_connections.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn one_forbidden_address_of_a_name_refuses_the_name() {
    let (port, n_connections) = counting_server().await;
    let origin = format!("http://pets.example:{port}");
    for (answers, forbidden) in [
        (["127.0.0.1", "10.0.0.1"], "10.0.0.1"),
        (["10.0.0.1", "127.0.0.1"], "10.0.0.1"),
        (["127.0.0.1", "::ffff:10.0.0.1"], "::ffff:10.0.0.1"),
        (["127.0.0.1", "fd00::1"], "fd00::1"),
    ] {
        let client = described(ScriptedResolver::new(&[&answers]), &["127.0.0.1"]);
        check_denied(called(&client, &origin).await, Denial::Private, Some(forbidden));
    }
    assert_eq!(n_connections.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_name_without_an_answer_is_a_dns_fault() {
    let client = described(ScriptedResolver::new(&[&[]]), &["127.0.0.1"]);
    let error = called(&client, "http://pets.example").await;
    check_failure(error, ErrorKind::Dns, Reached::No);
}

#[tokio::test(start_paused = true)]
async fn a_name_server_that_never_answers_is_a_timeout_after_five_seconds() {
    let client = described(Arc::new(Silent), &["127.0.0.1"]);
    let began = tokio::time::Instant::now();
    let error = called(&client, "http://pets.example").await;
    let error = check_failure(error, ErrorKind::Dns, Reached::No);
    assert!(error.to_string().contains("in time"), "{error}");
    assert_eq!(began.elapsed().as_secs(), 5);
}

#[tokio::test]
async fn addresses_in_urls_are_checked_like_resolved_ones() {
    let (port, n_connections) = counting_server().await;
    let resolver = ScriptedResolver::new(&[&["127.0.0.1"]]);
    let client = described(Arc::clone(&resolver) as _, &[]);
    for (host, denial) in [
        ("127.0.0.1", Denial::Private),
        ("[::1]", Denial::Private),
        ("[::ffff:7f00:1]", Denial::Private),
        ("[64:ff9b::a9fe:a9fe]", Denial::LinkLocal),
        ("169.254.169.254", Denial::LinkLocal),
        ("168.63.129.16", Denial::LinkLocal),
        ("0.0.0.0", Denial::Private),
    ] {
        let address = host.trim_matches(['[', ']']);
        let refused = called(&client, &format!("https://{host}:{port}")).await;
        check_denied(refused, denial, Some(address));
    }
    check_denied(
        called(&client, &format!("http://pets.example:{port}")).await,
        Denial::Insecure,
        None,
    );
    // Spellings that the HTTP client would turn into addresses are not names.
    for host in ["2130706433", "0x7f.1", "127.1"] {
        let refused = called(&client, &format!("https://{host}:{port}")).await;
        check_failure(refused, ErrorKind::Refused, Reached::No);
    }
    assert_eq!((n_connections.load(Ordering::SeqCst), resolver.n_asked()), (0, 0));
}

#[tokio::test]
async fn an_origin_of_the_operator_may_be_loopback_but_no_metadata_service() {
    let (port, _) = counting_server().await;
    let client = Client::over_network(
        &Network::with_resolver(Arc::new(Here), Listeners::default()),
        ClientSettings::default(),
    );
    for host in ["127.0.0.1", "pets.example", "localhost"] {
        assert_eq!(called(&client, &format!("http://{host}:{port}")).await.unwrap(), 204);
    }
    let refused = called(&client, "http://169.254.169.254/latest").await;
    check_denied(refused, Denial::LinkLocal, Some("169.254.169.254"));
    let metadata = ScriptedResolver::new(&[&["169.254.169.254"]]);
    let client = Client::over_network(
        &Network::with_resolver(metadata, Listeners::default()),
        ClientSettings::default(),
    );
    let refused = called(&client, "http://metadata.google.internal").await;
    check_denied(refused, Denial::LinkLocal, Some("169.254.169.254"));
}

#[tokio::test]
async fn a_connection_made_for_the_operator_is_not_used_for_a_description() {
    let origin = serve_raw(|mut connection| async move {
        while connection.read_head().await.is_some() {
            connection.write("HTTP/1.1 204 No Content\r\n\r\n").await;
        }
    });
    let origin = origin.await.replace("127.0.0.1", "pets.example");
    let client = Client::over_network(
        &Network::with_resolver(Arc::new(Here), Listeners::default()),
        ClientSettings { allow: vec!["10.0.0.1".parse().unwrap()], ..ClientSettings::default() },
    );
    assert_eq!(called(&client, &origin).await.unwrap(), 204);
    let mut request = get(&origin, "/");
    request.extensions_mut().insert(NamedBy::Description);
    let refused = client.send(request, &Limits::default()).await.map(|_| 0);
    check_denied(refused, Denial::Private, Some("127.0.0.1"));
}

#[tokio::test]
async fn the_client_never_calls_its_own_listener() {
    let (port, n_connections) = counting_server().await;
    let listeners = Listeners::default();
    let client = Client::over_network(
        &Network::with_resolver(Arc::new(Here), listeners.clone()),
        ClientSettings::default(),
    );
    let origins = ["127.0.0.1", "pets.example"].map(|host| format!("http://{host}:{port}"));
    for listener in ["127.0.0.1", "0.0.0.0"] {
        let listener = SocketAddr::new(listener.parse().unwrap(), port);
        listeners.add(listener);
        for origin in &origins {
            check_denied(called(&client, origin).await, Denial::OwnListener, Some("127.0.0.1"));
        }
        listeners.remove(listener);
    }
    assert_eq!(n_connections.load(Ordering::SeqCst), 0);
    assert_eq!(called(&client, &origins[1]).await.unwrap(), 204);
}

/// Resolves every name to one service at one private endpoint.
#[derive(Debug)]
struct Directory(SocketAddr);

#[async_trait]
impl Resolver for Directory {
    async fn addresses(&self, host: &str) -> io::Result<Vec<SocketAddr>> {
        if host == "pets.example" { Ok(vec![self.0]) } else { Err(io::ErrorKind::NotFound.into()) }
    }
}

fn directed(port: u16, tls: TlsSettings) -> Client {
    let directory = Some(Arc::new(Directory(([127, 0, 0, 1], port).into())) as _);
    let resolver = ScriptedResolver::new(&[&["10.0.0.1"]]);
    Client::over_network(
        &Network::with_resolver(resolver, Listeners::default()),
        ClientSettings {
            named_by: NamedBy::Description,
            tls,
            directory,
            ..ClientSettings::default()
        },
    )
}

#[tokio::test]
async fn an_address_of_a_service_directory_is_dialled_under_the_original_name() {
    let authority = Authority::new("ours");
    let service = authority.issue("pets.example", When::Now);
    let port = serve_tls(service.server_config()).await;
    let client = directed(port, TlsSettings::new().trust_only_ca(authority.ca_certificates()));
    // The URL names no port, so the directory's port is dialled.
    assert_eq!(called(&client, "https://pets.example").await.unwrap(), 200);
    let unknown = called(&client, "https://other.example").await;
    check_failure(unknown, ErrorKind::Dns, Reached::No);
    let literal = called(&client, &format!("https://127.0.0.1:{port}")).await;
    check_failure(literal, ErrorKind::Refused, Reached::No);
}

#[tokio::test]
async fn the_host_header_keeps_the_servers_name() {
    let (heads, mut arrived) = tokio::sync::mpsc::unbounded_channel();
    let origin = serve_raw(move |mut connection| {
        let heads = heads.clone();
        async move {
            heads.send(connection.read_head().await.unwrap()).unwrap();
            connection.write("HTTP/1.1 204 No Content\r\n\r\n").await;
        }
    });
    let origin: Url = origin.await.parse().unwrap();
    let client = directed(origin.port().unwrap(), TlsSettings::new());
    assert_eq!(called(&client, "http://pets.example").await.unwrap(), 204);
    assert!(arrived.recv().await.unwrap().contains("host: pets.example\r\n"));
}
