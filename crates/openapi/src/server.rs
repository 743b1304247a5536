//! The server of an operation: an absolute origin and base path, fixed when the description is loaded. This module does
//! not decide which addresses may be contacted.

mod swagger;
mod variables;
mod written;

use std::{cell::RefCell, sync::Arc};

use callgate_tool::{NamedBy, Remedy};
use callgate_tree::{Node, Path, Severity};
use hashbrown::{HashMap, HashSet};
use url::Url;

pub use written::{InvalidServer, check_server};

use crate::{
    code::Code,
    document::Document,
    findings::{Finding, Findings},
    options::LoadOptions,
    reference::Located,
};

/// One server, its variables filled in.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Server {
    /// The absolute URL without query, fragment and user information; its path ends in a slash only if it is `/`.
    pub url: Url,
    /// The party that named the server.
    pub named_by: NamedBy,
    /// True if the server's origin is unknown: the description has no server, or a relative one, and was not read from
    /// an address. The origin of `url` is a placeholder, and nothing may be sent there.
    pub is_missing: bool,
}

/// The reason why there is no server.
#[derive(Clone, Debug)]
struct Refusal {
    code: Code,
    pointer: String,
    message: String,
}

/// The server from a list.
type Named = Result<Arc<Server>, Refusal>;

/// Finds the server of each operation. The server of the whole description is found once.
#[derive(Debug)]
pub(crate) struct Servers<'d> {
    document: &'d Document,
    options: &'d LoadOptions,
    root: Result<Arc<Server>, Refusal>,
    /// The operations with an unknown server: their number, and the place and the path of the first one's server.
    missing: RefCell<(usize, Option<(String, String)>)>,
    /// The servers from the lists of operations and path items.
    known: RefCell<HashMap<Arc<str>, Named>>,
    /// The lists whose variables were checked.
    seen: RefCell<HashSet<*const Node>>,
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
        Self {
            document,
            options,
            root: root.map(Arc::new),
            missing: RefCell::default(),
            known: RefCell::default(),
            seen: RefCell::default(),
        }
    }

    /// The server of the whole description.
    pub(crate) fn root(&self) -> Option<Arc<Server>> {
        self.root.as_ref().ok().filter(|server| !server.is_missing).cloned()
    }

    /// Reports once the faults of the server of every operation: the operator's, or a default of the description.
    pub(crate) fn report_root(&self, findings: &mut Findings) {
        let list = self.document.root().get("servers").filter(|list| is_named(list));
        if let Some(list) = list.filter(|_| !self.document.version().is_swagger()) {
            self.report_variables(&Located::new(list, &Path::at("/servers")), findings);
        }
        if let (Some(text), Err(refusal)) = (&self.options.server, &self.root) {
            let help = written::help(text);
            findings.error(refusal.code, "", refusal.message.clone(), &help);
        }
    }

    /// Reports once that the server of some operations is unknown.
    pub(crate) fn report_missing(&self, findings: &mut Findings) {
        let missing = self.missing.borrow();
        let (n, Some((pointer, path))) = &*missing else { return };
        let message = format!(
            "expected an absolute server URL for {n} operations, whose calls are refused, got: `{path}`"
        );
        let url = format!("https://HOST{}", path.trim_end_matches('/'));
        let remedy = Remedy::NameServer { url };
        let code = Code::NoServer.into();
        let help = &remedy.to_string();
        let (severity, remedy) = (Severity::Warning, Some(&remedy));
        findings.add(Finding { code, severity, message, help, remedy }, pointer);
    }

    /// Reports once for each list of servers the variables whose default is not one of their values.
    fn report_variables(&self, list: &Located<'_>, findings: &mut Findings) {
        let is_replaced = |name: &str| self.options.server_variables.contains_key(name);
        let is_new = self.seen.borrow_mut().insert(std::ptr::from_ref(list.node));
        if is_new && self.options.server.is_none() {
            variables::report_odd_defaults(list, is_replaced, findings);
        }
    }

    fn note_missing(&self, found: &Result<Arc<Server>, Refusal>, pointer: &str) {
        let Some(server) = found.as_ref().ok().filter(|server| server.is_missing) else { return };
        let (n, first) = &mut *self.missing.borrow_mut();
        *n += 1;
        first.get_or_insert_with(|| (pointer.to_owned(), server.url.path().to_owned()));
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
        let pointer = own.as_ref().map_or("/servers", |list| &list.pointer);
        if let Some(list) = &own {
            self.report_variables(list, findings);
        }
        let found = match &own {
            Some(list) => self.of_list(list),
            None => self.root.clone(),
        };
        self.note_missing(&found, pointer);
        self.reported(found, findings)
    }

    /// The server; a refusal is reported, except that of the operator's server, which is not the operation's fault.
    fn reported(
        &self,
        found: Result<Arc<Server>, Refusal>,
        findings: &mut Findings,
    ) -> Option<Arc<Server>> {
        let is_operators = self.options.server.is_some();
        found
            .map_err(|refusal| {
                if !is_operators {
                    refusal.report(findings);
                }
            })
            .ok()
    }

    /// The server from a list, which operations may share: it is read once.
    fn of_list(&self, list: &Located<'_>) -> Result<Arc<Server>, Refusal> {
        if let Some(known) = self.known.borrow().get(&list.pointer) {
            return known.clone();
        }
        let found = named_by_description(list, self.options).map(Arc::new);
        self.known.borrow_mut().insert(Arc::clone(&list.pointer), found.clone());
        found
    }

    /// The server in Swagger 2.0, where an operation may have its own schemes.
    fn of_swagger(&self, levels: &[&Located<'_>], findings: &mut Findings) -> Option<Arc<Server>> {
        let own = levels.iter().find_map(|level| level.node.get("schemes"));
        let found = match own.filter(|_| self.options.server.is_none()) {
            Some(schemes) => of_swagger(self.document, Some(schemes), self.options).map(Arc::new),
            None => self.root.clone(),
        };
        self.note_missing(&found, "/host");
        self.reported(found, findings)
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
        let remedy = Remedy::NameServer { url: "URL".to_owned() };
        let Self { code, pointer, message } = self;
        let help = &remedy.to_string();
        let (code, severity, remedy) = (code.into(), Severity::Error, Some(&remedy));
        findings.add(Finding { code, severity, message, help, remedy }, pointer);
    }
}

