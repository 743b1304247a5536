//! Outcomes as a store keeps them: bytes that hold everything and are read back equal. A head of JSON stands on the first
//! line, the texts and bytes of the answer stand behind it as they came. `serial` writes what callers see.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::{
    Answer, Approvers, Content, Cut, Fault, FaultCode, Handle, Json, Next, Object, Outcome, Part,
    Pending, PendingKind, PlannedRequest, Preview, Problem, Reached, ToValue, Truncated, Unit,
    Value, json,
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
            Self::Answered(answer) => json!({"answer": answer.write(&mut bodies)}),
            Self::Failed(fault) => json!({"fault": fault.write(&mut bodies)}),
            Self::Pending(pending) => json!({"pending": pending.write(&mut bodies)}),
            Self::Planned(preview) => json!({"planned": preview.write(&mut bodies)}),
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
            "answer" => Self::Answered(Box::new(OutcomePart::read_part(value, &mut bodies)?)),
            "fault" => Self::Failed(Box::new(OutcomePart::read_part(value, &mut bodies)?)),
            "pending" => Self::Pending(Box::new(OutcomePart::read_part(value, &mut bodies)?)),
            "planned" => Self::Planned(Box::new(OutcomePart::read_part(value, &mut bodies)?)),
            _ => return None,
        })
    }
}

/// The bytes behind the head that are not read yet.
struct Bodies<'a>(&'a [u8]);

impl<'a> Bodies<'a> {
    fn take_bytes(&mut self, length: &Value) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(usize::try_from(length.as_u64()?).ok()?)?;
        self.0 = rest;
        Some(taken)
    }

    fn take_text(&mut self, length: &Value) -> Option<&'a str> {
        std::str::from_utf8(self.take_bytes(length)?).ok()
    }
}

/// A part of an outcome: a value of the head, maybe with bytes behind the head.
trait OutcomePart: Sized {
    fn write(&self, bodies: &mut Vec<u8>) -> Value;
    fn read_part(value: &Value, bodies: &mut Bodies<'_>) -> Option<Self>;
}

macro_rules! members {
    ($($Type:ident { $($member:ident),+ })+) => {$(
        impl OutcomePart for $Type {
            fn write(&self, bodies: &mut Vec<u8>) -> Value {
                let Self { $($member),+ } = self;
                Object::from([$((stringify!($member), $member.write(bodies))),+]).into()
            }

            fn read_part(value: &Value, bodies: &mut Bodies<'_>) -> Option<Self> {
                Some(Self { $($member: OutcomePart::read_part(value.get(stringify!($member))?, bodies)?),+ })
            }
        }
    )+};
}

members! {
    Answer { status, headers, content, still_sending, truncated, next, handle }
    Cut { at, shown, of, unit }
    Fault { code, message, problems, reached, next, retry_after, status, body }
    Part { name, content_id, filename, content, handle }
    Pending { kind, id, expires, request, approvers }
    PlannedRequest { method, url, headers, body, curl }
    Problem { at, expected, got, suggestion }
    Truncated { message, size, cuts }
}

macro_rules! in_the_head {
    ($($Type:ty: $write:expr, $read:expr;)+) => {$(
        impl OutcomePart for $Type {
            fn write(&self, _: &mut Vec<u8>) -> Value {
                let write: fn(&Self) -> Value = $write;
                write(self)
            }

            fn read_part(value: &Value, _: &mut Bodies<'_>) -> Option<Self> {
                let read: fn(&Value) -> Option<Self> = $read;
                read(value)
            }
        }
    )+};
}

in_the_head! {
    (String, String): |(name, value)| json!([name, value]), |value| match value.as_array()?.as_slice() {
        [name, value] => Some((name.as_str()?.to_owned(), value.as_str()?.to_owned())),
        _ => None,
    };
    Approvers: |approvers| approvers.as_str().into(), |value| Self::from_name(value.as_str()?);
    Duration: |time| whole_nanoseconds(*time).into(), |value| value.as_u64().map(Self::from_nanos);
    FaultCode: |code| code.as_str().into(), |value| Self::from_name(value.as_str()?);
    Handle: |handle| handle.as_str().into(), |value| Self::new(value.as_str()?);
    Next: |next| next.as_str().into(), |value| Self::from_name(value.as_str()?);
    Object: ToValue::to_value, |value| value.as_object().cloned();
    PendingKind: |kind| kind.as_str().into(), |value| Self::from_name(value.as_str()?);
    Reached: |reached| reached.as_str().into(), |value| Self::from_name(value.as_str()?);
    String: ToValue::to_value, |value| value.as_str().map(ToOwned::to_owned);
    SystemTime: |time| whole_nanoseconds(time.duration_since(UNIX_EPOCH).unwrap_or_default()).into(),
        |value| UNIX_EPOCH.checked_add(Duration::from_nanos(value.as_u64()?));
    Unit: |unit| unit.as_str().into(), |value| Self::from_name(value.as_str()?);
    bool: ToValue::to_value, Value::as_bool;
    u16: ToValue::to_value, |value| value.as_u64()?.try_into().ok();
    usize: ToValue::to_value, |value| value.as_u64()?.try_into().ok();
}

impl<T: OutcomePart> OutcomePart for Option<T> {
    fn write(&self, bodies: &mut Vec<u8>) -> Value {
        self.as_ref().map_or(Value::Null, |one| one.write(bodies))
    }

