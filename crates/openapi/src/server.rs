//! Where an operation is sent: an absolute origin and base path, fixed when the description is loaded. Which addresses
//! may be dialled is not decided here.

mod swagger;

use std::{cell::RefCell, sync::Arc};

use callgate_tool::NamedBy;
use callgate_tree::{Node, Path};
use hashbrown::HashMap;
use url::Url;

use crate::{
    code::Code, document::Document, findings::Findings, options::LoadOptions, reference::Located,
};

/// One server, its variables filled in.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Server {
    /// The absolute URL without query, fragment and user information; its path ends in a slash only where it is `/`.
    pub url: Url,
    /// Who named it.
    pub named_by: NamedBy,
}

/// Why there is no server.
#[derive(Clone, Debug)]
struct Refusal {
    code: Code,
    pointer: String,
    message: String,
}

/// Finds the server of each operation. The one of the whole description is found once.
#[derive(Debug)]
pub(crate) struct Servers<'d> {
    document: &'d Document,
    options: &'d LoadOptions,
    root: Result<Arc<Server>, Refusal>,
    /// Those of the lists of operations and path items.
    known: RefCell<HashMap<*const Node, Result<Arc<Server>, Refusal>>>,
}

impl<'d> Servers<'d> {
    pub(crate) fn new(document: &'d Document, options: &'d LoadOptions) -> Self {
        let list = document.root().get("servers").filter(|list| is_named(list));
        let root = match (&options.server, list) {
            (Some(template), _) => named_by_operator(template, options),
            _ if document.version().is_swagger() => of_swagger(document, None, options),
            (None, Some(list)) => {
                named_by_description(&Located::new(list, &Path::at("/servers")), options)
            }
            // OpenAPI 3.0.3 §4.7.1.1: without servers there is one with the url `/`.
            (None, None) => resolve("/", "/servers", options),
        };
        Self { document, options, root: root.map(Arc::new), known: RefCell::default() }
    }

    /// The server of the whole description.
    pub(crate) fn root(&self) -> Option<Arc<Server>> {
        self.root.as_ref().ok().cloned()
    }

