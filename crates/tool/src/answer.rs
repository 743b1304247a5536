//! A service's successful response as a model can use it: the content of the body, the parts that were cut, and how to ask
//! for the rest. `call` decides how to cut a result; `executor` decides where to keep the whole of it.

use bytes::Bytes;
use serde::Serialize;

use crate::{Json, Object};

/// The successful response of a service or a function.
///
/// ```
/// use callgate_tool::{Answer, Content, Json, Outcome};
///
/// let json = Json::parse(r#"{"id": 12345678901234567890}"#)?;
/// let answer = Answer::new(200, Content::Json(json)).with_header("ETag", "\"v1\"");
/// assert_eq!(answer.status, Some(200));
/// assert_eq!(Outcome::from(answer).text(), Some(r#"{"id": 12345678901234567890}"#));
/// # Ok::<(), callgate_tool::InvalidJson>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Answer {
    /// The HTTP status, if the answer came over HTTP.
    pub status: Option<u16>,
    /// The headers that mean something to the caller, with names in lower case.
    pub headers: Vec<(String, String)>,
    /// The content of the body.
    pub content: Content,
    /// True if the service was still sending when callgate stopped reading: a stream of events may have no end.
    pub still_sending: bool,
    /// The part that was cut, if the answer does not show all of the result.
    pub truncated: Option<Truncated>,
    /// Arguments that ask for the next page; empty if there is no further page or the service announces none.
    pub next: Object,
    /// The name under which the whole result is kept, if it is kept.
    pub handle: Option<Handle>,
}

/// A body, read by its media type.
///
/// ```
/// use callgate_tool::{Answer, Content};
///
/// let text = Content::Text { text: "all is fine".to_owned(), media_type: "text/plain".to_owned() };
/// let answer = Answer::new(200, text);
/// let shown = match &answer.content {
///     Content::Json(json) => json.text().to_owned(),
///     Content::Text { text, .. } => text.clone(),
///     Content::File { media_type, size, .. } => format!("a file of {size} bytes: {media_type}"),
///     Content::Media { media_type, .. } => format!("an image or a sound: {media_type}"),
///     Content::Parts(parts) => format!("{} parts", parts.len()),
///     Content::Empty => String::new(),
/// };
/// assert_eq!(shown, "all is fine");
/// ```
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
pub enum Content {
    /// No body.
    Empty,
    /// Bytes that are neither text, an image nor a sound.
    File {
        /// The media type without parameters.
        media_type: String,
        /// The name that the service gives the file (`filename` of `Content-Disposition`): it may be a path. The name of a part
        /// stands at the part.
        filename: Option<String>,
        /// The number of bytes in the file.
        size: usize,
        /// The SHA-256 digest of the bytes, in hexadecimal.
        sha256: String,
    },
    /// JSON; numbers keep their digits.
    Json(Json),
    /// An image or a sound.
    Media {
        /// The media type without parameters: `image/png`, `audio/wav`.
        media_type: String,
        /// The image or the sound itself.
        data: Bytes,
    },
    /// The parts of a multipart body, in their order; no part has parts itself.
    Parts(Vec<Part>),
    /// Text of another media type.
    Text {
        /// The text, without control characters.
        text: String,
        /// The media type without parameters.
        media_type: String,
    },
}

/// One part of a multipart body.
///
/// ```
/// use callgate_tool::{Content, Part, json};
///
/// let part = Part::new(Content::Json(json!({"id": 7}).into()));
/// assert_eq!(serde_json::to_string(&part)?, r#"{"content":{"id":7}}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Part {
    /// The name of the form field whose value the part is (`name` of `Content-Disposition`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The name by which other parts refer to this part (`Content-ID`), without brackets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_id: Option<String>,
    /// The file name of the part (`filename` of `Content-Disposition`), as the service wrote it: it may be a path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filename: Option<String>,
    /// The content of the part, read by its own media type.
    pub content: Content,
    /// The name under which the whole part is kept, if the part is a file or was cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handle: Option<Handle>,
}

/// The part of a result that is not shown.
///
/// ```
/// use callgate_tool::{Answer, Content, Cut, Truncated, Unit, json};
///
/// let mut answer = Answer::new(200, Content::Json(json!({"items": [1, 2]}).into()));
/// let cut = Cut { at: "items".to_owned(), shown: 2, of: 90, unit: Unit::Items };
/// answer.truncated = Some(Truncated::new("2 of 90 items are shown; ask for a page", 4096, vec![cut]));
///
/// let truncated = answer.truncated.expect("it was cut");
/// assert_eq!(truncated.message, "2 of 90 items are shown; ask for a page");
/// assert_eq!((truncated.size, truncated.cuts.len()), (4096, 1));
/// ```
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Truncated {
    /// A sentence that names the part that was cut and says how to narrow the request.
    pub message: String,
    /// The size of the whole result, in bytes as the service sent it.
    pub size: usize,
    /// The locations that were cut; at most a few are listed.
    pub cuts: Vec<Cut>,
}

