//! Results as callgate writes them: `{"id", "tool", "status", "response"}`, or with `error`, `pending` or `request` in
//! place of `response`. A service's JSON is written unchanged. `dialect` writes foreign formats.

mod content;

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{
    Serialize, Serializer,
    ser::{SerializeMap, SerializeSeq},
};

use crate::{
    Answer, Cut, Fault, Handle, Outcome, Pending, PlannedRequest, Preview, Problem, ToolResult,
    Truncated,
};

/// The members of an object that is being written.
type Members<S> = <S as Serializer>::SerializeMap;

/// Writes the id, the tool, the members of the outcome and, where there are any, `defaults` (the arguments that got defaults
/// of the description) and `notes` (what else differs from the call). The rest of the journal is only for the operator.
impl Serialize for ToolResult {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_map(None)?;
        members.serialize_entry("id", &self.id)?;
        members.serialize_entry("tool", &self.tool)?;
        outcome::<S>(&self.outcome, &mut members)?;
        known::<S, _>(&mut members, "defaults", self.defaults().as_ref())?;
        known::<S, _>(&mut members, "notes", self.notes().as_ref())?;
        members.end()
    }
}

/// Writes `status`, if known, and `response`, `error`, `pending` or `request`.
impl Serialize for Outcome {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_map(None)?;
        outcome::<S>(self, &mut members)?;
        members.end()
    }
}

/// Writes `status`, `headers`, `response` and, if known, `stillSending`, `truncated`, `next` and `handle`.
impl Serialize for Answer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_map(None)?;
        answer::<S>(self, &mut members)?;
        members.end()
    }
}

fn outcome<S: Serializer>(outcome: &Outcome, members: &mut Members<S>) -> Result<(), S::Error> {
    match outcome {
        Outcome::Answered(answered) => answer::<S>(answered, members),
        Outcome::Failed(fault) => {
            known::<S, _>(members, "status", fault.status.as_ref())?;
            members.serialize_entry("error", fault)
        }
        Outcome::Pending(pending) => members.serialize_entry("pending", pending),
        Outcome::Planned(preview) => members.serialize_entry("request", preview),
    }
}

fn answer<S: Serializer>(answer: &Answer, members: &mut Members<S>) -> Result<(), S::Error> {
    known::<S, _>(members, "status", answer.status.as_ref())?;
    if !answer.headers.is_empty() {
        members.serialize_entry("headers", &Headers(&answer.headers))?;
    }
    members.serialize_entry("response", &answer.content)?;
    known::<S, _>(members, "stillSending", answer.still_sending.then_some(&true))?;
    known::<S, _>(members, "truncated", answer.truncated.as_ref())?;
    known::<S, _>(members, "next", Some(&answer.next).filter(|next| !next.is_empty()))?;
    known::<S, _>(members, "handle", answer.handle.as_ref())
}

fn known<S: Serializer, T: Serialize>(
    members: &mut Members<S>,
    name: &'static str,
    value: Option<&T>,
) -> Result<(), S::Error> {
    value.map_or(Ok(()), |value| members.serialize_entry(name, value))
}

/// Writes the text by which a model names the result.
impl Serialize for Handle {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// `{"message", "size", "cuts"}`.
impl Serialize for Truncated {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_map(Some(3))?;
        members.serialize_entry("message", &self.message)?;
        members.serialize_entry("size", &self.size)?;
        members.serialize_entry("cuts", &self.cuts)?;
        members.end()
    }
}

/// `{"at", "shown", "of", "unit"}`.
impl Serialize for Cut {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_map(Some(4))?;
        members.serialize_entry("at", &self.at)?;
        members.serialize_entry("shown", &self.shown)?;
        members.serialize_entry("of", &self.of)?;
        members.serialize_entry("unit", self.unit.as_str())?;
        members.end()
    }
}

/// Writes the known members of `{"code", "message", "problems", "reached", "next", "retryAfter", "body"}`. The `status` of
/// a result stands beside its error.
impl Serialize for Fault {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_map(None)?;
        members.serialize_entry("code", self.code.as_str())?;
        members.serialize_entry("message", &self.message)?;
        let problems = Some(&self.problems).filter(|problems| !problems.is_empty());
        known::<S, _>(&mut members, "problems", problems)?;
        members.serialize_entry("reached", self.reached.as_str())?;
        members.serialize_entry("next", self.next.as_str())?;
        let seconds = self.retry_after.as_ref().map(Duration::as_secs);
        known::<S, _>(&mut members, "retryAfter", seconds.as_ref())?;
        known::<S, _>(&mut members, "body", self.body.as_ref())?;
        members.end()
    }
}

