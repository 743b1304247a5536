//! Brings a result into a form that a model can use: the toolset's selection, within its budget, without invisible
//! characters. `executor` keeps the whole of a result that was cut.

mod parts;

use callgate_openapi::Operation;
use callgate_tool::{Answer, Arguments, Content, Json, Object, Truncated, Unit, Value};
use http::{HeaderMap, HeaderName};

use crate::{
    cut, page,
    sanitize::{is_invisible_or_control, n_invisible_characters, visible_text_if_changed},
    select::Selection,
    wording,
};

/// The way results of a toolset are shown.
///
/// ```
/// # use callgate_call::Plan;
/// use callgate_call::Shape;
/// # use callgate_openapi::{Document, Limits, LoadOptions, load};
/// use callgate_tool::Outcome;
/// # let description = br#"{"openapi": "3.1.0", "info": {"title": "t", "version": "1"},
/// #     "servers": [{"url": "https://api.example.com"}],
/// #     "paths": {"/pets": {"get": {"operationId": "listPets", "responses": {}}}}}"#;
/// # let document = Document::read(description, &Limits::default()).expect("a description").value;
/// # let plan = Plan::new(load(&document, &LoadOptions::default()).operations.remove(0));
/// # let pets = format!("[{}]", vec![r#"{"name":"Rex"}"#; 1000].join(","));
/// # let response = http::Response::builder().header("content-type", "application/json");
/// # let response = response.body(pets.into())?;
///
/// // The service answers a list of a thousand pets.
/// let mut shape = Shape::default();
/// shape.result_bytes = 1024;
/// let Outcome::Answered(answer) = plan.outcome(&response, &shape) else { panic!("it failed") };
/// let cut = &answer.truncated.as_ref().expect("it was cut").cuts[0];
/// assert!(cut.shown < 100 && cut.of == 1000);
/// # Ok::<(), http::Error>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Shape {
    /// The most bytes of a result's text that a model sees.
    pub result_bytes: usize,
    /// The largest image or sound, in bytes, that is passed on; a larger one becomes a file behind a handle.
    pub media_bytes: usize,
    /// The part of a result that is shown.
    pub selection: Selection,
    /// The form of integers that many readers would round.
    pub big_integers: BigIntegers,
    /// The headers that are shown beside the body.
    pub headers: ShownHeaders,
}

/// The form of integers beyond 2^53 − 1, which readers with only floating-point numbers round.
///
/// ```
/// # use callgate_call::Plan;
/// use callgate_call::{BigIntegers, Shape};
/// # use callgate_openapi::{Document, Limits, LoadOptions, load};
/// # let description = br#"{"openapi": "3.1.0", "info": {"title": "t", "version": "1"},
/// #     "servers": [{"url": "https://api.example.com"}],
/// #     "paths": {"/pets": {"get": {"operationId": "listPets", "responses": {}}}}}"#;
/// # let document = Document::read(description, &Limits::default()).expect("a description").value;
/// # let plan = Plan::new(load(&document, &LoadOptions::default()).operations.remove(0));
/// # let response = http::Response::builder().header("content-type", "application/json");
/// # let response = response.body(r#"{"id":9007199254740993}"#.into())?;
///
/// let mut shape = Shape::default();
/// assert_eq!(plan.outcome(&response, &shape).text(), Some(r#"{"id":9007199254740993}"#));
/// shape.big_integers = BigIntegers::String;
/// assert_eq!(plan.outcome(&response, &shape).text(), Some(r#"{"id":"9007199254740993"}"#));
/// # Ok::<(), http::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "JSON has no third way")]
pub enum BigIntegers {
    /// Numbers, as the service wrote them.
    #[default]
    Number,
    /// Texts.
    String,
}

