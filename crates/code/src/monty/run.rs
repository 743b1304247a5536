//! One program in the interpreter: names that it does not define are asked for, calls of functions go out, and their results come in
//! when the program can do nothing without them.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet, VecDeque},
    io::{self, ErrorKind},
    time::Duration,
};

use callgate_tool::{Object, Value};
use monty::{FunctionCall, MontyRun, NameLookup, ResolveFutures, RunProgress};
use monty_types::{
    CompileOptions, DictPairs, ExcType, ExtFunctionResult, MontyClassInstance, MontyClassType,
    MontyException, MontyObject, MontyUuid, NameLookupResult, PrintWriter, PrintWriterCallback,
    ResourceLimits, ResourceTracker,
};

use super::{
    Link,
    value::{result_text, to_json, to_monty_object},
};
use crate::message::{End, Meaning, Name, Order, Raised, Report};

pub(super) struct Run<'l, 'p> {
    link: &'l mut Link<'p>,
    printed: Printed,
    /// The modules that the code has named, each by its number.
    modules: Vec<String>,
    n_calls: u64,
    /// The calls under way, by the interpreter's numbers.
    under_way: BTreeMap<u64, u32>,
    /// The results that came before the code can take them.
    arrived: Vec<(u32, ExtFunctionResult)>,
    /// The answers that came with others, and that the code takes next.
    held: VecDeque<Order>,
    /// The names that are functions.
    functions: BTreeSet<String>,
    /// The faults of calls, by the texts of their exceptions.
    faults: Vec<(String, Value)>,
}

/// A step of the interpreter: where it stops, or the exception that ends the program. The outer error is one of the link.
type Step = io::Result<Result<RunProgress, MontyException>>;

impl<'l, 'p> Run<'l, 'p> {
    pub(super) fn new(link: &'l mut Link<'p>, most_output: usize) -> Self {
        Self {
            link,
            printed: Printed { text: String::new(), most: most_output, is_cut: false },
            modules: Vec::new(),
            n_calls: 0,
            under_way: BTreeMap::new(),
            arrived: Vec::new(),
            held: VecDeque::new(),
            functions: BTreeSet::new(),
            faults: Vec::new(),
        }
    }

    pub(super) fn run(mut self, code: String, memory: usize, time_ms: u64) -> io::Result<End> {
        let limits = ResourceLimits::default()
            .max_duration(Duration::from_millis(time_ms))
            .max_memory(memory)
            .max_recursion_depth(MOST_DEPTH);
        let program = MontyRun::new(code, FILE, Vec::new(), CompileOptions::default());
        let program = match program {
            Ok(program) => program,
            Err(exception) => {
                let is_no_program = exception.exc_type() == ExcType::SyntaxError;
                return Ok(End {
                    is_no_program,
                    ..self.into_end(String::new(), &exception.to_string())
                });
            }
        };
        let print = PrintWriter::Callback(&mut self.printed);
        let mut step = program.start(Vec::new(), ResourceTracker::new(limits), print);
        loop {
            step = match step {
                Ok(RunProgress::Complete(MontyObject::Repr(text))) if text.contains(COROUTINE) => {
                    return Ok(self.into_end(String::new(), NOT_AWAITED));
                }
                Ok(RunProgress::Complete(value)) => {
                    return Ok(self.into_end(result_text(&value), ""));
                }
                Err(exception) => return Ok(self.into_end(String::new(), &exception.to_string())),
                Ok(RunProgress::NameLookup(lookup)) => self.resume_lookup(lookup)?,
                Ok(RunProgress::FunctionCall(call)) => self.resume_call(call)?,
                Ok(RunProgress::ResolveFutures(waiting)) => {
                    self.await_answers_and_resume(waiting)?
                }
                Ok(RunProgress::OsCall(call)) => {
                    let refusal = exception(ExcType::PermissionError, NO_SYSTEM);
                    call.resume(refusal, PrintWriter::Callback(&mut self.printed))
                }
            };
        }
    }

    fn into_end(self, result: String, error: &str) -> End {
        let most = self.printed.most;
        let (result, is_result_cut) = shorten_text(result, most);
        let (error, is_error_cut) = shorten_traceback(error, most);
        let is_cut = self.printed.is_cut || is_result_cut || is_error_cut;
        End { result, error, stdout: self.printed.text, is_cut, is_no_program: false }
    }

    /// The module that an object of the interpreter stands for.
    fn module_name(&self, object: Option<MontyUuid>) -> Option<String> {
        let bytes = *object?.as_bytes();
        let number = usize::try_from(u128::from_be_bytes(bytes)).ok()?;
        self.modules.get(number.checked_sub(1)?).cloned()
    }