    /// The server of the operation whose own node and path item are given, innermost first.
    pub(crate) fn of(
        &self,
        levels: &[&Located<'_>],
        findings: &mut Findings,
    ) -> Option<Arc<Server>> {
        if self.document.version().is_swagger() {
            return self.of_swagger(levels, findings);
        }
        let own = levels
            .iter()
            .filter_map(|level| level.member("servers"))
            .find(|list| is_named(list.node))
            .filter(|_| self.options.server.is_none());
        let found = match own {
            Some(list) => self.of_list(&list),
            None => self.root.clone(),
        };
        found.map_err(|refusal| refusal.report(findings)).ok()
    }

    /// The server of a list, which operations may share: it is looked at once.
    fn of_list(&self, list: &Located<'_>) -> Result<Arc<Server>, Refusal> {
        let place = std::ptr::from_ref(list.node);
        if let Some(known) = self.known.borrow().get(&place) {
            return known.clone();
        }
        let found = named_by_description(list, self.options).map(Arc::new);
        self.known.borrow_mut().insert(place, found.clone());
        found
    }

    /// The same in Swagger 2.0, where an operation may have schemes of its own.
    fn of_swagger(&self, levels: &[&Located<'_>], findings: &mut Findings) -> Option<Arc<Server>> {
        let own = levels.iter().find_map(|level| level.node.get("schemes"));
        let found = match own.filter(|_| self.options.server.is_none()) {
            Some(schemes) => of_swagger(self.document, Some(schemes), self.options).map(Arc::new),
            None => self.root.clone(),
        };
        found.map_err(|refusal| refusal.report(findings)).ok()
    }
}

fn of_swagger(
    document: &Document,
    schemes: Option<&Node>,
    options: &LoadOptions,
) -> Result<Server, Refusal> {
    resolve(&swagger::url(document.root(), schemes, options), "/host", options)
}

impl Refusal {
    fn report(self, findings: &mut Findings) {
        findings.error(
            self.code,
            self.pointer,
            self.message,
            "name one with `--server URL` or `server:`",
        );
    }
}

/// Whether a list of servers names any; one that is no list is treated as named, and refused.
fn is_named(list: &Node) -> bool {
    !matches!(list, Node::Null) && list.as_array().is_none_or(|servers| !servers.is_empty())
}

fn named_by_operator(template: &str, options: &LoadOptions) -> Result<Server, Refusal> {
    let bad = |message| refusal(Code::InvalidServer, "", message);
    let url = filled(template, None, "", options)?;
    let url = Url::parse(&url)
        .map_err(|_| bad(format!("expected an absolute server URL, got: `{url}`")))?;
    base(url, "").map(|url| Server { url, named_by: NamedBy::Operator })
}

fn named_by_description(list: &Located<'_>, options: &LoadOptions) -> Result<Server, Refusal> {
    let first = list.path().index(0).to_string();
    let server = list.node.as_array().and_then(<[Node]>::first);
    let Some(template) = server.and_then(|server| server.get("url")).and_then(Node::as_str) else {
        let message = "expected a server with a `url`, got none".to_owned();
        return Err(refusal(Code::InvalidServer, &first, message));
    };
    let url = filled(template, server.and_then(|server| server.get("variables")), &first, options)?;
    resolve(&url, &first, options)
}

/// The URL of a server, relative to the description's own address.
fn resolve(url: &str, pointer: &str, options: &LoadOptions) -> Result<Server, Refusal> {
    match (Url::parse(url.trim()), &options.document_url) {
        (Ok(url), _) => base(url, pointer).map(|url| {
            let named_by =
                if options.trusts(&url) { NamedBy::Operator } else { NamedBy::Description };
            Server { url, named_by }
        }),
        (Err(url::ParseError::RelativeUrlWithoutBase), Some(document_url)) => {
            let joined = document_url.join(url.trim()).map_err(|_| invalid(url, pointer))?;
            // Who named the description's own origin named this one.
            let same = joined.origin() == document_url.origin();
            let named_by = if same { NamedBy::Operator } else { NamedBy::Description };
            base(joined, pointer).map(|url| Server { url, named_by })
        }
        (Err(url::ParseError::RelativeUrlWithoutBase), None) => {
            let message = format!("expected an absolute server URL, got: `{url}`");
            Err(refusal(Code::NoServer, pointer, message))
        }
        (Err(_), _) => Err(invalid(url, pointer)),
    }
}

/// A URL that other URLs can be built on.
fn base(mut url: Url, pointer: &str) -> Result<Url, Refusal> {
    let bad = |message| Err(refusal(Code::InvalidServer, pointer, message));
    if url.as_str().len() > LONGEST {
        let got = url.as_str().len();
        return bad(format!("expected a server in at most {LONGEST} bytes, got: {got}"));
    }
    if !matches!(url.scheme(), "http" | "https") {
        return bad(format!("expected a server with `http` or `https`, got: `{}`", url.scheme()));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return bad("expected a server without user information, got one with it".to_owned());
    }
    if url.query().is_some() || url.fragment().is_some() {
        return bad(format!("expected a server without query and fragment, got: `{url}`"));
    }
    let path = url.path().trim_end_matches('/').to_owned();
    url.set_path(&path);
    Ok(url)
}

/// A server's template with its variables filled in: by the operator, else by their defaults.
fn filled(
    template: &str,
    variables: Option<&Node>,
    pointer: &str,
    options: &LoadOptions,
) -> Result<String, Refusal> {
    let mut text = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        let Some((name, after)) = after.split_once('}') else {
            return Err(invalid(template, pointer));
        };
        text.push_str(before);
        text.push_str(&value(name, variables, pointer, options)?);
        rest = after;
    }
    text.push_str(rest);
    Ok(text)
}

fn value(
    name: &str,
    variables: Option<&Node>,
    pointer: &str,
    options: &LoadOptions,
) -> Result<String, Refusal> {
    let variable = variables.and_then(|variables| variables.get(name));
    let legal = variable.and_then(|variable| variable.get("enum")).and_then(Node::as_array);
    let legal = legal.map(|values| values.iter().filter_map(written).collect::<Vec<_>>());
    let bad = |message| refusal(Code::ServerVariable, pointer, message);
    if let Some(value) = options.server_variables.get(name) {
        let is_legal = legal.as_ref().is_none_or(|legal| legal.is_empty() || legal.contains(value));
        let expected = || legal.clone().unwrap_or_default().join("`, `");
        return is_legal.then(|| value.clone()).ok_or_else(|| {
            bad(format!(
                "expected the server variable `{name}` to be one of `{}`, got: `{value}`",
                expected()
            ))
        });
    }
    let default = variable.and_then(|variable| variable.get("default")).and_then(written);
    default
        .or_else(|| legal?.into_iter().next())
        .ok_or_else(|| bad(format!("expected a value for the server variable `{name}`, got none")))
}

/// A scalar as it is written; ports are often written as numbers.
fn written(node: &Node) -> Option<String> {
    match node {
        Node::Bool(value) => Some(value.to_string()),
        Node::Number(number) => Some(number.to_string()),
        Node::String(text) => Some(text.to_string()),
        _ => None,
    }
}

fn invalid(url: &str, pointer: &str) -> Refusal {
    refusal(Code::InvalidServer, pointer, format!("expected a server URL, got: `{url}`"))
}

fn refusal(code: Code, pointer: &str, message: String) -> Refusal {
    Refusal { code, pointer: pointer.to_owned(), message }
}

/// Longer addresses are not sent.
const LONGEST: usize = 8 << 10;

#[cfg(test)]
mod tests {
    use callgate_tool::{Value, json};