    fn read_part(value: &Value, bodies: &mut Bodies<'_>) -> Option<Self> {
        if value.is_null() { Some(None) } else { T::read_part(value, bodies).map(Some) }
    }
}

impl<T: OutcomePart> OutcomePart for Vec<T> {
    fn write(&self, bodies: &mut Vec<u8>) -> Value {
        self.iter().map(|one| one.write(bodies)).collect()
    }

    fn read_part(value: &Value, bodies: &mut Bodies<'_>) -> Option<Self> {
        value.as_array()?.iter().map(|one| T::read_part(one, bodies)).collect()
    }
}

/// Kept as text behind the head, which could not hold a value of the greatest depth.
impl OutcomePart for Value {
    fn write(&self, bodies: &mut Vec<u8>) -> Value {
        push_body(self.to_string().as_bytes(), bodies)
    }

    fn read_part(value: &Value, bodies: &mut Bodies<'_>) -> Option<Self> {
        Self::parse(bodies.take_text(value)?).ok()
    }
}

impl OutcomePart for Content {
    fn write(&self, bodies: &mut Vec<u8>) -> Value {
        match self {
            Self::Empty => Value::Null,
            Self::File { media_type, filename, size, sha256 } => {
                let filename = filename.write(bodies);
                json!({"file": media_type, "filename": filename, "size": size, "sha256": sha256})
            }
            Self::Json(json) => json!({"json": push_body(json.text().as_bytes(), bodies)}),
            Self::Media { media_type, data } => {
                json!({"media": media_type, "size": push_body(data, bodies)})
            }
            Self::Parts(parts) => json!({"parts": parts.write(bodies)}),
            Self::Text { text, media_type } => {
                json!({"text": media_type, "size": push_body(text.as_bytes(), bodies)})
            }
        }
    }

    fn read_part(value: &Value, bodies: &mut Bodies<'_>) -> Option<Self> {
        let Some((kind, first)) = value.as_object().and_then(|members| members.iter().next())
        else {
            return value.is_null().then_some(Self::Empty);
        };
        let (media_type, size) = (|| first.as_str().map(ToOwned::to_owned), value.get("size"));
        Some(match kind.as_str() {
            "file" => {
                let size = OutcomePart::read_part(size?, bodies)?;
                let sha256 = OutcomePart::read_part(value.get("sha256")?, bodies)?;
                // What an earlier version kept has no names.
                let filename = value.get("filename").and_then(Value::as_str).map(ToOwned::to_owned);
                Self::File { media_type: media_type()?, filename, size, sha256 }
            }
            "json" => Self::Json(Json::parse(bodies.take_text(first)?).ok()?),
            "media" => Self::Media {
                media_type: media_type()?,
                data: bodies.take_bytes(size?)?.to_vec().into(),
            },
            "parts" => Self::Parts(OutcomePart::read_part(first, bodies)?),
            "text" => {
                Self::Text { media_type: media_type()?, text: bodies.take_text(size?)?.to_owned() }
            }
            _ => return None,
        })
    }
}

impl OutcomePart for Preview {
    fn write(&self, bodies: &mut Vec<u8>) -> Value {
        match self {
            Self::Request(request) => request.write(bodies),
            Self::Text(text) => text.write(bodies),
        }
    }

    fn read_part(value: &Value, bodies: &mut Bodies<'_>) -> Option<Self> {
        let text = String::read_part(value, bodies).map(Self::Text);
        text.or_else(|| PlannedRequest::read_part(value, bodies).map(Self::Request))
    }
}

/// Puts bytes behind the head, and returns their number.
fn push_body(bytes: &[u8], bodies: &mut Vec<u8>) -> Value {
    bodies.extend_from_slice(bytes);
    bytes.len().into()
}

fn whole_nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
