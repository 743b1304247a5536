//! JSON as people read it: one member a line, digits as they are, and at most as much as a browser shows at once.

use callgate_tool::{Object, Value};
use maud::{Markup, html};

/// JSON with its members on lines of their own.
pub(crate) fn pretty(value: &Value) -> String {
    let mut text = String::new();
    write(&mut text, value, 0);
    text
}

/// JSON in a frame; of a long text the beginning.
pub(crate) fn show(value: &Value, label: &str) -> Markup {
    show_text(&pretty(value), label)
}

/// A text in a frame; of a long text the beginning.
pub(crate) fn show_text(text: &str, label: &str) -> Markup {
    let shown = beginning(text);
    html! {
        pre.json tabindex="0" role="region" aria-label=(label) { code { (shown) } }
        @if shown.len() < text.len() {
            p.quiet { "The first 64 KiB of " (text.len()) " bytes." }
        }
    }
}

/// As much of a text as is shown at once.
pub(crate) fn beginning(text: &str) -> &str {
    text.get(..text.floor_char_boundary(MOST_SHOWN)).unwrap_or(text)
}

fn write(text: &mut String, value: &Value, depth: usize) {
    match value {
        Value::Array(items) if !items.is_empty() && depth < MOST_DEPTH => {
            text.push('[');
            for (at, item) in items.iter().enumerate() {
                begin_line(text, at, depth);
                write(text, item, depth + 1);
            }
            end_line(text, depth, ']');
        }
        Value::Object(members) if !members.is_empty() && depth < MOST_DEPTH => {
            write_members(text, members, depth);
        }
        value => value.write_to(text),
    }
}

fn write_members(text: &mut String, members: &Object, depth: usize) {
    text.push('{');
    for (at, (name, member)) in members.iter().enumerate() {
        begin_line(text, at, depth);
        Value::from(name.as_str()).write_to(text);
        text.push_str(": ");
        write(text, member, depth + 1);
    }
    end_line(text, depth, '}');
}

fn begin_line(text: &mut String, at: usize, depth: usize) {
    text.push_str(if at == 0 { "\n" } else { ",\n" });
    (0..=depth).for_each(|_| text.push_str("  "));
}

fn end_line(text: &mut String, depth: usize, close: char) {
    text.push('\n');
    (0..depth).for_each(|_| text.push_str("  "));
    text.push(close);
}

pub(crate) const MOST_SHOWN: usize = 64 << 10;
/// Deeper values stand on one line.
const MOST_DEPTH: usize = 64;
