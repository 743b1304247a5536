//! Explains a refused call: by the credential's or the connection's problem, and by the reason that the service's challenge
//! gives.

use bytes::Bytes;
use callgate_call::wording;
use callgate_secret::Masker;
use callgate_tool::Outcome;
use callgate_transport::TlsFault;
use http::{Response, StatusCode};

use super::OpenApi;
use crate::backend::{
    challenge::{self, SentCredential},
    failure,
};

impl OpenApi {
    /// Adds to a fault the credential's or the connection's problem if the response shows one.
    pub(super) fn explained_outcome(
        &self,
        outcome: Outcome,
        response: &Response<Bytes>,
        masker: &Masker<'_>,
        sent: SentCredential,
    ) -> Outcome {
        let Outcome::Failed(mut fault) = outcome else { return outcome };
        if !response.status().is_client_error() {
            return Outcome::Failed(fault);
        }
        let reason = challenge::refusal_reason(response);
        let reason = reason.map(|reason| masker.mask_text(&reason).into_owned());
        let tls = TlsFault::from_bad_request_page(response);
        let named = || self.authenticator.explain(response);
        let is_refused = response.status() == StatusCode::UNAUTHORIZED;
        let told = tls
            .map(|tls| wording::connection_refused(tls.message()))
            .or_else(|| {
                let parameter = self.authenticator.session_parameter().filter(|_| is_refused)?;
                Some(wording::sign_in_required(&parameter))
            })
            .or_else(|| named().map(|why| wording::auth_refused(&why)))
            .or_else(|| {
                let operation = self.plan.operation();
                is_refused.then(|| failure::refusal_fault(sent, operation, reason.as_deref()))
            });
        let Some(mut told) = told else {
            if let Some(reason) = reason.filter(|_| response.status() == StatusCode::FORBIDDEN) {
                fault.message.push_str(&format!("; {reason}"));
            }
            return Outcome::Failed(fault);
        };
        told.message = masker.mask_text(&told.message).into_owned();
        told.status = fault.status;
        told.retry_after = fault.retry_after;
        told.body = fault.body;
        Outcome::Failed(told)
    }
}