/// Returns true if a list names a server; a value that is not a list counts as naming one, and is refused.
fn is_named(list: &Node) -> bool {
    !matches!(list, Node::Null) && list.as_array().is_none_or(|servers| !servers.is_empty())
}

fn named_by_operator(template: &str, options: &LoadOptions) -> Result<Server, Refusal> {
    let bad = |message| refusal(Code::InvalidServer, "", message);
    let url = filled(template, None, "", options)?;
    let url = Url::parse(&url)
        .map_err(|_| bad(format!("expected an absolute server URL, got: `{url}`")))?;
    base(url, "").map(|url| Server { url, named_by: NamedBy::Operator, is_missing: false })
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

/// The URL of a server, resolved against the description's own address.
fn resolve(url: &str, pointer: &str, options: &LoadOptions) -> Result<Server, Refusal> {
    match (Url::parse(url.trim()), &options.document_url) {
        (Ok(url), _) => base(url, pointer).map(|url| {
            let named_by =
                if options.trusts(&url) { NamedBy::Operator } else { NamedBy::Description };
            Server { url, named_by, is_missing: false }
        }),
        (Err(url::ParseError::RelativeUrlWithoutBase), Some(document_url)) => {
            let joined = document_url.join(url.trim()).map_err(|_| invalid(url, pointer))?;
            // The party that named the description's origin also named this server.
            let same = joined.origin() == document_url.origin();
            let named_by = if same { NamedBy::Operator } else { NamedBy::Description };
            base(joined, pointer).map(|url| Server { url, named_by, is_missing: false })
        }
        (Err(url::ParseError::RelativeUrlWithoutBase), None) => missing(url, pointer),
        (Err(_), _) => Err(invalid(url, pointer)),
    }
}

/// A server with an unknown origin. Its URL has a host that no name resolves to (RFC 6761 §6.4).
fn missing(url: &str, pointer: &str) -> Result<Server, Refusal> {
    let joined = Url::parse("https://server.invalid/").and_then(|base| base.join(url.trim()));
    let joined = joined.map_err(|_| invalid(url, pointer))?;
    let mut url = base(joined, pointer)?;
    url.set_host(Some("server.invalid")).map_err(|_| invalid("", pointer))?;
    Ok(Server { url, named_by: NamedBy::Description, is_missing: true })
}

/// A URL that can serve as base of other URLs.
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
    let legal = legal.map(|values| values.iter().filter_map(written_value).collect::<Vec<_>>());
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
    let default = variable.and_then(|variable| variable.get("default")).and_then(written_value);
    default
        .or_else(|| legal?.into_iter().next())
        .ok_or_else(|| bad(format!("expected a value for the server variable `{name}`, got none")))
}

/// A scalar as written; ports are often written as numbers.
fn written_value(node: &Node) -> Option<String> {
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

/// The length limit of an address.
const LONGEST: usize = 8 << 10;

#[cfg(test)]
mod tests;
