//! One call from Rust, answered by a recording: no network, no credential of yours.
#![expect(clippy::print_stdout, reason = "an example shows what comes of it")]

use callgate::{Arguments, Entry, Outcome, Session, ToolCall, config, dialect};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), config::Error> {
    let built = config::load("config/demo.yaml".as_ref()).await?;
    for tool in built.executor.entries().filter_map(Entry::declaration) {
        println!("{} costs a model {} tokens", tool.name, tool.tokens());
    }

    // What a model would ask for; the session is what it must not choose.
    let arguments = Arguments::from_iter([("petId".to_owned(), 7.into())]);
    let call = ToolCall::new("call-1", "pets-getPet", arguments);
    let session = Session::new("session-1");

    // A dry run shows the request, built by the code that sends it.
    if let Outcome::Planned(preview) = built.executor.dry_run(&call, &session).await.outcome
        && let Some(request) = preview.request()
    {
        println!("{} {}", request.method, request.url);
    }

    // There is no error to handle: every ending of a call is a result a model can read.
    let result = built.executor.call(&call, &session).await;
    println!("{}", dialect::json_result(&result));
    Ok(())
}
