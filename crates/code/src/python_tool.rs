//! The engine `python` as a backend: a program in the sandbox of the machine's Python, and its files as handles.

use async_trait::async_trait;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use callgate_call::wording;
use callgate_executor::{Backend, Call, Executor};
use callgate_session::{FairQueue, QueueBounds};
use callgate_tool::{
    Effect, Fault, Journal, Object, Outcome, Preview, Principal, Schema, StoredResult, Tool,
    ToolName, Value, json,
};
use std::{sync::LazyLock, time::Duration};
use tokio::time::timeout_at;

use crate::{
    declaration::{describe_sandbox_run, input_description, output_schema},
    generate::{Attempt, Generator, SpentTokens, could_be_names},
    python::{InputFile, OutputFile, PythonOutcome, PythonProgram, PythonSettings, examine, run},
    python_files::{files_schema, load_input_files},
    settings::CodeSettings,
    unavailable::Unavailable,
};

/// The tool that runs programs in the machine's Python.
#[derive(Debug)]
pub(crate) struct PythonTool {
    tool: Tool,
    settings: CodeSettings,
    python: PythonSettings,
}

impl PythonTool {
    pub(crate) fn new(name: ToolName, settings: CodeSettings) -> Result<Self, Unavailable> {
        let python = installed_python_settings(&settings)?;
        Ok(Self { tool: declaration(name, &settings), settings, python })
    }

    async fn run_program(&self, call: &Call<'_>, spent: &SpentTokens) -> Result<Value, Box<Fault>> {
        let principal = call.principal().map_or("", Principal::id);
        let deadline = call.deadline_within(QUEUE_TIME);
        let permit = timeout_at(deadline, RUNNING.enter(principal, 1)).await.ok().flatten();
        let _permit = permit.ok_or_else(wording::code::too_many_programs)?;
        let code = call.arguments().get("input").and_then(Value::as_str).unwrap_or_default();
        let given = load_input_files(call, &self.python.limits).await?;
        let (outcome, generated) = self.run_code_or_generated(call, code, &given, spent).await?;
        let mut files = Vec::new();
        for file in &outcome.files {
            files.push(self.store_and_describe_file(call, file).await);
        }
        Ok(result(&outcome, &generated, files))
    }

    /// Runs a text. One that is no program goes to the model, if there is one, and what it writes is run, and repaired once.
    /// Returns also the program of the model, if it wrote one.
    async fn run_code_or_generated(
        &self,
        call: &Call<'_>,
        text: &str,
        files: &[InputFile],
        spent: &SpentTokens,
    ) -> Result<(PythonOutcome, String), Box<Fault>> {
        let first = self.run_code(call, text, files).await?;
        let model = self.settings.generate.as_ref().filter(|_| is_no_program(text, &first));
        let Some(model) = model else { return Ok((first, String::new())) };
        let names: Vec<_> = files.iter().map(|file| format!("`{}`", file.name)).collect();
        let files_text = match names.as_slice() {
            [] => String::new(),
            names => format!(" The folder has {}.", names.join(", ")),
        };
        let language = format!("{}{files_text}", language_text(&self.settings));
        let deadline = call.deadline_within(self.settings.limits.timeout);
        let generator = Generator::new(model, &language, text, deadline, spent);
        let code = generator.request_program(None).await?;
        let second = self.run_code(call, &code, files).await?;
        if second.error.is_empty() {
            return Ok((second, code));
        }
        let attempt = Attempt { code: &code, error: &second.error };
        // Without another program, the error of the first is the answer.
        let Ok(repaired) = generator.request_program(Some(attempt)).await else {
            return Ok((second, code));
        };
        Ok((self.run_code(call, &repaired, files).await?, repaired))
    }

    async fn run_code(
        &self,
        call: &Call<'_>,
        code: &str,
        files: &[InputFile],
    ) -> Result<PythonOutcome, Box<Fault>> {
        let program = PythonProgram { code: code.to_owned(), files: files.to_vec() };
        let limit = self.settings.limits.timeout;
        let ended = timeout_at(call.deadline_within(limit), run(&self.python, program))
            .await
            .map_err(|_| wording::timed_out(call.duration_within(limit), self.tool.effect))?;
        ended.map_err(|error| {
            tracing::warn!(%error, remedy = error.remedy(), "no sandbox can be started that runs code");
            wording::code::no_sandbox()
        })
    }

    /// A file of the result: small texts as they stand, small files in base64, and a handle to each that can be kept.
    async fn store_and_describe_file(&self, call: &Call<'_>, file: &OutputFile) -> Value {
        let text =
            std::str::from_utf8(&file.bytes).ok().filter(|_| file.media_type.starts_with("text/"));
        let is_small = file.bytes.len() <= MOST_INLINE;
        let contents = match text {
            Some(text) if is_small => text.to_owned(),
            None if is_small => STANDARD.encode(&file.bytes),
            Some(_) | None => String::new(),
        };
        let mut members = Object::from([
            ("name", file.name.as_str().into()),
            ("contents", contents.into()),
            ("media_type", file.media_type.into()),
            ("size", file.bytes.len().into()),
        ]);
        if text.is_none() && is_small {
            members.insert("encoding", "base64".into());
        }
        let stored = StoredResult::new(file.media_type, file.bytes.clone().into())
            .with_filename(Some(file.name.clone()))
            .with_toolset(self.settings.toolset.as_str())
            .with_tool(self.tool.name.as_str());
        if let Some(executor) = call.extensions().get::<Executor>()
            && let Ok(kept) = executor.keep_file(stored, call.session(), call.principal()).await
        {
            members.insert("handle", kept.handle.as_str().into());
        }
        Value::Object(members)
    }
}

