//! The messages between a program and its worker. A worker that breaks the protocol is ended: whatever it says is judged, never believed.

use std::mem;

use callgate_tool::{Object, Value, json};

/// A message to a worker.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Order {
    /// The result of the call with this number.
    Answer { number: u64, answer: Result<Value, Raised> },
    /// The results of calls, which the code takes one after the other.
    Answers(Vec<Self>),
    /// The meaning of the name that it asked for.
    Named(Meaning),
    /// Run this program. Its end has its number.
    Run { number: u64, code: String, memory: usize, output: usize, time_ms: u64 },
}

/// An exception that a call raises in the code.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Raised {
    /// The text of the exception.
    pub(crate) text: String,
    /// The fault, for the function `fault`.
    pub(crate) fault: Value,
}

/// The meaning of a name that the code does not define.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Meaning {
    /// A function that calls a tool.
    Function,
    /// Functions of one toolset.
    Module,
    /// Nothing, for this reason.
    Unknown(String),
}

/// A message of a worker.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Report {
    /// The code calls a function. The worker goes on.
    Call { number: u64, name: Name, positional: Vec<Value>, named: Object },
    /// The program of this number has ended.
    End(u64, End),
    /// The code uses a name that it does not define. The worker waits for an answer.
    Lookup(Name),
    /// The code can do nothing before a call ends. The worker waits for an answer.
    Wait,
}

/// A name of the code: `pets.getPet`, `getPet`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Name {
    pub(crate) module: Option<String>,
    pub(crate) name: String,
}

/// The end of a program.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct End {
    /// The value of the last expression; empty after an error.
    pub(crate) result: String,
    /// The traceback; empty without an error.
    pub(crate) error: String,
    /// The printed text.
    pub(crate) stdout: String,
    /// True if the result or the printed text is cut.
    pub(crate) is_cut: bool,
    /// True if the text is no program: nothing of it ran.
    pub(crate) is_no_program: bool,
}

impl End {
    /// The end with texts of at most so many bytes: a worker that cuts them itself may be wrong about it.
    pub(crate) fn with_truncated_texts(mut self, most: usize) -> Self {
        for text in [&mut self.result, &mut self.error, &mut self.stdout] {
            if text.len() > most {
                text.truncate(text.floor_char_boundary(most));
                self.is_cut = true;
            }
        }
        self
    }
}

impl Order {
    pub(crate) fn to_value(&self) -> Value {
        match self {
            Self::Answer { number, answer: Ok(value) } => {
                json!({"answer": {"number": *number, "value": value}})
            }
            Self::Answer { number, answer: Err(Raised { text, fault }) } => {
                json!({"answer": {"number": *number, "raised": text, "fault": fault}})
            }
            Self::Answers(answers) => {
                json!({"answers": (answers.iter().map(Self::to_value).collect::<Vec<_>>())})
            }
            Self::Named(Meaning::Function) => json!({"named": "function"}),
            Self::Named(Meaning::Module) => json!({"named": "module"}),
            Self::Named(Meaning::Unknown(why)) => json!({"named": {"unknown": why}}),
            Self::Run { number, code, memory, output, time_ms } => json!({"run": {
                "number": *number, "code": code, "memory": *memory, "output": *output, "time_ms": *time_ms,
            }}),
        }
    }

    /// Appends the order as JSON to a text, without a copy of what it holds.
    pub(crate) fn write_to(&self, out: &mut String) {
        match self {
            Self::Answer { number, answer } => write_answer(*number, answer, out),
            Self::Answers(answers) => write_answers(answers, out),
            Self::Named(_) | Self::Run { .. } => self.to_value().write_to(out),
        }
    }

