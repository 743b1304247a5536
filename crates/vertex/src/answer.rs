//! The answer that the service wrote, with what supports it. Each citation is checked: a range of bytes that is not one of the answer,
//! or a source that is not there, is left out, and a note says so. An answer whose grounding is too low is not shown.

use std::collections::BTreeMap;

use callgate_call::wording;
use callgate_tool::{Fault, Number, Object, Value};

use crate::results::{
    Snippet, displayable_uri, document_id, fitting_prefix_length, member_items,
    member_text_or_empty, non_empty, page_number,
};

/// The result of `answer`.
///
/// # Errors
/// A fault if the service failed, or if the answer alone is larger than a result may be.
pub(crate) fn answer_result(
    response: &Value,
    least_grounding: Option<f64>,
    most_bytes: usize,
) -> Result<Value, Box<Fault>> {
    let answer = response.get("answer").ok_or_else(wording::vertex::no_answer)?;
    if member_text_or_empty(answer, "state") != "SUCCEEDED" {
        return Err(wording::vertex::no_answer());
    }
    let mut sources = Sources::from_answer(answer);
    let mut notes = Vec::new();
    let grounding = answer.get("groundingScore").and_then(Value::as_f64);
    let skipped: Vec<Value> =
        member_items(answer, "answerSkippedReasons").filter_map(normalized_skip_reason).collect();
    let written =
        non_empty(member_text_or_empty(answer, "answerText")).filter(|_| skipped.is_empty());
    let written = written.filter(|_| is_grounded_enough(grounding, least_grounding, &mut notes));
    let n_left = most_bytes.checked_sub(written.map_or(0, str::len));
    let effect = callgate_tool::Effect::Read;
    let n_left = n_left.ok_or_else(|| wording::answer::too_large_answer(most_bytes, effect))?;
    sources.truncate_snippets(n_left, &mut notes);
    let citations = written.map(|written| valid_citations(answer, written, &sources, &mut notes));
    let mut result = Object::new();
    result.insert_if_some("answer", written);
    result.insert("citations", Value::Array(citations.unwrap_or_default()));
    result.insert_if_some("grounding", grounding.and_then(Number::from_f64));
    result.insert("snippets", Value::Array(sources.snippets));
    for (name, values) in [("skipped", skipped), ("notes", notes)] {
        result.insert_unless_empty(name, values);
    }
    Ok(Value::Object(result))
}

/// The snippets that support an answer, and those of each reference by its id.
#[derive(Debug, Default)]
struct Sources {
    snippets: Vec<Value>,
    by_reference: BTreeMap<String, Vec<usize>>,
}

impl Sources {
    fn from_answer(answer: &Value) -> Self {
        let mut sources = Self::default();
        // The id of a reference is its place.
        for (at, reference) in member_items(answer, "references").enumerate() {
            let first = sources.snippets.len();
            sources.snippets.extend(reference_snippets(reference).iter().map(Snippet::to_value));
            let places = (first..sources.snippets.len()).collect();
            sources.by_reference.insert(at.to_string(), places);
        }
        if sources.snippets.is_empty() {
            sources.snippets = observed_snippets(answer).iter().map(Snippet::to_value).collect();
        }
        sources
    }

    /// Keeps the snippets that fit.
    fn truncate_snippets(&mut self, most_bytes: usize, notes: &mut Vec<Value>) {
        let (n_all, n_fitting) =
            (self.snippets.len(), fitting_prefix_length(&self.snippets, most_bytes));
        if n_fitting < n_all {
            self.snippets.truncate(n_fitting);
            notes.push(format!("{n_fitting} of {n_all} snippets fit into the result").into());
        }
    }

    /// The snippets of a citation's source; `None` for one that does not exist, or was cut.
    fn cited_snippet_indexes(&self, source: &Value) -> Option<impl Iterator<Item = usize>> {
        let id = member_text_or_empty(source, "referenceId");
        // The first id may be left out, as the zero of a number.
        let places = self.by_reference.get(non_empty(id).unwrap_or("0"))?;
        let is_shown = |place: &usize| *place < self.snippets.len();
        (!places.is_empty() && places.iter().all(is_shown)).then(|| places.iter().copied())
    }
}

