//! Cuts a JSON value to a number of bytes: arrays to their first items, objects so that every member keeps a share, texts
//! to their beginning. The result is a smaller value of this form, never broken text. `shape` decides how to describe a
//! cut.

use callgate_tool::{Cut, Object, Unit, Value};

use crate::wording::clipped_text;

/// Cuts a value to `budget` bytes of compact JSON; returns it with the locations of the cuts, the outermost first.
pub(crate) fn cut_to_budget(value: Value, budget: usize) -> (Value, Vec<Cut>) {
    let mut cutter = Cutter { cuts: Vec::new() };
    let value = cutter.fit_value(value, budget.max(SMALLEST), "");
    (value, cutter.cuts)
}

/// At most `budget` bytes of a text, and whole lines where possible.
pub(crate) fn cut_text_at_line(text: &str, budget: usize) -> &str {
    let shown = clipped_text(text, budget);
    if shown.len() == text.len() {
        return shown;
    }
    let lines = shown.rfind('\n').and_then(|end| shown.get(..end));
    lines.filter(|lines| lines.len() > budget / 2).unwrap_or(shown)
}

struct Cutter {
    cuts: Vec<Cut>,
}

impl Cutter {
    fn fit_value(&mut self, value: Value, budget: usize, at: &str) -> Value {
        if json_size_within(&value, budget).is_some() {
            return value;
        }
        match value {
            Value::Array(items) => self.fit_items(items, budget, at),
            Value::Object(members) => self.fit_members(members, budget, at),
            Value::Number(number) => self.fit_text(&number.digits(), budget, at),
            Value::String(text) => self.fit_text(&text, budget, at),
            Value::Bool(value) => {
                self.note_cut(at, 0, value.to_string().len(), Unit::Bytes);
                Value::Null
            }
            Value::Null => Value::Null,
        }
    }

    fn fit_text(&mut self, text: &str, budget: usize, at: &str) -> Value {
        let mut room = budget.saturating_sub(QUOTES + ELLIPSIS.len());
        let mut shown = clipped_text(text, room);
        // Characters that JSON escapes take more bytes.
        while json_text_size(shown) > budget.saturating_sub(ELLIPSIS.len()) && room > 0 {
            room -= (json_text_size(shown) + ELLIPSIS.len() - budget).div_ceil(6).max(1).min(room);
            shown = clipped_text(text, room);
        }
        self.note_cut(at, shown.len(), text.len(), Unit::Bytes);
        let ellipsis = if budget < QUOTES + ELLIPSIS.len() { "" } else { ELLIPSIS };
        Value::String(format!("{shown}{ellipsis}"))
    }

    fn fit_items(&mut self, items: Vec<Value>, budget: usize, at: &str) -> Value {
        let of = items.len();
        let noted = self.note_cut(at, 0, of, Unit::Items);
        let mut room = budget.saturating_sub(BRACKETS);
        // One large item must not hide the others.
        let share = if of > 1 { room / SHOWN_ITEMS } else { room };
        let mut shown = Vec::new();
        for item in items {
            let separator = usize::from(!shown.is_empty());
            let left = room.saturating_sub(separator);
            let size = json_size_within(&item, left);
            let (item, size) = match size {
                Some(size) if size <= share || size * 2 <= left || of == 1 => (item, size),
                _ if json_size_within(&item, share).is_none() && left >= share.max(SMALLEST) => {
                    let item = self.fit_value(item, share, &format!("{at}[{}]", shown.len()));
                    let size = json_size_within(&item, left).unwrap_or(left);
                    (item, size)
                }
                Some(size) => (item, size),
                None => break,
            };
            room = left.saturating_sub(size);
            shown.push(item);
        }
        self.finish_or_remove_cut(noted, shown.len());
        Value::Array(shown)
    }

    fn fit_members(&mut self, members: Object, budget: usize, at: &str) -> Value {
        let of = members.len();
        let noted = self.note_cut(at, 0, of, Unit::Members);
        let mut room = budget.saturating_sub(BRACKETS);
        let share = size_limit_per_member(&members, room);
        let mut shown = Object::new();
        for (name, value) in members {
            let key = json_text_size(&name) + COLON + usize::from(!shown.is_empty());
            let left = room.saturating_sub(key);
            let allowed = left.min(share.saturating_sub(key).max(SMALLEST));
            if room < key + SMALLEST {
                break;
            }
            let value = match json_size_within(&value, allowed) {
                Some(_) => value,
                None => self.fit_value(value, allowed, &member_path(at, &name)),
            };
            room = left.saturating_sub(json_size_within(&value, left).unwrap_or(left));
            shown.insert(name, value);
        }
        self.finish_or_remove_cut(noted, shown.len());
        Value::Object(shown)
    }

    /// Records a cut; returns its index, so that the shown number can be set later.
    fn note_cut(&mut self, at: &str, shown: usize, of: usize, unit: Unit) -> usize {
        self.cuts.push(Cut { at: at.to_owned(), shown, of, unit });
        self.cuts.len() - 1
    }

    fn finish_or_remove_cut(&mut self, noted: usize, shown: usize) {
        match self.cuts.get_mut(noted) {
            Some(cut) if cut.of == shown => {
                // All items or members are shown; the cuts lie deeper.
                self.cuts.remove(noted);
            }
            Some(cut) => cut.shown = shown,
            None => {}
        }
    }
}

