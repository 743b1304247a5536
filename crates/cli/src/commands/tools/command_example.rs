//! The example on the page of a tool: a command line that a shell reads, and whose dry run ends as planned. Each line was tried
//! before it is shown; where there is none, the reason is.

use std::path::Path;

use callgate::{
    Effect, Entry, Executor, Fault, FaultCode, Outcome, ToolCall, config::Environment,
    dialect::read_session, result::Event,
};
use callgate_config::{DescriptionOptions, Kinds};
use callgate_tool::{Object, Remedy, Value, escape_invisible_in_line};

use super::{
    command_words::{self, Flags, shell_quoted_word},
    example::{self, Choice},
    session_example,
};
use crate::{
    args::SourceArguments,
    commands::call::{arguments_of_words, block_on},
    effects,
    exit::Failure,
    file_argument::is_standard_input,
    guide::Guide,
    open::{build_silently, description_options, loader_with_effects},
};

#[derive(Debug)]
pub(in crate::commands) struct CommandExample {
    /// The command line, or the reason why there is none.
    pub(in crate::commands) line: Result<String, String>,
    pub(super) notes: Vec<String>,
}

#[derive(Clone, Copy)]
struct ExampleTarget<'a> {
    executor: &'a Executor,
    entry: Entry<'a>,
    schema: &'a Value,
}

#[derive(Debug, Default)]
struct Attempt {
    values: Object,
    session: Option<Value>,
    fault: Option<Box<Fault>>,
    server: Option<String>,
}

/// The example of a call of a tool that FILE offers. Fails if this process cannot wait for a dry run.
pub(super) fn for_tool(
    executor: &Executor,
    entry: Entry<'_>,
    source: &SourceArguments,
    kinds: &Kinds,
) -> Result<CommandExample, Failure> {
    let schema = input_schema(entry);
    let target = ExampleTarget { executor, entry, schema: &schema };
    let tried = block_on(target.find_best_attempt())?;
    let Some(server) = tried.server.clone() else {
        let flags = Flags::from_arguments(&source.description, None);
        return block_on(target.example_command(tried, &source.file, flags, None));
    };
    // A configuration names its servers itself, so that this fails.
    let named = DescriptionOptions {
        server: Some(server.clone()),
        ..description_options(&source.description)
    };
    let loader = loader_with_effects(kinds, effects::DRY_RUN);
    let built = build_silently(&source.file, &named, &loader, &Environment::new().without_audit());
    let Ok(built) = built else { return Ok(missing_example(&tried)) };
    let Some(entry) = built.executor.find(entry.name().as_str()) else {
        return Ok(missing_example(&tried));
    };
    let target = ExampleTarget { executor: &built.executor, entry, schema: &schema };
    let tried = block_on(target.find_best_attempt())?;
    let flags = Flags::from_arguments(&source.description, Some(&server));
    block_on(target.example_command(tried, &source.file, flags, Some(&server)))
}

/// The example of a call of a tool that the configuration FILE offers. Fails if this process cannot wait for a dry run.
pub(in crate::commands) fn for_tool_of_configuration(
    executor: &Executor,
    entry: Entry<'_>,
    file: &Path,
) -> Result<CommandExample, Failure> {
    let schema = input_schema(entry);
    let target = ExampleTarget { executor, entry, schema: &schema };
    block_on(async {
        let tried = target.find_best_attempt().await;
        target.example_command(tried, file, Flags::default(), None).await
    })
}

fn input_schema(entry: Entry<'_>) -> Value {
    entry.declaration().map(|tool| tool.input_schema.to_value()).unwrap_or_default()
}

