//! A sidecar of a configuration and of tools of its own, which ask their callers over MCP for values and show more than an answer.
//! The conformance suite of MCP judges it: `mcp_tools callgate.yaml` says where it listens.
#![expect(clippy::print_stdout, reason = "whoever starts it waits for its address")]

use std::{env, error::Error};

use callgate_config::{Config, Environment};
use callgate_executor::{Call, Function};
use callgate_gateway::{Gateway, router};
use callgate_mcp::{Attachment, Client, Question, Reply};
use callgate_tool::{Effect, Fault, Object, Value, json};
use tokio::net::TcpListener;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let file = env::args().nth(1).ok_or("expected a configuration")?;
    let environment = tools()?.into_iter().fold(Environment::new(), Environment::with_tool);
    let built = Config::from_file(file)?.build(&environment, None).await?;
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("http://{}", listener.local_addr()?);
    Ok(axum::serve(listener, router(Gateway::new(built))).await?)
}

fn tools() -> Result<Vec<Function>, callgate_executor::Error> {
    let nothing = || json!({"type": "object", "properties": {}});
    let header = json!({"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}});
    let tools = [
        Function::new("", "test_input_required_result_elicitation", nothing(), greeted)?,
        Function::new("", "test_input_required_result_multi_round", nothing(), asked_twice)?,
        Function::new("", "test_input_required_result_sampling", nothing(), asked_of_model)?,
        Function::new("", "test_input_required_result_capabilities", nothing(), asked_of_anybody)?,
        Function::new("", "test_missing_capability", nothing(), asked_of_model)?,
        Function::new("", "test_embedded_resource", nothing(), |call| async move {
            let text = "This is an embedded resource content.";
            Client::from_call(&call).attach(Attachment::resource(
                "test://embedded",
                "text/plain",
                text,
            ));
            json!("A resource stands beside this text")
        })?,
        Function::new("", "test_custom_header", header, |call| async move {
            json!({"region": call.arguments().get("region").cloned()})
        })?,
    ];
    Ok(tools.map(|tool| tool.with_effect(Effect::Read)).into())
}

async fn greeted(call: Call<'static>) -> Result<Value, Box<Fault>> {
    let values = given(&call, ("user_name", "What is your name?", "name")).await?;
    let name = values.get("name").and_then(Value::as_str).unwrap_or("stranger");
    Ok(json!(format!("Hello, {name}!")))
}

async fn asked_twice(call: Call<'static>) -> Result<Value, Box<Fault>> {
    let name = given(&call, ("step1", "Step 1: What is your name?", "name")).await?;
    let color = given(&call, ("step2", "Step 2: What is your favorite color?", "color")).await?;
    Ok(json!({"name": name.get("name").cloned(), "color": color.get("color").cloned()}))
}

async fn asked_of_model(call: Call<'static>) -> Result<Value, Box<Fault>> {
    let question = Question::of_model("capital_question", "What is the capital of France?", 100);
    match Client::from_call(&call).ask(&question).await? {
        Reply::Given(message) => Ok(Value::Object(message)),
        _ => Ok(json!("nothing")),
    }
}

/// Asks whomever the client has: its model, or a person.
async fn asked_of_anybody(call: Call<'static>) -> Result<Value, Box<Fault>> {
    match asked_of_model(call.clone()).await {
        Ok(message) => Ok(message),
        Err(_) => greeted(call).await,
    }
}

/// The values that a person gives; none where they do not want to.
async fn given(
    call: &Call<'_>,
    (name, message, member): (&str, &str, &str),
) -> Result<Object, Box<Fault>> {
    let schema = json!({"type": "object", "properties": {(member): {"type": "string"}}, "required": [member]});
    let question = Question::of_person(name, message, schema);
    match Client::from_call(call).ask(&question).await? {
        Reply::Given(values) => Ok(values),
        _ => Ok(Object::new()),
    }
}