/// The valid citations; a note counts the others.
fn valid_citations(
    answer: &Value,
    written: &str,
    sources: &Sources,
    notes: &mut Vec<Value>,
) -> Vec<Value> {
    let all: Vec<&Value> = member_items(answer, "citations").collect();
    let read = |citation: &&Value| {
        let [start, end] =
            ["startIndex", "endIndex"].map(|name| byte_index_or_zero(citation.get(name)));
        let (start, end) = (start?, end?);
        // `get` is `None` outside of the text and inside of a character.
        written.get(start..end).filter(|cited| !cited.is_empty())?;
        let mut places = Vec::new();
        for source in member_items(citation, "sources") {
            places.extend(sources.cited_snippet_indexes(source)?);
        }
        places.sort_unstable();
        places.dedup();
        (!places.is_empty()).then(|| {
            let places = places.into_iter().map(Value::from).collect();
            Value::Object(Object::from([
                ("start", start.into()),
                ("end", end.into()),
                ("sources", Value::Array(places)),
            ]))
        })
    };
    let valid: Vec<Value> = all.iter().filter_map(read).collect();
    if valid.len() < all.len() {
        let (n_wrong, n_all) = (all.len() - valid.len(), all.len());
        let note = format!(
            "{n_wrong} of {n_all} citations are left out: their range is none of the answer, or their source is not shown"
        );
        notes.push(note.into());
    }
    valid
}

/// A number of bytes, which JSON of Google has as a text; a zero may be left out.
fn byte_index_or_zero(value: Option<&Value>) -> Option<usize> {
    let Some(value) = value else { return Some(0) };
    let number = value.as_u64().or_else(|| value.as_str()?.parse().ok())?;
    usize::try_from(number).ok()
}

/// True if an answer may be shown. Without a score it may not, where one is wanted.
fn is_grounded_enough(grounding: Option<f64>, least: Option<f64>, notes: &mut Vec<Value>) -> bool {
    let Some(least) = least else { return true };
    if grounding.is_some_and(|grounding| grounding >= least) {
        return true;
    }
    let note = match grounding {
        Some(_) => format!("the answer is left out: its grounding is below {least}"),
        None => "the answer is left out: the service did not measure its grounding".to_owned(),
    };
    notes.push(note.into());
    false
}

/// A reason of the service for writing no answer, if it is one of its words.
fn normalized_skip_reason(value: &Value) -> Option<Value> {
    let text = value.as_str()?;
    let is_word = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    Some(
        if is_word && text.len() <= 60 { text.to_ascii_lowercase() } else { "other".to_owned() }
            .into(),
    )
}

fn reference_snippets(reference: &Value) -> Vec<Snippet> {
    let of = |document_info: &Value| Snippet {
        title: member_text_or_empty(document_info, "title").to_owned(),
        uri: displayable_uri(member_text_or_empty(document_info, "uri")),
        document: document_id(member_text_or_empty(document_info, "document"))
            .unwrap_or_default()
            .to_owned(),
        page: document_info.get("pageIdentifier").and_then(page_number),
        ..Snippet::default()
    };
    if let Some(chunk) = reference.get("chunkInfo") {
        let whole = chunk.get("documentMetadata").map(of).unwrap_or_default();
        let document = match &*whole.document {
            "" => document_id(member_text_or_empty(chunk, "chunk")).unwrap_or_default().to_owned(),
            id => id.to_owned(),
        };
        return snippet_with_nonempty_text(
            Snippet { document, ..whole },
            member_text_or_empty(chunk, "content"),
        );
    }
    if let Some(row) = reference.get("structuredDocumentInfo") {
        let data = row.get("structData").map(ToString::to_string).unwrap_or_default();
        return snippet_with_nonempty_text(of(row), &data);
    }
    let Some(document) = reference.get("unstructuredDocumentInfo") else { return Vec::new() };
    let parts = member_items(document, "chunkContents").flat_map(|part| {
        let page = part.get("pageIdentifier").and_then(page_number);
        snippet_with_nonempty_text(
            Snippet { page, ..of(document) },
            member_text_or_empty(part, "content"),
        )
    });
    parts.collect()
}

