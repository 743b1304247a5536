//! A stream that is read by another task than the one that opened it.

use callgate::{Arguments, Session, ToolCall};
use tokio::sync::mpsc;

#[tokio::test]
async fn a_stream_is_read_by_a_task_of_its_own() {
    let description = std::fs::read(callgate_embed::description()).unwrap();
    let server = callgate_embed::service().await;
    let executor = callgate::openapi(description).server(server).build().await.unwrap();
    let call = ToolCall::new("1", "news", Arguments::new());
    let mut stream = executor.stream(&call, &Session::default()).await;
    drop(executor);

    let (sender, mut values) = mpsc::channel(1);
    let reader = tokio::spawn(async move {
        while let Some(piece) = stream.next().await {
            sender.send(piece.text().unwrap().to_owned()).await.unwrap();
        }
        stream.into_result()
    });
    assert_eq!(values.recv().await.as_deref(), Some(r#"{"n":1}"#));
    assert_eq!(values.recv().await.as_deref(), Some(r#"{"n":2}"#));
    assert_eq!(values.recv().await, None);
    assert_eq!(reader.await.unwrap().id, "1");
}
