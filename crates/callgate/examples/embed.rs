//! Five lines from a description to a call. The call is shown, not sent: no network.
#![expect(clippy::print_stdout, reason = "an example shows what comes of it")]
#![expect(clippy::disallowed_methods, reason = "a program reads its own environment")]

use callgate::{Arguments, Secret, Session, ToolCall, dialect};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (text, token) = (std::fs::read("fixtures/pets/spec.yaml")?, std::env::var("TOKEN")?);
    let front =
        callgate::openapi(text).server("https://api.example.com/v1").bearer(Secret::new(token));
    let executor = front.build().await?;
    let arguments = Arguments::from_iter([("petId".to_owned(), 7.into())]);
    let call = ToolCall::new("1", "getPet", arguments);

    // `executor.call` sends what `executor.dry_run` shows.
    let result = executor.dry_run(&call, &Session::default()).await;
    println!("{}", dialect::json_result(&result));
    Ok(())
}
