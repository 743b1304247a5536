//! A provider of models that is strict: it refuses requests whose calls and results do not pair, whose order is wrong, and
//! whose messages differ by one byte from those that it sent. Its replies are scripted.

mod rules;
mod said;
mod streamed;

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
    time::Duration,
};

use async_trait::async_trait;
use bytes::Bytes;
use callgate_agent::{Model, ModelSettings};
use callgate_auth::{AuthConfig, AuthContext, CredentialSource};
use callgate_dialect::Dialect;
use callgate_secret::{MemoryStore, Secret, SecretReference};
use callgate_tool::{Object, Value};
use callgate_transport::{Error, ErrorKind, Limits, Refuse, ResponseBody, Transport};
use futures_util::StreamExt;
use http::{Request, Response};

pub(crate) use self::{
    said::{Asked, Said},
    streamed::frame,
};

pub(crate) const DIALECTS: [Dialect; 5] =
    [Dialect::OpenAi, Dialect::Anthropic, Dialect::Gemini, Dialect::Responses, Dialect::Bedrock];

/// What the provider does next.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// Sends these bytes.
    Bytes(Vec<u8>),
    /// Never answers.
    Hang,
    /// Sends this body.
    Raw(String),
    Says(Said),
    /// Sends the pieces of a stream, each after so many seconds.
    Slowly(Vec<(u64, Vec<u8>)>),
    /// Streams so many events of this, and then an error that passes, or one that does not.
    Fails(Said, usize, Failing),
    /// Streams this, and breaks off after so many events.
    Streams(Said, usize),
    /// Answers with a status, `Retry-After` and a body.
    Status(u16, Option<&'static str>, &'static str),
}

/// An error in a stream.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Failing {
    ForGood,
    ForNow,
}

#[derive(Debug)]
pub(crate) struct Fake {
    dialect: Dialect,
    steps: Mutex<VecDeque<Step>>,
    n_replies: Mutex<usize>,
    pub(crate) requests: Mutex<Vec<String>>,
    pub(crate) refused: Mutex<Vec<String>>,
    /// The messages that were sent, as they have to come back.
    sent: Mutex<Vec<String>>,
}

impl Fake {
    pub(crate) fn new(dialect: Dialect, steps: impl IntoIterator<Item = Step>) -> Arc<Self> {
        Arc::new(Self {
            dialect,
            steps: Mutex::new(steps.into_iter().collect()),
            n_replies: Mutex::default(),
            requests: Mutex::default(),
            refused: Mutex::default(),
            sent: Mutex::default(),
        })
    }

    pub(crate) fn push(&self, steps: impl IntoIterator<Item = Step>) {
        self.steps.lock().unwrap().extend(steps);
    }

    pub(crate) fn model(self: &Arc<Self>) -> Model {
        self.model_with(Object::new())
    }

    /// A model whose replies are streams.
    pub(crate) fn streamed(self: &Arc<Self>) -> Model {
        self.model_of(Object::new(), |settings| settings.stream = true)
    }

    /// A model of another name.
    pub(crate) fn model_named(self: &Arc<Self>, name: &str) -> Model {
        self.model_of(Object::new(), |settings| name.clone_into(&mut settings.model))
    }

    pub(crate) fn model_with(self: &Arc<Self>, members: Object) -> Model {
        self.model_of(members, |_| {})
    }

    /// A model whose replies are streams, which is sent a key.
    pub(crate) fn streamed_for(self: &Arc<Self>, key: &str) -> Model {
        let key = SecretReference::literal(Secret::new(key.to_owned()));
        let auth = AuthConfig::Bearer { token: CredentialSource::Secret(key) };
        self.model_by(auth, Object::new(), |settings| settings.stream = true)
    }

    fn model_of(self: &Arc<Self>, members: Object, change: impl Fn(&mut ModelSettings)) -> Model {
        self.model_by(AuthConfig::None, members, change)
    }

    fn model_by(
        self: &Arc<Self>,
        auth: AuthConfig,
        members: Object,
        change: impl Fn(&mut ModelSettings),
    ) -> Model {
        let context = AuthContext::new(Arc::new(MemoryStore::new()), Arc::new(Refuse::new()));
        let authenticator = auth.build(&context).unwrap();
        let mut settings = ModelSettings::new(self.dialect, "https://models.example/v1", "m-1");
        settings.settings = members;
        change(&mut settings);
        Model::new(settings, Arc::clone(self) as Arc<dyn Transport>, authenticator).unwrap()
    }

    pub(crate) fn n_requests(&self) -> usize {
        self.requests.lock().unwrap().len()
    }

    /// The body of the last request.
    pub(crate) fn last(&self) -> Value {
        Value::parse(self.requests.lock().unwrap().last().unwrap()).unwrap()
    }

    #[track_caller]
    pub(crate) fn refused_nothing(&self) {
        let refused = self.refused.lock().unwrap();
        assert!(refused.is_empty(), "{}: {refused:#?}", self.dialect);
    }

