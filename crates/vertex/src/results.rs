//! The results of a search as snippets, in the form that searches of folders have: what was found in each document, with its address.
//! Members of `derivedStructData` beyond `title`, `link` and `snippets` are documented by examples only, so they are read leniently.

use callgate_tool::{Object, Value};

/// A passage of a document.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct Snippet {
    pub(crate) title: String,
    pub(crate) uri: Option<String>,
    pub(crate) text: String,
    /// The answer, word for word, if the document is a question with an answer.
    pub(crate) answer: Option<String>,
    /// The document's id.
    pub(crate) document: String,
    pub(crate) page: Option<u64>,
}

/// The passages that one target found, the best first.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct Passages {
    pub(crate) snippets: Vec<Snippet>,
    pub(crate) has_more: bool,
}

impl Passages {
    /// Reads the response of `search`.
    pub(crate) fn from_search_response(response: &Value) -> Self {
        let results = member_items(response, "results");
        let snippets = results.flat_map(|result| match result.get("chunk") {
            Some(chunk) => chunk_snippet(chunk).into_iter().collect(),
            None => document_snippets(result),
        });
        Self {
            snippets: snippets.collect(),
            has_more: !member_text_or_empty(response, "nextPageToken").is_empty(),
        }
    }
}

/// The result of a search: of several targets, one passage of each by turns.
pub(crate) fn search_result(passages: Vec<Passages>, limit: usize, most_bytes: usize) -> Value {
    let mut has_more = passages.iter().any(|target_passages| target_passages.has_more);
    let mut rows: Vec<_> =
        passages.into_iter().map(|target_passages| target_passages.snippets.into_iter()).collect();
    let mut snippets = Vec::new();
    loop {
        let n_known = snippets.len();
        snippets.extend(rows.iter_mut().filter_map(Iterator::next));
        if snippets.len() == n_known {
            break;
        }
    }
    let n_all = snippets.len();
    snippets.truncate(limit);
    has_more |= snippets.len() < n_all;
    let values: Vec<Value> = snippets.iter().map(Snippet::to_value).collect();
    let n_fitting = fitting_prefix_length(&values, most_bytes);
    let n_found = values.len();
    let shown = values.into_iter().take(n_fitting).collect();
    let mut result = Object::from([
        ("snippets", Value::Array(shown)),
        ("more", Value::Bool(has_more || n_fitting < n_found)),
    ]);
    if n_fitting < n_found {
        let note = format!("{n_fitting} of {n_found} snippets fit into the result");
        result.insert("notes", Value::Array(vec![note.into()]));
    }
    Value::Object(result)
}

/// The number of values that together have at most so many bytes.
pub(crate) fn fitting_prefix_length(values: &[Value], most_bytes: usize) -> usize {
    let mut n_bytes = 0_usize;
    let fits = |value: &&Value| {
        n_bytes = n_bytes.saturating_add(value.to_string().len());
        n_bytes <= most_bytes
    };
    values.iter().take_while(fits).count()
}

impl Snippet {
    pub(crate) fn to_value(&self) -> Value {
        let mut value = Object::from([("title", self.title.as_str().into())]);
        value.insert_if_some("uri", self.uri.as_deref());
        value.insert("text", self.text.as_str().into());
        value.insert_if_some("answer", self.answer.as_deref());
        value.insert("document", self.document.as_str().into());
        value.insert_if_some("page", self.page);
        Value::Object(value)
    }
}

fn chunk_snippet(chunk: &Value) -> Option<Snippet> {
    let metadata = chunk.get("documentMetadata");
    let member = |name: &str| {
        metadata
            .map(|document_metadata| member_text_or_empty(document_metadata, name))
            .unwrap_or_default()
    };
    let name = member_text_or_empty(chunk, "name");
    Some(Snippet {
        title: member("title").to_owned(),
        uri: displayable_uri(member("uri")),
        text: non_empty(member_text_or_empty(chunk, "content"))?.to_owned(),
        answer: None,
        document: document_id(name).unwrap_or_else(|| member_text_or_empty(chunk, "id")).to_owned(),
        page: chunk.pointer("/pageSpan/pageStart").and_then(page_number),
    })
}

