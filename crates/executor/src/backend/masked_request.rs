//! A request and the head of a response as an operator may see them: credentials and values that count as credentials
//! are masked. Dry runs and watchers of a call show both in this form.

use std::time::Duration;

use bytes::Bytes;
use callgate_auth::{ApiKeyLocation, Authenticator, CredentialPlace, place_masks};
use callgate_call::{Masked, MaskedHeader, planned_request};
use callgate_secret::{MASK, Masker};
use callgate_tool::{Answer, Content, Fault, PlannedRequest, Session};
use callgate_transport::ConnectionInfo;
use http::{
    HeaderMap, Request, Response,
    header::{COOKIE, SET_COOKIE},
};

use super::failure;
use crate::watcher::AnswerHead;

pub(super) fn masked_plan(
    mut request: Request<Bytes>,
    authenticator: &dyn Authenticator,
    session: &Session,
) -> Result<PlannedRequest, Box<Fault>> {
    let places = authenticator.shown_places(session);
    let places = places.map_err(|error| failure::credential_fault(&error))?;
    place_masks(&mut request, &places).map_err(|error| failure::credential_fault(&error))?;
    Ok(planned_request(&request, &credential_masks(&places, request.headers())))
}

pub(super) fn masked_answer_head<T>(
    answer: &Response<T>,
    elapsed: Duration,
    masker: &Masker<'_>,
) -> AnswerHead {
    let shown = |(name, value): (&http::HeaderName, &http::HeaderValue)| {
        let text = String::from_utf8_lossy(value.as_bytes()).into_owned();
        let is_secret = *name == SET_COOKIE || value.is_sensitive();
        let text = if is_secret { MASK.to_owned() } else { masker.mask_text(&text).into_owned() };
        (name.as_str().to_owned(), text)
    };
    AnswerHead {
        version: format!("{:?}", answer.version()),
        status: answer.status().as_u16(),
        headers: answer.headers().iter().map(shown).collect(),
        connection: answer.extensions().get::<ConnectionInfo>().cloned(),
        elapsed,
    }
}

/// Returns true if a response holds more than the answer shows. A file or a cut part is kept by itself.
pub(super) fn has_more_than_shown(answer: &Answer) -> bool {
    match &answer.content {
        Content::File { .. } => true,
        Content::Parts(_) => {
            let cuts = answer.truncated.iter().flat_map(|truncated| &truncated.cuts);
            cuts.into_iter().any(|cut| cut.at.is_empty())
        }
        _ => answer.truncated.is_some(),
    }
}

fn credential_masks(places: &[CredentialPlace], headers: &HeaderMap) -> Masked {
    let mut masked = Masked::default();
    for place in places.iter().filter(|place| place.plain().is_none()) {
        let variable = place.environment().map(ToOwned::to_owned);
        let name = place.name().to_owned();
        match place.place() {
            ApiKeyLocation::Query => masked.query.push((name, variable)),
            // A credential's cookie is the last; earlier cookies are masked already.
            ApiKeyLocation::Cookie => {
                let cookies = headers.get(COOKIE).and_then(|value| value.to_str().ok());
                let before = cookies.and_then(|cookie_text| cookie_text.strip_suffix(MASK));
                let prefix = before.unwrap_or_default().to_owned();
                let last = MaskedHeader { name: COOKIE.to_string(), prefix, variable };
                masked.headers.retain(|header| header.name != last.name);
                masked.headers.push(last);
            }
            _ => {
                let prefix = place.prefix().to_owned();
                masked.headers.push(MaskedHeader { name, prefix, variable });
            }
        }
    }
    masked
}
