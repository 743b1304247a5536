//! The address on this machine that a browser returns to after a login (RFC 8252 §7.3): accepts one good answer, and
//! refuses every other request that reaches the port. Of HTTP it knows only the request line and `Host`.

use std::{io, time::Duration};

use callgate::Secret;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    task::JoinSet,
    time::timeout,
};

pub(super) struct Callback {
    listener: TcpListener,
    pub(super) url: String,
    host: String,
    path: String,
}

pub(super) struct Answered {
    pub(super) query: String,
    connection: TcpStream,
}

#[derive(Debug, Eq, PartialEq)]
enum Came<'a> {
    Back(&'a str),
    Refused(&'static str),
}

impl Callback {
    /// Listens at the only address that the server accepts, or at a free port.
    pub(super) async fn listen(only: Option<&str>) -> io::Result<Self> {
        let (host, port, path) = only.and_then(address_parts).unwrap_or((LOOPBACK, 0, "/callback"));
        let address = match host {
            "localhost" => LOOPBACK,
            other => other,
        };
        let listener = TcpListener::bind(format!("{address}:{port}")).await?;
        let port = listener.local_addr()?.port();
        let host = if port == 80 { host.to_owned() } else { format!("{host}:{port}") };
        let url = format!("http://{host}{path}");
        Ok(Self { listener, url, path: path.to_owned(), host })
    }

    /// Waits for a browser whose query is the answer. Other requests are refused and do not block it.
    pub(super) async fn wait_for_answer(&self, is_answer: impl Fn(&str) -> bool) -> Answered {
        let mut reading = JoinSet::new();
        loop {
            tokio::select! {
                accepted = self.listener.accept(), if reading.len() < MOST_CONNECTIONS => {
                    if let Ok((connection, _)) = accepted {
                        reading.spawn(read_request_head(connection));
                    }
                }
                Some(read) = reading.join_next() => {
                    let Ok(Some((head, connection))) = read else { continue };
                    match self.classify_request(head.expose()) {
                        Came::Back(query) if is_answer(query) => {
                            return Answered { query: query.to_owned(), connection };
                        }
                        Came::Back(_) => refuse_request(connection, "400 Bad Request").await,
                        Came::Refused(status) => refuse_request(connection, status).await,
                    }
                }
            }
        }
    }

    fn classify_request<'a>(&self, head: &'a str) -> Came<'a> {
        let mut lines = head.split("\r\n");
        let request = lines.next().unwrap_or_default();
        let mut hosts = lines.filter_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("host").then(|| value.trim())
        });
        // A request for another name that resolves to this machine is refused.
        let is_ours = hosts.next().is_some_and(|host| host.eq_ignore_ascii_case(&self.host));
        if !is_ours || hosts.next().is_some() {
            return Came::Refused("421 Misdirected Request");
        }
        let Some(target) = request.strip_prefix("GET ") else {
            return Came::Refused("405 Method Not Allowed");
        };
        let target = target.split(' ').next().unwrap_or_default();
        match target.split_once('?') {
            Some((path, query)) if path == self.path => Came::Back(query),
            _ => Came::Refused("404 Not Found"),
        }
    }
}

impl Answered {
    pub(super) async fn send_login_end_page(self, is_done: bool) {
        let text = if is_done {
            "You are logged in. Close this page and go back to the terminal."
        } else {
            "You are not logged in. The terminal says why."
        };
        write_html_response(self.connection, "200 OK", text).await;
    }
}

/// The host, port and path of an address. The configuration's reader has checked it.
fn address_parts(url: &str) -> Option<(&str, u16, &str)> {
    let rest = url.strip_prefix("http://")?;
    let (authority, path) = match rest.find('/') {
        Some(at) => rest.split_at(at),
        None => (rest, "/"),
    };
    match authority.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => Some((host, port.parse().ok()?, path)),
        _ => Some((authority, 0, path)),
    }
}

/// The head of a request, which holds a code; `None` if no head arrives in time.
async fn read_request_head(mut connection: TcpStream) -> Option<(Secret, TcpStream)> {
    let mut head = Vec::with_capacity(MOST_BYTES);
    let reading = async {
        while !head.windows(4).any(|window| window == b"\r\n\r\n") {
            let n_read = connection.read_buf(&mut head).await.ok()?;
            if n_read == 0 || head.len() >= MOST_BYTES {
                return None;
            }
        }
        Some(())
    };
    timeout(READING_TIME, reading).await.ok()??;
    let head = String::from_utf8(head).ok()?;
    Some((Secret::new(head), connection))
}

