//! Signs a finished request with AWS Signature Version 4, in headers. `aws-sigv4` computes the signature; this module
//! decides which parts are signed and applies the rules of services that differ.

use std::time::SystemTime;

use aws_credential_types::Credentials;
use aws_sigv4::{
    http_request::{
        PayloadChecksumKind, PercentEncodingMode, SignableBody, SignableRequest, SigningSettings,
        UriPathNormalizationMode,
    },
    sign::v4,
};
use bytes::Bytes;
use callgate_secret::{Error, ErrorKind};
use http::{HeaderName, HeaderValue, Request, header::CONTENT_TYPE};

use super::{
    access_key::AwsKeys,
    scope::{Scope, Signed},
};

/// The headers that sign a request as it is; the sender must not change the request afterwards.
///
/// The signature covers the host, the content type, every `x-amz-` header, the path, the query and the body, as AWS
/// requires. Other headers may change on the way (RFC 9110 §7.6), and credentials in them stay out of the signer's
/// trace.
///
/// # Errors
/// `Invalid` if the request has no host, if the body is left out of the signature without TLS, or if a signed header is
/// not text.
pub fn sign(
    request: &Request<Bytes>,
    keys: &AwsKeys,
    scope: &Scope,
    at: SystemTime,
) -> Result<Vec<Signed>, Error> {
    let uri = request.uri();
    if uri.host().is_none() || uri.scheme().is_none() {
        return Err(invalid_error("a request without a host cannot be signed"));
    }
    // Amazon S3 API Reference, "Signature Calculations": an unsigned payload is for HTTPS only.
    if scope.is_payload_unsigned && uri.scheme_str() != Some("https") {
        return Err(invalid_error("a body may be left out of the signature over `https://` only"));
    }
    let body = if scope.is_payload_unsigned {
        SignableBody::UnsignedPayload
    } else {
        SignableBody::Bytes(request.body())
    };
    let signed_headers = request.headers().iter().filter(|(name, _)| needs_signature(name));
    let mut texts = Vec::new();
    for (name, value) in signed_headers {
        let text =
            value.to_str().map_err(|_| invalid_error("a signed header must be plain text"))?;
        texts.push((name.as_str(), text));
    }
    let signable =
        SignableRequest::new(request.method().as_str(), uri.to_string(), texts.into_iter(), body);
    let session_token = keys.session_token.as_ref().map(|token| token.expose().to_owned());
    let identity = Credentials::new(
        keys.access_key_id.expose(),
        keys.secret_access_key.expose(),
        session_token,
        None,
        "callgate",
    )
    .into();
    let parameters = v4::SigningParams::builder()
        .identity(&identity)
        .region(&scope.region)
        .name(&scope.service)
        .time(at)
        .settings(signing_settings(scope))
        .build()
        .map_err(|_| invalid_error("the request cannot be signed"))?
        .into();
    let unsignable = |_| invalid_error("the request cannot be signed");
    let signed = aws_sigv4::http_request::sign(signable.map_err(unsignable)?, &parameters)
        .map_err(unsignable)?;
    let (headers, _) = signed.into_parts().0.into_parts();
    headers.iter().map(|header| signed_header(header.name(), header.value())).collect()
}

/// The settings of the signer. S3 requires an unchanged path and the body's hash in a header: Amazon S3 API Reference,
/// "Signature Calculations".
fn signing_settings(scope: &Scope) -> SigningSettings {
    let mut settings = SigningSettings::default();
    let is_s3 = scope.service == "s3" || scope.service.starts_with("s3-");
    if is_s3 {
        settings.percent_encoding_mode = PercentEncodingMode::Single;
        settings.uri_path_normalization_mode = UriPathNormalizationMode::Disabled;
    }
    if is_s3 || scope.is_payload_unsigned {
        settings.payload_checksum_kind = PayloadChecksumKind::XAmzSha256;
    }
    settings
}

fn needs_signature(name: &HeaderName) -> bool {
    // The signature sets these headers itself.
    let is_ours = OURS.contains(&name.as_str());
    !is_ours && (name == CONTENT_TYPE || name.as_str().starts_with("x-amz-"))
}

fn signed_header(name: &'static str, value: &str) -> Result<Signed, Error> {
    let mut value = HeaderValue::try_from(value)
        .map_err(|_| invalid_error("the keys of AWS cannot be put in a header"))?;
    value.set_sensitive(true);
    Ok(Signed { name: HeaderName::from_static(name), value })
}

fn invalid_error(message: &'static str) -> Error {
    Error::new(ErrorKind::Invalid, message)
}

const OURS: [&str; 3] = ["x-amz-content-sha256", "x-amz-date", "x-amz-security-token"];

#[cfg(test)]
mod tests;
