//! Replays recorded responses instead of using the network. A request must match the recorded one byte for byte, as
//! `recording` renders it; without a match, the error shows both requests. Reads no files: the caller provides the
//! recordings' texts.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use async_trait::async_trait;
use bytes::Bytes;
use http::{Request, Response};

use crate::{
    difference,
    error::{self, Error},
    limits::Limits,
    recording::{canonical_request, parse_response, render_request},
    transport::Transport,
};

/// The number of requests that [`Replay::requests`] remembers, the latest ones; a demonstration that runs for weeks must
/// not fill the memory.
pub const MAX_REMEMBERED_REQUESTS: usize = 1024;

/// One recorded exchange.
///
/// ```
/// use callgate_transport::{Limits, Recording, Replay, Transport};
/// # use http::Request;
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
/// let recorded = |status: &str| Recording {
///     name: status.to_owned(),
///     request: b"DELETE https://api.example.com/pets/7 HTTP/1.1\n\n".to_vec(),
///     response: format!("HTTP/1.1 {status}\n\n").into_bytes(),
/// };
/// let replay = Replay::new([recorded("503 Service Unavailable"), recorded("204 No Content")])?;
/// # let request = || Request::delete("https://api.example.com/pets/7").body(bytes::Bytes::new());
/// assert_eq!(replay.send(request()?, &Limits::default()).await?.status(), 503);
/// assert_eq!(replay.send(request()?, &Limits::default()).await?.status(), 204);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Recording {
    /// The name of the recording, for messages.
    pub name: String,
    /// The text of the request, with credentials masked.
    pub request: Vec<u8>,
    /// The text of the response.
    pub response: Vec<u8>,
}

/// The transport that replays recordings.
///
/// Several recordings of one request are replayed in their order; after that, the last one is repeated.
///
/// ```
/// use bytes::Bytes;
/// use callgate_transport::{Limits, Recording, Replay, Transport};
/// use http::Request;
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
/// let replay = Replay::new([Recording {
///     name: "a pet".to_owned(),
///     request: b"GET http://localhost/pets/7 HTTP/1.1\n\n".to_vec(),
///     response: b"HTTP/1.1 200 OK\n\n{}".to_vec(),
/// }])?;
/// let request = Request::get("http://localhost/pets/7").body(Bytes::new()).expect("a request");
/// assert_eq!(replay.send(request, &Limits::default()).await?.body(), "{}");
/// # Ok::<(), callgate_transport::Error>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Replay {
    exchanges: BTreeMap<Vec<u8>, Exchange>,
    requests: Mutex<VecDeque<Vec<u8>>>,
}

#[derive(Debug)]
struct Exchange {
    name: String,
    responses: Vec<Response<Bytes>>,
    n_answered: AtomicUsize,
}

impl Replay {
    /// A transport that replays the recordings.
    ///
    /// # Errors
    /// [`ErrorKind::MalformedRecording`](crate::ErrorKind::MalformedRecording) for the first malformed response, with the
    /// recording's name and the line.
    pub fn new(recordings: impl IntoIterator<Item = Recording>) -> Result<Self, Error> {
        let mut exchanges: BTreeMap<Vec<u8>, Exchange> = BTreeMap::new();
        for Recording { name, request, response } in recordings {
            let response =
                parse_response(&response).map_err(|error| error::recording_error(&name, &error))?;
            let exchange = exchanges.entry(canonical_request(&request)).or_insert_with(|| {
                Exchange { name, responses: Vec::new(), n_answered: AtomicUsize::new(0) }
            });
            exchange.responses.push(response);
        }
        Ok(Self { exchanges, requests: Mutex::default() })
    }

    /// The latest [`MAX_REMEMBERED_REQUESTS`] requests, as they were rendered, in their order.
    pub fn requests(&self) -> Vec<Vec<u8>> {
        let requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        requests.iter().cloned().collect()
    }

    fn remember_request(&self, request: Vec<u8>) {
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        if requests.len() >= MAX_REMEMBERED_REQUESTS {
            requests.pop_front();
        }
        requests.push_back(request);
    }

    fn next_recorded_response(&self, request: &[u8]) -> Result<Response<Bytes>, Error> {
        let response = self.exchanges.get(request).and_then(Exchange::next_or_last_response);
        response
            .cloned()
            .ok_or_else(|| error::nothing_recorded_error(self.missing_recording_detail(request)))
    }

    fn missing_recording_detail(&self, request: &[u8]) -> String {
        let sent = String::from_utf8_lossy(request);
        let recorded = self
            .exchanges
            .iter()
            .map(|(text, exchange)| (&*exchange.name, String::from_utf8_lossy(text)));
        let nearest = recorded.max_by_key(|(_, text)| difference::request_likeness(text, &sent));
        let Some((name, text)) = nearest else {
            return format!("request:\n{sent}\nnothing is recorded at all\n");
        };
        let lines = difference::differing_lines(&text, &sent);
        format!(
            "request:\n{sent}\nnearest recorded request, `{name}`:\n{text}\n\
             difference (`-` recorded, `+` sent):\n{lines}"
        )
    }
}

