//! The forms that a browser sends: their fields, and the files of forms of several parts. A body that is read here was bounded before.

use std::{borrow::Cow, convert::Infallible};

use bytes::Bytes;
use futures_util::stream;
use http::{HeaderMap, header};
use multer::{Multipart, parse_boundary};
use percent_encoding::percent_decode;

use crate::problem::{Problem, ProblemKind};

/// A file of a form.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FormFile {
    /// The name of its field.
    pub field: String,
    /// The name of the file, without folders.
    pub filename: String,
    /// The media type that the browser gives it.
    pub media_type: String,
    /// The content.
    pub bytes: Bytes,
}

/// The content of a form.
#[derive(Debug, Default)]
pub(super) struct Form {
    pub(super) fields: Vec<(String, String)>,
    pub(super) files: Vec<FormFile>,
}

/// The media types of forms.
#[derive(Debug)]
pub(super) enum FormKind {
    Fields,
    /// Parts between boundaries.
    Parts(String),
}

impl FormKind {
    pub(super) fn from_headers(headers: &HeaderMap) -> Result<Self, Problem> {
        let media_type = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let media_type = media_type.unwrap_or_default();
        let essence = media_type.split(';').next().unwrap_or_default().trim();
        if essence.eq_ignore_ascii_case(FIELDS) {
            return Ok(Self::Fields);
        }
        if essence.eq_ignore_ascii_case(PARTS) {
            return parse_boundary(media_type).map(Self::Parts).map_err(|_| {
                Problem::malformed_body("`Content-Type`: expected the boundary of the parts")
            });
        }
        let detail = format!("expected `Content-Type: {FIELDS}` or `{PARTS}`");
        Err(Problem::new(ProblemKind::UNSUPPORTED_MEDIA_TYPE, detail))
    }

    pub(super) async fn read(self, body: Bytes) -> Result<Form, Problem> {
        match self {
            Self::Fields => {
                // The reader puts another character in place of what is no text, and nobody wrote that.
                let is_text = str::from_utf8(&Cow::from(percent_decode(&body))).is_ok();
                if !is_text {
                    return Err(Problem::malformed_body("expected fields of UTF-8"));
                }
                let pairs = url::form_urlencoded::parse(&body);
                let fields =
                    pairs.map(|(name, value)| (name.into_owned(), value.into_owned())).collect();
                Ok(Form { fields, files: Vec::new() })
            }
            Self::Parts(boundary) => read_multipart(body, boundary).await,
        }
    }
}

async fn read_multipart(body: Bytes, boundary: String) -> Result<Form, Problem> {
    let malformed = |error: multer::Error| {
        Problem::malformed_body(format!("expected the parts of a form: {error}"))
    };
    let body = stream::iter([Ok::<_, Infallible>(body)]);
    let mut parts = Multipart::new(body, boundary);
    let mut form = Form::default();
    while let Some(part) = parts.next_field().await.map_err(malformed)? {
        let field = part.name().unwrap_or_default().to_owned();
        let filename = part.file_name().map(filename_without_folders);
        let media_type = part.content_type().map_or(BINARY, AsRef::as_ref).to_owned();
        let bytes = part.bytes().await.map_err(malformed)?;
        match filename {
            // A field for a file that nobody chose.
            Some(filename) if filename.is_empty() && bytes.is_empty() => {}
            Some(filename) => form.files.push(FormFile { field, filename, media_type, bytes }),
            None => {
                let value = String::from_utf8(bytes.into());
                let value =
                    value.map_err(|_| Problem::malformed_body("expected fields of UTF-8"))?;
                form.fields.push((field, value));
            }
        }
    }
    Ok(form)
}

/// Some browsers send the folders of a file too.
fn filename_without_folders(filename: &str) -> String {
    filename.rsplit(['/', '\\']).next().unwrap_or_default().to_owned()
}

const FIELDS: &str = "application/x-www-form-urlencoded";
const PARTS: &str = "multipart/form-data";
const BINARY: &str = "application/octet-stream";

#[cfg(test)]
mod tests {
    use super::*;

    async fn read(media_type: &str, body: &str) -> Result<Form, Problem> {
        let headers = [(header::CONTENT_TYPE, media_type.parse().unwrap())];
        let kind = FormKind::from_headers(&headers.into_iter().collect())?;
        kind.read(Bytes::from(body.to_owned())).await
    }

    #[tokio::test]
    async fn a_form_of_parts_has_fields_and_the_files_that_a_person_chose() {
        let file = |name: &str, filename: &str, content: &str| {
            format!(
                "--b\r\nContent-Disposition: form-data; name=\"{name}\"; filename=\"{filename}\"\r\nContent-Type: text/csv\r\n\r\n{content}\r\n"
            )
        };
        let field = "--b\r\nContent-Disposition: form-data; name=\"said\"\r\n\r\nhellö\r\n";
        let body = [field, &file("f:/a", "../x/ä.csv", "1,2"), &file("f:/b", "", ""), "--b--\r\n"];
        let form = read("multipart/form-data; boundary=b", &body.concat()).await.unwrap();
        assert_eq!(form.fields, [("said".to_owned(), "hellö".to_owned())]);
        let [file] = &*form.files else { panic!("{:?}", form.files) };
        assert_eq!((&*file.field, &*file.filename), ("f:/a", "ä.csv"));
        assert_eq!((&*file.media_type, &*file.bytes), ("text/csv", &b"1,2"[..]));
    }

    #[tokio::test]
    async fn a_body_that_is_no_form_is_refused() {
        assert!(read("application/json", "{}").await.is_err());
        assert!(read("multipart/form-data", "--b--").await.is_err(), "no boundary");
        assert!(read("multipart/form-data; boundary=b", "--b\r\nContent-").await.is_err());
        let form = read("application/x-www-form-urlencoded; charset=utf-8", "a=1+2").await.unwrap();
        assert_eq!(form.fields, [("a".to_owned(), "1 2".to_owned())]);
        assert!(read("application/x-www-form-urlencoded", "a=%ff").await.is_err());
        let replaced = read("application/x-www-form-urlencoded", "a=%EF%BF%BD").await.unwrap();
        assert_eq!(replaced.fields[0].1, "\u{fffd}");
    }
}
