//! Results as callgate writes them: `{"id", "tool", "status", "response"}`, or with `error`, `pending` or `request` in
//! place of `response`. A service's JSON is written unchanged. `dialect` writes foreign formats.

use base64::{display::Base64Display, prelude::BASE64_STANDARD};
use serde::{Serialize, Serializer, ser::SerializeMap};

use crate::{
    Answer, Approvers, Content, Effect, FaultCode, Handle, Next, Outcome, PendingKind, Preview,
    Reached, ToolResult, Unit, json_forms::Headers,
};

type Members<S> = <S as Serializer>::SerializeMap;

/// Writes the id, the tool, the members of the outcome and, where there are any, `attempts` (of a call that was retried),
/// `defaults` (the arguments that got defaults of the description) and `notes` (what else differs from the call). The rest of the journal is only for the operator.
impl Serialize for ToolResult {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_map(None)?;
        members.serialize_entry("id", &self.id)?;
        members.serialize_entry("tool", &self.tool)?;
        serialize_outcome::<S>(&self.outcome, &mut members)?;
        serialize_if_some::<S, _>(&mut members, "attempts", self.journal.attempts().as_ref())?;
        serialize_if_some::<S, _>(&mut members, "defaults", self.defaults().as_ref())?;
        serialize_if_some::<S, _>(&mut members, "notes", self.notes().as_ref())?;
        members.end()
    }
}

/// Writes `status`, if known, and `response`, `error`, `pending` or `request`.
impl Serialize for Outcome {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_map(None)?;
        serialize_outcome::<S>(self, &mut members)?;
        members.end()
    }
}

/// Writes `status`, `headers`, `response` and, if known, `stillSending`, `truncated`, `next` and `handle`.
impl Serialize for Answer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_map(None)?;
        serialize_answer::<S>(self, &mut members)?;
        members.end()
    }
}

fn serialize_outcome<S: Serializer>(
    outcome: &Outcome,
    members: &mut Members<S>,
) -> Result<(), S::Error> {
    match outcome {
        Outcome::Answered(answered) => serialize_answer::<S>(answered, members),
        Outcome::Failed(fault) => {
            serialize_if_some::<S, _>(members, "status", fault.status.as_ref())?;
            members.serialize_entry("error", fault)
        }
        Outcome::Pending(pending) => members.serialize_entry("pending", pending),
        Outcome::Planned(preview) => members.serialize_entry("request", preview),
    }
}

fn serialize_answer<S: Serializer>(
    answer: &Answer,
    members: &mut Members<S>,
) -> Result<(), S::Error> {
    serialize_if_some::<S, _>(members, "status", answer.status.as_ref())?;
    if !answer.headers.is_empty() {
        members.serialize_entry("headers", &Headers(&answer.headers))?;
    }
    members.serialize_entry("response", &answer.content)?;
    serialize_if_some::<S, _>(members, "stillSending", answer.still_sending.then_some(&true))?;
    serialize_if_some::<S, _>(members, "truncated", answer.truncated.as_ref())?;
    serialize_if_some::<S, _>(members, "next", Some(&answer.next).filter(|next| !next.is_empty()))?;
    serialize_if_some::<S, _>(members, "handle", answer.handle.as_ref())
}

fn serialize_if_some<S: Serializer, T: Serialize>(
    members: &mut Members<S>,
    name: &'static str,
    value: Option<&T>,
) -> Result<(), S::Error> {
    value.map_or(Ok(()), |value| members.serialize_entry(name, value))
}

macro_rules! words {
    ($($Word:ty),+) => {
        $(impl Serialize for $Word {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        })+
    };
}

words!(Approvers, Effect, FaultCode, Handle, Next, PendingKind, Reached, Unit);

/// Writes JSON as it is, a text as a string, an empty body as `null`, an image or a sound with its bytes in base64, another
/// file with its digest, and parts as an array.
impl Serialize for Content {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Empty => serializer.serialize_unit(),
            Self::File { media_type, filename, size, sha256 } => {
                let mut members = serializer.serialize_map(None)?;
                members.serialize_entry("mediaType", media_type)?;
                serialize_if_some::<S, _>(&mut members, "filename", filename.as_ref())?;
                members.serialize_entry("size", size)?;
                members.serialize_entry("sha256", sha256)?;
                members.end()
            }
            Self::Json(json) => json.serialize(serializer),
            Self::Media { media_type, data } => {
                let mut members = serializer.serialize_map(Some(3))?;
                members.serialize_entry("mediaType", media_type)?;
                members.serialize_entry("size", &data.len())?;
                members.serialize_entry("data", &Base64(data))?;
                members.end()
            }
            Self::Parts(parts) => parts.serialize(serializer),
            Self::Text { text, .. } => serializer.serialize_str(text),
        }
    }
}

