//! Outcomes as a store keeps them: bytes that hold everything and are read back equal. A head of JSON stands on the first
//! line, the texts and bytes of the answer stand behind it as they came. `serial` writes what callers see.

#![expect(clippy::option_option, reason = "a member may be absent, or may be unreadable")]

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::{
    Answer, Content, Cut, Fault, FaultCode, Handle, Json, Next, Outcome, Part, Pending,
    PendingKind, PlannedRequest, Preview, Problem, Reached, Truncated, Unit, Value, json,
};

impl Outcome {
    /// The outcome as bytes, for a store.
    ///
    /// ```
    /// use callgate_tool::{Answer, Content, Outcome, json};
    ///
    /// let outcome = Outcome::from(Answer::new(201, Content::Json(json!({"id": 7}).into())));
    /// let bytes = outcome.to_bytes();
    /// assert_eq!(Outcome::from_bytes(&bytes), Some(outcome));
    /// ```
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bodies = Vec::new();
        let head = match self {
            Self::Answered(answer) => json!({"answer": of_answer(answer, &mut bodies)}),
            Self::Failed(fault) => json!({"fault": of_fault(fault, &mut bodies)}),
            Self::Pending(pending) => json!({"pending": of_pending(pending, &mut bodies)}),
            Self::Planned(preview) => json!({"planned": of_preview(preview)}),
        };
        let mut bytes = head.to_string().into_bytes();
        bytes.push(b'\n');
        bytes.append(&mut bodies);
        bytes
    }

    /// The outcome that [`Outcome::to_bytes`] wrote; `None` if the bytes are nothing that it writes.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let line = bytes.iter().position(|byte| *byte == b'\n')?;
        let (head, bodies) = bytes.split_at_checked(line)?;
        let mut bodies = Bodies(bodies.get(1..)?);
        let head = Value::from_slice(head).ok()?;
        let (kind, value) = head.as_object()?.iter().next()?;
        Some(match kind.as_str() {
            "answer" => Self::Answered(Box::new(answer(value, &mut bodies)?)),
            "fault" => Self::Failed(Box::new(fault(value, &mut bodies)?)),
            "pending" => Self::Pending(Box::new(pending(value, &mut bodies)?)),
            "planned" => Self::Planned(Box::new(preview(value)?)),
            _ => return None,
        })
    }
}

/// The texts and bytes that are still to be read.
struct Bodies<'a>(&'a [u8]);

impl<'a> Bodies<'a> {
    fn take(&mut self, length: &Value) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(size(length)?)?;
        self.0 = rest;
        Some(taken)
    }

    fn text(&mut self, length: &Value) -> Option<&'a str> {
        std::str::from_utf8(self.take(length)?).ok()
    }
}

fn of_answer(answer: &Answer, bodies: &mut Vec<u8>) -> Value {
    let Answer { status, headers, content, still_sending, truncated, next, handle } = answer;
    json!({
        "status": status,
        "headers": of_headers(headers),
        "content": of_content(content, bodies),
        "still_sending": still_sending,
        "truncated": truncated.as_ref().map(of_truncated),
        "next": next,
        "handle": handle.as_ref().map(Handle::as_str),
    })
}

fn answer(value: &Value, bodies: &mut Bodies<'_>) -> Option<Answer> {
    Some(Answer {
        status: status(value)?,
        headers: headers(value.get("headers")?)?,
        content: content(value.get("content")?, bodies)?,
        still_sending: value.get("still_sending")?.as_bool()?,
        truncated: known(value, "truncated", truncated)?,
        next: value.get("next")?.as_object()?.clone(),
        handle: handle(value)?,
    })
}

fn of_content(content: &Content, bodies: &mut Vec<u8>) -> Value {
    let mut body = |bytes: &[u8]| {
        bodies.extend_from_slice(bytes);
        bytes.len()
    };
    match content {
        Content::Empty => Value::Null,
        Content::File { media_type, size, sha256 } => {
            json!({"file": media_type, "size": size, "sha256": sha256})
        }
        Content::Json(json) => json!({"json": body(json.text().as_bytes())}),
        Content::Media { media_type, data } => json!({"media": media_type, "size": body(data)}),
        Content::Parts(parts) => {
            let parts: Value = parts.iter().map(|part| of_part(part, bodies)).collect();
            json!({"parts": parts})
        }
        Content::Text { text, media_type } => {
            json!({"text": media_type, "size": body(text.as_bytes())})
        }
    }
}

