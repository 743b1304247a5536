//! `calls ADDRESS CALLS PARALLEL READING [CREDENTIAL]`: makes CALLS calls of `getPet`, PARALLEL at a time, then prints the
//! nanoseconds it took. READING is what becomes of an answer: `text` hands its JSON on, `value` looks into it. CREDENTIAL is
//! `bearer`, a secret that is read for each call, or the length of an OAuth token that is asked for once. What
//! `tests/benches/call.rs` measures, built as the program of a stranger is.

use std::{
    error::Error,
    path::{Path, PathBuf},
    time::Instant,
};

use callgate::{
    Arguments, Content, Executor, Outcome, Session, ToolCall, Value,
    config::{Config, Description, Environment, ServerUrl, ToolsetConfig},
    json,
};

/// What a caller does with the answer.
#[derive(Clone, Copy, Debug)]
enum Reading {
    /// Hands its text on, as the executor left it.
    Text,
    /// Looks into it.
    Value,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut next =
        || arguments.next().ok_or("usage: calls ADDRESS CALLS PARALLEL text|value [bearer|LENGTH]");
    let (address, calls, parallel) = (next()?, next()?.parse::<u32>()?, next()?.parse::<u32>()?);
    let reading = match next()?.as_str() {
        "text" => Reading::Text,
        "value" => Reading::Value,
        other => return Err(format!("expected `text` or `value`: {other}").into()),
    };
    let executor = executor(&address, next().ok().as_deref()).await?;
    repeated(&executor, parallel * 20, reading).await?;
    let started = Instant::now();
    let workers = (0..parallel).map(|_| {
        let executor = executor.clone();
        tokio::spawn(async move { repeated(&executor, calls / parallel, reading).await })
    });
    for worker in workers.collect::<Vec<_>>() {
        worker.await??;
    }
    println!("{}", started.elapsed().as_nanos());
    Ok(())
}

async fn executor(address: &str, credential: Option<&str>) -> Result<Executor, Box<dyn Error>> {
    let server = format!("http://{address}/v1");
    let config = match credential {
        None => {
            let toolset = ToolsetConfig::new(Description::file(description()));
            Config::new().with_toolset(toolset.with_server(ServerUrl::new(&server)?))
        }
        Some(credential) => {
            let auth = auth(address, credential);
            let description = description();
            let toolset = json!({"openapi": description.to_str(), "server": server, "auth": auth});
            Config::from_toolset_text(toolset.to_string(), "")?
        }
    };
    Ok(config.build(&Environment::new(), None).await?.executor)
}

fn description() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/pets/spec.yaml")
}

fn auth(address: &str, credential: &str) -> Value {
    if credential == "bearer" {
        return json!({"bearer": {"token": "literal:ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJKLMN"}});
    }
    json!({"oauth2_client_credentials": {
        "token_url": format!("http://{address}/token/{credential}"),
        "client_id": "bench",
        "client_secret": "literal:canary-secret",
    }})
}

async fn repeated(executor: &Executor, calls: u32, reading: Reading) -> Result<(), String> {
    let session = Session::new("bench");
    for _ in 0..calls {
        let arguments = Arguments::from_iter([("petId".to_owned(), 7.into())]);
        let result = executor.call(&ToolCall::new("1", "getPet", arguments), &session).await;
        let Outcome::Answered(answer) = result.outcome else { return Err(format!("{result:?}")) };
        let Content::Json(json) = answer.content else { return Err("no JSON".to_owned()) };
        if let Reading::Value = reading {
            std::hint::black_box(json.into_value());
        }
    }
    Ok(())
}