    pub(crate) fn from_value(value: Value) -> Option<Self> {
        let (kind, mut body) = only_member(value)?;
        match kind.as_str() {
            "answer" => {
                let answer = match text_member(&body, "raised") {
                    Some(text) => {
                        let fault = take_member(&mut body, "fault").unwrap_or_default();
                        Err(Raised { text, fault })
                    }
                    None => Ok(take_member(&mut body, "value")?),
                };
                Some(Self::Answer { number: body.get("number")?.as_u64()?, answer })
            }
            "answers" => {
                let Value::Array(answers) = body else { return None };
                let answers = answers.into_iter().map(Self::from_value);
                Some(Self::Answers(answers.collect::<Option<_>>()?))
            }
            "named" => Some(Self::Named(match body.as_str() {
                Some("function") => Meaning::Function,
                Some("module") => Meaning::Module,
                Some(_) => return None,
                None => Meaning::Unknown(text_member(&body, "unknown")?),
            })),
            "run" => Some(Self::Run {
                number: body.get("number")?.as_u64()?,
                code: text_member(&body, "code")?,
                memory: usize::try_from(body.get("memory")?.as_u64()?).ok()?,
                output: usize::try_from(body.get("output")?.as_u64()?).ok()?,
                time_ms: body.get("time_ms")?.as_u64()?,
            }),
            _ => None,
        }
    }
}

