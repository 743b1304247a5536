//! The errors that programs make show their messages, and of their causes the texts alone.

use crate::prelude::*;
use std::error;

use callgate::{auth, transport};

/// A cause that holds what nobody may read.
struct Cause;

impl fmt::Debug for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("canary")
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the disk is gone")
    }
}

impl error::Error for Cause {}

#[track_caller]
fn check(error: &dyn error::Error) {
    assert_eq!(error.to_string(), "no answer");
    assert_eq!(error.source().unwrap().to_string(), "the disk is gone");
    let shown = format!("{error:?} {error:#?}");
    assert!(shown.contains("no answer") && shown.contains("the disk is gone"), "{shown}");
    assert!(!shown.contains("canary"), "{shown}");
}

#[test]
fn the_cause_of_an_error_is_shown_as_text() {
    let kind = auth::ErrorKind::TokenUnavailable;
    check(&auth::Error::new(kind, "no answer").with_source(Cause).clone());
    let kind = secret::ErrorKind::Unreadable;
    check(&secret::Error::new(kind, "no answer").with_source(Cause).clone());
    let kind = session::ErrorKind::Unavailable;
    check(&session::Error::new(kind, "no answer").with_source(Cause).clone());
    let kind = ErrorKind::Send;
    check(&transport::Error::new(kind, "no answer").with_source(Cause).clone());
}

#[test]
fn a_failed_request_may_have_reached_the_service_unless_its_kind_excludes_it() {
    let rows = [
        (ErrorKind::Certificate, Reached::No),
        (ErrorKind::Coding, Reached::Yes),
        (ErrorKind::Connect, Reached::No),
        (ErrorKind::Dns, Reached::No),
        (ErrorKind::Expanding, Reached::Yes),
        (ErrorKind::MalformedRecording, Reached::No),
        (ErrorKind::NothingRecorded, Reached::No),
        (ErrorKind::Receive, Reached::Maybe),
        (ErrorKind::Refused, Reached::No),
        (ErrorKind::Send, Reached::Maybe),
        (ErrorKind::TimedOut, Reached::Maybe),
        (ErrorKind::Tls, Reached::Maybe),
        (ErrorKind::TooLarge, Reached::Yes),
    ];
    for (kind, reached) in rows {
        let error = transport::Error::new(kind, "no answer");
        assert_eq!(error.reached_service(), reached, "{kind:?}");
        assert_eq!(error.with_reached(Reached::Yes).reached_service(), Reached::Yes, "{kind:?}");
    }
}