/// The settings of the engine, on a machine that has its programs.
fn installed_python_settings(settings: &CodeSettings) -> Result<PythonSettings, Unavailable> {
    let mut python =
        PythonSettings { packages: settings.packages.clone(), ..PythonSettings::default() };
    for program in [&python.bubblewrap, &python.interpreter] {
        if cfg!(not(target_os = "linux")) || !program.is_file() {
            return Err(Unavailable::Program(program.display().to_string()));
        }
    }
    python.limits.time = settings.limits.time;
    python.limits.memory = settings.limits.memory as u64;
    python.limits.output = settings.limits.output;
    Ok(python)
}

/// Starts the sandbox once, pushes at its walls from within, and imports the packages.
pub(crate) async fn examine_sandbox(settings: &CodeSettings) -> Result<(), Unavailable> {
    let state = examine(&installed_python_settings(settings)?)
        .await
        .map_err(|error| Unavailable::Sandbox { why: error.to_string(), remedy: error.remedy() })?;
    if let Some(wall) = state.walls.iter().find(|wall| !wall.stands) {
        let why = format!("a program got through the wall `{}` of its sandbox", wall.name);
        return Err(Unavailable::Sandbox {
            why,
            remedy: "run no programs on this machine, or choose `monty`",
        });
    }
    match state.absent_packages.into_iter().next() {
        Some((name, why)) => Err(Unavailable::Package(name, why)),
        None => Ok(()),
    }
}

/// True if the text was no program: the interpreter cannot read it, or it is names that nothing has.
fn is_no_program(text: &str, outcome: &PythonOutcome) -> bool {
    let exception = outcome.error.lines().last().unwrap_or_default();
    let says = |name: &str| exception.starts_with(name);
    let has_run = outcome.error.contains("in <module>") || !outcome.stdout.is_empty();
    let is_unread = says("SyntaxError") || says("IndentationError") || says("TabError");
    (is_unread && !has_run) || (says("NameError") && could_be_names(text))
}

fn result(outcome: &PythonOutcome, generated: &str, files: Vec<Value>) -> Value {
    let left_out = outcome
        .left_out
        .iter()
        .map(|file| json!({"name": file.name.as_str(), "reason": file.reason.as_str()}));
    Value::Object(Object::from([
        ("execution_result", outcome.result.as_str().into()),
        ("execution_error", outcome.error.as_str().into()),
        ("generated_code", generated.into()),
        ("output_files", Value::Array(files)),
        ("stdout", outcome.stdout.as_str().into()),
        ("stderr", outcome.stderr.as_str().into()),
        ("left_out", Value::Array(left_out.collect())),
        ("calls", json!([])),
        ("truncated", outcome.truncated.into()),
    ]))
}

fn declaration(name: ToolName, settings: &CodeSettings) -> Tool {
    let program = input_description(settings);
    let input = json!({
        "type": "object",
        "properties": {"input": {
            "type": "string", "minLength": 1, "maxLength": 100_000,
            "description": format!("{program}: the value of its last expression is the result"),
        }, "files": files_schema()},
        "required": ["input"],
        "additionalProperties": false,
    });
    let purpose = settings.description.trim().trim_end_matches('.');
    let purpose = if purpose.is_empty() { String::new() } else { format!("{purpose}. ") };
    let language = language_text(settings);
    let description = format!(
        "{purpose}Runs a program in Python and returns the value of its last expression as `execution_result`, what it prints as `stdout`, \
         and the traceback of an error as `execution_error`. {language} Each program starts anew."
    );
    let tool = Tool::new(name, description, Schema::new(input), Effect::Read);
    tool.with_lazy_output_schema(|| Some(output_schema()))
}

/// The language of programs, for the models that write them.
fn language_text(settings: &CodeSettings) -> String {
    let packages = match settings.packages.as_slice() {
        [] => "no packages beside the standard library".to_owned(),
        packages => format!("the packages {}", packages.join(", ")),
    };
    format!(
        "Files that it writes into its folder are `output_files`. It has {packages}, no network, and no files but its own and those of `files`."
    )
}

#[async_trait]
impl Backend for PythonTool {
    callgate_executor::of_tool!(tool, settings.toolset);

    // It calls none, and needs the executor to keep files; programs call no programs of this kind either.
    fn can_call_tools(&self) -> bool {
        true
    }

    async fn preview(&self, call: &Call<'_>, _: &mut Journal) -> Result<Preview, Box<Fault>> {
        let code = call.arguments().get("input").and_then(Value::as_str).unwrap_or_default();
        Ok(Preview::Text(describe_sandbox_run(&self.settings, code)))
    }

    async fn run(&self, call: &Call<'_>, journal: &mut Journal) -> Outcome {
        let spent = SpentTokens::default();
        let result = self.run_program(call, &spent).await;
        spent.record_spent_tokens(journal);
        match result {
            Ok(result) => result.into(),
            Err(fault) => Outcome::Failed(fault),
        }
    }
}

/// The programs that run at the same time: each may take a gigabyte.
static RUNNING: LazyLock<FairQueue> =
    LazyLock::new(|| FairQueue::new(QueueBounds { units: 4, each: 2, waiting: 1024 }));
/// The time that a program waits for others.
const QUEUE_TIME: Duration = Duration::from_secs(30);
/// The bytes of a file that stands in the result itself.
const MOST_INLINE: usize = 16 << 10;
