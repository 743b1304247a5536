//! JSON as people read it: one member a line, digits as they are, and at most as much as a browser shows at once.

use callgate_tool::{Object, Value};
use maud::{Markup, PreEscaped, html};

/// JSON with its members on lines of their own.
pub(crate) fn indented_json(value: &Value) -> String {
    indented_json_within(value, usize::MAX)
}

/// JSON in a frame; of a long one the beginning, and no more of it is written.
pub(crate) fn json_frame(value: &Value, label: &str) -> Markup {
    let text = indented_json_within(value, MOST_SHOWN);
    if text.len() <= MOST_SHOWN {
        return shortened_text_frame(&text, label);
    }
    html! { (text_frame(shown_beginning(&text), label)) p.quiet { "The first 64 KiB." } }
}

/// JSON that may end after a number of bytes.
fn indented_json_within(value: &Value, most: usize) -> String {
    let mut writer = Writer { text: String::new(), most };
    writer.write(value, 0);
    writer.text
}

fn text_frame(text: &str, label: &str) -> Markup {
    html! { pre.json tabindex="0" role="region" aria-label=(label) { code { (text_with_carriage_returns(text)) } } }
}

/// A text whose carriage returns a browser keeps; it would read them as line breaks.
fn text_with_carriage_returns(text: &str) -> Markup {
    html! { @for (at, part) in text.split('\r').enumerate() { @if at > 0 { (PreEscaped("&#13;")) } (part) } }
}

/// A text in a frame; of a long text the beginning.
pub(crate) fn shortened_text_frame(text: &str, label: &str) -> Markup {
    let shown = shown_beginning(text);
    html! {
        (text_frame(shown, label))
        @if shown.len() < text.len() {
            p.quiet { "The first 64 KiB of " (text.len()) " bytes." }
        }
    }
}

/// As much of a text as is shown at once.
pub(crate) fn shown_beginning(text: &str) -> &str {
    beginning_within(text, MOST_SHOWN)
}

/// At most this many bytes of a text.
fn beginning_within(text: &str, most: usize) -> &str {
    text.get(..text.floor_char_boundary(most)).unwrap_or(text)
}

/// A text of at most this many bytes; of a longer one the beginning, with a mark of it.
pub(crate) fn shortened_text(text: &str, most: usize) -> String {
    let shown = beginning_within(text, most);
    if shown.len() < text.len() { format!("{shown}…") } else { text.to_owned() }
}

struct Writer {
    text: String,
    /// The bytes after which nothing more is begun.
    most: usize,
}

impl Writer {
    fn write(&mut self, value: &Value, depth: usize) {
        match value {
            Value::Array(items) if !items.is_empty() && depth < MOST_DEPTH => {
                self.write_items(items, depth);
            }
            Value::Object(members) if !members.is_empty() && depth < MOST_DEPTH => {
                self.write_members(members, depth);
            }
            Value::String(long) if long.len() > self.most => {
                Value::from(shown_beginning(long)).write_to(&mut self.text);
            }
            value => value.write_to(&mut self.text),
        }
    }

    fn write_items(&mut self, items: &[Value], depth: usize) {
        self.text.push('[');
        for (at, item) in items.iter().enumerate() {
            if self.is_full() {
                break;
            }
            self.begin_line(at, depth);
            self.write(item, depth + 1);
        }
        self.end_container(depth, ']');
    }

    fn write_members(&mut self, members: &Object, depth: usize) {
        self.text.push('{');
        for (at, (name, member)) in members.iter().enumerate() {
            if self.is_full() {
                break;
            }
            self.begin_line(at, depth);
            Value::from(name.as_str()).write_to(&mut self.text);
            self.text.push_str(": ");
            self.write(member, depth + 1);
        }
        self.end_container(depth, '}');
    }

    fn is_full(&self) -> bool {
        self.text.len() > self.most
    }

    fn begin_line(&mut self, at: usize, depth: usize) {
        self.text.push_str(if at == 0 { "\n" } else { ",\n" });
        (0..=depth).for_each(|_| self.text.push_str("  "));
    }

    fn end_container(&mut self, depth: usize, close: char) {
        self.text.push('\n');
        (0..depth).for_each(|_| self.text.push_str("  "));
        self.text.push(close);
    }
}

pub(crate) const MOST_SHOWN: usize = 64 << 10;
/// Deeper values stand on one line.
const MOST_DEPTH: usize = 64;

#[cfg(test)]
mod tests {
    use callgate_tool::json;

    use super::*;

    #[test]
    fn a_browser_keeps_carriage_returns() {
        let shown = shortened_text_frame("a\r\nb<\r", "a").into_string();
        assert!(shown.contains("<code>a&#13;\nb&lt;&#13;</code>"), "{shown}");
    }

    #[test]
    fn no_more_of_a_long_value_is_written_than_is_shown() {
        let long = "x".repeat(MOST_SHOWN);
        for value in
            [json!((&*long)), json!({"a": (&*long), "b": (&*long)}), json!([(&*long), (&*long)])]
        {
            let text = indented_json_within(&value, MOST_SHOWN);
            assert!((MOST_SHOWN..MOST_SHOWN + 100).contains(&text.len()), "{}", text.len());
            assert!(json_frame(&value, "a").into_string().contains("The first 64 KiB."));
            assert_eq!(
                Value::parse(&indented_json(&value)).unwrap(),
                value,
                "a form has the whole"
            );
        }
        assert_eq!(
            indented_json_within(&json!({"a": [1.0, {}]}), MOST_SHOWN),
            "{\n  \"a\": [\n    1.0,\n    {}\n  ]\n}"
        );
    }
}