async fn refuse_request(connection: TcpStream, status: &str) {
    write_html_response(connection, status, "This is not the answer to a login.").await;
}

async fn write_html_response(mut connection: TcpStream, status: &str, text: &str) {
    let body = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>callgate</title><p>{text}</p></html>\n"
    );
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\nCache-Control: no-store\r\nContent-Security-Policy: default-src 'none'\r\nReferrer-Policy: no-referrer\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n",
        body.len()
    );
    let writing = async {
        connection.write_all(format!("{head}{body}").as_bytes()).await?;
        connection.shutdown().await
    };
    // A browser that has left sees no page.
    timeout(WRITING_TIME, writing).await.ok();
}

const LOOPBACK: &str = "127.0.0.1";

/// Browsers open some connections ahead of their requests.
const MOST_CONNECTIONS: usize = 32;

/// The head of a browser's request has some kibibytes.
const MOST_BYTES: usize = 16 << 10;

const READING_TIME: Duration = Duration::from_secs(10);
const WRITING_TIME: Duration = Duration::from_secs(2);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_callback_address_must_be_local() {
        for (url, expected) in [
            ("http://127.0.0.1:8400/callback", Some(("127.0.0.1", 8400, "/callback"))),
            ("http://localhost:8400", Some(("localhost", 8400, "/"))),
            ("http://127.0.0.1/a/b", Some(("127.0.0.1", 0, "/a/b"))),
            ("http://[::1]:8400/", Some(("[::1]", 8400, "/"))),
            ("http://[::1]/", Some(("[::1]", 0, "/"))),
            ("https://example.com/", None),
        ] {
            assert_eq!(address_parts(url), expected, "{url}");
        }
    }

    async fn status(url: &str, request: &str) -> String {
        let address = url.trim_start_matches("http://").split('/').next().unwrap().to_owned();
        let mut connection = TcpStream::connect(&address).await.unwrap();
        let request = request.replace("HOST", &address);
        connection.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        connection.read_to_string(&mut answer).await.unwrap();
        assert!(!answer.contains("canary"), "{answer}");
        answer.split("\r\n").next().unwrap().to_owned()
    }

    #[tokio::test]
    async fn only_the_answer_of_this_login_is_accepted() {
        let callback = Callback::listen(None).await.unwrap();
        let url = callback.url.clone();
        assert!(url.starts_with("http://127.0.0.1:") && url.ends_with("/callback"), "{url}");
        let waiting = tokio::spawn(async move {
            let answered =
                callback.wait_for_answer(|query| query == "state=mine&code=canary").await;
            assert_eq!(answered.query, "state=mine&code=canary");
            answered.send_login_end_page(true).await;
        });
        // A connection that sends nothing delays nobody.
        let address = url.trim_start_matches("http://").trim_end_matches("/callback");
        let _silent = TcpStream::connect(address).await.unwrap();
        for (request, expected) in [
            ("GET /callback?state=canary HTTP/1.1\r\nHost: HOST\r\n\r\n", "400 Bad Request"),
            ("GET /callback HTTP/1.1\r\nHost: HOST\r\n\r\n", "404 Not Found"),
            ("GET /favicon.ico?a HTTP/1.1\r\nHost: HOST\r\n\r\n", "404 Not Found"),
            (
                "POST /callback?state=mine&code=canary HTTP/1.1\r\nHost: HOST\r\n\r\n",
                "405 Method Not Allowed",
            ),
            (
                "GET /callback?state=mine&code=canary HTTP/1.1\r\nHost: evil.example\r\n\r\n",
                "421 Misdirected Request",
            ),
            ("GET /callback?state=mine&code=canary HTTP/1.1\r\n\r\n", "421 Misdirected Request"),
            (
                "GET /callback?state=mine&code=canary HTTP/1.1\r\nHost: HOST\r\nHost: HOST\r\n\r\n",
                "421 Misdirected Request",
            ),
            ("GET /callback?state=mine&code=canary HTTP/1.1\r\nHost: HOST\r\n\r\n", "200 OK"),
        ] {
            assert_eq!(status(&url, request).await, format!("HTTP/1.1 {expected}"), "{request}");
        }
        waiting.await.unwrap();
    }
}