    fn answer(&self, path: &str, body: &str) -> Option<(Response<Bytes>, Vec<String>)> {
        let only = |response| Some((response, Vec::new()));
        self.requests.lock().unwrap().push(body.to_owned());
        let parsed = Value::parse(body).unwrap();
        let wrong = rules::check(self.dialect, &parsed).and_then(|()| self.check_bytes(body));
        if let Err(wrong) = wrong {
            self.refused.lock().unwrap().push(format!("{wrong}\n{body}"));
            return only(response(400, None, &format!(r#"{{"error":{{"message":"{wrong}"}}}}"#)));
        }
        let is_streamed = parsed["stream"].as_bool() == Some(true)
            || path.ends_with("converse-stream")
            || path.ends_with("streamGenerateContent");
        let step = self.steps.lock().unwrap().pop_front();
        match step.unwrap_or_else(|| Step::Says(Said::text("That is all."))) {
            Step::Says(said) if is_streamed => Some(self.streams(&said, usize::MAX)),
            Step::Bytes(bytes) => only(response(200, None, "").map(|_| bytes.into())),
            Step::Hang | Step::Slowly(_) => None,
            Step::Raw(body) => only(response(200, None, &body)),
            Step::Status(status, after, body) => only(response(status, after, body)),
            Step::Streams(said, n_events) => Some(self.streams(&said, n_events)),
            Step::Fails(said, n_events, failing) => {
                let (response, _) = self.streams(&said, n_events);
                let error = streamed::error(self.dialect, failing);
                only(response.map(|events| [&*events, &error].concat().into()))
            }
            Step::Says(said) => {
                let (body, kept) = said.rendered(self.dialect, self.next());
                Some((response(200, None, &body), kept))
            }
        }
    }

    /// The first events of a streamed reply, and the texts in it that have to come back.
    fn streams(&self, said: &Said, n_events: usize) -> (Response<Bytes>, Vec<String>) {
        let (body, kept) = said.rendered(self.dialect, self.next());
        let events = streamed::events(self.dialect, &body);
        // Only these come as the texts that they are.
        let is_kept = self.dialect == Dialect::Responses && n_events >= events.len();
        let events: Vec<u8> = events.into_iter().take(n_events).flatten().collect();
        let response = response(200, None, "").map(|_| Bytes::from(events));
        (response, if is_kept { kept } else { Vec::new() })
    }

    /// The number of the next reply.
    fn next(&self) -> usize {
        let mut n_replies = self.n_replies.lock().unwrap();
        *n_replies += 1;
        *n_replies
    }

    /// Every message that was sent comes back byte for byte, in order.
    fn check_bytes(&self, body: &str) -> Result<(), String> {
        let mut rest = body;
        for sent in &*self.sent.lock().unwrap() {
            let Some((_, after)) = rest.split_once(sent.as_str()) else {
                return Err(format!(
                    "a message did not come back as it was: {}",
                    sent.replace('"', "'")
                ));
            };
            rest = after;
        }
        Ok(())
    }
}

/// A reply as the body of a response.
pub(crate) fn body(dialect: Dialect, said: &Said) -> String {
    said.rendered(dialect, 1).0
}

/// A reply as the bytes of the events in which a provider streams it.
pub(crate) fn streamed_events(dialect: Dialect, said: &Said) -> Vec<Vec<u8>> {
    streamed::events(dialect, &said.rendered(dialect, 1).0)
}

fn response(status: u16, after: Option<&str>, body: &str) -> Response<Bytes> {
    let builder = Response::builder().status(status).header("content-type", "application/json");
    let builder =
        after.into_iter().fold(builder, |builder, after| builder.header("retry-after", after));
    builder.body(Bytes::from(body.to_owned())).unwrap()
}

#[async_trait]
impl Transport for Fake {
    async fn send(
        &self,
        request: Request<Bytes>,
        limits: &Limits,
    ) -> Result<Response<Bytes>, Error> {
        let path = request.uri().path().to_owned();
        let body = std::str::from_utf8(request.body()).unwrap().to_owned();
        // A real provider takes its time: a place where a turn can be dropped.
        tokio::task::yield_now().await;
        let answer = self.answer(&path, &body);
        tokio::task::yield_now().await;
        let Some((answer, kept)) = answer else {
            let never = std::future::pending::<()>();
            tokio::time::timeout(limits.timeout, never).await.unwrap_err();
            return Err(Error::new(ErrorKind::TimedOut, "no answer came in time"));
        };
        self.sent.lock().unwrap().extend(kept);
        Ok(answer)
    }

    async fn open(
        &self,
        request: Request<Bytes>,
        limits: &Limits,
    ) -> Result<Response<ResponseBody>, Error> {
        let pieces = match self.steps.lock().unwrap().front() {
            Some(Step::Slowly(pieces)) => pieces.clone(),
            _ => Vec::new(),
        };
        if pieces.is_empty() {
            return Ok(self.send(request, limits).await?.map(ResponseBody::whole));
        }
        let path = request.uri().path().to_owned();
        self.answer(&path, std::str::from_utf8(request.body()).unwrap());
        let pieces = futures_util::stream::iter(pieces).then(|(seconds, piece)| async move {
            let never = std::future::pending::<()>();
            tokio::time::timeout(Duration::from_secs(seconds), never).await.unwrap_err();
            Ok(piece.into())
        });
        Ok(response(200, None, "").map(|_| ResponseBody::from_pieces(pieces)))
    }
}
