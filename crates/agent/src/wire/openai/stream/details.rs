//! The details of thoughts in a streamed message, which `OpenRouter`, Kimi and others send in pieces. What goes back has to be whole:
//! the signature of a thought is that of all its words.

use callgate_tool::{Object, Value};

use super::is_null_or_empty;

/// Adds pieces to the details that have come. Neighbours of one kind and number are pieces of one detail.
pub(super) fn add_details(collected: &mut Vec<Value>, pieces: Vec<Value>) {
    for piece in pieces {
        match (collected.last_mut().and_then(Value::as_object_mut), piece) {
            (Some(last), Value::Object(piece)) if is_continued_by(last, &piece) => {
                append_piece(last, piece);
            }
            (_, piece) => collected.push(piece),
        }
    }
}

/// Leaves out the numbers of pieces that a provider does not take back: `OpenRouter` has them in whole messages too, Kimi has not.
pub(super) fn remove_piece_numbers(details: &mut [Value]) {
    for detail in details.iter_mut().filter_map(Value::as_object_mut) {
        let kind = detail.get("type").and_then(Value::as_str).unwrap_or_default();
        if KINDS_OF_KIMI.contains(&kind) {
            detail.remove("index");
        }
    }
}

fn is_continued_by(last: &Object, piece: &Object) -> bool {
    let kind = piece.get("type").and_then(Value::as_str).unwrap_or_default();
    let is_of_words = WORDS.iter().any(|name| kind.rsplit('.').next() == Some(*name));
    let is_alike = |name: &&str| {
        let stated =
            |members: &Object| members.get(name).filter(|it| !is_null_or_empty(it)).cloned();
        stated(last).zip(stated(piece)).is_none_or(|(last, piece)| last == piece)
    };
    let has =
        |members: &Object, name: &str| members.get(name).is_some_and(|it| !is_null_or_empty(it));
    // A signature ends the words that it signs.
    let is_signed = has(last, "signature") && WORDS.iter().any(|name| has(piece, name));
    last.get("type") == piece.get("type")
        && is_of_words
        && !is_signed
        && ["index", "id"].iter().all(is_alike)
}

fn append_piece(detail: &mut Object, piece: Object) {
    for (name, value) in piece {
        let is_of_words = WORDS.contains(&&*name);
        match (detail.get_mut(&name), value) {
            (Some(Value::String(words)), Value::String(more)) if is_of_words => {
                words.push_str(&more);
            }
            (Some(stated), value) if is_null_or_empty(stated) => *stated = value,
            (Some(_), _) => {}
            (None, value) => drop(detail.insert(name, value)),
        }
    }
}

/// The members with words, and the ends of the kinds of details that have them.
const WORDS: [&str; 2] = ["text", "summary"];
const KINDS_OF_KIMI: [&str; 2] = ["summary", "encrypted"];

#[cfg(test)]
mod tests {
    use callgate_tool::json;

    use super::*;

    #[track_caller]
    fn check(pieces: &[Value], expected: &Value) {
        let mut details = Vec::new();
        for piece in pieces {
            add_details(&mut details, vec![piece.clone()]);
        }
        remove_piece_numbers(&mut details);
        assert_eq!(Value::Array(details), *expected);
        let mut at_once = Vec::new();
        add_details(&mut at_once, pieces.to_vec());
        remove_piece_numbers(&mut at_once);
        assert_eq!(Value::Array(at_once), *expected, "in one event");
    }

    #[test]
    fn pieces_of_a_thought_are_one_detail_with_its_signature() {
        let text = |index: u64, text: &str| json!({"type": "reasoning.text", "text": text, "format": "f", "index": index});
        let signature = |index: u64| json!({"type": "reasoning.text", "signature": "s=", "format": "f", "index": index});
        let whole = |index: u64, text: &str| json!({"type": "reasoning.text", "text": text, "format": "f", "index": index, "signature": "s="});
        let sent = [text(0, "I "), text(0, "think."), signature(0), text(1, "So."), signature(1)];
        check(&sent, &json!([whole(0, "I think."), whole(1, "So.")]));
        // Some models number all thoughts alike.
        let sent = [text(0, "I."), signature(0), text(0, "So."), signature(0)];
        check(&sent, &json!([whole(0, "I."), whole(0, "So.")]));
    }

    #[test]
    fn summaries_are_joined_and_encrypted_details_are_not() {
        let summary = |text: &str| json!({"type": "reasoning.summary", "summary": text, "id": null, "index": 0});
        let encrypted = |data: &str| json!({"type": "reasoning.encrypted", "data": data, "id": data, "index": 0});
        let sent = [summary("I "), summary("think."), encrypted("a="), encrypted("b=")];
        check(&sent, &json!([summary("I think."), encrypted("a="), encrypted("b=")]));
        let other =
            json!({"type": "reasoning.summary", "summary": "So.", "id": "rs_2", "index": 1});
        let sent = [summary("I think."), other.clone(), json!("x"), json!({"text": "y"})];
        check(&sent, &json!([summary("I think."), other, "x", {"text": "y"}]));
    }

    #[test]
    fn the_details_of_kimi_go_back_without_numbers() {
        let sent = [
            json!({"index": 0, "type": "summary", "summary": "I "}),
            json!({"index": 0, "type": "summary", "summary": "think."}),
            json!({"index": 1, "type": "encrypted", "encrypted": "e="}),
        ];
        let expected = json!([
            {"type": "summary", "summary": "I think."},
            {"type": "encrypted", "encrypted": "e="},
        ]);
        check(&sent, &expected);
    }
}
