//! Builds the URL of a Swagger 2.0 server from `schemes`, `host` and `basePath` (2.0 §Swagger Object).

use callgate_tree::Node;

use crate::options::LoadOptions;

/// The URL, which is relative if the description names no host; `schemes` may be an operation's own.
pub(super) fn url(root: &Node, schemes: Option<&Node>, options: &LoadOptions) -> String {
    let text =
        |name: &str| root.get(name).and_then(Node::as_str).map(str::trim).unwrap_or_default();
    let (host, base) = (text("host"), text("basePath").trim_start_matches('/'));
    if host.is_empty() {
        return format!("/{base}");
    }
    format!("{}://{host}/{base}", scheme(schemes.or_else(|| root.get("schemes")), options))
}

/// `https` if it is listed. Without `schemes` it is the scheme that the description was read with.
fn scheme<'a>(schemes: Option<&'a Node>, options: &'a LoadOptions) -> &'a str {
    let mut named = schemes.and_then(Node::as_array).unwrap_or_default().iter();
    let names: Vec<&str> = named.by_ref().filter_map(Node::as_str).collect();
    let known = ["https", "http"].into_iter().find(|known| names.contains(known));
    let read_with = options.document_url.as_ref().map(url::Url::scheme);
    let read_with = read_with.filter(|scheme| matches!(*scheme, "http" | "https"));
    known.or_else(|| names.first().copied()).or(read_with).unwrap_or("https")
}
