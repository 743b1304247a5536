//! Imports the connection to a tool's service, in the messages that both products share: the trusted certificates, the
//! private endpoint, and the client certificate.

use callgate_tool::{Value, json};

use crate::import::{Imported, RemarkKind, message::Message, text::ExportText};

/// `tlsConfig`: the certificates that are trusted instead of the machine's.
pub(super) fn import_tls(owner: &Message<'_>, imported: &mut Imported) {
    let Some(config) = owner.message("tlsConfig", imported) else { return };
    config.remark_unknown_members(&["caCerts"], imported);
    let mut certificates = Vec::new();
    for certificate in config.messages("caCerts", imported) {
        certificate.remark_unknown_members(&["displayName", "cert"], imported);
        certificates.extend(
            certificate.required_text("cert", imported).map(|text| Value::from(text.plain_text())),
        );
    }
    // Without certificates the message means the machine's own trust.
    if !certificates.is_empty() {
        imported.settings.insert("tls".to_owned(), json!({"ca": certificates}));
    }
}

/// `serviceDirectoryConfig`: the service whose private endpoint is contacted.
pub(super) fn import_service_directory(owner: &Message<'_>, imported: &mut Imported) {
    let Some(config) = owner.message("serviceDirectoryConfig", imported) else { return };
    config.remark_unknown_members(&["service"], imported);
    let Some(service) = config.required_text("service", imported).map(ExportText::plain_text)
    else {
        return;
    };
    let parts: Vec<_> = service.split('/').collect();
    let is_name =
        matches!(&*parts, ["projects", _, "locations", _, "namespaces", _, "services", _])
            && parts.iter().all(|part| !part.is_empty());
    if !is_name {
        let message = "expected `projects/…/locations/…/namespaces/…/services/…`";
        return imported.add_remark(RemarkKind::Invalid, config.member_pointer("service"), message);
    }
    imported.settings.insert("service_directory".to_owned(), service.into());
}

/// `clientCertificateSettings` of an agent: the certificate for services that request one.
pub(super) fn import_client_certificate(owner: &Message<'_>, imported: &mut Imported) {
    let Some(config) = owner.message("clientCertificateSettings", imported) else { return };
    config.remark_unknown_members(&["sslCertificate", "privateKey", "passphrase"], imported);
    let certificate = config.required_text("sslCertificate", imported).map(ExportText::plain_text);
    let key = config
        .required_text("privateKey", imported)
        .and_then(|name| secret_version(&config, "privateKey", name, imported));
    let passphrase = config.text("passphrase", imported);
    let passphrase = passphrase.map(|name| secret_version(&config, "passphrase", name, imported));
    let (Some(certificate), Some(key)) = (certificate, key) else { return };
    let mut tls = json!({"client_certificate": certificate, "client_key": key});
    match (&mut tls, passphrase) {
        (_, Some(None)) => return,
        (Value::Object(members), Some(Some(passphrase))) => {
            members.insert("client_key_passphrase".to_owned(), passphrase);
        }
        _ => {}
    }
    imported.settings.insert("tls".to_owned(), tls);
}

fn secret_version(
    config: &Message<'_>,
    member: &str,
    name: ExportText<'_>,
    imported: &mut Imported,
) -> Option<Value> {
    let part = if member == "passphrase" { "-passphrase" } else { "" };
    let version = imported.secret_version_or_file(name, config.member_pointer(member), part);
    if version.is_none() {
        let message = "expected `projects/PROJECT/secrets/SECRET/versions/VERSION`";
        imported.add_remark(RemarkKind::Invalid, config.member_pointer(member), message);
    }
    version
}