#[async_trait]
impl Transport for Replay {
    async fn send(
        &self,
        request: Request<Bytes>,
        limits: &Limits,
    ) -> Result<Response<Bytes>, Error> {
        let rendered = render_request(&request);
        let answer = self.next_recorded_response(&rendered);
        self.remember_request(rendered);
        let response = answer?;
        if response.body().len() > limits.response_bytes {
            return Err(error::too_large(limits.response_bytes));
        }
        Ok(response)
    }
}

impl Exchange {
    fn next_or_last_response(&self) -> Option<&Response<Bytes>> {
        let count = |n_answered: usize| n_answered.checked_add(1);
        let position = self.n_answered.fetch_update(Ordering::Relaxed, Ordering::Relaxed, count);
        let position = position.unwrap_or(usize::MAX);
        self.responses.get(position).or_else(|| self.responses.last())
    }
}

#[cfg(test)]
mod tests {
    use callgate_tool::Reached;

    use super::*;
    use crate::ErrorKind;

    fn recording(name: &str, request: &str, response: &str) -> Recording {
        Recording { name: name.to_owned(), request: request.into(), response: response.into() }
    }

    fn pets() -> Replay {
        Replay::new([
            recording(
                "first",
                "GET http://h/pets/7 HTTP/1.1\naccept: */*\n",
                "HTTP/1.1 200 OK\n\none\n",
            ),
            recording(
                "again",
                "GET http://h/pets/7 HTTP/1.1\r\naccept: */*\r\n\r\n",
                "HTTP/1.1 404 No\n\n",
            ),
            recording(
                "create",
                "POST http://h/pets HTTP/1.1\naccept: */*\n\n{}\n",
                "HTTP/1.1 201 Created\n",
            ),
        ])
        .unwrap()
    }

    async fn get(replay: &Replay, uri: &str) -> Result<Response<Bytes>, Error> {
        let request = Request::get(uri).header("accept", "*/*").body(Bytes::new()).unwrap();
        replay.send(request, &Limits::default()).await
    }

    #[tokio::test]
    async fn recordings_of_one_request_answer_in_order_and_the_last_repeats() {
        let replay = pets();
        for expected in [200, 404, 404] {
            assert_eq!(get(&replay, "http://h/pets/7").await.unwrap().status(), expected);
        }
    }

    #[tokio::test]
    async fn a_recording_matches_only_with_its_body() {
        let replay = pets();
        for (body, is_recorded) in [("{}", true), ("{}\n", false), ("", false)] {
            let request =
                Request::post("http://h/pets").header("accept", "*/*").body(body.into()).unwrap();
            let answer = replay.send(request, &Limits::default()).await;
            assert_eq!(answer.is_ok(), is_recorded, "{body:?}");
        }
    }

    #[tokio::test]
    async fn a_request_without_a_recording_is_compared_with_the_nearest_one() {
        let error = get(&pets(), "http://h/pets/8").await.unwrap_err();
        assert_eq!(
            (error.kind(), error.reached_service()),
            (ErrorKind::NothingRecorded, Reached::No)
        );
        let detail = error.detail().unwrap();
        assert!(detail.contains("`first`"), "{detail}");
        assert!(
            detail.contains("-GET http://h/pets/7 HTTP/1.1\n+GET http://h/pets/8 HTTP/1.1\n"),
            "{detail}"
        );
        assert!(!format!("{error} {error:?}").contains("http://"), "{error:?}");
        let error = get(&Replay::new([]).unwrap(), "http://h/").await.unwrap_err();
        assert!(error.detail().unwrap().contains("nothing is recorded"), "{error:?}");
    }

    #[tokio::test]
    async fn a_bounded_number_of_replayed_requests_is_remembered() {
        let replay = pets();
        for number in 0..=MAX_REMEMBERED_REQUESTS {
            get(&replay, &format!("http://h/{number}")).await.unwrap_err();
        }
        let requests = replay.requests();
        assert_eq!(requests.len(), MAX_REMEMBERED_REQUESTS);
        assert_eq!(requests[0], b"GET http://h/1 HTTP/1.1\naccept: */*\n\n");
    }

    #[tokio::test]
    async fn a_recorded_answer_over_the_limit_is_refused() {
        let request =
            || Request::get("http://h/pets/7").header("accept", "*/*").body(Bytes::new()).unwrap();
        let limits = |response_bytes| Limits { response_bytes, ..Limits::default() };
        let error = pets().send(request(), &limits(2)).await.unwrap_err();
        assert_eq!((error.kind(), error.reached_service()), (ErrorKind::TooLarge, Reached::Yes));
        assert_eq!(pets().send(request(), &limits(3)).await.unwrap().body(), "one");
    }

    #[test]
    fn a_malformed_recording_is_reported_with_its_name_and_line() {
        let error =
            Replay::new([recording("broken", "GET http://h/ HTTP/1.1", "200")]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::MalformedRecording);
        assert!(
            error.to_string().contains("`broken`") && error.to_string().contains("line 1"),
            "{error}"
        );
    }
}