/// One location where a result was cut.
///
/// ```
/// use callgate_tool::{Cut, Unit};
///
/// let cut = Cut { at: "items[3].text".to_owned(), shown: 200, of: 5000, unit: Unit::Bytes };
/// let Cut { at, shown, of, unit } = &cut;
/// let line = format!("`{at}`: {shown} of {of} {}", unit.as_str());
/// assert_eq!(line, "`items[3].text`: 200 of 5000 bytes");
/// ```
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct Cut {
    /// The location: `items`, `items[3].text`; empty for the result itself.
    pub at: String,
    /// The number of units that are shown.
    pub shown: usize,
    /// The number of units in the whole value.
    pub of: usize,
    /// The unit of `shown` and `of`.
    pub unit: Unit,
}

crate::named! {
    /// The unit that a cut counts.
    ///
    /// ```
    /// use callgate_tool::Unit;
    ///
    /// /// The hint for a person who reads a result that was cut.
    /// fn hint(unit: Unit) -> &'static str {
    ///     match unit {
    ///         Unit::Bytes => "open the whole text",
    ///         Unit::Items => "load more",
    ///         Unit::Members => "show all fields",
    ///     }
    /// }
    /// assert_eq!(hint(Unit::Items), "load more");
    /// assert_eq!(Unit::Items.as_str(), "items");
    /// ```
    #[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
    pub enum Unit {
        /// Bytes of a text.
        Bytes = "bytes",
        /// Items of an array.
        Items = "items",
        /// Members of an object.
        Members = "members",
    }
}

/// The name of a stored result. Anyone who has the name may read the result, so the name cannot be guessed.
///
/// ```
/// let handle = callgate_tool::Handle::new("result:00ff").unwrap();
/// assert_eq!(handle.as_str(), "result:00ff");
/// assert!(callgate_tool::Handle::new("00ff").is_none());
/// ```
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Handle(String);

/// A whole result as the service sent it, with credentials masked.
///
/// ```
/// use bytes::Bytes;
/// use callgate_tool::StoredResult;
///
/// let stored = StoredResult::new("text/csv", Bytes::from_static(b"id,name\n7,Rex\n"));
/// assert_eq!(stored.media_type, "text/csv");
/// let table = std::str::from_utf8(&stored.bytes)?;
/// assert_eq!(table.lines().nth(1), Some("7,Rex"));
/// # Ok::<(), std::str::Utf8Error>(())
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct StoredResult {
    /// The media type as the service named it; empty if the service named none.
    pub media_type: String,
    /// The name that the service gave them, if they are a file.
    pub filename: Option<String>,
    /// The bytes.
    pub bytes: Bytes,
    /// The toolset whose call made it; empty for a file that its owner handed in.
    pub toolset: String,
    /// The tool whose call made it; empty if it is not known.
    pub tool: String,
}

impl Answer {
    /// An answer that shows its whole content.
    pub fn new(status: impl Into<Option<u16>>, content: Content) -> Self {
        Self {
            status: status.into(),
            headers: Vec::new(),
            content,
            still_sending: false,
            truncated: None,
            next: Object::new(),
            handle: None,
        }
    }

    /// Adds a header that means something to the caller.
    #[must_use]
    pub fn with_header(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_ascii_lowercase(), value.into()));
        self
    }

    /// The JSON of an answer that consists of it and its status.
    #[doc(hidden)]
    pub fn json_if_nothing_else(&self) -> Option<&Json> {
        let Self { status: _, headers, content, still_sending, truncated, next, handle } = self;
        let has_more = *still_sending || truncated.is_some() || handle.is_some();
        match content {
            Content::Json(json) if !has_more && headers.is_empty() && next.is_empty() => Some(json),
            _ => None,
        }
    }
}

impl Part {
    /// A part without names.
    pub fn new(content: Content) -> Self {
        Self { name: None, content_id: None, filename: None, content, handle: None }
    }
}

impl Truncated {
    /// Records that a result of `size` bytes was cut at these locations; `message` says so in a sentence.
    pub fn new(message: impl Into<String>, size: usize, cuts: Vec<Cut>) -> Self {
        Self { message: message.into(), size, cuts }
    }
}

impl StoredResult {
    /// Bytes of a media type; an empty media type means that it is not known.
    pub fn new(media_type: impl Into<String>, bytes: Bytes) -> Self {
        let media_type = media_type.into();
        Self { media_type, filename: None, bytes, toolset: String::new(), tool: String::new() }
    }

    crate::setters! {
        /// Sets the name that the service gave the bytes.
        pub fn with_filename(filename: Option<String>) = filename;
        /// Sets the toolset whose call made it.
        pub fn with_toolset(toolset: impl Into<String>) = toolset.into();
        /// Sets the tool whose call made it.
        pub fn with_tool(tool: impl Into<String>) = tool.into();
    }

    /// Returns true if no toolset's call made it: its owner handed it in, and may use it with every toolset.
    #[doc(hidden)]
    pub fn is_supplied_by_caller(&self) -> bool {
        self.toolset.is_empty()
    }
}

impl Handle {
    /// The handle in a text; `None` if the text is no handle. A handle is `result:` and hexadecimal digits.
    pub fn new(text: &str) -> Option<Self> {
        let name = text.strip_prefix("result:")?;
        let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_name.then(|| Self(text.to_owned()))
    }

    /// The handle made from a random number.
    pub fn from_random(number: u128) -> Self {
        Self(format!("result:{number:032x}"))
    }

    /// The handle as a model writes it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

callgate_secret::text!(Handle: Self(text) => "{text}");
