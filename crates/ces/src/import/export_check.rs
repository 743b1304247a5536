//! Checks an export against its description and against the rules for exports: the address behind `$env_var`, and
//! certificates, which an export contains and does not name as files.

use callgate_config::{UNTRUSTED_ENDPOINT, is_public_https};
use callgate_tool::Value;
use callgate_transport::CaCertificates;
use callgate_tree::{Limits, Node};

use crate::import::{Imported, RemarkKind, message::ENVIRONMENT};

/// Removes and reports certificates that are file names: a configuration may name a file, an export may not.
pub(crate) fn remove_tls_naming_files(imported: &mut Imported) {
    let tls = imported.settings.get("tls");
    let ca = tls.and_then(|tls| tls.get("ca")).and_then(Value::as_array);
    let shown = tls.and_then(|tls| tls.get("client_certificate"));
    let is_certificate = |certificate: &Value| {
        certificate.as_str().is_some_and(|text| CaCertificates::read(text.as_bytes()).is_ok())
    };
    if !ca.into_iter().flatten().chain(shown).all(is_certificate) {
        imported.settings.remove("tls");
        let message = "expected certificates: PEM, or DER in base64";
        imported.add_remark(RemarkKind::Invalid, "/tlsConfig", message);
    }
}

/// Replaces `$env_var` in the server of the description by the address from the environment.
pub(crate) fn fill_server_from_environment(description: &str, imported: &mut Imported) {
    let Ok(parsed) = callgate_tree::read(description.as_bytes(), &Limits::default()) else {
        return;
    };
    let servers = parsed.value.get("servers").and_then(Node::as_array).unwrap_or_default();
    let url = servers.first().and_then(|server| server.get("url")).and_then(Node::as_str);
    let Some(template) = url.filter(|url| url.contains(ENVIRONMENT)) else { return };
    let Some(path) = path_after_environment_variable(template) else {
        let message = format!(
            "expected `$env_var` for the whole address of the server, with at most a path behind it, got: `{template}`"
        );
        imported.add_remark(RemarkKind::Invalid, "/servers/0/url", message);
        return;
    };
    if let Some(url) = &imported.url {
        let server = format!("{}{path}", url.trim_end_matches('/'));
        imported.settings.insert("server".to_owned(), server.into());
    } else {
        let message = "the server is `$env_var`, and `environment.json` has no `url` for it";
        imported.add_remark(RemarkKind::NoEquivalent, "", message);
    }
}

/// Reports a token endpoint that is not public https: whoever wrote the export must not choose where in this network
/// the client's secret goes.
pub(crate) fn remark_untrusted_endpoint(imported: &mut Imported) {
    let auth = imported.settings.get("auth").and_then(|auth| auth.get("oauth2_client_credentials"));
    let url = auth.and_then(|auth| auth.get("token_url")).and_then(Value::as_str);
    if url.is_some_and(|url| !is_public_https(url)) {
        imported.add_remark(RemarkKind::Invalid, "/authentication", UNTRUSTED_ENDPOINT);
    }
}

/// The path after `$env_var`. If the template contains anything else, the description chooses the host, and would be
/// trusted like the operator who named the address.
fn path_after_environment_variable(template: &str) -> Option<&str> {
    let path = template.strip_prefix(ENVIRONMENT)?;
    let is_path = path.is_empty() || path.starts_with('/');
    (is_path && !path.contains(ENVIRONMENT)).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn env_var_is_replaced_only_as_the_whole_origin_of_a_server() {
        for (template, path) in [
            ("$env_var", Some("")),
            ("$env_var/", Some("/")),
            ("$env_var/v1/{tenant}", Some("/v1/{tenant}")),
            ("http://127.0.0.1:8080/$env_var", None),
            ("http://127.0.0.1:8080/?x=$env_var", None),
            (" $env_var", None),
            ("//evil.example/$env_var", None),
            ("$env_var.evil.example", None),
            ("$env_var@evil.example", None),
            ("$env_var:8080/", None),
            ("$env_var?x=1", None),
            ("$env_var#a", None),
            ("$env_var\\@evil.example", None),
            ("$env_var/$env_var", None),
        ] {
            assert_eq!(path_after_environment_variable(template), path, "{template}");
        }
    }
}
