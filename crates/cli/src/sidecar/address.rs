//! The address of a running sidecar: that of `--url`, or the one that a configuration makes it listen on.

use std::path::Path;

use callgate_config::{Address, DescriptionOptions, Kinds, ListenerConfig, ServingConfig};
use http::Uri;

use crate::{
    args::SidecarArguments,
    effects,
    exit::Failure,
    file_argument::{self, USUAL_FILE},
    open::loader_with_effects,
};

/// The URL of a sidecar, without a slash at its end.
pub(super) fn sidecar_url(arguments: &SidecarArguments, kinds: &Kinds) -> Result<String, Failure> {
    given_or_configured_url(arguments, kinds, |serving| {
        let configured_url = serving.access.as_ref()?.url.as_ref()?;
        Some(configured_url.trim_end_matches('/').to_owned())
    })
}

/// The URL at which this machine reaches a sidecar: that of an address for operators if it has one, which may be without TLS.
pub(super) fn local_sidecar_url(
    arguments: &SidecarArguments,
    kinds: &Kinds,
) -> Result<String, Failure> {
    given_or_configured_url(arguments, kinds, |serving| serving.admin.iter().find_map(local_url))
}

/// The URL of the arguments, the one that `named` finds in the configuration, or that of the first listener.
fn given_or_configured_url(
    arguments: &SidecarArguments,
    kinds: &Kinds,
    named: impl Fn(&ServingConfig) -> Option<String>,
) -> Result<String, Failure> {
    if let Some(url) = &arguments.url {
        return Ok(url.trim_end_matches('/').to_owned());
    }
    let usual = Some(Path::new(USUAL_FILE)).filter(|file| file.exists());
    let Some(file) = arguments.file.as_deref().or(usual) else { return Ok(USUAL.to_owned()) };
    let serving = read_serving(file, kinds)?;
    named(&serving).map_or_else(|| first_local_url(file, &serving.listen), Ok)
}

fn read_serving(file: &Path, kinds: &Kinds) -> Result<ServingConfig, Failure> {
    let location = file_argument::file_location(file)?;
    let config = loader_with_effects(kinds, effects::SIDECAR)
        .open(location, &DescriptionOptions::default())?
        .faultless()?;
    Ok(config.serving)
}

fn first_local_url(file: &Path, listeners: &[ListenerConfig]) -> Result<String, Failure> {
    if listeners.is_empty() {
        return Ok(USUAL.to_owned());
    }
    listeners.iter().find_map(local_url).ok_or_else(|| {
        let named: Vec<_> = listeners.iter().map(|it| it.address.to_string()).collect();
        let message = format!(
            "expected a host and a port in `listen` of `{}`, got: `{}`",
            file.display(),
            named.join("`, `")
        );
        Failure::with_help(&message, "name the address of the sidecar: `--url URL`")
    })
}

/// The URL of a listener on a port, as this machine reaches it.
fn local_url(listener: &ListenerConfig) -> Option<String> {
    let Address::Tcp { host, port: port @ 1.. } = &listener.address else { return None };
    let scheme = if listener.tls.is_some() { "https" } else { "http" };
    let host = match host.as_str() {
        "0.0.0.0" => "127.0.0.1",
        "::" => "::1",
        host => host,
    };
    let address = Address::Tcp { host: host.to_owned(), port: *port };
    Some(format!("{scheme}://{address}"))
}

/// True if others on the network can read what is sent there.
pub(super) fn is_readable_on_the_way(url: &str) -> bool {
    let Ok(uri) = url.parse::<Uri>() else { return false };
    let host = uri.host().unwrap_or_default().trim_matches(['[', ']']);
    let is_here = host == "localhost"
        || host.parse().is_ok_and(|address: std::net::IpAddr| address.is_loopback());
    uri.scheme_str() == Some("http") && !is_here
}

const USUAL: &str = "http://127.0.0.1:8410";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listener_is_called_at_its_port_on_this_machine() {
        for (address, expected) in [
            ("127.0.0.1:8410", Some("http://127.0.0.1:8410")),
            ("0.0.0.0:80", Some("http://127.0.0.1:80")),
            ("[::]:8410", Some("http://[::1]:8410")),
            ("callgate.internal:8410", Some("http://callgate.internal:8410")),
            ("127.0.0.1:0", None),
            ("unix:/run/callgate.sock", None),
            ("systemd", None),
        ] {
            let listener = ListenerConfig::new(address.parse().unwrap());
            assert_eq!(local_url(&listener).as_deref(), expected, "{address}");
        }
    }

    #[test]
    fn a_token_can_be_read_by_others_without_tls_and_beyond_this_machine() {
        for (url, expected) in [
            ("http://callgate.internal:8410", true),
            ("http://10.0.0.1", true),
            ("http://127.0.0.1:8410", false),
            ("http://[::1]:8410", false),
            ("http://localhost:8410", false),
            ("https://callgate.internal", false),
        ] {
            assert_eq!(is_readable_on_the_way(url), expected, "{url}");
        }
    }
}
