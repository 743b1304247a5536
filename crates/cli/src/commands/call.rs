//! `callgate call FILE TOOL`: one call with arguments from the command line, a batch of them from a file, or those of a model's
//! message.

mod approve;
mod batch;
pub(crate) mod message;
mod show;
mod wait;

use callgate::{
    Arguments, Entry, Executor, Session, ToolCall, ToolResult,
    config::{Built, Environment},
    dialect::{json_result, read_json},
};
use callgate_tool::Value;

use self::approve::Consent;
use crate::{
    args::CallArguments,
    exit::{Failure, Verdict},
    open::{options, read, usable},
    output, session,
};

/// Makes the call or the calls.
pub(crate) fn run(arguments: &CallArguments) -> Result<Verdict, Failure> {
    let mut environment = Environment::new();
    environment.is_unaudited = arguments.dry_run;
    let options = options(&arguments.source.description);
    let built = usable(&arguments.source.file, &options, &environment)?;
    let session = match &arguments.session {
        Some(file) => block_on(session::read(file, json_file(file)?, &built))??,
        None => Session::default(),
    };
    let Built { executor, .. } = built;
    if let Some(file) = &arguments.batch {
        return batch::run(&executor, &session, file, arguments);
    }
    if let (Some(file), Some(dialect)) = (&arguments.message, arguments.dialect) {
        return message::run(&executor, &session, (file, dialect), arguments);
    }
    let name = arguments.tool.as_deref().unwrap_or_default();
    let values = match &arguments.args {
        Some(json) => json_arguments(json)?,
        None => named_arguments(&arguments.arguments)?,
    };
    let call = ToolCall::new("1", tool_name(&executor, name), values);
    let result = if arguments.dry_run {
        block_on(executor.prepare(&call, &session))?
    } else {
        let consent = Consent::to_one(arguments);
        block_on(approve::made(&executor, (&call, &session), consent))?
    };
    if arguments.json {
        output::result(&format!("{}\n", json_result(&result)));
    } else {
        show::result(&result);
    }
    Ok(verdict(&result))
}

/// Fine unless the call failed.
fn verdict(result: &ToolResult) -> Verdict {
    Verdict::of(result.outcome.is_failed())
}

/// The tool a user means: by its name, else by the `operationId` of exactly one operation.
fn tool_name(executor: &Executor, asked: &str) -> String {
    if executor.find(asked).is_some() {
        return asked.to_owned();
    }
    let by_id = |id: &Option<_>| id.as_ref().is_some_and(|id: &std::sync::Arc<str>| &**id == asked);
    let operations = executor.entries().filter_map(Entry::operation);
    let mut meant = operations.filter(|operation| by_id(&operation.operation_id));
    match (meant.next(), meant.next()) {
        (Some(operation), None) => operation.tool_name.to_string(),
        _ => asked.to_owned(),
    }
}

pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure(format!("error: cannot start: {error}")))?;
    Ok(runtime.block_on(future))
}

/// The JSON in a file, or on standard input where the file is `-`.
pub(crate) fn json_file(file: &std::path::Path) -> Result<Value, Failure> {
    let text =
        if file == std::path::Path::new("-") { batch::standard_input()? } else { read(file)? };
    let text = std::str::from_utf8(&text).map_err(|error| error.to_string());
    let value = text.and_then(|text| read_json(text).map_err(|error| error.to_string()));
    value.map_err(|error| {
        let message = format!("error: `{}` is not JSON: {error}", file.display());
        Failure(format!("{message}\nhelp: write one JSON object"))
    })
}

fn json_arguments(text: &str) -> Result<Arguments, Failure> {
    let failure = |got: String| {
        let help = "help: `--args '{\"petId\": 7}'`";
        Failure(format!("error: `--args` expects a JSON object: {got}\n{help}"))
    };
    match read_json(text) {
        Ok(Value::Object(arguments)) => Ok(arguments),
        Ok(other) => Err(failure(format!("got `{other}`"))),
        Err(error) => Err(failure(error.to_string())),
    }
}

/// `name=value` texts; a name given twice makes a list. What type a value is, the description decides.
fn named_arguments(texts: &[String]) -> Result<Arguments, Failure> {
    let mut arguments = Arguments::new();
    for text in texts {
        let Some((name, value)) = text.split_once('=').filter(|(name, _)| !name.is_empty()) else {
            let message = format!("error: expected `name=value`, got: `{text}`");
            return Err(Failure(format!("{message}\nhelp: for example `petId=7`")));
        };
        let value = Value::String(value.to_owned());
        match arguments.get_mut(name) {
            None => {
                arguments.insert(name.to_owned(), value);
            }
            Some(Value::Array(values)) => values.push(value),
            Some(known) => *known = Value::Array(vec![known.take(), value]),
        }
    }
    Ok(arguments)
}

#[cfg(test)]
mod tests {
    use callgate_tool::json;

    use super::*;

    #[test]
    fn a_name_given_twice_makes_a_list() {
        let texts = ["a=1", "b=x=y", "a=2", "a="].map(ToOwned::to_owned);
        let arguments = named_arguments(&texts).unwrap();
        assert_eq!(Value::Object(arguments), json!({"a": ["1", "2", ""], "b": "x=y"}));
    }

    #[test]
    fn a_text_without_a_name_is_refused() {
        for text in ["petId", "=7", ""] {
            assert!(named_arguments(&[text.to_owned()]).is_err(), "{text}");
        }
    }
}