fn document_snippets(result: &Value) -> Vec<Snippet> {
    let Some(document) = result.get("document") else { return Vec::new() };
    let [derived, given] = ["derivedStructData", "structData"].map(|name| document.get(name));
    let of_either = |name: &str| {
        let texts =
            [derived, given].into_iter().flatten().map(|data| member_text_or_empty(data, name));
        texts.into_iter().find(|text| !text.is_empty()).unwrap_or_default()
    };
    let id = non_empty(member_text_or_empty(document, "id"))
        .or_else(|| non_empty(member_text_or_empty(result, "id")));
    let whole = Snippet {
        title: of_either("title").to_owned(),
        uri: displayable_uri(of_either("link")).or_else(|| displayable_uri(of_either("uri"))),
        document: id
            .or_else(|| document_id(member_text_or_empty(document, "name")))
            .unwrap_or_default()
            .to_owned(),
        ..Snippet::default()
    };
    // Each list says more than the next one about the same place.
    let lists = ["extractive_answers", "extractive_segments", "snippets"].into_iter();
    let mut parts = lists.map(|name| distinct_list_snippets(derived, name, &whole));
    if let Some(parts) = parts.find(|parts| !parts.is_empty()) {
        return parts;
    }
    if let Some(row) = given.and_then(|given| struct_data_snippet(given, &whole)) {
        return vec![row];
    }
    // A page of which the service shows no text is there all the same.
    let is_named = !whole.title.is_empty() || whole.uri.is_some();
    if is_named { vec![whole] } else { Vec::new() }
}

/// The texts of one list of a document, without repetitions.
fn distinct_list_snippets(derived: Option<&Value>, name: &str, whole: &Snippet) -> Vec<Snippet> {
    let mut snippets: Vec<Snippet> = Vec::new();
    for part in derived.into_iter().flat_map(|data| member_items(data, name)) {
        let text = match name {
            "snippets" => snippet_without_markup(member_text_or_empty(part, "snippet")),
            _ => member_text_or_empty(part, "content").trim().to_owned(),
        };
        let is_none = text.is_empty()
            || part.get("snippet_status").and_then(Value::as_str) == Some("NO_SNIPPET_AVAILABLE");
        if !is_none && snippets.iter().all(|snippet| snippet.text != text) {
            let page = ["pageNumber", "page_number", "page_identifier"].into_iter();
            let page = page.filter_map(|name| part.get(name)).find_map(page_number);
            snippets.push(Snippet { text, page, ..whole.clone() });
        }
    }
    snippets
}

/// A document without a text: a row of data, or a question with its answer.
fn struct_data_snippet(given: &Value, whole: &Snippet) -> Option<Snippet> {
    let members = given.as_object().filter(|members| !members.is_empty())?;
    let member = |name: &str| non_empty(member_text_or_empty(given, name)).map(str::to_owned);
    if let (Some(question), Some(answer)) = (member("question"), member("answer")) {
        return Some(Snippet { text: question, answer: Some(answer), ..whole.clone() });
    }
    Some(Snippet { text: Value::Object(members.clone()).to_string(), ..whole.clone() })
}

/// The number of a page; the service writes it as a number or as a text.
pub(crate) fn page_number(value: &Value) -> Option<u64> {
    let number = value.as_u64().or_else(|| value.as_str()?.trim().parse().ok());
    number.filter(|page| *page > 0)
}

/// The text of a snippet, in which the service marks words with `<b>` and writes some characters as HTML does.
fn snippet_without_markup(text: &str) -> String {
    let mut plain = text.replace("<b>", "").replace("</b>", "");
    for (written, meant) in [
        ("&nbsp;", " "),
        ("&#39;", "'"),
        ("&quot;", "\""),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&amp;", "&"),
    ] {
        plain = plain.replace(written, meant);
    }
    plain.trim().to_owned()
}

/// The id of a document in the name of it or of its chunk.
pub(crate) fn document_id(name: &str) -> Option<&str> {
    let (_, rest) = name.rsplit_once("/documents/")?;
    non_empty(rest.split('/').next().unwrap_or_default())
}

/// The address of a document, if it is one that a reader may be shown.
pub(crate) fn displayable_uri(uri: &str) -> Option<String> {
    let is_known = ["https://", "http://", "gs://"].iter().any(|scheme| uri.starts_with(scheme));
    let is_other = |letter: char| letter.is_whitespace() || letter.is_control();
    (is_known && uri.len() <= 2048 && !uri.contains(is_other)).then(|| uri.to_owned())
}

pub(crate) fn member_text_or_empty<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

pub(crate) fn member_items<'a>(
    value: &'a Value,
    name: &str,
) -> impl Iterator<Item = &'a Value> + use<'a> {
    value.get(name).and_then(Value::as_array).into_iter().flatten()
}

