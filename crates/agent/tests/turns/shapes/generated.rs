//! Streams of Chat Completions in every way to number, name, repeat and cut calls from which they can be told apart.

use callgate_dialect::Dialect;

use super::{event, made};
use crate::loops::Random;

/// A way to write the pieces of calls.
#[derive(Clone, Copy, Debug)]
struct Shape {
    ids: Told,
    index: Index,
    names: Told,
    kinds: Told,
    arguments: Given,
    /// The pieces of an event.
    n_together: usize,
    is_interleaved: bool,
}

/// The pieces of a call that say something.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Told {
    /// All of them.
    Always,
    /// The first one; the later ones say that it is empty, or `null`.
    EmptyLater,
    First,
    /// None of them.
    Never,
    NullLater,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Index {
    None,
    OfCall,
    OfPiece,
    Zero,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Given {
    InPieces,
    Object,
    Whole,
}

impl Shape {
    fn drawn(random: &mut Random) -> Self {
        let mut pick = |n: u64| usize::try_from(random.below(n)).unwrap();
        let told = [Told::Always, Told::First, Told::EmptyLater, Told::NullLater, Told::Never];
        let index = [Index::None, Index::OfCall, Index::OfPiece, Index::Zero];
        let given = [Given::InPieces, Given::Object, Given::Whole];
        Self {
            ids: told[pick(5)],
            index: index[pick(4)],
            names: told[pick(4)],
            kinds: told[pick(5)],
            arguments: given[pick(3)],
            n_together: pick(3) + 1,
            is_interleaved: pick(2) == 0,
        }
    }

    /// True if nobody could say to which call a piece belongs.
    fn is_ambiguous(self) -> bool {
        let is_in_order = !self.is_interleaved || self.arguments != Given::InPieces;
        let has_marks = self.index == Index::OfCall || self.ids == Told::Always;
        // A second call of one tool and a name that is repeated look alike.
        let is_unmarked = self.index == Index::Zero && self.ids == Told::Never;
        let names_pieces = self.index == Index::OfPiece && self.names == Told::Always;
        (!is_in_order && !has_marks)
            || (names_pieces && self.ids != Told::Always)
            || (is_unmarked && self.arguments == Given::InPieces)
    }

    /// The pieces of the calls `shop-add {"n":AT}`.
    fn pieces(self, n_calls: usize) -> Vec<String> {
        let mut pieces: Vec<(usize, usize, String)> = Vec::new();
        for call in 0..n_calls {
            let texts = match self.arguments {
                Given::InPieces => {
                    vec![r#""""#.into(), r#""{\"n\"""#.into(), format!(r#"":{call}}}""#)]
                }
                Given::Object => vec![format!(r#"{{"n":{call}}}"#)],
                Given::Whole => vec![format!(r#""{{\"n\":{call}}}""#)],
            };
            pieces.extend(texts.into_iter().enumerate().map(|(at, text)| (call, at, text)));
        }
        if self.is_interleaved {
            // All first pieces, then all second ones.
            pieces.sort_by_key(|(call, at, _)| (*at, *call));
        }
        let written = pieces.iter().enumerate();
        written.map(|(n, (call, at, text))| self.piece(n, *call, *at, text)).collect()
    }

    fn piece(self, n: usize, call: usize, at: usize, arguments: &str) -> String {
        let told = |told: Told, name: &str, value: &str| match (told, at) {
            (Told::Never, _) | (Told::First, 1..) => String::new(),
            (Told::EmptyLater, 1..) => format!(r#""{name}":"","#),
            (Told::NullLater, 1..) => format!(r#""{name}":null,"#),
            _ => format!(r#""{name}":"{value}","#),
        };
        let index = match self.index {
            Index::None => String::new(),
            Index::OfCall => format!(r#""index":{call},"#),
            Index::OfPiece => format!(r#""index":{n},"#),
            Index::Zero => r#""index":0,"#.to_owned(),
        };
        let id = told(self.ids, "id", &format!("id-{call}"));
        let kind = told(self.kinds, "type", "function");
        let name = told(self.names, "name", "shop-add");
        format!(r#"{{{index}{id}{kind}"function":{{{name}"arguments":{arguments}}}}}"#)
    }
}

#[tokio::test(start_paused = true)]
async fn calls_that_can_be_distinguished_are_made_once_each_in_their_order() {
    let mut random = Random(7);
    let mut n_checked = 0;
    while n_checked < 600 {
        let shape = Shape::drawn(&mut random);
        if shape.is_ambiguous() {
            continue;
        }
        n_checked += 1;
        let n_calls = 1 + n_checked % 3;
        let pieces = shape.pieces(n_calls);
        let together = |pieces: &[String]| {
            let pieces = pieces.join(",");
            event(&format!(r#"{{"choices":[{{"delta":{{"tool_calls":[{pieces}]}}}}]}}"#))
        };
        let mut stream: String = pieces.chunks(shape.n_together).map(together).collect();
        stream += &event(r#"{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}"#);
        let (calls, ..) = made(Dialect::OpenAi, &[stream.clone().into_bytes()]).await;
        let expected: Vec<_> = (0..n_calls).map(|n| format!(r#"shop-add {{"n":{n}}}"#)).collect();
        assert_eq!(calls, expected, "{shape:?}\n{stream}");
    }
}

/// The pieces of a name: parts of it, what has come of it so far in each, or the whole in each.
fn name_pieces(random: &mut Random, name: &str) -> Vec<String> {
    let way = random.below(3);
    let mut so_far = String::new();
    let mut pieces = Vec::new();
    for part in name.split_inclusive(|_| random.below(4) == 0) {
        so_far.push_str(part);
        pieces.push([part, so_far.as_str(), name][usize::try_from(way).unwrap()].to_owned());
    }
    pieces
}

/// The functions of a call whose name comes in pieces, and its arguments after it.
fn functions_in_pieces(n: usize, pieces: &[String]) -> Vec<String> {
    let named = pieces.iter().map(|piece| format!(r#""name":"{piece}","arguments":"""#));
    named.chain([format!(r#""arguments":"{{\"n\":{n}}}""#)]).collect()
}

/// The events of two calls whose names come in pieces, or again and again.
fn named_calls(random: &mut Random) -> String {
    let has_kinds = random.below(2) == 0;
    let has_ids = random.below(2) == 0;
    let mut stream = String::new();
    for (at, name) in ["shop-add", "shop-remove"].iter().enumerate() {
        let pieces = name_pieces(random, name);
        for (place, function) in functions_in_pieces(at + 1, &pieces).iter().enumerate() {
            let kind = Some(r#""type":"function","#).filter(|_| has_kinds || place == 0);
            let kind = kind.unwrap_or_default();
            let id = format!(r#""id":"c{at}","#);
            let id = Some(id).filter(|_| has_ids || place == 0).unwrap_or_default();
            let call = format!(r#"{{"index":{at},{id}{kind}"function":{{{function}}}}}"#);
            stream += &event(&format!(r#"{{"choices":[{{"delta":{{"tool_calls":[{call}]}}}}]}}"#));
        }
    }
    stream
}

#[tokio::test(start_paused = true)]
async fn names_in_pieces_and_names_that_are_repeated_are_those_of_declared_tools() {
    let mut random = Random(11);
    for _ in 0..300 {
        let mut stream = named_calls(&mut random);
        stream += &event(r#"{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}"#);
        let (calls, ..) = made(Dialect::OpenAi, &[stream.clone().into_bytes()]).await;
        assert_eq!(calls, super::texts(&super::TWO), "{stream}");
    }
}
