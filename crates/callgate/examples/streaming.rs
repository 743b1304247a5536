//! Values of a response that are read as the service sends them.
#![expect(clippy::print_stdout, reason = "an example shows what comes of it")]
#![expect(clippy::disallowed_methods, reason = "a program reads its own environment")]

use callgate::{Arguments, Session, ToolCall, dialect};

const NEWS: &str = "
openapi: 3.1.0
info: { title: News, version: '1' }
paths:
  /news:
    get:
      operationId: news
      responses: { '200': { description: events, content: { text/event-stream: {} } } }
";

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let executor = callgate::openapi(NEWS).server(std::env::var("NEWS")?).build().await?;
    let call = ToolCall::new("1", "news", Arguments::new());

    let mut stream = executor.stream(&call, &Session::default()).await;
    while let Some(piece) = stream.next().await {
        if let Some(value) = piece.text() {
            println!("{value}");
        }
    }
    // The end of the call; a stream that broke off says why.
    println!("{}", dialect::json_result(&stream.into_result()));
    Ok(())
}