fn content(value: &Value, bodies: &mut Bodies<'_>) -> Option<Content> {
    let Some((kind, first)) = value.as_object().and_then(|members| members.iter().next()) else {
        return value.is_null().then_some(Content::Empty);
    };
    Some(match kind.as_str() {
        "file" => Content::File {
            media_type: text(value, "file")?,
            size: size(value.get("size")?)?,
            sha256: text(value, "sha256")?,
        },
        "json" => Content::Json(Json::parse(bodies.text(first)?).ok()?),
        "media" => {
            let data = bodies.take(value.get("size")?)?.to_vec().into();
            Content::Media { media_type: text(value, "media")?, data }
        }
        "parts" => Content::Parts(
            first.as_array()?.iter().map(|it| part(it, bodies)).collect::<Option<_>>()?,
        ),
        "text" => {
            let said = bodies.text(value.get("size")?)?.to_owned();
            Content::Text { text: said, media_type: text(value, "text")? }
        }
        _ => return None,
    })
}

fn of_part(part: &Part, bodies: &mut Vec<u8>) -> Value {
    let Part { name, content_id, filename, content, handle } = part;
    json!({
        "name": name,
        "content_id": content_id,
        "filename": filename,
        "content": of_content(content, bodies),
        "handle": handle.as_ref().map(Handle::as_str),
    })
}

fn part(value: &Value, bodies: &mut Bodies<'_>) -> Option<Part> {
    Some(Part {
        name: optional(value, "name")?,
        content_id: optional(value, "content_id")?,
        filename: optional(value, "filename")?,
        content: content(value.get("content")?, bodies)?,
        handle: handle(value)?,
    })
}

fn of_truncated(truncated: &Truncated) -> Value {
    let Truncated { message, size, cuts } = truncated;
    let of_cut = |Cut { at, shown, of, unit }: &Cut| json!([at, shown, of, unit.as_str()]);
    let cuts: Value = cuts.iter().map(of_cut).collect();
    json!({"message": message, "size": size, "cuts": cuts})
}

fn truncated(value: &Value) -> Option<Truncated> {
    let cut = |cut: &Value| {
        let [at, shown, of, unit] = cut.as_array()?.as_slice() else { return None };
        let unit = Unit::named(unit.as_str()?)?;
        Some(Cut { at: at.as_str()?.to_owned(), shown: size(shown)?, of: size(of)?, unit })
    };
    let cuts = value.get("cuts")?.as_array()?.iter().map(cut).collect::<Option<_>>()?;
    Some(Truncated { message: text(value, "message")?, size: size(value.get("size")?)?, cuts })
}

fn of_fault(fault: &Fault, bodies: &mut Vec<u8>) -> Value {
    let Fault { code, message, problems, reached, next, retry_after, status, body } = fault;
    let problems: Value = problems.iter().map(of_problem).collect();
    json!({
        "code": code.as_str(),
        "message": message,
        "problems": problems,
        "reached": reached.as_str(),
        "next": next.as_str(),
        "retry_after": retry_after.map(nanoseconds),
        "status": status,
        "body": body.as_ref().map(|body| of_value(body, bodies)),
    })
}

fn fault(value: &Value, bodies: &mut Bodies<'_>) -> Option<Fault> {
    let is = |name: &str| value.get(name).and_then(Value::as_str);
    let problems = value.get("problems")?.as_array()?.iter();
    Some(Fault {
        code: FaultCode::named(is("code")?)?,
        message: text(value, "message")?,
        problems: problems.map(problem).collect::<Option<_>>()?,
        reached: Reached::named(is("reached")?)?,
        next: Next::named(is("next")?)?,
        retry_after: known(value, "retry_after", Value::as_u64)?.map(Duration::from_nanos),
        status: status(value)?,
        body: known(value, "body", |body| Value::parse(bodies.text(body)?).ok())?,
    })
}