/// The snippets that the service found on its way, for an answer that has no references.
fn observed_snippets(answer: &Value) -> Vec<Snippet> {
    let actions = member_items(answer, "steps").flat_map(|step| member_items(step, "actions"));
    let observations = actions.filter_map(|action| action.get("observation"));
    let search_results =
        observations.flat_map(|observation| member_items(observation, "searchResults"));
    let snippets = search_results.flat_map(|search_result| {
        let whole = Snippet {
            title: member_text_or_empty(search_result, "title").to_owned(),
            uri: displayable_uri(member_text_or_empty(search_result, "uri")),
            document: document_id(member_text_or_empty(search_result, "document"))
                .unwrap_or_default()
                .to_owned(),
            ..Snippet::default()
        };
        let chunks = member_items(search_result, "chunkInfo")
            .map(|chunk| member_text_or_empty(chunk, "content"));
        let snippets = member_items(search_result, "snippetInfo")
            .map(|snippet| member_text_or_empty(snippet, "snippet"));
        chunks.chain(snippets).flat_map(move |text| snippet_with_nonempty_text(whole.clone(), text))
    });
    snippets.collect()
}

fn snippet_with_nonempty_text(snippet: Snippet, text: &str) -> Vec<Snippet> {
    let text = text.trim().to_owned();
    if text.is_empty() { Vec::new() } else { vec![Snippet { text, ..snippet }] }
}

#[cfg(test)]
mod tests {
    use callgate_tool::json;

    use super::*;

    const TEXT: &str = "Zürich opens at nine.";

    fn references() -> Value {
        let document = "projects/p/locations/l/collections/c/dataStores/d/branches/0/documents/x";
        let chunk = json!({
            "content": "We open at nine.",
            "documentMetadata": {"document": document, "uri": "https://a.example/x", "title": "T", "pageIdentifier": "4"},
        });
        let parts = json!([{"content": "a"}, {"content": "b", "pageIdentifier": "7"}]);
        let whole = json!({"document": document, "title": "U", "chunkContents": parts});
        json!([{"chunkInfo": chunk}, {"unstructuredDocumentInfo": whole}])
    }

    fn answered(citations: &Value, score: Option<f64>, least: Option<f64>) -> Value {
        let mut answer = json!({
            "state": "SUCCEEDED", "answerText": TEXT, "citations": citations, "references": (references()),
        });
        if let (Some(score), Some(answer)) = (score, answer.as_object_mut()) {
            answer.insert("groundingScore", score.into());
        }
        answer_result(&json!({"answer": answer}), least, 9999).unwrap()
    }

    fn citation(start: impl Into<Value>, end: impl Into<Value>, ids: &[&str]) -> Value {
        let sources: Vec<Value> = ids.iter().map(|id| json!({"referenceId": (*id)})).collect();
        json!({"startIndex": (start.into()), "endIndex": (end.into()), "sources": (Value::Array(sources))})
    }

    #[test]
    fn citations_point_at_snippets_by_bytes() {
        let citations = json!([citation("0", "7", &["0"]), citation(8, 22, &["1", "0"])]);
        let shown = answered(&citations, Some(0.75), None);
        let expected = json!([
            {"start": 0, "end": 7, "sources": [0]}, {"start": 8, "end": 22, "sources": [0, 1, 2]},
        ]);
        assert_eq!(shown["citations"], expected);
        assert_eq!((&shown["answer"], &shown["grounding"]), (&json!(TEXT), &json!(0.75)));
        let first = json!({
            "title": "T", "uri": "https://a.example/x", "text": "We open at nine.", "document": "x", "page": 4,
        });
        assert_eq!(shown["snippets"][0], first);
        assert_eq!(shown["snippets"][2]["page"], json!(7));
        assert_eq!(shown.get("notes"), None);
    }

