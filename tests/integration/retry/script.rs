//! A transport that answers from a script, and an executor over it.

use crate::prelude::*;
use std::{collections::VecDeque, future::pending};

use callgate::transport::{Error, Limits, ResponseBody};
use callgate_auth::{AuthConfig, AuthContext};
use callgate_executor::{CallSettings, Callable, Toolset};
use callgate_secret::LocalStores;
use futures_util::stream;
use tokio::time::timeout;

const DESCRIPTION: &str = concat!("\n", include_str!("script.yaml"));
/// The tools of [`DESCRIPTION`], and whether their requests are safe to repeat.
pub(super) const TOOLS: [(&str, bool); 9] = [
    ("get", true),
    ("head", true),
    ("options", true),
    ("trace", true),
    ("put", false),
    ("post", false),
    ("patch", false),
    ("delete", false),
    ("execPod", false),
];

/// An answer of the service, or a fault of the way to it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Answer {
    /// A status, and the delay of a `google.rpc.RetryInfo` in the body.
    Delayed(u16, &'static str),
    /// A status, and a body of JSON that never comes.
    Hanging(u16),
    /// A status, and the value of `Retry-After`.
    Status(u16, &'static str),
    /// The error, after some seconds.
    Broken(ErrorKind, u64),
    /// No answer until the time limit.
    Silent,
}

pub(super) use Answer::{Broken, Delayed, Hanging, Silent, Status};

/// Answers from a script; its last answer goes on.
#[derive(Debug)]
pub(super) struct Script {
    answers: Mutex<VecDeque<Answer>>,
    /// The moments of requests, and whether the service may have seen them.
    sent: Mutex<Vec<(Instant, bool)>>,
}

#[async_trait::async_trait]
impl Transport for Script {
    async fn send(
        &self,
        _: http::Request<bytes::Bytes>,
        limits: &Limits,
    ) -> Result<http::Response<bytes::Bytes>, Error> {
        let answer = {
            let mut answers = self.answers.lock().unwrap();
            if answers.len() > 1 { answers.pop_front() } else { answers.front().copied() }
        };
        let failed = |kind| Error::new(kind, "the script says so");
        let answer = answer.unwrap_or(Status(200, ""));
        let is_seen =
            !matches!(answer, Broken(kind, _) if failed(kind).reached_service() == Reached::No);
        self.sent.lock().unwrap().push((Instant::now(), is_seen));
        match answer {
            Delayed(status, delay) => {
                let kind = "type.googleapis.com/google.rpc.RetryInfo";
                let details = json!([{"@type": kind, "retryDelay": delay}]);
                let body = json!({"error": {"code": status, "details": details}}).to_string();
                let answer = http::Response::builder().status(status);
                let answer = answer.header("content-type", "application/json; charset=UTF-8");
                Ok(answer.body(body.into()).unwrap())
            }
            Hanging(status) => {
                let answer = http::Response::builder().status(status).extension(Hangs);
                let answer = answer.header("content-type", "application/json");
                Ok(answer.body(bytes::Bytes::new()).unwrap())
            }
            Status(status, wait) => {
                let mut answer = http::Response::builder().status(status);
                answer = answer.header("date", "Wed, 21 Oct 2015 07:28:00 GMT");
                if !wait.is_empty() {
                    answer = answer.header("retry-after", wait);
                }
                Ok(answer.body("\"said\"".into()).unwrap())
            }
            Broken(kind, seconds) => {
                silence(limits.timeout.min(Duration::from_secs(seconds))).await;
                Err(failed(kind))
            }
            Silent => {
                silence(limits.timeout).await;
                Err(failed(ErrorKind::TimedOut))
            }
        }
    }

    async fn open(
        &self,
        request: http::Request<bytes::Bytes>,
        limits: &Limits,
    ) -> Result<http::Response<ResponseBody>, Error> {
        let (head, body) = self.send(request, limits).await?.into_parts();
        let is_hanging = head.extensions.get::<Hangs>().is_some();
        let body = if is_hanging {
            ResponseBody::from_pieces(stream::pending())
        } else {
            ResponseBody::whole(body)
        };
        Ok(http::Response::from_parts(head, body))
    }
}

/// Marks a response whose body never comes.
#[derive(Clone, Copy, Debug)]
struct Hangs;

/// Passes on the paused clock of the test.
async fn silence(time: Duration) {
    timeout(time, pending::<()>()).await.ok();
}

impl Script {
    pub(super) fn new(answers: &[Answer]) -> Arc<Self> {
        let answers = Mutex::new(answers.iter().copied().collect());
        Arc::new(Self { answers, sent: Mutex::default() })
    }

    pub(super) fn n_sent(&self) -> usize {
        self.sent.lock().unwrap().len()
    }

    pub(super) fn n_seen(&self) -> usize {
        self.sent.lock().unwrap().iter().filter(|(_, is_seen)| *is_seen).count()
    }

    /// The time before each further request, in milliseconds.
    pub(super) fn waits(&self) -> Vec<u128> {
        let sent = self.sent.lock().unwrap();
        sent.windows(2).map(|pair| (pair[1].0 - pair[0].0).as_millis()).collect()
    }

    pub(super) fn executor(self: &Arc<Self>, retry: Retry) -> Executor {
        let description = describe(DESCRIPTION);
        let limits = callgate::openapi::Limits::default();
        let document = Document::read(description.as_bytes(), &limits).unwrap().value;
        let operations = callgate_openapi::load(&document, &LoadOptions::default()).operations;
        let transport = Arc::clone(self) as Arc<dyn Transport>;
        let context = AuthContext::new(Arc::new(LocalStores::new(".")), Arc::clone(&transport));
        let authenticator = AuthConfig::None.build(&context).unwrap();
        let callable =
            |operation| Callable { operation, authenticator: Arc::clone(&authenticator) };
        let toolset = Toolset {
            name: String::new(),
            operations: operations.into_iter().map(callable).collect(),
            refused: Vec::new(),
            transport,
            call: CallSettings { retry, ..CallSettings::default() },
            session_values: callgate_executor::SessionValues::default(),
            secret_arguments: Vec::new(),
            tool_shapes: BTreeMap::new(),
            client: callgate_executor::ClientSide::default(),
        };
        Executor::builder().toolset(toolset).build().unwrap()
    }

    pub(super) async fn call(self: &Arc<Self>, tool: &str, retry: Retry) -> ToolResult {
        self.executor(retry).call(&named(tool), &Session::default()).await
    }
}

pub(super) fn named(tool: &str) -> ToolCall {
    let id = json!({"id": "7"});
    asked(tool, if tool == "execPod" { id } else { json!({}) })
}