pub(crate) fn non_empty(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use callgate_tool::json;

    use super::*;

    #[track_caller]
    fn check(result: &Value, expected: &Value) {
        let found = Passages::from_search_response(&json!({"results": [result]}));
        let snippets: Vec<Value> = found.snippets.iter().map(Snippet::to_value).collect();
        assert_eq!(Value::Array(snippets), *expected);
    }

    #[test]
    fn segments_are_shown_in_place_of_snippets() {
        let derived = json!({
            "title": "Backups", "link": "gs://b/backups.pdf",
            "snippets": [{"snippet": "a <b>backup</b>", "snippet_status": "SUCCESS"}],
            "extractive_segments": [{"content": "A backup is made.", "pageNumber": "3"}, {"content": ""}],
        });
        check(
            &json!({"id": "d1", "document": {"id": "d1", "derivedStructData": derived}}),
            &json!([{
                "title": "Backups", "uri": "gs://b/backups.pdf", "text": "A backup is made.",
                "document": "d1", "page": 3,
            }]),
        );
    }

    #[test]
    fn a_snippet_has_plain_text_and_no_other_address_than_known_ones() {
        let derived = json!({
            "title": "T", "link": "javascript:alert(1)",
            "snippets": [
                {"snippet": "Tom &amp; <b>Ann</b>&#39;s &lt;b&gt;", "snippet_status": "SUCCESS"},
                {"snippet": "No snippet is available", "snippet_status": "NO_SNIPPET_AVAILABLE"},
            ],
        });
        let name = "projects/p/locations/l/collections/c/dataStores/d/branches/0/documents/x";
        check(
            &json!({"document": {"name": name, "derivedStructData": derived}}),
            &json!([{"title": "T", "text": "Tom & Ann's <b>", "document": "x"}]),
        );
    }

    #[test]
    fn rows_are_shown_as_data_and_questions_with_their_answer() {
        check(
            &json!({"document": {"id": "1", "structData": {"question": "Open?", "answer": "At nine"}}}),
            &json!([{"title": "", "text": "Open?", "answer": "At nine", "document": "1"}]),
        );
        check(
            &json!({"document": {"id": "2", "structData": {"title": "Rex", "age": 3}}}),
            &json!([{"title": "Rex", "text": "{\"title\":\"Rex\",\"age\":3}", "document": "2"}]),
        );
        check(&json!({"document": {"id": "3"}}), &json!([]));
        let named =
            json!({"id": "5", "derivedStructData": {"title": "T", "link": "https://a.example"}});
        let expected =
            json!([{"title": "T", "uri": "https://a.example", "text": "", "document": "5"}]);
        check(&json!({"document": named}), &expected);
        check(&json!({"id": "4"}), &json!([]));
    }

    #[test]
    fn a_chunk_has_its_page_and_the_id_of_its_document() {
        let name =
            "projects/p/locations/l/collections/c/dataStores/d/branches/0/documents/x/chunks/c7";
        check(
            &json!({"chunk": {
                "name": name, "id": "c7", "content": "text", "pageSpan": {"pageStart": 2, "pageEnd": 3},
                "documentMetadata": {"title": "T", "uri": "https://a.example/x"},
            }}),
            &json!([{"title": "T", "uri": "https://a.example/x", "text": "text", "document": "x", "page": 2}]),
        );
    }

    #[test]
    fn several_targets_take_turns_and_more_is_a_fact() {
        let found = |texts: &[&str], has_more| Passages {
            snippets: texts
                .iter()
                .map(|text| Snippet { text: (*text).to_owned(), ..Snippet::default() })
                .collect(),
            has_more,
        };
        let texts = |result: &Value| {
            let texts: Vec<_> = member_items(result, "snippets")
                .map(|one| member_text_or_empty(one, "text").to_owned())
                .collect();
            (texts.concat(), result["more"].clone())
        };
        let all = vec![found(&["a", "b", "c"], false), found(&["x"], false)];
        assert_eq!(texts(&search_result(all.clone(), 9, 9999)), ("axbc".to_owned(), json!(false)));
        assert_eq!(texts(&search_result(all.clone(), 2, 9999)), ("ax".to_owned(), json!(true)));
        assert_eq!(
            texts(&search_result(vec![found(&["a"], true)], 9, 9999)),
            ("a".to_owned(), json!(true))
        );
        let cut = search_result(all, 9, 80);
        assert_eq!(texts(&cut), ("ax".to_owned(), json!(true)));
        assert_eq!(cut["notes"], json!(["2 of 4 snippets fit into the result"]));
    }
}
