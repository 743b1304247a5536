//! The tool as a model sees it: what the code can do, and the functions that it may call.

use callgate_executor::{Backend, Execution};
use callgate_tool::{Schema, Tool, ToolName, json};

use crate::{path::FunctionPath, settings::CodeSettings, stub::stub};

/// The declaration without functions.
pub(crate) fn declaration(name: ToolName, settings: &CodeSettings) -> Tool {
    let description = description(settings);
    let effect = settings.calls.strongest_effect();
    let tool = Tool::new(name, description, input_schema(""), effect);
    tool.with_lazy_output_schema(|| Some(output_schema()))
}

/// The schema of the arguments. The functions stand in the description of the program: formats of models cut that of a tool.
fn input_schema(functions: &str) -> Schema {
    Schema::new(json!({
        "type": "object",
        "properties": {"input": {
            "type": "string", "minLength": 1, "maxLength": MOST_CODE,
            "description": format!("The program: the value of its last expression is the result{functions}"),
        }},
        "required": ["input"],
        "additionalProperties": false,
    }))
}

/// The declaration with the functions that fit.
pub(crate) fn declaration_among(
    tool: &Tool,
    settings: &CodeSettings,
    tools: &[&dyn Backend],
) -> Tool {
    let mut tool = tool.clone();
    let functions = |tool: &&&dyn Backend| {
        settings.calls.allow(tool.name(), tool.effect())
            && !tool.calls_tools()
            && tool.execution() == Execution::Server
    };
    let (mut text, mut n_left_out) = (String::new(), 0_usize);
    for backend in tools.iter().filter(functions) {
        // The declaration of a tool is built for this alone: of those that do not fit, none is.
        let is_full = text.len() >= MOST_STUBS;
        let Some(declared) = (!is_full).then(|| backend.declaration()).flatten() else {
            n_left_out += 1;
            continue;
        };
        let path = FunctionPath::new(backend.toolset(), backend.name().as_str());
        text.push_str(&stub(&path, declared));
        text.push('\n');
    }
    if text.is_empty() {
        return tool;
    }
    let more = match n_left_out {
        0 => String::new(),
        n => format!(
            "\n{n} further functions are found by words: await search(\"…\") returns their stubs."
        ),
    };
    tool.input_schema = input_schema(&format!(".{CALLS}\n{text}{more}"));
    tool
}

fn description(settings: &CodeSettings) -> String {
    let purpose = settings.description.trim().trim_end_matches('.');
    let purpose = if purpose.is_empty() { String::new() } else { format!("{purpose}. ") };
    format!("{purpose}{PURPOSE}")
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
traceback of an error as `execution_error`. Use it to compute, to work on texts and data, and to do several calls with what they return in one step. \
There are: functions, classes, async, f-strings, comprehensions, exceptions, and the modules asyncio (gather), base64, collections, dataclasses, datetime, \
functools, itertools, json, math, re, typing, unicodedata. There are none of: files, network, packages, generators (`yield`: build a list), `match`, classes of exceptions, \
decimal (use whole numbers of cents), random, statistics, time, uuid, csv (use `split`).";

const CALLS: &str = " These functions call tools. Each is async: write `await`, or `await asyncio.gather(…)` for several at once. They return the decoded \
answer of the tool; a number that a float would change is a str with its digits. A failed call raises RuntimeError, whose text begins with a code such as \
`not_found`; `fault(error)` returns its fields.";

/// The characters of a program.
const MOST_CODE: u32 = 100_000;
/// The bytes of all stubs: about two thousand tokens.
const MOST_STUBS: usize = 8000;