struct Base64<'a>(&'a [u8]);

impl Serialize for Base64<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&Base64Display::new(self.0, &BASE64_STANDARD))
    }
}

/// Writes the request, or `{"text"}`.
impl Serialize for Preview {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Request(request) => request.serialize(serializer),
            Self::Text(text) => {
                let mut members = serializer.serialize_map(Some(1))?;
                members.serialize_entry("text", text)?;
                members.end()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use bytes::Bytes;

    use super::*;
    use crate::{Cut, Event, Fault, Journal, Json, Part, Pending, Problem, Truncated};

    #[track_caller]
    fn check(outcome: impl Into<Outcome>, expected: &str) {
        let outcome = outcome.into();
        let written = serde_json::to_string(&outcome).unwrap();
        assert_eq!(written, expected);
        let (id, tool, journal) = ("1".to_owned(), "t".to_owned(), Journal::default());
        let result = ToolResult { id, tool, outcome, journal };
        let whole = serde_json::to_string(&result).unwrap();
        assert_eq!(whole, expected.replacen('{', r#"{"id":"1","tool":"t","#, 1));
    }

    fn json(text: &str) -> Content {
        Content::Json(Json::parse(text).unwrap())
    }

    #[test]
    fn the_json_of_a_service_is_passed_on_unchanged() {
        let text = r#"{"b": 1.10, "a": [1e400, 9007199254740993],  "b": 2}"#;
        let expected = format!(r#"{{"status":200,"response":{text}}}"#);
        check(Answer::new(200, json(text)), &expected);
    }

    #[test]
    fn each_kind_of_content_has_its_json_form() {
        check(Answer::new(None, Content::Empty), r#"{"response":null}"#);
        let text = Content::Text { text: "a\"b".to_owned(), media_type: "text/plain".to_owned() };
        check(Answer::new(201, text), r#"{"status":201,"response":"a\"b"}"#);
        let data = Bytes::from_static(b"\0\xff");
        let media = Content::Media { media_type: "image/png".to_owned(), data };
        let expected = r#"{"response":{"mediaType":"image/png","size":2,"data":"AP8="}}"#;
        check(Answer::new(None, media), expected);
        let (media_type, sha256) = ("a/b".to_owned(), "00".to_owned());
        let filename = Some("report 7.pdf".to_owned());
        let file = Content::File { media_type, filename, size: 7, sha256 };
        let mut answer = Answer::new(None, file).with_header("ETag", "1").with_header("link", "a");
        answer = answer.with_header("Link", "b");
        answer.handle = Handle::new("result:00ff");
        let cut = Cut { at: "a".to_owned(), shown: 1, of: 2, unit: Unit::Items };
        answer.truncated = Some(Truncated::new("cut", 7, vec![cut]));
        let expected = concat!(
            r#"{"headers":{"etag":"1","link":["a","b"]},"#,
            r#""response":{"mediaType":"a/b","filename":"report 7.pdf","size":7,"sha256":"00"},"#,
            r#""truncated":{"message":"cut","size":7,"cuts":[{"at":"a","shown":1,"of":2,"unit":"items"}]},"#,
            r#""handle":"result:00ff"}"#,
        );
        check(answer, expected);
    }

    #[test]
    fn parts_are_written_as_an_array_with_their_names() {
        let mut named = Part::new(json("{\"id\": 1.10}"));
        named.name = Some("pet".to_owned());
        let (media_type, sha256) = ("application/zip".to_owned(), "00".to_owned());
        let mut file = Part::new(Content::File { media_type, filename: None, size: 7, sha256 });
        (file.content_id, file.filename) = (Some("a@b".to_owned()), Some("a.zip".to_owned()));
        file.handle = Handle::new("result:00ff");
        let expected = concat!(
            r#"{"response":[{"name":"pet","content":{"id": 1.10}},"#,
            r#"{"contentId":"a@b","filename":"a.zip","#,
            r#""content":{"mediaType":"application/zip","size":7,"sha256":"00"},"handle":"result:00ff"}]}"#,
        );
        check(Answer::new(None, Content::Parts(vec![named, file])), expected);
    }

    #[test]
    fn a_fault_is_written_with_only_the_members_that_it_has() {
        let mut fault = Fault::new(FaultCode::ServiceError, "no", Next::TryLater);
        let expected = r#"{"error":{"code":"service_error","message":"no","reached":"no","next":"try_later"}}"#;
        check(fault.clone(), expected);
        fault.status = Some(503);
        fault.retry_after = Some(Duration::from_millis(7500));
        fault.problems.push(Problem {
            at: "a".to_owned(),
            expected: "b".to_owned(),
            got: "c".to_owned(),
            suggestion: None,
        });
        let expected = concat!(
            r#"{"status":503,"error":{"code":"service_error","message":"no","#,
            r#""problems":[{"at":"a","expected":"b","got":"c"}],"reached":"no","#,
            r#""next":"try_later","retryAfter":7}}"#,
        );
        check(fault, expected);
    }

    #[test]
    fn defaults_that_were_sent_are_listed_beside_the_answer() {
        let mut journal = Journal::default();
        for name in ["a", "b.c", "d"] {
            journal.note(Event::DefaultUsed { argument: name.to_owned() });
        }
        journal.note(Event::DefaultUnfit { argument: "d".to_owned() });
        let refused = Fault::new(FaultCode::InvalidArguments, "no", Next::CorrectArguments);
        let failed = refused.clone().with_reached(Reached::Yes);
        for (outcome, is_told) in [
            (Answer::new(200, Content::Empty).into(), true),
            (Outcome::from(failed), true),
            (Outcome::from(refused), false),
        ] {
            let (id, tool, journal) = ("1".to_owned(), "t".to_owned(), journal.clone());
            let result = ToolResult { id, tool, outcome, journal };
            let written = serde_json::to_string(&result).unwrap();
            assert_eq!(written.contains(r#""defaults":["a","b.c"],"notes""#), is_told, "{written}");
        }
    }

    #[test]
    fn a_retried_call_says_how_often_and_why() {
        let mut journal = Journal::default();
        let (unreachable, late) = (FaultCode::Unreachable, FaultCode::TimedOut);
        for (code, status) in
            [(FaultCode::ServiceError, Some(503)), (unreachable, None), (late, None)]
        {
            journal.note(Event::Retried { code, status, wait: Duration::from_millis(7) });
        }
        let outcome = Answer::new(200, Content::Empty).into();
        let result = ToolResult { id: "1".to_owned(), tool: "t".to_owned(), outcome, journal };
        let written = serde_json::to_string(&result).unwrap();
        let told = r#""attempts":4,"notes":["the call took 4 attempts: the service answered 503, then the connection to the service failed, then the service did not answer in time"]}"#;
        assert!(written.ends_with(told), "{written}");
        let line = result.journal.events()[0].to_string();
        assert_eq!(line, "the service answered 503; a further attempt followed after 7 ms");
    }

    #[test]
    fn notes_are_listed_beside_the_answer() {
        let mut journal = Journal::default();
        for argument in ["a", "a"] {
            journal.note(Event::NullOmitted { argument: argument.to_owned() });
        }
        journal.note(Event::Approved);
        journal.note(Event::ToolFolded { asked: "x".repeat(4096), meant: "t".to_owned() });
        let outcome = Answer::new(200, Content::Empty).into();
        let result = ToolResult { id: "1".to_owned(), tool: "t".to_owned(), outcome, journal };
        let written = serde_json::to_string(&result).unwrap();
        let cut = format!("{}…", "x".repeat(100));
        let notes = format!(
            r#""notes":["the name `{cut}` was taken as `t`","null and therefore omitted: `a`"]}}"#
        );
        assert!(written.ends_with(&notes), "{written}");
    }

    #[test]
    fn a_pending_outcome_is_written_with_its_expiry() {
        let pending = Pending::new(PendingKind::Client, "p", "x".into());
        let expected = r#"{"pending":{"kind":"client","id":"p","request":"x"}}"#;
        check(Outcome::Pending(Box::new(pending.clone())), expected);
        let rows = [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_795_305_599, "2026-11-21T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ];
        for (seconds, expected) in rows {
            let expires = UNIX_EPOCH + Duration::from_secs(seconds);
            let written = serde_json::to_string(&pending.clone().with_expiry(expires)).unwrap();
            let expected = format!(r#""expires":"{expected}","request""#);
            assert!(written.contains(&expected), "{written}");
        }
    }

    #[test]
    fn the_preview_of_a_dry_run_may_be_a_text() {
        let text = Preview::Text("asks".to_owned());
        check(Outcome::Planned(Box::new(text)), r#"{"request":{"text":"asks"}}"#);
    }
}
