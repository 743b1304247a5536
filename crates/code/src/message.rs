//! The messages between a program and its worker. A worker that breaks the protocol is ended: whatever it says is judged, never believed.

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
    pub(crate) fn with_texts_cut(mut self, most: usize) -> Self {
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

    pub(crate) fn from_value(value: &Value) -> Option<Self> {
        let (kind, body) = only_member(value)?;
        match kind {
            "answer" => {
                let answer = match body.get("raised").and_then(Value::as_str) {
                    Some(text) => {
                        Err(Raised { text: text.to_owned(), fault: body["fault"].clone() })
                    }
                    None => Ok(body.get("value")?.clone()),
                };
                Some(Self::Answer { number: body["number"].as_u64()?, answer })
            }
            "answers" => {
                let answers = body.as_array()?.iter().map(Self::from_value);
                Some(Self::Answers(answers.collect::<Option<_>>()?))
            }
            "named" => Some(Self::Named(match body.as_str() {
                Some("function") => Meaning::Function,
                Some("module") => Meaning::Module,
                Some(_) => return None,
                None => Meaning::Unknown(text(body, "unknown")?),
            })),
            "run" => Some(Self::Run {
                number: body["number"].as_u64()?,
                code: text(body, "code")?,
                memory: usize::try_from(body["memory"].as_u64()?).ok()?,
                output: usize::try_from(body["output"].as_u64()?).ok()?,
                time_ms: body["time_ms"].as_u64()?,
            }),
            _ => None,
        }
    }
}

impl Report {
    #[cfg(any(test, all(feature = "monty", unix)))]
    pub(crate) fn to_value(&self) -> Value {
        match self {
            Self::Call { number, name, positional, named } => json!({"call": {
                "number": *number, "module": name.module.clone(), "name": name.name.clone(),
                "positional": positional.clone(), "named": Value::Object(named.clone()),
            }}),
            Self::End(number, End { result, error, stdout, is_cut, is_no_program }) => {
                json!({"end": {
                    "number": *number, "result": result, "error": error, "stdout": stdout, "cut": *is_cut,
                    "no_program": *is_no_program,
                }})
            }
            Self::Lookup(Name { module, name }) => {
                json!({"lookup": {"module": module.clone(), "name": name.clone()}})
            }
            Self::Wait => json!({"wait": true}),
        }
    }

    pub(crate) fn from_value(value: &Value) -> Option<Self> {
        let (kind, body) = only_member(value)?;
        match kind {
            "call" => Some(Self::Call {
                number: body["number"].as_u64()?,
                name: Name::from_value(body)?,
                positional: body["positional"].as_array()?.clone(),
                named: body["named"].as_object()?.clone(),
            }),
            "end" => {
                let end = End {
                    result: text(body, "result")?,
                    error: text(body, "error")?,
                    stdout: text(body, "stdout")?,
                    is_cut: body["cut"].as_bool()?,
                    is_no_program: body["no_program"].as_bool()?,
                };
                Some(Self::End(body["number"].as_u64()?, end))
            }
            "lookup" => Name::from_value(body).map(Self::Lookup),
            "wait" => Some(Self::Wait),
            _ => None,
        }
    }
}

impl Name {
    fn from_value(body: &Value) -> Option<Self> {
        let module = body["module"].as_str().map(str::to_owned);
        Some(Self { module, name: text(body, "name")? })
    }
}

fn only_member(value: &Value) -> Option<(&str, &Value)> {
    let members = value.as_object()?;
    let (name, body) = members.iter().next()?;
    (members.len() == 1).then_some((name, body))
}

fn text(body: &Value, name: &str) -> Option<String> {
    body.get(name)?.as_str().map(str::to_owned)
}

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
            assert_eq!(Order::from_value(&order.to_value()), Some(order));
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
            assert_eq!(Report::from_value(&report.to_value()), Some(report));
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
            assert_eq!(Report::from_value(&value), None, "{text}");
            assert_eq!(Order::from_value(&value), None, "{text}");
        }
    }
}