/// `{"at", "expected", "got", "suggestion"}`.
impl Serialize for Problem {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_map(None)?;
        members.serialize_entry("at", &self.at)?;
        members.serialize_entry("expected", &self.expected)?;
        members.serialize_entry("got", &self.got)?;
        known::<S, _>(&mut members, "suggestion", self.suggestion.as_ref())?;
        members.end()
    }
}

/// Writes `{"kind", "id", "expires", "request"}`; the time follows RFC 3339.
impl Serialize for Pending {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_map(None)?;
        members.serialize_entry("kind", self.kind.as_str())?;
        members.serialize_entry("id", &self.id)?;
        known::<S, _>(&mut members, "expires", self.expires.map(timestamp).as_ref())?;
        members.serialize_entry("request", &self.request)?;
        members.end()
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

/// `{"method", "url", "headers", "body", "curl"}`.
impl Serialize for PlannedRequest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_map(Some(5))?;
        members.serialize_entry("method", &self.method)?;
        members.serialize_entry("url", &self.url)?;
        members.serialize_entry("headers", &Headers(&self.headers))?;
        members.serialize_entry("body", &self.body)?;
        members.serialize_entry("curl", &self.curl)?;
        members.end()
    }
}

/// Headers as an object; a header with several values becomes a list.
struct Headers<'a>(&'a [(String, String)]);

impl Serialize for Headers<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_map(None)?;
        for (at, (name, value)) in self.0.iter().enumerate() {
            let is_named = |(known, _): &(String, String)| known == name;
            if self.0.iter().take(at).any(is_named) {
                continue;
            }
            if self.0.iter().skip(at + 1).any(is_named) {
                members.serialize_entry(name, &Values { headers: self.0, name })?;
            } else {
                members.serialize_entry(name, value)?;
            }
        }
        members.end()
    }
}

struct Values<'a> {
    headers: &'a [(String, String)],
    name: &'a str,
}

impl Serialize for Values<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut items = serializer.serialize_seq(None)?;
        for (_, value) in self.headers.iter().filter(|(name, _)| name == self.name) {
            items.serialize_element(value)?;
        }
        items.end()
    }
}

/// A time by RFC 3339, in whole seconds of UTC; times before 1970 become 1970.
fn timestamp(time: SystemTime) -> String {
    let seconds = time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let (days, seconds) = (seconds / 86_400, seconds % 86_400);
    // Years begin in March here, so that a leap day is the last day of its year.
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year + u64::from(month <= 2);
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hours:02}:{minutes:02}:{seconds:02}Z")
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::{Content, Event, FaultCode, Journal, Json, Next, Part, PendingKind, Reached, Unit};

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
        let file = Content::File { media_type, size: 7, sha256 };
        let mut answer = Answer::new(None, file).with_header("ETag", "1").with_header("link", "a");
        answer = answer.with_header("Link", "b");
        answer.handle = Handle::new("result:00ff");
        let cut = Cut { at: "a".to_owned(), shown: 1, of: 2, unit: Unit::Items };
        answer.truncated = Some(Truncated::new("cut", 7, vec![cut]));
        let expected = concat!(
            r#"{"headers":{"etag":"1","link":["a","b"]},"#,
            r#""response":{"mediaType":"a/b","size":7,"sha256":"00"},"#,
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
        let mut file = Part::new(Content::File { media_type, size: 7, sha256 });
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
            assert_eq!(timestamp(UNIX_EPOCH + Duration::from_secs(seconds)), expected);
        }
        let pending = pending.with_expiry(UNIX_EPOCH);
        let written = serde_json::to_string(&pending).unwrap();
        assert!(written.contains(r#""expires":"1970-01-01T00:00:00Z","request""#), "{written}");
    }

    #[test]
    fn the_preview_of_a_dry_run_may_be_a_text() {
        let text = Preview::Text("asks".to_owned());
        check(Outcome::Planned(Box::new(text)), r#"{"request":{"text":"asks"}}"#);
    }
}
