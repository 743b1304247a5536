//! Keys for a web identity: a token of the cluster in a file, exchanged at the token service for a role's keys (AWS
//! Security Token Service API Reference, `AssumeRoleWithWebIdentity`), as EKS sets it up for a pod.

use callgate_secret::{Error, ErrorKind, Secret};
use http::{Request, StatusCode};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use zeroize::Zeroizing;

use super::{access_key::AwsKeys, finder::Finder, region_domain};
use crate::exchange::{self, StoreResponse};

/// The keys; `None` if the process has no web identity.
pub(super) async fn web_identity_keys(
    finder: &Finder,
    region: &str,
) -> Result<Option<AwsKeys>, Error> {
    let file = finder.read_nonempty_variable("AWS_WEB_IDENTITY_TOKEN_FILE").await?;
    let role = finder.read_nonempty_variable("AWS_ROLE_ARN").await?;
    let Some((file, role)) = file.zip(role) else { return Ok(None) };
    // Read at each use: the cluster replaces it every hour.
    let token = finder.local.get(&format!("file:{}", file.expose()).parse()?).await?;
    let name = finder.read_nonempty_variable("AWS_ROLE_SESSION_NAME").await?;
    let name = name.as_ref().map_or("callgate", Secret::expose);
    let endpoint = finder.read_nonempty_variable("AWS_ENDPOINT_URL_STS").await?;
    let endpoint = match &endpoint {
        Some(endpoint) => endpoint.expose().to_owned(),
        None => format!("https://sts.{region}.{}/", region_domain(region)),
    };
    let form = form_body(&[
        ("Action", "AssumeRoleWithWebIdentity"),
        ("Version", "2011-06-15"),
        ("DurationSeconds", "3600"),
        ("RoleArn", role.expose()),
        ("RoleSessionName", name),
        ("WebIdentityToken", token.expose()),
    ]);
    let request = Request::post(endpoint)
        .header("content-type", "application/x-www-form-urlencoded")
        .body(exchange::body_zeroized_on_drop(form))
        .map_err(|source| exchange::malformed_request_error(STS, source))?;
    let answer = exchange::send_request(STS, &finder.transport, request).await?;
    keys_of_answer(&answer).map(Some)
}

fn form_body(members: &[(&str, &str)]) -> Zeroizing<Vec<u8>> {
    let length: usize = members.iter().map(|(name, value)| name.len() + value.len() * 3 + 2).sum();
    let mut form = Zeroizing::new(Vec::with_capacity(length));
    for (name, value) in members {
        if !form.is_empty() {
            form.push(b'&');
        }
        form.extend_from_slice(name.as_bytes());
        form.push(b'=');
        for part in utf8_percent_encode(value, NON_ALPHANUMERIC) {
            form.extend_from_slice(part.as_bytes());
        }
    }
    form
}

fn keys_of_answer(answer: &StoreResponse) -> Result<AwsKeys, Error> {
    if answer.status != StatusCode::OK {
        let is_down = answer.status.is_server_error();
        let kind = if is_down { ErrorKind::Unreadable } else { ErrorKind::Denied };
        let message =
            format!("{STS} gives no keys for the role and answers {}", answer.status.as_u16());
        return Err(Error::new(kind, message));
    }
    let text = std::str::from_utf8(answer.body.bytes()).unwrap_or_default();
    let element = |name| xml_element_text(text, name).map(|text| Secret::new(text.to_owned()));
    let key_texts = element("AccessKeyId").zip(element("SecretAccessKey"));
    let keys = key_texts.map(|(access_key_id, secret_access_key)| AwsKeys {
        access_key_id,
        secret_access_key,
        session_token: element("SessionToken"),
    });
    keys.ok_or_else(|| {
        Error::new(ErrorKind::Unreadable, "the token service of AWS answers without keys")
    })
}

/// The text of an element that occurs once and contains no escapes: keys and tokens are base64.
fn xml_element_text<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(&format!("<{name}>"))?;
    let (text, _) = rest.split_once("</")?;
    (!text.is_empty()).then_some(text)
}

const STS: &str = "the token service of AWS";