/// The headers of a response that are shown. `Set-Cookie` is never shown, even if it is named: it is a credential.
///
/// ```
/// # use callgate_call::Plan;
/// use callgate_call::{Shape, ShownHeaders};
/// # use callgate_openapi::{Document, Limits, LoadOptions, load};
/// use callgate_tool::Outcome;
/// use http::{HeaderName, Response};
/// # let description = br#"{"openapi": "3.1.0", "info": {"title": "t", "version": "1"},
/// #     "servers": [{"url": "https://api.example.com"}],
/// #     "paths": {"/pets": {"get": {"operationId": "listPets", "responses": {}}}}}"#;
/// # let document = Document::read(description, &Limits::default()).expect("a description").value;
/// # let plan = Plan::new(load(&document, &LoadOptions::default()).operations.remove(0));
///
/// let response = Response::builder().header("etag", "\"v1\"").header("x-total", "90");
/// let response = response.body(Default::default())?;
/// let mut shape = Shape::default();
/// shape.headers = ShownHeaders::Named(vec![HeaderName::from_static("x-total")]);
/// let Outcome::Answered(answer) = plan.outcome(&response, &shape) else { panic!("it failed") };
/// assert_eq!(answer.headers, [("x-total".to_owned(), "90".to_owned())]);
/// # Ok::<(), http::Error>(())
/// ```
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "headers are chosen by callgate or by name")]
pub enum ShownHeaders {
    /// `Location`, `ETag`, `Retry-After` and the headers that the description declares; of a response to HEAD, all headers
    /// about the requested resource.
    #[default]
    Meaningful,
    /// Only the headers with these names.
    Named(Vec<HeaderName>),
}

/// The bytes of one result that a model sees by default: about four thousand tokens.
pub const DEFAULT_RESULT_BYTES: usize = 16 * 1024;

/// The size that every provider accepts for one image or sound, even in base64.
pub const DEFAULT_MEDIA_BYTES: usize = 1024 * 1024;

impl Default for Shape {
    fn default() -> Self {
        Self {
            result_bytes: DEFAULT_RESULT_BYTES,
            media_bytes: DEFAULT_MEDIA_BYTES,
            selection: Selection::All,
            big_integers: BigIntegers::Number,
            headers: ShownHeaders::Meaningful,
        }
    }
}

#[derive(Clone, Copy)]
pub(crate) struct ReadResponse<'a> {
    pub(crate) operation: &'a Operation,
    pub(crate) arguments: &'a Arguments,
    pub(crate) headers: &'a HeaderMap,
    pub(crate) size: usize,
    /// The number of further values of a sequence, after those that were read.
    pub(crate) n_more: usize,
    pub(crate) more_of_parts: &'a [usize],
}

pub(crate) struct ShapedAnswer {
    pub(crate) answer: Answer,
    pub(crate) n_removed: usize,
    pub(crate) cut_parts: Vec<usize>,
}

struct ShapedContent {
    content: Content,
    cuts: Vec<callgate_tool::Cut>,
    next: Arguments,
    n_removed: usize,
    cut_parts: Vec<usize>,
}

impl From<Content> for ShapedContent {
    fn from(content: Content) -> Self {
        let (cuts, next, cut_parts) = (Vec::new(), Arguments::new(), Vec::new());
        Self { content, cuts, next, n_removed: 0, cut_parts }
    }
}

impl Shape {
    pub(crate) fn shaped_answer(
        &self,
        mut answer: Answer,
        read: &ReadResponse<'_>,
    ) -> ShapedAnswer {
        let ShapedContent { content, cuts, next, n_removed, cut_parts } =
            self.shaped_content(answer.content, read);
        answer.truncated = truncation_of_cuts(cuts, read, &next);
        (answer.content, answer.next) = (content, next);
        ShapedAnswer { answer, n_removed, cut_parts }
    }

    fn shaped_content(&self, content: Content, read: &ReadResponse<'_>) -> ShapedContent {
        match content {
            Content::Json(json) => self.shape_json(json, read),
            Content::Parts(parts) => self.shaped_parts(parts, read),
            Content::Text { text, media_type } => self.shaped_text(text, media_type),
            Content::Empty | Content::File { .. } | Content::Media { .. } => content.into(),
        }
    }

