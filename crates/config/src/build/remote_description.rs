//! Descriptions at addresses. Each request repeats the validators of the known version, so an unchanged description
//! costs no bytes. If an address does not respond, the known version stays in use. It comes from an earlier build, or
//! from an earlier process by way of a folder.

mod cache;

use std::{path::Path, sync::Arc, time::Duration};

use bytes::Bytes;
use callgate_kind::message_with_root_cause;
use callgate_transport::{Limits, Transport};
use http::{HeaderMap, HeaderName, HeaderValue, Request, Response, StatusCode, header};
use tokio::task::JoinSet;
use url::Url;

use self::cache::DescriptionCache;
use crate::{
    description::{Description, Source},
    location::Location,
    toolset::ToolsetConfig,
};

#[derive(Clone, Debug)]
pub(super) struct FetchedDescription {
    place: RemoteDescription,
    pub(super) text: Arc<[u8]>,
    /// The validators that the server sent with this version.
    validators: Vec<(HeaderName, HeaderValue)>,
    /// The reason why the version of an earlier build is in use.
    pub(super) stale: Option<String>,
}

/// The address of a description, and the headers and transport of the request for it.
#[derive(Clone, Debug)]
struct RemoteDescription {
    url: Url,
    transport: Arc<dyn Transport>,
    most_bytes: usize,
}

/// The descriptions of all toolsets in order, requested in parallel over these transports; `None` for a toolset without
/// an address. If a server does not respond, the known or stored description is used.
pub(super) async fn fetch_descriptions(
    toolsets: &[ToolsetConfig],
    transports: &[Arc<dyn Transport>],
    previous_descriptions: &[FetchedDescription],
    folder: Option<&Path>,
) -> Vec<Option<Result<FetchedDescription, String>>> {
    let mut asked = JoinSet::new();
    for (at, (config, transport)) in toolsets.iter().zip(transports).enumerate() {
        let Description { source: Source::Address(url), .. } = &config.description else {
            continue;
        };
        let place = RemoteDescription {
            url: url.clone(),
            transport: Arc::clone(transport),
            most_bytes: config.description_limits.text.bytes,
        };
        let previous_description =
            previous_descriptions.iter().find(|candidate| candidate.place.url == *url).cloned();
        let cache = folder.map(|folder| DescriptionCache::new(folder, url));
        asked.spawn(async move {
            (at, place.fetch_or_reuse_description(previous_description, cache).await)
        });
    }
    let mut all: Vec<_> = toolsets.iter().map(|_| None).collect();
    while let Some(answered) = asked.join_next().await {
        if let Ok((at, fetched)) = answered
            && let Some(slot) = all.get_mut(at)
        {
            *slot = Some(fetched);
        }
    }
    all
}

impl FetchedDescription {
    /// Returns true if the server has another version. A server that does not respond counts as unchanged.
    pub(super) async fn is_outdated(&self) -> bool {
        match self.place.request_if_changed(Some(self)).await {
            Ok(answer) if answer.status() == StatusCode::OK => answer.body()[..] != self.text[..],
            Ok(_) | Err(_) => false,
        }
    }
}

impl RemoteDescription {
    async fn fetch_or_reuse_description(
        self,
        previous_description: Option<FetchedDescription>,
        cache: Option<DescriptionCache>,
    ) -> Result<FetchedDescription, String> {
        let last_description = previous_description.or_else(|| {
            let (validators, text) = cache.as_ref()?.stored_description(self.most_bytes)?;
            let place = self.clone();
            Some(FetchedDescription { place, text: text.into(), validators, stale: None })
        });
        let why = match self.request_if_changed(last_description.as_ref()).await {
            Ok(answer) if answer.status() == StatusCode::OK => {
                let validators = conditional_request_headers(answer.headers());
                let text: Arc<[u8]> = answer.into_body().to_vec().into();
                // A page that an intermediary returns instead does not replace the last description.
                if let Some(cache) = cache.filter(|_| !callgate_openapi::is_foreign_text(&text)) {
                    cache.store_text(&validators, &text);
                }
                return Ok(FetchedDescription { place: self, text, validators, stale: None });
            }
            Ok(answer) => match (answer.status(), &last_description) {
                (StatusCode::NOT_MODIFIED, Some(last_description)) => {
                    return Ok(FetchedDescription {
                        place: self,
                        stale: None,
                        ..last_description.clone()
                    });
                }
                _ => self.unexpected_response_message(&answer),
            },
            Err(why) => why,
        };
        match last_description {
            Some(last_description) => {
                Ok(FetchedDescription { place: self, stale: Some(why), ..last_description })
            }
            None => Err(why),
        }
    }

    /// The message for an unexpected response, with the remedy if one is known.
    fn unexpected_response_message(&self, answer: &Response<Bytes>) -> String {
        let status = answer.status();
        let what = format!("expected the status 200, got: {}", status.as_u16());
        let location = answer.headers().get(header::LOCATION).and_then(|value| value.to_str().ok());
        let location = location.and_then(|location| self.url.join(location).ok());
        match location.filter(|_| status.is_redirection()) {
            Some(to) => {
                let to = Location::Address(to).display_path().display().to_string();
                format!("{what}; it redirects, which is not followed, to: `{to}`")
            }
            None if matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) => {
                format!(
                    "{what}; no credential is sent for a description: download it and name the file"
                )
            }
            None => what,
        }
    }

    async fn request_if_changed(
        &self,
        previous_description: Option<&FetchedDescription>,
    ) -> Result<Response<Bytes>, String> {
        let request = Request::get(self.url.as_str()).header(header::ACCEPT, ACCEPTED);
        let mut request = request.body(Bytes::new()).map_err(|error| error.to_string())?;
        for (name, value) in
            previous_description.iter().flat_map(|description| &description.validators)
        {
            request.headers_mut().insert(name.clone(), value.clone());
        }
        let limits = Limits { timeout: TIMEOUT, response_bytes: self.most_bytes };
        let answer = self.transport.send(request, &limits).await;
        let status = answer.as_ref().map(|answer| answer.status().as_u16()).ok();
        let address = Location::Address(self.url.clone()).display_path();
        tracing::debug!(address = %address.display(), status, "a description was asked for");
        answer.map_err(|error| message_with_root_cause(&error))
    }
}

/// RFC 9110 §13.1: the validators of a conditional request for this version.
fn conditional_request_headers(headers: &HeaderMap) -> Vec<(HeaderName, HeaderValue)> {
    let pairs =
        [(header::ETAG, header::IF_NONE_MATCH), (header::LAST_MODIFIED, header::IF_MODIFIED_SINCE)];
    let validator =
        |(said, asked): (HeaderName, HeaderName)| Some((asked, headers.get(said)?.clone()));
    pairs.into_iter().filter_map(validator).collect()
}

const ACCEPTED: &str = "application/yaml, application/json, */*;q=0.1";

/// The timeout of a request: a person waits while a description is loaded.
const TIMEOUT: Duration = Duration::from_secs(10);
