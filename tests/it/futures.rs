//! Every future of the library can be spawned: it is `Send`, and what borrows nothing of the caller is `'static`.

#![cfg(test)]

use callgate::{Arguments, Call, Executor, Handle, Session, ToolCall, ToolResult};

fn is_send<T: Send>(_: &T) {}
fn is_shared<T: Clone + Send + Sync + 'static>(_: &T) {}
fn is_spawnable<T: Send + 'static>(_: &T) {}

fn calls() -> Vec<ToolCall> {
    (0..3).map(|id| ToolCall::new(id.to_string(), "getPet", Arguments::new())).collect()
}

#[test]
fn every_future_of_an_executor_is_send() {
    let executor = Executor::builder().build().unwrap();
    let (calls, session) = (calls(), Session::default());
    is_shared(&executor);
    is_send(&executor.call(&calls[0], &session));
    is_send(&executor.call_all(&calls, &session));
    is_send(&executor.stream(&calls[0], &session));
    is_send(&executor.prepare(&calls[0], &session));
    let call = || Call::new(&calls[0], &session);
    is_send(&executor.run(call()));
    is_send(&executor.open(call()));
    is_send(&executor.preview(call()));
    is_send(&executor.result(&Handle::from_random(7), &session, None));
    is_spawnable(&async move { executor.call_all(&calls, &session).await });
}

#[tokio::test]
async fn a_stream_is_read_where_it_is_spawned() {
    let executor = Executor::builder().build().unwrap();
    let stream = executor.stream(&calls()[0], &Session::default()).await;
    let read = async move {
        let mut stream = stream;
        is_send(&stream.next());
        assert!(stream.next().await.is_none());
        stream.into_result()
    };
    is_spawnable(&read);
    let result: ToolResult = tokio::spawn(read).await.unwrap();
    assert_eq!(result.id, "0");
}