impl ExampleTarget<'_> {
    /// The first values with which a dry run ends as planned; else those with the most telling fault.
    async fn find_best_attempt(self) -> Attempt {
        let mut best: Option<Attempt> = None;
        for choice in Choice::all_choices() {
            let tried = self.try_choice(choice).await;
            let Some(fault) = &tried.fault else { return tried };
            if tried.server.is_some() {
                return tried;
            }
            let is_told = |attempt: &Attempt| {
                let code = attempt.fault.as_ref().map(|fault| fault.code);
                code != Some(FaultCode::InvalidArguments)
            };
            let is_better = fault.code != FaultCode::InvalidArguments;
            if best.as_ref().is_none_or(|best| is_better && !is_told(best)) {
                best = Some(tried);
            }
        }
        best.unwrap_or_default()
    }

    /// The values of one choice, completed by what a dry run says that they lack.
    async fn try_choice(self, choice: Choice) -> Attempt {
        let mut tried = Attempt::default();
        if let Value::Object(values) = example::example_value(self.schema, self.schema, choice) {
            tried.values = values;
        }
        for _ in 0..MOST_TRIES {
            let (fault, server) =
                self.dry_run_fault_and_server(&tried.values, tried.session.as_ref()).await;
            (tried.fault, tried.server) = (fault, server);
            let Some(fault) = &tried.fault else { break };
            let lacking = missing_places(fault);
            let is_of_session = fault.code == FaultCode::MissingSessionValue;
            if lacking.is_empty() || (is_of_session && tried.session.is_some()) {
                break;
            }
            if is_of_session && lacking.iter().any(|at| !self.is_declared_path(at)) {
                let operation = self.entry.operation();
                tried.session =
                    operation.map(|operation| session_example::example_session(operation, choice));
            }
            self.fill_missing(&mut tried.values, &lacking, choice);
        }
        tried
    }

    /// The fault of a dry run with these values, and the server that it lacks.
    async fn dry_run_fault_and_server(
        self,
        values: &Object,
        session: Option<&Value>,
    ) -> (Option<Box<Fault>>, Option<String>) {
        let session = session.and_then(|envelope| read_session(envelope.clone()).ok());
        let call = ToolCall::new("1", self.entry.name().as_str(), values.clone());
        let planned = self.executor.dry_run(&call, &session.unwrap_or_default()).await;
        let Outcome::Failed(fault) = planned.outcome else { return (None, None) };
        let server = planned.journal.events().iter().find_map(|event| match event {
            Event::Refused { remedy: Remedy::NameServer { url }, .. } => {
                Some(url.replace("HOST", EXAMPLE_HOST))
            }
            _ => None,
        });
        (Some(fault), server)
    }

    fn is_declared_path(self, at: &str) -> bool {
        let mut steps = at.split('.');
        steps.try_fold(Guide::new(self.schema), Guide::member_or_item).is_some()
    }

    /// Puts examples in the places of missing values. The declaration does not require values that a session may fill in.
    fn fill_missing(self, values: &mut Object, lacking: &[String], choice: Choice) {
        for at in lacking {
            let steps: Vec<&str> = at.split('.').collect();
            let below =
                steps.iter().copied().try_fold(Guide::new(self.schema), Guide::member_or_item);
            if let Some(below) = below {
                put_at_path(
                    values,
                    &steps,
                    example::example_value(below.schema(), self.schema, choice),
                );
            }
        }
    }

    async fn example_command(
        self,
        tried: Attempt,
        file: &Path,
        flags: Flags,
        server: Option<&str>,
    ) -> CommandExample {
        if tried.fault.is_some() {
            return missing_example(&tried);
        }
        let Some(given) = self.find_value_words(&tried).await else {
            let reason = "the command line cannot give its arguments".to_owned();
            return CommandExample { line: Err(reason), notes: Vec::new() };
        };
        let (mut words, mut notes) = (vec!["callgate".to_owned(), "call".to_owned()], Vec::new());
        words.extend([file.display().to_string(), self.entry.name().to_string()]);
        words.extend(given);
        let Flags { words: flags, left_out } = flags;
        words.extend(flags);
        notes.extend(left_out.iter().map(|flag| {
            let flag = escape_invisible_in_line(flag);
            format!("`{flag}` is left out, because its value may be a secret: add it")
        }));
        if server.is_some() {
            notes.push(format!(
                "the description names no server: put yours in place of `{EXAMPLE_HOST}`"
            ));
        }
        if self.entry.effect() != Effect::Read {
            words.push("--dry-run".to_owned());
            notes.push("`--dry-run` shows the request; without it, the request is sent".to_owned());
        }
        notes.extend(self.file_words());
        let mut line = String::new();
        if let Some(session) = &tried.session {
            words.extend(["--session".to_owned(), "-".to_owned()]);
            line = format!(
                "printf %s {} | ",
                shell_quoted_word(&command_words::visible_single_line_json(session))
            );
            notes.push(
                "the session gives what a model may not choose; `--session FILE` reads a file"
                    .to_owned(),
            );
        }
        let words: Vec<_> = words.iter().map(|word| shell_quoted_word(word)).collect();
        line.push_str(&words.join(" "));
        if is_standard_input(file) {
            let reason =
                format!("the description came on standard input; with it in a file: `{line}`");
            return CommandExample { line: Err(reason), notes: Vec::new() };
        }
        CommandExample { line: Ok(line), notes }
    }

    /// The words for the values: by their names, else as JSON. `None` if the command reads neither as a call that passes.
    async fn find_value_words(self, tried: &Attempt) -> Option<Vec<String>> {
        let session = tried.session.as_ref();
        if let Some(words) = command_words::words_by_name(&tried.values, Guide::new(self.schema))
            && let Ok(read) = arguments_of_words(&words, self.entry)
            && read == tried.values
            && self.dry_run_fault_and_server(&read, session).await.0.is_none()
        {
            return Some(words);
        }
        let (fault, _) = self.dry_run_fault_and_server(&tried.values, session).await;
        let json = command_words::visible_single_line_json(&Value::Object(tried.values.clone()));
        fault.is_none().then(|| vec!["--args".to_owned(), json])
    }

    /// The words by which an argument takes a file, if one of them is a file.
    fn file_words(self) -> Option<String> {
        let guide = Guide::new(self.schema);
        let is_file =
            |name: &&str| guide.member(name).is_some_and(command_words::is_file_or_file_list);
        let name = guide.declared_member_names().into_iter().find(is_file)?;
        Some(format!("with a file as `{name}=@FILE`"))
    }
}

fn missing_example(tried: &Attempt) -> CommandExample {
    let message = tried.fault.as_ref().map(|fault| fault.message.clone());
    CommandExample { line: Err(message.unwrap_or_default()), notes: Vec::new() }
}

/// Puts a value at a path; not if there is no object around it.
fn put_at_path(values: &mut Object, steps: &[&str], value: Value) {
    match steps {
        [] => {}
        [last] => drop(values.insert((*last).to_owned(), value)),
        [first, below @ ..] => {
            if let Some(Value::Object(inside)) = values.get_mut(first) {
                put_at_path(inside, below, value);
            }
        }
    }
}

fn missing_places(fault: &Fault) -> Vec<String> {
    let lacks = fault.problems.iter().filter(|problem| problem.got == "nothing");
    lacks.map(|problem| problem.at.clone()).collect()
}

/// The number of attempts to complete an example: a missing part of a value shows once the value is there.
const MOST_TRIES: usize = 6;
/// The name of a server that the description does not name (RFC 2606).
const EXAMPLE_HOST: &str = "api.example.com";

#[cfg(test)]
mod corpus;
