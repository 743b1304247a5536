//! The key `approvals`: the service that a sidecar tells of calls that wait for a person. The build reads its secrets.

use callgate_secret::SecretReference;
use callgate_settings::{
    Kind, Mapping, Reader, SettingCode, forms, keys, member_pointer, read_secrets,
};
use url::Url;

/// The webhook that a sidecar tells of each call that begins to wait for an approval.
#[derive(Clone, Eq, PartialEq)]
#[non_exhaustive]
pub struct WebhookConfig {
    /// The address that notices are sent to.
    pub url: Url,
    /// The secrets whose keys sign; several while one replaces another.
    pub secrets: Vec<SecretReference>,
}

// The path of the address may be a secret.
callgate_secret::opaque!(WebhookConfig { secrets });

keys! {
    pub(crate) struct ApprovalsKeys in "`approvals`" {
        /// The service that each call that begins to wait is reported to.
        webhook: Webhook;
    }
}

keys! {
    pub(crate) struct WebhookKeys in "`webhook`" {
        /// The secret that signs, `whsec_` and 24 to 64 bytes in base64; several while one replaces another.
        secret: Signing, required;
        /// The address that notices are sent to; `env:NAME` for the variable that holds it.
        url: WebhookUrl, required;
    }
}

forms! {
    /// The settings of approvals.
    pub struct Approvals => Option<WebhookConfig>, ApprovalsKeys::KIND,
        |reader, mapping, key| Some(reader.get::<ApprovalsKeys>(mapping, key)?.webhook);
    struct Webhook => WebhookConfig, WebhookKeys::KIND, |reader, mapping, key| {
        let WebhookKeys { secret, url } = reader.get::<WebhookKeys>(mapping, key)?;
        Some(WebhookConfig { url: url?, secrets: secret? })
    };
    struct Signing => Vec<SecretReference>, Kind::AnyOf(&[Kind::Secret, Kind::List(&Kind::Secret)]),
        |reader, mapping, key| {
            Some(read_secrets(reader, mapping, key).into_iter().map(|(_, secret)| secret).collect())
        };
    struct WebhookUrl => Url, Kind::Setting, webhook_url;
}

fn webhook_url(reader: &mut Reader, mapping: Mapping<'_>, key: &str) -> Option<Url> {
    let text = reader.string_or_variable(mapping, key)?;
    let is_fine = |url: &Url| {
        matches!(url.scheme(), "http" | "https")
            && url.username().is_empty()
            && url.password().is_none()
            && url.fragment().is_none()
    };
    let url = Url::parse(&text).ok().filter(is_fine);
    if url.is_none() {
        let message = "expected an http or https URL without a user and without `#`";
        let help = "for example `https://chat.example.com/approvals`";
        reader.report_fault(SettingCode::WrongValue, member_pointer(mapping, key), message, help);
    }
    url
}