    fn shape_json(&self, json: Json, read: &ReadResponse<'_>) -> ShapedContent {
        let mut next = page::next_page_from_headers(read.operation, read.arguments, read.headers);
        if read.n_more == 0 && self.can_pass_unchanged(json.text()) {
            if next.is_empty()
                && page::has_paging_input(read.operation)
                && page::may_name_next_page(json.text())
            {
                next = page::next_page_from_body(read.operation, read.arguments, json.value());
            }
            return ShapedContent { next, ..Content::Json(json).into() };
        }
        let value = json.into_value();
        if next.is_empty() {
            next = page::next_page_from_body(read.operation, read.arguments, &value);
        }
        let (mut value, mut cuts) = self.shaped_value(value);
        let n_removed = remove_invisible_characters(&mut value);
        add_unread_to_cuts(&mut cuts, &value, read.n_more);
        ShapedContent { cuts, next, n_removed, ..Content::Json(value.into()).into() }
    }

    fn shaped_text(&self, text: String, media_type: String) -> ShapedContent {
        let shown = cut::cut_text_at_line(&text, self.result_bytes);
        if shown.len() == text.len() {
            return Content::Text { text, media_type }.into();
        }
        let (at, shown, of, unit) = (String::new(), shown.len(), text.len(), Unit::Bytes);
        let cuts = vec![callgate_tool::Cut { at, shown, of, unit }];
        let mut text = text;
        text.truncate(shown);
        ShapedContent { cuts, ..Content::Text { text, media_type }.into() }
    }

    /// The number of bytes that are read of a sequence of values: all for a selection, otherwise several times the shown
    /// bytes, since values are cut as well.
    pub(crate) fn most_sequence_bytes(&self) -> usize {
        match self.selection {
            Selection::All => self.result_bytes.max(1).saturating_mul(8),
            _ => usize::MAX,
        }
    }

    /// Returns true if a text can be passed on unchanged, which is the usual case.
    fn can_pass_unchanged(&self, text: &str) -> bool {
        matches!(self.selection, Selection::All)
            && self.big_integers == BigIntegers::Number
            && text.len() <= self.result_bytes
            && !may_hold_invisible(text)
    }

    fn shaped_value(&self, value: Value) -> (Value, Vec<callgate_tool::Cut>) {
        let mut value = self.selection.selected_value(value);
        if self.big_integers == BigIntegers::String {
            quote_big_integers(&mut value);
        }
        // The size is measured: a selection may repeat parts of the text.
        cut::cut_to_budget(value, self.result_bytes)
    }
}

fn truncation_of_cuts(
    mut cuts: Vec<callgate_tool::Cut>,
    read: &ReadResponse<'_>,
    next: &Arguments,
) -> Option<Truncated> {
    if cuts.is_empty() {
        return None;
    }
    let message =
        wording::answer::truncation_message(&cuts, &page::narrowing_inputs(read.operation), next);
    cuts.truncate(MAX_CUTS);
    Some(Truncated::new(message, read.size, cuts))
}

fn add_unread_to_cuts(cuts: &mut Vec<callgate_tool::Cut>, value: &Value, n_more: usize) {
    if n_more == 0 {
        return;
    }
    let is_whole = |cut: &callgate_tool::Cut| cut.at.is_empty() && cut.unit == Unit::Items;
    if let Some(cut) = cuts.iter_mut().find(|cut| is_whole(cut)) {
        cut.of += n_more;
        return;
    }
    let shown = value.as_array().map_or(0, Vec::len);
    let (at, of) = (String::new(), shown + n_more);
    cuts.insert(0, callgate_tool::Cut { at, shown, of, unit: Unit::Items });
}

