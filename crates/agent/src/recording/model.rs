//! The way to a model, recorded. A reply that is a stream goes on as it comes.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use bytes::Bytes;
use callgate_secret::{Masker, Secret};
use callgate_transport::{
    CredentialValues, Error, Limits, ResponseBody, Transport, render_response,
};
use futures_util::stream;
use http::{
    HeaderMap, Request, Response, StatusCode,
    header::{CONTENT_TYPE, RETRY_AFTER},
};

use super::files::Exchange;

/// Sends requests, and records their bodies and the responses without credentials.
#[doc(hidden)]
#[derive(Debug)]
pub struct ModelRecorder {
    transport: Arc<dyn Transport>,
    exchanges: ModelExchanges,
}

/// The exchanges with a model. Clones share them.
#[doc(hidden)]
#[derive(Clone, Debug, Default)]
pub struct ModelExchanges(Arc<Mutex<Vec<Exchange>>>);

impl ModelExchanges {
    /// The exchanges in their order.
    pub fn exchanges(&self) -> Vec<Exchange> {
        self.lock().clone()
    }

    /// Notes an exchange. Another attempt of a request replaces the one that failed.
    fn note_exchange(&self, exchange: Exchange) {
        let mut exchanges = self.lock();
        if exchanges.last().is_some_and(|last| last.request == exchange.request) {
            exchanges.pop();
        }
        exchanges.push(exchange);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Exchange>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ModelRecorder {
    /// Records what goes over a transport.
    pub fn new(transport: Arc<dyn Transport>, exchanges: ModelExchanges) -> Self {
        Self { transport, exchanges }
    }

    fn begin_exchange<B>(&self, asked: &Request<Bytes>, response: &Response<B>) -> RunningExchange {
        let secrets = asked.extensions().get().map(|CredentialValues(secrets)| Arc::clone(secrets));
        let mut headers = HeaderMap::new();
        // Others name the account, and nothing here reads them.
        for name in [CONTENT_TYPE, RETRY_AFTER] {
            headers.extend(response.headers().get(&name).map(|value| (name, value.clone())));
        }
        RunningExchange {
            request: asked.body().clone(),
            status: response.status(),
            headers,
            body: Vec::new(),
            secrets,
            exchanges: self.exchanges.clone(),
        }
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
        self.begin_exchange(&asked, &response).body.extend_from_slice(response.body());
        Ok(response)
    }

    fn check(&self, request: &Request<Bytes>) -> Result<(), Error> {
        self.transport.check(request)
    }

    async fn open(
        &self,
        request: Request<Bytes>,
        limits: &Limits,
    ) -> Result<Response<ResponseBody>, Error> {
        let asked = request.clone();
        let response = self.transport.open(request, limits).await?;
        let exchange = self.begin_exchange(&asked, &response);
        Ok(response.map(|body| ResponseBody::from_pieces(recorded_pieces(body, exchange))))
    }
}

/// The pieces of a body, each of which is noted.
fn recorded_pieces(
    body: ResponseBody,
    exchange: RunningExchange,
) -> impl stream::Stream<Item = Result<Bytes, Error>> + Send {
    stream::unfold((body, exchange), |(mut body, mut exchange)| async move {
        let piece = body.chunk().await.transpose()?;
        if let Ok(bytes) = &piece {
            exchange.body.extend_from_slice(bytes);
        }
        Some((piece, (body, exchange)))
    })
}

/// An exchange that is noted when its body is read no further.
struct RunningExchange {
    request: Bytes,
    status: StatusCode,
    headers: HeaderMap,
    body: Vec<u8>,
    secrets: Option<Arc<[Secret]>>,
    exchanges: ModelExchanges,
}

impl Drop for RunningExchange {
    fn drop(&mut self) {
        let mut response = Response::new(Bytes::from(std::mem::take(&mut self.body)));
        *response.status_mut() = self.status;
        *response.headers_mut() = std::mem::take(&mut self.headers);
        let response = render_response(&response);
        let response = match &self.secrets {
            Some(secrets) => Masker::new(&**secrets).mask(&response).into_owned(),
            None => response,
        };
        self.exchanges.note_exchange(Exchange { request: self.request.to_vec(), response });
    }
}

#[cfg(test)]
mod tests {
    use callgate_transport::ErrorKind;

    use super::*;

    /// A provider that refuses once, and repeats the key.
    #[derive(Debug, Default)]
    struct Provider(Mutex<usize>);

    #[async_trait]
    impl Transport for Provider {
        async fn send(&self, _: Request<Bytes>, _: &Limits) -> Result<Response<Bytes>, Error> {
            let mut n_asked = self.0.lock().unwrap();
            *n_asked += 1;
            let builder = Response::builder().header("x-organization", "kim");
            let builder = if *n_asked == 1 { builder.status(529) } else { builder };
            Ok(builder.header("content-type", "text/plain").body("key s3cr3t-key".into()).unwrap())
        }
    }

    /// A provider whose stream breaks off after two pieces.
    #[derive(Debug)]
    struct Streaming;

    #[async_trait]
    impl Transport for Streaming {
        async fn send(&self, _: Request<Bytes>, _: &Limits) -> Result<Response<Bytes>, Error> {
            Err(Error::new(ErrorKind::TimedOut, "only streams"))
        }

        async fn open(
            &self,
            _: Request<Bytes>,
            _: &Limits,
        ) -> Result<Response<ResponseBody>, Error> {
            let broken = Err(Error::new(ErrorKind::Receive, "it broke off"));
            let pieces = [Ok("data: s3cr3t-".into()), Ok("key".into()), broken];
            Ok(Response::new(ResponseBody::from_pieces(stream::iter(pieces))))
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
        let exchanges = ModelExchanges::default();
        let recorder = ModelRecorder::new(Arc::new(Provider::default()), exchanges.clone());
        let limits = Limits::default();
        for body in ["{}", "{}", "[]"] {
            let response = recorder.open(request(body), &limits).await.unwrap();
            response.into_body().collect(100).await.unwrap();
        }
        let expected = b"HTTP/1.1 200 OK\ncontent-type: text/plain\n\nkey ****\n";
        let exchange =
            |body: &[u8]| Exchange { request: body.to_owned(), response: expected.to_vec() };
        assert_eq!(exchanges.exchanges(), [exchange(b"{}"), exchange(b"[]")]);
    }

    #[tokio::test]
    async fn a_stream_goes_on_as_it_comes_and_is_recorded_as_far_as_it_was_read() {
        let exchanges = ModelExchanges::default();
        let recorder = ModelRecorder::new(Arc::new(Streaming), exchanges.clone());
        let response = recorder.open(request("{}"), &Limits::default()).await.unwrap();
        let mut body = response.into_body();
        assert_eq!(body.chunk().await.unwrap().unwrap(), "data: s3cr3t-");
        assert_eq!(exchanges.exchanges(), []);
        assert_eq!(body.chunk().await.unwrap().unwrap(), "key");
        assert_eq!(body.chunk().await.unwrap_err().kind(), ErrorKind::Receive);
        drop(body);
        let [Exchange { response, .. }] = &*exchanges.exchanges() else { panic!() };
        assert_eq!(response, b"HTTP/1.1 200 OK\n\ndata: ****\n");
    }
}