fn write_answers(answers: &[Order], out: &mut String) {
    out.push_str(r#"{"answers":["#);
    for (at, answer) in answers.iter().enumerate() {
        out.push_str(if at > 0 { "," } else { "" });
        answer.write_to(out);
    }
    out.push_str("]}");
}

/// Appends the order with this answer as JSON to a text.
pub(crate) fn write_answer(number: u64, answer: &Result<Value, Raised>, out: &mut String) {
    out.push_str(r#"{"answer":{"number":"#);
    out.push_str(&number.to_string());
    match answer {
        Ok(value) => {
            out.push_str(r#","value":"#);
            value.write_to(out);
        }
        Err(Raised { text, fault }) => {
            out.push_str(r#","raised":"#);
            Value::from(text.as_str()).write_to(out);
            out.push_str(r#","fault":"#);
            fault.write_to(out);
        }
    }
    out.push_str("}}");
}

impl Report {
    #[cfg(any(test, all(feature = "monty", unix)))]
    pub(crate) fn into_value(self) -> Value {
        match self {
            Self::Call { number, name: Name { module, name }, positional, named } => {
                let call = Object::from([
                    ("number", number.into()),
                    ("module", module.into()),
                    ("name", name.into()),
                    ("positional", Value::Array(positional)),
                    ("named", Value::Object(named)),
                ]);
                Value::Object(Object::from([("call", Value::Object(call))]))
            }
            Self::End(number, End { result, error, stdout, is_cut, is_no_program }) => {
                json!({"end": {
                    "number": number, "result": result, "error": error, "stdout": stdout, "cut": is_cut,
                    "no_program": is_no_program,
                }})
            }
            Self::Lookup(Name { module, name }) => {
                json!({"lookup": {"module": module, "name": name}})
            }
            Self::Wait => json!({"wait": true}),
        }
    }

    pub(crate) fn from_value(value: Value) -> Option<Self> {
        let (kind, mut body) = only_member(value)?;
        match kind.as_str() {
            "call" => {
                let (number, name) = (body.get("number")?.as_u64()?, Name::from_value(&body)?);
                let positional = take_member(&mut body, "positional")?;
                let named = take_member(&mut body, "named")?;
                let (Value::Array(positional), Value::Object(named)) = (positional, named) else {
                    return None;
                };
                Some(Self::Call { number, name, positional, named })
            }
            "end" => {
                let end = End {
                    result: text_member(&body, "result")?,
                    error: text_member(&body, "error")?,
                    stdout: text_member(&body, "stdout")?,
                    is_cut: body.get("cut")?.as_bool()?,
                    is_no_program: body.get("no_program")?.as_bool()?,
                };
                Some(Self::End(body.get("number")?.as_u64()?, end))
            }
            "lookup" => Name::from_value(&body).map(Self::Lookup),
            "wait" => Some(Self::Wait),
            _ => None,
        }
    }
}

impl Name {
    /// True if no tool has so long a name: it means nothing, and a worker that asks for it is wrong.
    pub(crate) fn is_too_long(&self) -> bool {
        self.module.iter().chain([&self.name]).any(|part| part.len() > LONGEST_NAME)
    }

    fn from_value(body: &Value) -> Option<Self> {
        let module = body.get("module")?.as_str().map(str::to_owned);
        Some(Self { module, name: text_member(body, "name")? }).filter(|name| !name.is_too_long())
    }
}

fn only_member(value: Value) -> Option<(String, Value)> {
    let Value::Object(members) = value else { return None };
    let mut members = members.into_iter();
    members.next().filter(|_| members.next().is_none())
}

fn take_member(body: &mut Value, name: &str) -> Option<Value> {
    body.get_mut(name).map(mem::take)
}

fn text_member(body: &Value, name: &str) -> Option<String> {
    body.get(name)?.as_str().map(str::to_owned)
}

/// The bytes of a name, or of the module before it.
const LONGEST_NAME: usize = 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_message_is_read_as_it_was_written() {
        let raised = Raised { text: "not_found: no pet".into(), fault: json!({"code": "x"}) };
        let run = Order::Run { number: 4, code: "4 + 4".into(), memory: 1, output: 2, time_ms: 3 };
        let answers = [3, 4].map(|number| Order::Answer { number, answer: Ok(json!([])) });
        for order in [
            Order::Answers(answers.into()),
            Order::Answer { number: 1, answer: Ok(json!({"id": 7})) },
            Order::Answer { number: 2, answer: Err(raised) },
            Order::Named(Meaning::Function),
            Order::Named(Meaning::Module),
            Order::Named(Meaning::Unknown("no such name".into())),
            run,
        ] {
            assert_eq!(Order::from_value(order.to_value()).as_ref(), Some(&order));
            let mut text = String::new();
            order.write_to(&mut text);
            assert_eq!(Value::parse(&text).unwrap(), order.to_value());
        }
        let name = Name { module: Some("pets".into()), name: "getPet".into() };
        let named = Object::from([("petId", 7.into())]);
        let end = End { result: "8".into(), is_cut: true, is_no_program: true, ..End::default() };
        for report in [
            Report::Call { number: 3, name: name.clone(), positional: vec![1.into()], named },
            Report::End(5, end),
            Report::Lookup(Name { module: None, ..name }),
            Report::Wait,
        ] {
            assert_eq!(Report::from_value(report.clone().into_value()), Some(report));
        }
    }

    #[test]
    fn a_value_that_is_no_message_is_refused() {
        for text in [
            "null",
            "[]",
            "{}",
            r#"{"call": {}}"#,
            r#"{"call": {"number": -1, "name": "a", "positional": [], "named": {}}}"#,
            r#"{"call": {"number": 1, "name": 1, "positional": [], "named": {}}}"#,
            r#"{"end": {"result": 8}}"#,
            r#"{"wait": true, "end": {}}"#,
            r#"{"run": {"code": "4"}}"#,
        ] {
            let value = Value::parse(text).unwrap();
            assert_eq!(Report::from_value(value.clone()), None, "{text}");
            assert_eq!(Order::from_value(value), None, "{text}");
        }
    }

    #[test]
    fn a_name_that_is_longer_than_those_of_tools_is_no_message() {
        for (length, is_message) in [(LONGEST_NAME, true), (LONGEST_NAME + 1, false)] {
            let long = "a".repeat(length);
            for (module, name) in [(None, &*long), (Some(&*long), "getPet")] {
                let lookup = json!({"lookup": {"module": module, "name": name}});
                assert_eq!(Report::from_value(lookup).is_some(), is_message, "{length}");
            }
        }
    }
}