/// Returns true if a JSON text may hold invisible characters, escaped or not.
fn may_hold_invisible(text: &str) -> bool {
    // Without an early exit, so that the compiler vectorizes the loop; most texts end here.
    let is_told = |has_match, byte: &u8| has_match | matches!(*byte, b'\\' | 0x7f..);
    if !text.as_bytes().iter().fold(false, is_told) {
        return false;
    }
    let is_hiding = |pair: &[u8]| matches!(pair, [b'\\', b'b' | b'f' | b'r' | b'u']);
    (text.contains('\\') && text.as_bytes().windows(2).any(is_hiding))
        || text.contains('\u{7f}')
        || (!text.is_ascii()
            && text.chars().any(|one| !one.is_ascii() && is_invisible_or_control(one)))
}

/// Removes the invisible characters from every text of a value; returns their number.
pub(crate) fn remove_invisible_characters(value: &mut Value) -> usize {
    match value {
        Value::Array(items) => items.iter_mut().map(remove_invisible_characters).sum(),
        Value::Object(members) => {
            let n_removed: usize = members.keys().map(|name| n_invisible_characters(name)).sum();
            if members.keys().any(|name| visible_text_if_changed(name).is_some()) {
                *members = std::mem::take(members)
                    .into_iter()
                    .map(|(name, value)| (visible_text_if_changed(&name).unwrap_or(name), value))
                    .collect::<Object>();
            }
            n_removed + members.values_mut().map(remove_invisible_characters).sum::<usize>()
        }
        Value::String(text) => {
            let Some(cleaned) = visible_text_if_changed(text) else { return 0 };
            let n_removed = n_invisible_characters(text);
            *text = cleaned;
            n_removed
        }
        Value::Bool(_) | Value::Null | Value::Number(_) => 0,
    }
}

fn quote_big_integers(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(quote_big_integers),
        Value::Number(number) => {
            let digits = number.digits();
            let is_integer =
                digits.trim_start_matches('-').bytes().all(|byte| byte.is_ascii_digit());
            let is_exact =
                digits.parse::<i64>().is_ok_and(|number| number.unsigned_abs() <= MAX_EXACT);
            if is_integer && !is_exact {
                *value = Value::String(digits.to_string());
            }
        }
        Value::Object(members) => members.values_mut().for_each(quote_big_integers),
        Value::Bool(_) | Value::Null | Value::String(_) => {}
    }
}

/// The largest integer that is represented exactly and unambiguously as a floating-point number.
const MAX_EXACT: u64 = (1 << 53) - 1;
const MAX_CUTS: usize = 8;

#[cfg(test)]
mod tests {
    use callgate_tool::json;

    use super::*;

    #[test]
    fn integers_beyond_53_bits_become_texts() {
        let text =
            "[9007199254740991,9007199254740992,-9007199254740993,1.5,1e99,18446744073709551616]";
        let mut value = Value::parse(text).unwrap();
        quote_big_integers(&mut value);
        assert_eq!(
            value.to_string(),
            "[9007199254740991,\"9007199254740992\",\"-9007199254740993\",1.5,1e99,\"18446744073709551616\"]"
        );
    }

    #[test]
    fn the_result_of_a_repeating_selection_is_cut_to_the_budget() {
        let selection = Selection::json_path("$..*").unwrap();
        let shape = Shape { result_bytes: 64, selection, ..Shape::default() };
        let (value, cuts) = shape.shaped_value(json!([[[["a deep one"]]]]));
        assert!(value.to_string().len() <= 64, "{value}");
        assert!(!cuts.is_empty());
    }

    #[test]
    fn names_and_texts_of_a_result_lose_their_invisible_characters() {
        let mut value =
            json!({"a\u{200b}": ["\u{1b}[31mred\u{1b}[0m", {"b": "\u{e0041}x\n"}], "c": 1});
        assert_eq!(remove_invisible_characters(&mut value), 4);
        assert_eq!(value, json!({"a": ["red", {"b": "x\n"}], "c": 1}));
    }
}
