//! The tool as a model sees it: what the code can do, and the functions that it may call.

use callgate_executor::{Backend, Entry, Execution};
use callgate_tool::{Schema, Tool, ToolName, json};

use crate::{
    functions::Functions, parameter_words::ParameterWords, path::FunctionPath,
    settings::CodeSettings, stub::stub,
};

/// The declaration without functions.
pub(crate) fn declaration(name: ToolName, settings: &CodeSettings) -> Tool {
    let description = description(settings);
    let effect = settings.calls.strongest_effect();
    let tool = Tool::new(name, description, input_schema(settings, ""), effect);
    tool.with_lazy_output_schema(|| Some(output_schema()))
}

/// The schema of the arguments. The functions stand in the description of the program: formats of models cut that of a tool.
fn input_schema(settings: &CodeSettings, functions: &str) -> Schema {
    let program = input_description(settings);
    Schema::new(json!({
        "type": "object",
        "properties": {"input": {
            "type": "string", "minLength": 1, "maxLength": MOST_CODE,
            "description": format!("{program}: the value of its last expression is the result{functions}"),
        }},
        "required": ["input"],
        "additionalProperties": false,
    }))
}

/// The declaration with the functions that fit.
pub(crate) fn declaration_with_functions<'t>(
    tool: &Tool,
    settings: &CodeSettings,
    tools: &[&'t dyn Backend],
) -> Tool {
    let mut tool = tool.clone();
    let functions = tools.iter().copied().filter(|tool| {
        settings.calls.allows(tool.name(), tool.effect())
            && !tool.can_call_tools()
            && tool.execution() == Execution::Server
    });
    let path = |it: &&'t dyn Backend| FunctionPath::new(it.toolset(), it.name().as_str());
    let functions = fitting_stubs_text(functions, path, |it| it.declaration());
    if !functions.is_empty() {
        tool.input_schema = input_schema(settings, &format!(".{functions}"));
    }
    tool
}

/// The language of programs and its functions, for the model that writes them.
pub(crate) fn language_and_functions_text<'e>(functions: Functions<'e>) -> String {
    let entries =
        functions.callable_entries().filter(|entry| entry.execution() == Execution::Server);
    let path = |entry: &Entry<'e>| FunctionPath::from_entry(*entry);
    format!("{LANGUAGE}{}", fitting_stubs_text(entries, path, |entry| entry.declaration()))
}

/// The stubs of functions, as many as fit, and what their parameters mean; empty without functions.
fn fitting_stubs_text<'t, T: 't>(
    functions: impl Iterator<Item = T>,
    path: impl Fn(&T) -> FunctionPath<'t>,
    declaration: impl Fn(&T) -> Option<&'t Tool>,
) -> String {
    let (mut text, mut n_left_out) = (String::new(), 0_usize);
    let mut words = ParameterWords::default();
    for function in functions {
        // The declaration of a tool is built for this alone: of those that do not fit, none is.
        let is_full = text.len() >= MOST_STUBS;
        let Some(declared) = (!is_full).then(|| declaration(&function)).flatten() else {
            n_left_out += 1;
            continue;
        };
        let path = path(&function);
        text.push_str(&stub(&path, declared));
        text.push('\n');
        words.add(&path, declared);
    }
    let more = match n_left_out {
        _ if text.is_empty() => return text,
        0 => String::new(),
        n => format!(
            "\n{n} further functions are found by words: await search(\"…\") returns their stubs."
        ),
    };
    format!("{CALLS}\n{text}{}{more}", words.shared_descriptions_text())
}

fn description(settings: &CodeSettings) -> String {
    let purpose = settings.description.trim().trim_end_matches('.');
    let purpose = if purpose.is_empty() { String::new() } else { format!("{purpose}. ") };
    format!("{purpose}{PURPOSE}{LANGUAGE}")
}

/// The words for the text of a call.
pub(crate) fn input_description(settings: &CodeSettings) -> &'static str {
    match settings.generate {
        None => "The program",
        Some(_) => "The program, or in words what another model shall write a program for",
    }
}

/// The sentence of a preview.
pub(crate) fn describe_sandbox_run(settings: &CodeSettings, text: &str) -> String {
    match settings.generate {
        None => format!("runs this program in a sandbox:\n{text}"),
        Some(_) => format!(
            "runs this program in a sandbox; a text that is no program goes to a model, and what it writes is run:\n{text}"
        ),
    }
}

pub(crate) fn output_schema() -> Schema {
    let text = json!({"type": "string"});
    Schema::new(json!({
        "type": "object",
        "properties": {
            "output_files": {"type": "array", "items": {
                "type": "object", "properties": {"name": text, "contents": text},
            }},
            "execution_result": text,
            "execution_error": text,
            "generated_code": text,
            "stdout": text,
            "calls": {"type": "array", "items": {"type": "object"}},
            "truncated": {"type": "boolean"},
        },
        "required": ["output_files", "execution_result", "execution_error", "generated_code"],
    }))
}

const PURPOSE: &str = "Runs a program in Python and returns the value of its last expression as `execution_result`, what it prints as `stdout`, and the \
traceback of an error as `execution_error`. Use it to compute, to work on texts and data, and to do several calls with what they return in one step. ";

const LANGUAGE: &str = "There are: functions, classes, async, f-strings, comprehensions, exceptions, and the modules asyncio (gather), base64, collections, dataclasses, datetime, \
functools, itertools, json, math, re, typing, unicodedata. There are none of: files, network, packages, generators (`yield`: build a list), `match`, `del` (use `pop`), \
`|` of dicts (use `{**a, **b}`), `%` of texts (use f-strings), `return_exceptions`, groupby, classes of exceptions, decimal (use whole numbers of cents), random, statistics, time, uuid, csv (use `split`).";

const CALLS: &str = " These functions call tools. Each is async: write `await`, or `await asyncio.gather(…)` for several at once. They return the decoded \
answer of the tool; a number that a float would change is a str with its digits. A failed call raises RuntimeError, whose text begins with a code such as \
`not_found`; `fault(error)` returns its fields.";

/// The characters of a program.
const MOST_CODE: u32 = 100_000;
/// The bytes of all stubs: about two thousand tokens.
const MOST_STUBS: usize = 8000;
