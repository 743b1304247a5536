//! Servers of a description: a request to one of them has the path below it, and not the whole of its own.

use callgate_tool::Value;
use url::Url;

use crate::exchange::{Exchange, Segment};

/// The addresses of the servers, with the defaults of their variables (OpenAPI 3.1.1 §4.8.6).
pub(crate) fn server_addresses(description: &Value) -> Vec<String> {
    let servers = description.get("servers").and_then(Value::as_array).into_iter().flatten();
    let addresses = servers.filter_map(|server| {
        let mut address = server.get("url")?.as_str()?.to_owned();
        for (name, variable) in super::members_of(server.get("variables")) {
            let default = variable.get("default").and_then(Value::as_str).unwrap_or_default();
            address = address.replace(&format!("{{{name}}}"), default);
        }
        Some(address.trim_end_matches('/').to_owned())
    });
    addresses.collect()
}

/// Takes the path of a server out of a request to it. A request to another one keeps its path.
pub(crate) fn remove_server_path(exchange: &mut Exchange, addresses: &[String]) {
    let below = |address: &String| -> Option<Vec<Segment>> {
        let url = Url::parse(address).ok()?;
        let base: Vec<&str> = url.path().split('/').filter(|part| !part.is_empty()).collect();
        let is_below = exchange
            .segments
            .iter()
            .map(|segment| &*segment.text)
            .take(base.len())
            .eq(base.iter().copied());
        let is_it = url.origin().ascii_serialization() == exchange.origin && is_below;
        is_it.then(|| exchange.segments.iter().skip(base.len()).cloned().collect())
    };
    // The longest path first: one server may lie below another.
    let mut moved: Vec<_> =
        addresses.iter().filter_map(|address| Some((below(address)?, address))).collect();
    moved.sort_by_key(|(segments, _)| segments.len());
    if let Some((segments, address)) = moved.into_iter().next() {
        exchange.segments = segments;
        exchange.origin.clone_from(address);
    }
}
