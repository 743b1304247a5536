//! The result of a search of documents as a page for a person: each snippet below its heading and its lines.

use std::fmt::Write as _;

use callgate_tool::{Value, escape_invisible_in_line};

/// The page of a search's result; `None` for another value.
pub(super) fn snippets_page(value: &Value) -> Option<String> {
    let snippets = value.get("snippets")?.as_array()?;
    let mut page = String::new();
    for (at, snippet) in snippets.iter().enumerate() {
        add_snippet(&mut page, at + 1, snippet)?;
    }
    if snippets.is_empty() {
        page.push_str("nothing was found; `also` takes other words for the same things\n");
    }
    if value.get("more")?.as_bool()? {
        page.push_str("more passages match: ask more narrowly, or for more with `limit`\n");
    }
    Some(page)
}

fn add_snippet(page: &mut String, number: usize, snippet: &Value) -> Option<()> {
    let text = |name: &str| snippet.get(name).and_then(Value::as_str);
    let title = text("title")?;
    let heading = match text("section") {
        Some(section) if section.starts_with(title) => section.to_owned(),
        Some(section) => format!("{title} > {section}"),
        None => title.to_owned(),
    };
    let line = |name: &str| snippet.get("lines")?.get(name)?.as_u64();
    let (from, to) = (line("from")?, line("to")?);
    let mut place = format!("{}:{from}-{to}", text("document")?);
    if let Some(uri) = text("uri") {
        let _infallible = write!(place, "  {uri}");
    }
    let (heading, place) = (escape_invisible_in_line(&heading), escape_invisible_in_line(&place));
    let _infallible = write!(page, "{number}. {heading}\n   {place}\n\n");
    for line in text("answer").or_else(|| text("text"))?.lines() {
        let indented = format!("   {line}");
        page.push_str(indented.trim_end());
        page.push('\n');
    }
    page.push('\n');
    Some(())
}

#[cfg(test)]
mod tests {
    use callgate_tool::json;

    use super::*;

    #[test]
    fn a_snippet_is_shown_below_its_heading_and_its_lines() {
        let snippet = json!({
            "title": "Backups", "section": "Backups > Restore", "uri": "https://a.example/b",
            "text": "Copy the file.\n\n    cp a b", "document": "b.md", "lines": {"from": 4, "to": 6},
        });
        let found = json!({"snippets": [snippet], "more": true});
        let expected = "1. Backups > Restore\n   b.md:4-6  https://a.example/b\n\n   Copy the file.\n\n       cp a b\n\nmore passages match: ask more narrowly, or for more with `limit`\n";
        assert_eq!(snippets_page(&found).as_deref(), Some(expected));
    }

    #[test]
    fn another_value_has_no_page() {
        assert_eq!(snippets_page(&json!({"snippets": [{"a": 1}], "more": false})), None);
        assert_eq!(snippets_page(&json!([1])), None);
    }
}