    fn resume_lookup(&mut self, lookup: NameLookup) -> Step {
        let name = Name { module: self.module_name(lookup.object_id()), name: lookup.name.clone() };
        let result = match self.look_up_meaning(&name)? {
            Meaning::Function => {
                let (name, docstring) = (name.dotted_name(), None);
                NameLookupResult::Value(MontyObject::Function { name, docstring })
            }
            Meaning::Module => NameLookupResult::Value(self.module_object(name.name)),
            Meaning::Unknown(why) => NameLookupResult::Error(unknown_name(&name, why)),
        };
        Ok(lookup.resume(result, PrintWriter::Callback(&mut self.printed)))
    }

    /// The meaning of a name, asked once if it is a function.
    fn look_up_meaning(&mut self, name: &Name) -> io::Result<Meaning> {
        let is_own = name.module.is_none() && name.name == FAULT;
        if is_own || self.functions.contains(&name.dotted_name()) {
            return Ok(Meaning::Function);
        }
        if name.is_too_long() {
            return Ok(Meaning::Unknown(TOO_LONG_NAME.to_owned()));
        }
        let Order::Named(meaning) =
            self.link.report_and_receive_order(Report::Lookup(name.clone()))?
        else {
            return Err(ErrorKind::InvalidData.into());
        };
        if meaning == Meaning::Function {
            self.functions.insert(name.dotted_name());
        }
        Ok(meaning)
    }

    /// An object whose methods are the functions of a module.
    fn module_object(&mut self, name: String) -> MontyObject {
        self.modules.push(name.clone());
        let id = MontyUuid::from_u128(self.modules.len() as u128);
        let class_type = MontyClassType {
            name,
            id: MontyUuid::from_u128(u128::MAX - self.modules.len() as u128),
            host_defined: true,
            is_dataclass: false,
            attrs: DictPairs::default(),
        };
        let attrs = DictPairs::default();
        MontyObject::ClassInstance(Box::new(MontyClassInstance {
            class_type,
            instance_id: id,
            attrs,
        }))
    }

    fn resume_call(&mut self, call: FunctionCall) -> Step {
        let module = self.module_name(call.object_id);
        if module.is_none() && call.function_name == FAULT {
            let answer = self.fault_of_exception(&call.args);
            return Ok(call.resume(answer, PrintWriter::Callback(&mut self.printed)));
        }
        let name = match call.function_name.split_once('.') {
            Some((module, name)) if call.object_id.is_none() => {
                Name { module: Some(module.to_owned()), name: name.to_owned() }
            }
            _ => Name { module, name: call.function_name.clone() },
        };
        // Code calls names that it does not define without a look at them.
        let refusal = match self.look_up_meaning(&name)? {
            Meaning::Function => None,
            Meaning::Module => Some(exception(ExcType::TypeError, "a toolset is no function")),
            Meaning::Unknown(why) => Some(unknown_name(&name, why)),
        };
        if let Some(refusal) = refusal {
            return Ok(call.resume(refusal, PrintWriter::Callback(&mut self.printed)));
        }
        let report = call_report(self.n_calls, name, &call);
        let sent = match &report {
            Ok(report) => self.link.write_frame(report, MOST_ARGUMENTS)?,
            Err(_) => None,
        };
        if sent.is_none() {
            let too_long = || format!("the arguments have more than {MOST_ARGUMENTS} bytes");
            let why = report.err().unwrap_or_else(too_long);
            let refusal = MontyException::new(ExcType::TypeError, Some(why));
            return Ok(call.resume(refusal, PrintWriter::Callback(&mut self.printed)));
        }
        self.under_way.insert(self.n_calls, call.call_id);
        self.n_calls += 1;
        Ok(call.resume_pending(PrintWriter::Callback(&mut self.printed)))
    }

    /// The fault that an exception is about.
    fn fault_of_exception(&self, arguments: &[MontyObject]) -> ExtFunctionResult {
        let [MontyObject::Exception { arg: Some(text), .. }] = arguments else {
            return exception(ExcType::TypeError, FAULT_TAKES).into();
        };
        let fault = self.faults.iter().rev().find(|(raised, _)| raised == text);
        let fault = fault.map_or(MontyObject::None, |(_, fault)| to_monty_object(fault));
        ExtFunctionResult::Return(fault)
    }

    fn await_answers_and_resume(&mut self, waiting: ResolveFutures) -> Step {
        let results = loop {
            let pending = waiting.pending_call_ids();
            let (ready, rest) = std::mem::take(&mut self.arrived)
                .into_iter()
                .partition::<Vec<_>, _>(|(id, _)| pending.contains(id));
            self.arrived = rest;
            if !ready.is_empty() {
                break ready;
            }
            if self.under_way.is_empty() {
                let abandoned = exception(ExcType::RuntimeError, "the code waits for no call");
                let end = waiting.abort(abandoned, PrintWriter::Callback(&mut self.printed));
                return Ok(end);
            }
            self.receive_call_answer()?;
        };
        Ok(waiting.resume(results, PrintWriter::Callback(&mut self.printed)))
    }