fn of_problem(problem: &Problem) -> Value {
    let Problem { at, expected, got, suggestion } = problem;
    json!({"at": at, "expected": expected, "got": got, "suggestion": suggestion})
}

fn problem(value: &Value) -> Option<Problem> {
    Some(Problem {
        at: text(value, "at")?,
        expected: text(value, "expected")?,
        got: text(value, "got")?,
        suggestion: optional(value, "suggestion")?,
    })
}

fn of_pending(pending: &Pending, bodies: &mut Vec<u8>) -> Value {
    let Pending { kind, id, expires, request } = pending;
    let expires = expires.map(|at| nanoseconds(at.duration_since(UNIX_EPOCH).unwrap_or_default()));
    let request = of_value(request, bodies);
    json!({"kind": kind.as_str(), "id": id, "expires": expires, "request": request})
}

fn pending(value: &Value, bodies: &mut Bodies<'_>) -> Option<Pending> {
    let expires = known(value, "expires", Value::as_u64)?;
    let expires =
        expires.and_then(|at| SystemTime::checked_add(&UNIX_EPOCH, Duration::from_nanos(at)));
    Some(Pending {
        kind: PendingKind::named(value.get("kind")?.as_str()?)?,
        id: text(value, "id")?,
        expires,
        request: Value::parse(bodies.text(value.get("request")?)?).ok()?,
    })
}

fn of_preview(preview: &Preview) -> Value {
    match preview {
        Preview::Request(PlannedRequest { method, url, headers, body, curl }) => json!({
            "method": method,
            "url": url,
            "headers": of_headers(headers),
            "body": body,
            "curl": curl,
        }),
        Preview::Text(text) => Value::from(&**text),
    }
}

fn preview(value: &Value) -> Option<Preview> {
    if let Some(text) = value.as_str() {
        return Some(Preview::Text(text.to_owned()));
    }
    Some(Preview::Request(PlannedRequest {
        method: text(value, "method")?,
        url: text(value, "url")?,
        headers: headers(value.get("headers")?)?,
        body: optional(value, "body")?,
        curl: text(value, "curl")?,
    }))
}

fn of_headers(headers: &[(String, String)]) -> Value {
    headers.iter().map(|(name, value)| json!([name, value])).collect()
}

fn headers(value: &Value) -> Option<Vec<(String, String)>> {
    let header = |header: &Value| {
        let [name, value] = header.as_array()?.as_slice() else { return None };
        Some((name.as_str()?.to_owned(), value.as_str()?.to_owned()))
    };
    value.as_array()?.iter().map(header).collect()
}

/// A value as deep as any, which therefore stands behind the head.
fn of_value(value: &Value, bodies: &mut Vec<u8>) -> Value {
    let text = value.to_string();
    bodies.extend_from_slice(text.as_bytes());
    json!(text.len())
}

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

fn text(value: &Value, name: &str) -> Option<String> {
    Some(value.get(name)?.as_str()?.to_owned())
}

fn optional(value: &Value, name: &str) -> Option<Option<String>> {
    known(value, name, |value| value.as_str().map(ToOwned::to_owned))
}

fn handle(value: &Value) -> Option<Option<Handle>> {
    known(value, "handle", |value| Handle::new(value.as_str()?))
}

fn status(value: &Value) -> Option<Option<u16>> {
    known(value, "status", |value| u16::try_from(value.as_u64()?).ok())
}

fn size(value: &Value) -> Option<usize> {
    usize::try_from(value.as_u64()?).ok()
}

/// A member that may be `null`; the outer `None` stands for one that cannot be read.
fn known<T>(
    value: &Value,
    name: &str,
    read: impl FnOnce(&Value) -> Option<T>,
) -> Option<Option<T>> {
    match value.get(name)? {
        Value::Null => Some(None),
        value => read(value).map(Some),
    }
}

#[cfg(test)]
mod tests;
