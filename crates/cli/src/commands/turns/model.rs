//! The way to a model, recorded, or answered from a recording.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use bytes::Bytes;
use callgate::config::Built;
use callgate_secret::Masker;
use callgate_tool::Value;
use callgate_transport::{
    CredentialValues, Error, ErrorKind, Limits, ResponseBody, Transport, render_response,
};
use http::{
    Request, Response,
    header::{CONTENT_TYPE, RETRY_AFTER},
};

use super::folder::Exchange;

/// Puts a transport in front of the one of an agent's model.
pub(crate) fn over_model<T: Transport + 'static>(
    built: &mut Built,
    agent: &str,
    over: impl FnOnce(Arc<dyn Transport>) -> Arc<T>,
) -> Option<Arc<T>> {
    let agent = built.agents.iter_mut().find(|built_agent| built_agent.name == agent)?;
    let transport = over(Arc::clone(&agent.model.transport));
    agent.model.transport = Arc::<T>::clone(&transport);
    Some(transport)
}

/// Sends requests, and records their bodies and the responses without credentials.
#[derive(Debug)]
pub(crate) struct ModelRecorder {
    transport: Arc<dyn Transport>,
    exchanges: Mutex<Vec<Exchange>>,
}

impl ModelRecorder {
    pub(crate) fn around_transport(transport: Arc<dyn Transport>) -> Self {
        Self { transport, exchanges: Mutex::default() }
    }

    pub(crate) fn exchanges(&self) -> Vec<Exchange> {
        lock_ignoring_poison(&self.exchanges).clone()
    }

    /// Notes an exchange. Another attempt of a request replaces the one that failed.
    fn note_exchange(&self, asked: &Request<Bytes>, response: &Response<Bytes>) {
        let mut kept = Response::new(response.body().clone());
        *kept.status_mut() = response.status();
        // Others name the account, and nothing here reads them.
        for name in [CONTENT_TYPE, RETRY_AFTER] {
            if let Some(value) = response.headers().get(&name) {
                kept.headers_mut().insert(name, value.clone());
            }
        }
        let response = render_response(&kept);
        let response = match asked.extensions().get() {
            Some(CredentialValues(secrets)) => Masker::new(&**secrets).mask(&response).into_owned(),
            None => response,
        };
        let exchange = Exchange { request: asked.body().to_vec(), response };
        let mut exchanges = lock_ignoring_poison(&self.exchanges);
        if exchanges.last().is_some_and(|last| last.request == exchange.request) {
            exchanges.pop();
        }
        exchanges.push(exchange);
    }

    async fn whole_response(
        &self,
        request: Request<Bytes>,
        limits: &Limits,
    ) -> Result<Response<Bytes>, Error> {
        let (head, body) = self.transport.open(request, limits).await?.into_parts();
        Ok(Response::from_parts(head, body.collect(limits.response_bytes).await?))
    }
}

#[async_trait]
impl Transport for ModelRecorder {
    async fn send(
        &self,
        request: Request<Bytes>,
        limits: &Limits,
    ) -> Result<Response<Bytes>, Error> {
        let asked = request.clone();
        let response = self.transport.send(request, limits).await?;
        self.note_exchange(&asked, &response);
        Ok(response)
    }

    fn check(&self, request: &Request<Bytes>) -> Result<(), Error> {
        self.transport.check(request)
    }

    /// Reads a stream to its end, so that it is recorded whole.
    async fn open(
        &self,
        request: Request<Bytes>,
        limits: &Limits,
    ) -> Result<Response<ResponseBody>, Error> {
        let asked = request.clone();
        let whole = tokio::time::timeout(limits.timeout, self.whole_response(request, limits));
        let late = |_| Error::new(ErrorKind::TimedOut, LATE);
        let response = whole.await.map_err(late)??;
        self.note_exchange(&asked, &response);
        Ok(response.map(ResponseBody::whole))
    }
}

/// Answers requests with recorded responses, in their order, and keeps what was asked.
#[derive(Debug)]
pub(crate) struct ModelReplay {
    replies: Vec<Response<Bytes>>,
    requests: Mutex<Vec<Value>>,
}

impl ModelReplay {
    pub(crate) fn new(replies: Vec<Response<Bytes>>) -> Self {
        Self { replies, requests: Mutex::default() }
    }

    pub(crate) fn requests(&self) -> Vec<Value> {
        lock_ignoring_poison(&self.requests).clone()
    }
}

#[async_trait]
impl Transport for ModelReplay {
    async fn send(&self, request: Request<Bytes>, _: &Limits) -> Result<Response<Bytes>, Error> {
        let body = Value::from_slice(request.body()).unwrap_or_default();
        let mut asked = lock_ignoring_poison(&self.requests);
        // Another attempt after a failure asks the same again.
        if asked.last() != Some(&body) {
            asked.push(body);
        }
        let reply = asked.len().checked_sub(1).and_then(|at| self.replies.get(at));
        reply.cloned().ok_or_else(|| Error::new(ErrorKind::NothingRecorded, UNRECORDED))
    }
}

fn lock_ignoring_poison<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The message for a stream that does not end.
const LATE: &str = "the reply did not end in time";
const UNRECORDED: &str = "the recording has no further reply";

#[cfg(test)]
mod tests {
    use callgate_secret::Secret;

    use super::*;

    /// A provider that refuses once, and repeats the key.
    #[derive(Debug, Default)]
    struct Provider(Mutex<usize>);

    #[async_trait]
    impl Transport for Provider {
        async fn send(&self, _: Request<Bytes>, _: &Limits) -> Result<Response<Bytes>, Error> {
            let mut n_asked = lock_ignoring_poison(&self.0);
            *n_asked += 1;
            let builder = Response::builder().header("x-organization", "kim");
            let builder = if *n_asked == 1 { builder.status(529) } else { builder };
            Ok(builder.header("content-type", "text/plain").body("key s3cr3t-key".into()).unwrap())
        }
    }

    fn request(body: &'static str) -> Request<Bytes> {
        let mut request = Request::post("https://models.example/v1").body(body.into()).unwrap();
        let secrets = Arc::from([Secret::new("s3cr3t-key".to_owned())]);
        request.extensions_mut().insert(CredentialValues(secrets));
        request
    }

    #[tokio::test]
    async fn the_last_attempt_is_recorded_without_credentials_and_the_account() {
        let recorder = ModelRecorder::around_transport(Arc::new(Provider::default()));
        for body in ["{}", "{}", "[]"] {
            drop(recorder.open(request(body), &Limits::default()).await.unwrap());
        }
        let recorded = recorder.exchanges();
        let expected = b"HTTP/1.1 200 OK\ncontent-type: text/plain\n\nkey ****\n";
        let exchange =
            |body: &[u8]| Exchange { request: body.to_owned(), response: expected.to_vec() };
        assert_eq!(recorded, [exchange(b"{}"), exchange(b"[]")]);
    }

    #[tokio::test]
    async fn a_reply_that_was_not_recorded_is_no_reply() {
        let replay = ModelReplay::new(vec![Response::new("one".into())]);
        let limits = Limits::default();
        let send = |body| replay.send(request(body), &limits);
        assert_eq!(send("{}").await.unwrap().body(), "one");
        assert_eq!(send("{}").await.unwrap().body(), "one", "another attempt");
        assert_eq!(send("[]").await.unwrap_err().kind(), ErrorKind::NothingRecorded);
        assert_eq!(replay.requests().len(), 2);
    }
}