    fn receive_call_answer(&mut self) -> io::Result<()> {
        if self.held.is_empty() {
            match self.link.report_and_receive_order(Report::Wait)? {
                Order::Answers(answers) => self.held.extend(answers),
                answer => self.held.push_back(answer),
            }
        }
        let Some(Order::Answer { number, answer }) = self.held.pop_front() else {
            return Err(ErrorKind::InvalidData.into());
        };
        let call_id = self.under_way.remove(&number).ok_or(ErrorKind::InvalidData)?;
        let result = match answer {
            Ok(value) => ExtFunctionResult::Return(to_monty_object(&value)),
            Err(Raised { text, fault }) => {
                if self.faults.len() >= MOST_FAULTS {
                    self.faults.remove(0);
                }
                self.faults.push((text.clone(), fault));
                MontyException::new(ExcType::RuntimeError, Some(text)).into()
            }
        };
        self.arrived.push((call_id, result));
        Ok(())
    }
}

/// The report of a call, or the reason why its arguments are no JSON.
fn call_report(number: u64, name: Name, call: &FunctionCall) -> Result<Value, String> {
    let positional = call.args.iter().map(to_json).collect::<Result<_, _>>()?;
    let mut named = Object::new();
    for (argument, value) in &call.kwargs {
        let MontyObject::String(argument) = argument else {
            return Err("names of arguments are texts".to_owned());
        };
        named.insert(argument.as_str(), to_json(value)?);
    }
    Ok(Report::Call { number, name, positional, named }.into_value())
}

fn unknown_name(name: &Name, why: String) -> MontyException {
    let is_attribute = name.module.is_some();
    let kind = if is_attribute { ExcType::AttributeError } else { ExcType::NameError };
    MontyException::new(kind, Some(why))
}

fn exception(kind: ExcType, text: &str) -> MontyException {
    MontyException::new(kind, Some(text.to_owned()))
}

/// The text that the code prints, up to a limit; the end says that the rest is cut.
struct Printed {
    text: String,
    most: usize,
    is_cut: bool,
}

impl Printed {
    fn push_within_limit(&mut self, text: &str) {
        let room = self.most.saturating_sub(self.text.len());
        let kept = text.get(..text.floor_char_boundary(room)).unwrap_or_default();
        self.is_cut |= kept.len() < text.len();
        self.text.push_str(kept);
    }
}

impl PrintWriterCallback for Printed {
    fn stdout_write(&mut self, output: Cow<'_, str>) -> Result<(), MontyException> {
        self.push_within_limit(&output);
        Ok(())
    }

    fn stdout_push(&mut self, end: char) -> Result<(), MontyException> {
        self.push_within_limit(end.encode_utf8(&mut [0; 4]));
        Ok(())
    }
}

fn shorten_text(mut text: String, most: usize) -> (String, bool) {
    if text.len() <= most {
        return (text, false);
    }
    text.truncate(text.floor_char_boundary(most));
    (text, true)
}

/// A traceback whose long lines are cut, and which loses its beginning if it is long: the exception stands last.
fn shorten_traceback(error: &str, most: usize) -> (String, bool) {
    let mut lines: Vec<String> = Vec::new();
    let (mut length, mut is_cut) = (0_usize, false);
    for line in error.lines().rev() {
        let (line, is_line_cut) = shorten_text(line.to_owned(), LONGEST_LINE);
        is_cut |= is_line_cut;
        length = length.saturating_add(line.len()).saturating_add(1);
        if length > most {
            is_cut = true;
            break;
        }
        lines.push(line);
    }
    lines.reverse();
    (lines.join("\n"), is_cut)
}

/// The file of the program in tracebacks.
const FILE: &str = "program.py";
/// The function that shows the fault behind an exception.
const FAULT: &str = "fault";
const FAULT_TAKES: &str = "fault() takes the exception that a call has raised";
const TOO_LONG_NAME: &str = "nothing has so long a name";
const NO_SYSTEM: &str = "this code has no files, no environment and no system: call the tools";
const COROUTINE: &str = "external_future";
const NOT_AWAITED: &str =
    "RuntimeError: the value is a call that was not awaited: write `await` before it";
/// The bytes of one line of a traceback.
const LONGEST_LINE: usize = 1000;
/// The depth of recursion of Python.
const MOST_DEPTH: usize = 500;
/// The faults that `fault` finds again.
const MOST_FAULTS: usize = 64;
/// The bytes of the arguments of one call.
const MOST_ARGUMENTS: usize = 1 << 20;
