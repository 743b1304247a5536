//! A whole response without its secrets, as a recording or as a result that is kept.

use bytes::Bytes;
use callgate_call::ReadContext;
use callgate_secret::Masker;
use callgate_tool::{Arguments, Journal, StoredResult};
use callgate_transport::render_response;
use http::{Response, header::CONTENT_TYPE};

use super::OpenApi;
use crate::backend::echo;

impl OpenApi {
    /// The text of a response for a recording, with its secrets masked; `None` if a secret would remain in its decoded content.
    pub(super) fn recorded_response(
        &self,
        response: &Response<Bytes>,
        masker: &Masker<'_>,
    ) -> Option<Vec<u8>> {
        let masked = echo::masked_keeping_valid_json(response, masker);
        let response = masked.as_ref().unwrap_or(response);
        (!self.holds_secret(response, masker)).then(|| render_response(response))
    }

    fn holds_secret(&self, response: &Response<Bytes>, masker: &Masker<'_>) -> bool {
        let (arguments, journal) = (&Arguments::new(), &mut Journal::default());
        let reading = ReadContext { shape: self.own_shape(), masker, arguments, journal };
        self.plan.understood_response(response, reading).held_secret
    }

    /// The whole response with its secrets masked; `None` if a secret would remain in its decoded content.
    pub(super) fn masked_whole_result(
        &self,
        response: &Response<Bytes>,
        masker: &Masker<'_>,
        held_secret: bool,
    ) -> Option<StoredResult> {
        let masked = echo::without_secrets_in_body(response, masker);
        let response = masked.as_ref().unwrap_or(response);
        if held_secret && self.holds_secret(response, masker) {
            return None;
        }
        let media_type = response.headers().get(CONTENT_TYPE);
        let media_type = media_type.and_then(|value| value.to_str().ok()).unwrap_or_default();
        let name = callgate_call::masked_filename(response.headers(), masker);
        Some(StoredResult::new(media_type, response.body().clone()).with_filename(name))
    }
}
