//! The differences between the value that was given and the one that a service reads, and what the result says of them.

use crate::prelude::*;

/// The locations that the notes and the defaults of a result name.
#[derive(Debug)]
pub(super) struct Said {
    notes: Vec<(String, Vec<String>)>,
    defaults: Vec<String>,
}

/// The locations at which two values differ.
#[derive(Debug, Default)]
pub(super) struct Differences {
    /// Values that are not read, or read in another form.
    changed: Vec<String>,
    /// Values that nobody gave.
    added: Vec<String>,
}

impl Said {
    pub(super) fn by(journal: &Journal) -> Self {
        let names = |note: &String| {
            let quoted = note.split('`').skip(1).step_by(2).map(str::to_owned);
            (note.clone(), quoted.collect())
        };
        Self {
            notes: journal.notes().iter().map(names).collect(),
            defaults: journal.defaults().map(str::to_owned).collect(),
        }
    }

    fn names(&self, at: &str) -> bool {
        let names_it = |name: &String| name == at || is_below(at, name);
        self.notes.iter().any(|(_, names)| names.iter().any(names_it))
    }

    fn fills(&self, at: &str) -> bool {
        self.defaults.iter().any(|name| is_like(at, name))
    }
}

/// True if one location is in another.
fn is_below(at: &str, other: &str) -> bool {
    at.strip_prefix(other).is_some_and(|rest| rest.starts_with(['.', '[']))
}

/// True if a location is that of a default, or in it; the items of a default have no index: `color[].a`.
fn is_like(at: &str, default: &str) -> bool {
    let mut bare = String::new();
    for (n, piece) in at.split('[').enumerate() {
        let (index, rest) = piece.split_once(']').unwrap_or((piece, ""));
        let is_index = n > 0 && index.bytes().all(|byte| byte.is_ascii_digit());
        match (n, is_index) {
            (0, _) => bare.push_str(piece),
            (_, true) => bare.extend(["[]", rest]),
            (_, false) => bare.extend(["[", piece]),
        }
    }
    [at, &bare].iter().any(|at| *at == default || is_below(at, default))
}

/// The digits of a number, its sign, and the power of ten: numbers that are equal have equal ones (JSON Schema 2020-12 §4.2.2).
fn plain(digits: &str) -> (bool, String, i64) {
    let (mantissa, exponent) = digits.split_once(['e', 'E']).unwrap_or((digits, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let power: i64 = exponent.trim_start_matches('+').parse().unwrap();
    let power = power - i64::try_from(fraction.len()).unwrap();
    let all = format!("{}{fraction}", whole.trim_start_matches('-'));
    let all = all.trim_start_matches('0');
    let short = all.trim_end_matches('0');
    if short.is_empty() {
        return (false, String::new(), 0);
    }
    let power = power + i64::try_from(all.len() - short.len()).unwrap();
    (whole.starts_with('-'), short.to_owned(), power)
}

impl Differences {
    /// Compares two values at a location.
    pub(super) fn find(
        &mut self,
        at: &str,
        given: Option<&Value>,
        read: Option<&Value>,
        said: &Said,
    ) {
        match (given, read) {
            (None, None) => {}
            (None, Some(_)) => self.added.push(at.to_owned()),
            (Some(given), None) => self.find_lost(at, given, said),
            (Some(Value::Object(given)), Some(Value::Object(read))) => {
                for (name, value) in given {
                    self.find(&format!("{at}.{name}"), Some(value), read.get(name), said);
                }
                for (name, value) in read.iter().filter(|(name, _)| !given.contains_key(name)) {
                    self.find(&format!("{at}.{name}"), None, Some(value), said);
                }
            }
            (Some(Value::Array(given)), Some(Value::Array(read))) if given.len() == read.len() => {
                for (n, (given, read)) in given.iter().zip(read).enumerate() {
                    self.find(&format!("{at}[{n}]"), Some(given), Some(read), said);
                }
            }
            (Some(Value::Number(given)), Some(Value::Number(read)))
                if plain(&given.digits()) == plain(&read.digits()) => {}
            (Some(given), Some(read)) if given == read => {}
            _ => self.changed.push(at.to_owned()),
        }
    }

    /// A structure is lost at its location, or wherever it holds something.
    fn find_lost(&mut self, at: &str, given: &Value, said: &Said) {
        match given {
            Value::Object(members) if !members.is_empty() && !said.names(at) => {
                for (name, value) in members {
                    self.find_lost(&format!("{at}.{name}"), value, said);
                }
            }
            Value::Array(items) if !items.is_empty() && !said.names(at) => {
                for (n, value) in items.iter().enumerate() {
                    self.find_lost(&format!("{at}[{n}]"), value, said);
                }
            }
            _ => self.changed.push(at.to_owned()),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.changed.is_empty() && self.added.is_empty()
    }

    /// The first difference that the result does not say, or the first that it says without need.
    pub(super) fn unsaid(&self, said: &Said) -> Option<String> {
        let changed = self.changed.iter().find(|at| !said.names(at));
        let added = self.added.iter().find(|at| !said.fills(at));
        if let Some(at) = changed.or(added) {
            return Some(format!("nothing says that `{at}` differs"));
        }
        let is_true = |name: &String| {
            let mut differing = self.changed.iter().chain(&self.added);
            said.fills(name)
                || differing.any(|at| at == name || is_below(at, name) || is_below(name, at))
        };
        let notes = said.notes.iter().filter(|(note, _)| {
            !note.ends_with("is sent undeclared") && !note.starts_with("the default of")
        });
        let mut names = notes.flat_map(|(note, names)| names.iter().map(move |name| (note, name)));
        let untrue = names.find(|(_, name)| !is_true(name));
        untrue.map(|(note, _)| format!("this is not so: {note}"))
    }
}
