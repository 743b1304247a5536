//! The way to a model, answered from a recording.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use bytes::Bytes;
use callgate::config::Built;
use callgate_tool::Value;
use callgate_transport::{Error, ErrorKind, Limits, Transport};
use http::{Request, Response};

/// Puts a transport in front of the one of an agent's model.
pub(crate) fn wrap_model_transport<T: Transport + 'static>(
    built: &mut Built,
    agent: &str,
    over: impl FnOnce(Arc<dyn Transport>) -> Arc<T>,
) -> Option<Arc<T>> {
    let agent = built.agents.iter_mut().find(|built_agent| built_agent.name == agent)?;
    let transport = over(Arc::clone(&agent.model.transport));
    agent.model.transport = Arc::<T>::clone(&transport);
    Some(transport)
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

const UNRECORDED: &str = "the recording has no further reply";

#[cfg(test)]
mod tests {
    use super::*;

    fn request(body: &'static str) -> Request<Bytes> {
        Request::post("https://models.example/v1").body(body.into()).unwrap()
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