    #[test]
    fn a_wrong_citation_is_left_out_and_counted() {
        for wrong in [
            citation("0", "2", &["0"]),
            citation("2", "7", &["0"]),
            citation("0", "23", &["0"]),
            citation("7", "7", &["0"]),
            citation("8", "7", &["0"]),
            citation("-1", "7", &["0"]),
            citation("99999999999999999999", "7", &["0"]),
            citation("0", "7", &["2"]),
            citation("0", "7", &["0", "2"]),
            citation("0", "7", &[]),
            citation(json!(null), json!({}), &["0"]),
        ] {
            let good = citation("0", "7", &["0"]);
            let shown = answered(&json!([good, wrong.clone()]), None, None);
            assert_eq!(shown["citations"].as_array().map(Vec::len), Some(1), "{wrong}");
            let note = shown["notes"][0].as_str().unwrap();
            assert!(note.starts_with("1 of 2 citations are left out"), "{note}");
        }
    }

    #[test]
    fn below_the_grounding_there_are_snippets_only() {
        for (score, is_shown) in [(Some(0.5), true), (Some(0.49), false), (None, false)] {
            let shown = answered(&json!([citation("0", "7", &["0"])]), score, Some(0.5));
            assert_eq!(shown.get("answer").is_some(), is_shown);
            assert_eq!(shown["citations"].as_array().map(Vec::len), Some(usize::from(is_shown)));
            assert_eq!(shown["snippets"].as_array().map(Vec::len), Some(3));
            assert_eq!(shown.get("notes").is_some(), !is_shown);
        }
    }

    #[test]
    fn a_skipped_answer_leaves_snippets_alone_and_a_failed_one_is_a_fault() {
        let found = json!([{"title": "T", "document": "projects/x/documents/y", "snippetInfo": [{"snippet": "s"}]}]);
        let steps = json!([{"actions": [{"observation": {"searchResults": found}}]}]);
        let reasons = json!(["NO_RELEVANT_CONTENT", "<script>"]);
        let skipped = json!({
            "state": "SUCCEEDED", "answerText": "Sorry", "answerSkippedReasons": reasons, "steps": steps,
        });
        let shown = answer_result(&json!({"answer": skipped}), None, 9999).unwrap();
        let snippet = json!({"title": "T", "text": "s", "document": "y"});
        let expected = json!({
            "citations": [], "snippets": [snippet], "skipped": ["no_relevant_content", "other"],
        });
        assert_eq!(shown, expected);
        for response in [
            json!({}),
            json!({"answer": {"state": "FAILED"}}),
            json!({"answer": {"state": "STREAMING"}}),
        ] {
            assert_eq!(
                answer_result(&response, None, 9999).unwrap_err().code.as_str(),
                "service_error"
            );
        }
    }

    #[test]
    fn a_result_keeps_its_bound_and_no_source_of_a_cut_snippet() {
        let answer = json!({
            "state": "SUCCEEDED", "answerText": TEXT, "references": (references()),
            "citations": [citation("0", "7", &["0"]), citation("0", "7", &["1"])],
        });
        let response = json!({"answer": answer});
        let shown = answer_result(&response, None, 152).unwrap();
        assert_eq!(shown["snippets"].as_array().map(Vec::len), Some(2));
        assert_eq!(shown["citations"], json!([{"start": 0, "end": 7, "sources": [0]}]));
        assert_eq!(shown["notes"].as_array().map(Vec::len), Some(2));
        assert_eq!(
            answer_result(&response, None, 20).unwrap_err().code.as_str(),
            "response_too_large"
        );
    }
}
