//! Tools that are no operations: a type of one's own, and a closure.
#![expect(clippy::print_stdout, reason = "an example shows what comes of it")]

use callgate::{
    Arguments, Backend, Call, Effect, Executor, Fault, FaultCode, Next, Outcome, Preview, Schema,
    Session, Tool, ToolCall, ToolName, Value, dialect, json, result::Journal,
};

/// Says what a few words mean.
#[derive(Debug)]
struct Dictionary(Tool);

#[async_trait::async_trait]
impl Backend for Dictionary {
    fn name(&self) -> &ToolName {
        &self.0.name
    }

    fn declaration(&self) -> Option<&Tool> {
        Some(&self.0)
    }

    async fn preview(&self, _: &Call<'_>, _: &mut Journal) -> Result<Preview, Box<Fault>> {
        Ok(Preview::Text("looks a word up".to_owned()))
    }

    async fn run(&self, call: &Call<'_>, _: &mut Journal) -> Outcome {
        match call.arguments().get("word").and_then(Value::as_str) {
            Some("callgate") => json!("a door for calls").into(),
            _ => Fault::new(FaultCode::ServiceError, "no such word", Next::AskUser).into(),
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let word = json!({"type": "object", "properties": {"word": {"type": "string"}}});
    let name = ToolName::new("dictionary")?;
    let tool =
        Tool::new(name, "Says what a word means".to_owned(), Schema::new(word), Effect::Read);

    // The arguments of a closure were checked against its schema.
    let zone = json!({"type": "object", "properties": {"zone": {"enum": ["UTC"]}}});
    let executor = Executor::builder()
        .backend(Dictionary(tool))
        .function("clock", "get_time", zone, |call| async move {
            json!({"zone": call.arguments().get("zone"), "time": "12:00"})
        })
        .build()?;

    for (tool, argument, value) in [
        ("dictionary", "word", "callgate"),
        ("clock-get_time", "zone", "UTC"),
        ("clock-get_time", "zone", "Mars"),
    ] {
        let arguments = Arguments::from_iter([(argument.to_owned(), value.into())]);
        let result = executor.call(&ToolCall::new("1", tool, arguments), &Session::default()).await;
        println!("{}", dialect::json_result(&result));
    }
    Ok(())
}