    use super::*;
    use crate::sample::document;

    /// The URL and who named it, or the code of the refusal.
    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "a row is a literal")]
    fn check_with(options: &LoadOptions, servers: Value, expected: &str) {
        let document = document(json!({"servers": servers}));
        let mut findings = Findings::default();
        let got = Servers::new(&document, options).of(&[], &mut findings);
        let got = got.map_or_else(
            || findings.into_diagnostics()[0].code.as_str().to_owned(),
            |server| format!("{} {:?}", server.url, server.named_by),
        );
        assert_eq!(got, expected);
    }

    #[track_caller]
    fn check(servers: Value, expected: &str) {
        check_with(&LoadOptions::default(), servers, expected);
    }

    #[test]
    fn the_first_server_counts() {
        let two = json!([{"url": "https://a.example/v1/"}, {"url": "https://b.example"}]);
        check(two, "https://a.example/v1 Description");
        check(json!([{"url": "https://a.example"}]), "https://a.example/ Description");
    }

    #[test]
    fn variables_have_defaults_and_values() {
        let servers = json!([{"url": "https://{region}.example:{port}", "variables": {
            "region": {"default": "eu", "enum": ["eu", "us"]}, "port": {"default": 8443}}}]);
        check(servers.clone(), "https://eu.example:8443/ Description");
        let mut options = LoadOptions::default();
        options.server_variables.insert("region".to_owned(), "us".to_owned());
        check_with(&options, servers.clone(), "https://us.example:8443/ Description");
        options.server_variables.insert("region".to_owned(), "evil".to_owned());
        check_with(&options, servers, "server-variable");
        check(json!([{"url": "https://{tenant}.example"}]), "server-variable");
    }

    #[test]
    fn a_relative_server_needs_the_address_of_the_description() {
        check(json!([{"url": "/v1"}]), "no-server");
        check(json!([]), "no-server");
        check(json!(null), "no-server");
        let options = LoadOptions {
            document_url: Some(Url::parse("https://a.example/docs/api.json").unwrap()),
            ..LoadOptions::default()
        };
        check_with(&options, json!([{"url": "/v1"}]), "https://a.example/v1 Operator");
        check_with(&options, json!([{"url": "v1/"}]), "https://a.example/docs/v1 Operator");
        check_with(&options, json!([]), "https://a.example/ Operator");
        check_with(&options, json!([{"url": "//b.example"}]), "https://b.example/ Description");
    }

    #[test]
    fn a_server_on_an_origin_of_the_operator_is_the_operators() {
        let options = LoadOptions {
            trusted_origins: vec!["http://127.0.0.1:8000".to_owned()],
            ..LoadOptions::default()
        };
        for (url, named_by) in [
            ("http://127.0.0.1:8000/v1", "Operator"),
            ("http://127.0.0.1:8001/v1", "Description"),
            ("https://127.0.0.1:8000/v1", "Description"),
        ] {
            check_with(&options, json!([{"url": url}]), &format!("{url} {named_by}"));
        }
    }

    #[test]
    fn a_server_is_a_plain_http_address() {
        for bad in [
            "ftp://a.example",
            "file:///etc",
            "https://u:p@a.example",
            "https://a.example?x=1",
            "https://a.example#f",
            "https://",
            "<address>",
            "https://{a",
            "javascript:alert(1)",
        ] {
            let document = document(json!({"servers": [{"url": bad}]}));
            let options = LoadOptions::default();
            let found = Servers::new(&document, &options).of(&[], &mut Findings::default());
            assert!(found.is_none(), "{bad}");
        }
        check(json!("https://a.example"), "invalid-server");
        check(json!([{"description": "none"}]), "invalid-server");
    }

    #[test]
    fn the_operator_overrides_every_server() {
        let options = LoadOptions {
            server: Some("http://localhost:8000/v2/".to_owned()),
            ..LoadOptions::default()
        };
        let servers = json!([{"url": "https://a.example"}]);
        check_with(&options, servers, "http://localhost:8000/v2 Operator");
    }

    #[test]
    fn the_innermost_level_counts() {
        let document = document(json!({
            "servers": [{"url": "https://root.example"}],
            "item": {"servers": [{"url": "https://item.example"}]},
            "operation": {"servers": []},
        }));
        let level = |name: &str| {
            let node = document.root().get(name).unwrap();
            Located { node, pointer: format!("/{name}").into() }
        };
        let options = LoadOptions::default();
        let servers = Servers::new(&document, &options);
        let levels = [&level("operation"), &level("item")];
        let found = servers.of(&levels, &mut Findings::default()).unwrap();
        assert_eq!(found.url.as_str(), "https://item.example/");
    }
}