/// The size that each member may have, so that small ones stay whole and large ones share the rest.
fn size_limit_per_member(members: &Object, room: usize) -> usize {
    let size = |(name, value): (&String, &Value)| {
        json_text_size(name) + COLON + 1 + json_size_within(value, room).unwrap_or(room)
    };
    let share = size_limit_per_value(members.iter().map(size).collect(), room);
    share.max(SMALLEST_SHARE.min(room / 4))
}

/// The largest size for each of several values, so that small ones stay whole and large ones share the rest.
pub(crate) fn size_limit_per_value(mut sizes: Vec<usize>, room: usize) -> usize {
    sizes.sort_unstable();
    let mut left = room;
    let mut share = room;
    for (at, size) in sizes.iter().enumerate() {
        share = left / (sizes.len() - at);
        if *size > share {
            break;
        }
        left -= size;
    }
    share
}

/// The size of a value as compact JSON, or `None` beyond `limit`. It examines at most `limit` bytes of the value.
pub(crate) fn json_size_within(value: &Value, limit: usize) -> Option<usize> {
    let mut left = limit;
    spend_json_size(value, &mut left)?;
    Some(limit - left)
}

fn spend_json_size(value: &Value, left: &mut usize) -> Option<()> {
    match value {
        Value::Null | Value::Bool(true) => spend_bytes(left, 4),
        Value::Bool(false) => spend_bytes(left, 5),
        Value::Number(number) => spend_bytes(left, number.digits().len()),
        Value::String(text) if text.len() > *left => None,
        Value::String(text) => spend_bytes(left, json_text_size(text)),
        Value::Array(items) => {
            spend_bytes(left, BRACKETS + items.len().saturating_sub(1))?;
            items.iter().try_for_each(|item| spend_json_size(item, left))
        }
        Value::Object(members) => {
            spend_bytes(left, BRACKETS + members.len().saturating_sub(1))?;
            members.iter().try_for_each(|(name, member)| {
                spend_bytes(left, json_text_size(name) + COLON)?;
                spend_json_size(member, left)
            })
        }
    }
}

fn spend_bytes(left: &mut usize, bytes: usize) -> Option<()> {
    *left = left.checked_sub(bytes)?;
    Some(())
}

fn json_text_size(text: &str) -> usize {
    let extra = |byte: &u8| match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 0x08 | 0x0c => 1,
        0..=0x1f => 5,
        _ => 0,
    };
    text.len() + QUOTES + text.as_bytes().iter().map(extra).sum::<usize>()
}

fn member_path(at: &str, name: &str) -> String {
    if at.is_empty() { name.to_owned() } else { format!("{at}.{name}") }
}

const BRACKETS: usize = 2;
const COLON: usize = 1;
const ELLIPSIS: &str = "…";
const QUOTES: usize = 2;
/// The least number of items that are shown, however large the first is.
const SHOWN_ITEMS: usize = 4;
/// The bytes of `null`, to which every value can be cut.
const SMALLEST: usize = 4;
/// The least useful share of a member; below it, the last members are left out instead.
const SMALLEST_SHARE: usize = 48;

#[cfg(test)]
mod tests {
    use callgate_tool::json;
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(value: Value, budget: usize, expected: &Value, cuts: &[(&str, usize, usize)]) {
        let (value, made) = cut_to_budget(value, budget);
        assert_eq!(&value, expected);
        let made: Vec<_> = made.iter().map(|cut| (cut.at.as_str(), cut.shown, cut.of)).collect();
        assert_eq!(made, cuts);
    }

    #[test]
    fn a_value_is_cut_to_valid_json() {
        check(json!({"a": 1}), 7, &json!({"a": 1}), &[]);
        check(json!([1, 2, 3, 4, 5, 6]), 9, &json!([1, 2, 3, 4]), &[("", 4, 6)]);
        check(json!("abcdefghij"), 10, &json!("abcde…"), &[("", 5, 10)]);
        check(json!("\u{e9}\u{e9}\u{e9}\u{e9}"), 8, &json!("\u{e9}…"), &[("", 2, 8)]);
        let long = "x".repeat(1000);
        check(
            json!({"id": 7, "text": long, "ok": true}),
            100,
            &json!({"id": 7, "text": format!("{}…", "x".repeat(68)), "ok": true}),
            &[("text", 68, 1000)],
        );
        check(
            json!({"items": vec![7; 1000], "next": "abc"}),
            60,
            &json!({"items": vec![7; 18], "next": "abc"}),
            &[("items", 18, 1000)],
        );
    }

    #[test]
    fn a_boolean_beyond_the_budget_is_cut_to_null() {
        check(json!([false]), 6, &json!([null]), &[("[0]", 0, 5)]);
    }

    #[test]
    fn a_large_item_of_a_cut_list_does_not_hide_the_others() {
        let (value, cuts) = cut_to_budget(json!(["x".repeat(1000), 1, 2]), 200);
        assert_eq!(value.as_array().unwrap().len(), 3);
        assert_eq!(cuts.first().unwrap().at, "[0]");
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            ".{0,40}".prop_map(Value::from),
        ];
        leaf.prop_recursive(5, 200, 12, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..12).prop_map(Value::from),
                prop::collection::vec((".{0,8}", inner), 0..12)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn a_cut_value_fits_its_budget(value in any_value(), budget in 4_usize..400) {
            let size = value.to_string().len();
            prop_assert_eq!(json_size_within(&value, usize::MAX), Some(size));
            let (left, cuts) = cut_to_budget(value, budget);
            prop_assert!(left.to_string().len() <= budget, "{left}");
            prop_assert_eq!(cuts.is_empty(), size <= budget);
        }
    }
}
