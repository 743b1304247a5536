//! The server of an operation: an absolute origin and base path, fixed when the description is loaded. This module does
//! not decide which addresses may be contacted.

mod check;
mod swagger;
mod text;
mod variables;

use std::{cell::RefCell, sync::Arc};

use callgate_tool::{NamedBy, Remedy};
use callgate_tree::{Node, Path, Severity};
use hashbrown::{HashMap, HashSet};
use url::Url;

pub use check::{InvalidServer, check_server};

use text::{Address, InvalidAddress};
use variables::filled_template;

use crate::{
    code::Code,
    document::Document,
    findings::{Finding, Findings},
    options::LoadOptions,
    reference::LocatedNode,
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
    /// The URL to name if the server's origin is unknown: `HOST` stands for a host that the description does not name.
    pub suggestion: Option<Arc<str>>,
}

#[derive(Clone, Debug)]
struct ServerRefusal {
    code: Code,
    pointer: String,
    message: String,
    meant: Option<String>,
}

#[derive(Clone, Debug)]
struct FoundServer {
    server: Arc<Server>,
    text: String,
    /// The reason to look at the text again, and the place of it.
    doubt: Option<(String, String)>,
}

type ServerResult = Result<FoundServer, ServerRefusal>;

/// Finds the server of each operation. The server of the whole description is found once.
#[derive(Debug)]
pub(crate) struct Servers<'d> {
    document: &'d Document,
    options: &'d LoadOptions,
    root: ServerResult,
    /// The operations with an unknown server: their number, and the first one's server with its place.
    missing: RefCell<(usize, Option<(String, FoundServer)>)>,
    results: RefCell<HashMap<Arc<str>, ServerResult>>,
    seen: RefCell<HashSet<*const Node>>,
    doubted: RefCell<HashSet<String>>,
}

impl<'d> Servers<'d> {
    pub(crate) fn new(document: &'d Document, options: &'d LoadOptions) -> Self {
        let list = document.root().get("servers").filter(|list| has_server(list));
        let root = match (&options.server, list) {
            (Some(template), _) => operator_server(template, options),
            _ if document.version().is_swagger() => swagger_url(document, None, options),
            (None, Some(list)) => {
                first_listed_server(&LocatedNode::new(list, &Path::at("/servers")), options)
            }
            // OpenAPI 3.0.3 §4.7.1.1: without servers there is one with the url `/`.
            (None, None) => resolve_server("/", "/servers", options),
        };
        Self {
            document,
            options,
            root,
            missing: RefCell::default(),
            results: RefCell::default(),
            seen: RefCell::default(),
            doubted: RefCell::default(),
        }
    }

    pub(crate) fn root_server(&self) -> Option<Arc<Server>> {
        let server = self.root.as_ref().ok().map(|resolved_server| &resolved_server.server);
        server.filter(|server| !server.is_missing).cloned()
    }

    /// Reports once the faults of the server of every operation: the operator's, or a default of the description.
    pub(crate) fn report_root_faults(&self, findings: &mut Findings) {
        let list = self.document.root().get("servers").filter(|list| has_server(list));
        if let Some(list) = list.filter(|_| !self.document.version().is_swagger()) {
            self.report_unlisted_defaults(&LocatedNode::new(list, &Path::at("/servers")), findings);
        }
        if let (Some(text), Err(refusal)) = (&self.options.server, &self.root) {
            let help = check::server_help(text);
            findings.error(refusal.code, "", refusal.message.clone(), &help);
        }
        if let Ok(resolved_server) = &self.root {
            self.report_url_doubt(resolved_server, findings);
            self.report_lost_base_path(resolved_server, findings);
        }
    }

    /// Reports an operator's server without a path where the description's own server is only a path, which every operation is below.
    fn report_lost_base_path(&self, resolved_server: &FoundServer, findings: &mut Findings) {
        let root = self.document.root();
        let (path, pointer) = if self.document.version().is_swagger() {
            (root.text("basePath").filter(|_| root.get("host").is_none()), "/basePath")
        } else {
            (root.list("servers").first().and_then(|server| server.text("url")), "/servers/0/url")
        };
        let path = path.unwrap_or_default().trim_start_matches("./").trim_end_matches('/');
        // A text with a dot before any slash may be a host.
        let is_rooted = path.starts_with('/') || !(path.is_empty() || path.contains('.'));
        let is_path = is_rooted && !path.starts_with("//") && !path.contains([':', '{', '?', '#']);
        let path = format!("/{}", path.trim_start_matches('/'));
        if self.options.server.is_none() || resolved_server.server.url.path() != "/" || !is_path {
            return;
        }
        let given = resolved_server.server.url.as_str().trim_end_matches('/');
        let message = format!(
            "expected a server with the path of the description's own, `{path}`, got: `{given}`"
        );
        let remedy = Remedy::NameServer { url: format!("{given}{path}") };
        let help = &remedy.to_string();
        let finding = Finding::new(Code::InvalidServer, Severity::Warning, message, help);
        findings.add(Finding { remedy: Some(&remedy), ..finding }, pointer);
    }

    /// Reports once that the server of some operations is unknown.
    pub(crate) fn report_missing_server(&self, findings: &mut Findings) {
        let missing = self.missing.borrow();
        let (n, Some((pointer, FoundServer { server, text, .. }))) = &*missing else { return };
        let message = format!(
            "expected an absolute server URL for {n} operations, whose calls are refused, got: `{text}`"
        );
        let url = server.suggestion.as_deref().unwrap_or("https://HOST").to_owned();
        let remedy = Remedy::NameServer { url };
        let help = &remedy.to_string();
        let finding = Finding::new(Code::NoServer, Severity::Warning, message, help);
        findings.add(Finding { remedy: Some(&remedy), ..finding }, pointer);
    }

    /// Reports once for each list of servers the variables whose default is not one of their values.
    fn report_unlisted_defaults(&self, list: &LocatedNode<'_>, findings: &mut Findings) {
        let is_replaced = |name: &str| self.options.server_variables.contains_key(name);
        let is_new = self.seen.borrow_mut().insert(std::ptr::from_ref(list.node));
        if is_new && self.options.server.is_none() {
            variables::report_unlisted_defaults(list, is_replaced, findings);
        }
    }

    fn note_missing_server(&self, result: &ServerResult, pointer: &str) {
        let Some(resolved_server) =
            result.as_ref().ok().filter(|resolved_server| resolved_server.server.is_missing)
        else {
            return;
        };
        let (n, first) = &mut *self.missing.borrow_mut();
        *n += 1;
        first.get_or_insert_with(|| (pointer.to_owned(), resolved_server.clone()));
    }

    /// Reports once for each place that the text of a server was read as it is meant.
    fn report_url_doubt(&self, resolved_server: &FoundServer, findings: &mut Findings) {
        let Some((pointer, message)) = &resolved_server.doubt else { return };
        if self.doubted.borrow_mut().insert(pointer.clone()) {
            let url = resolved_server.server.url.as_str().trim_end_matches('/').to_owned();
            let remedy = Remedy::NameServer { url };
            let help = &format!("correct it, or {remedy}");
            let (code, severity) = (Code::InvalidServer, Severity::Warning);
            let finding = Finding::new(code, severity, message.clone(), help);
            findings.add(Finding { remedy: Some(&remedy), ..finding }, pointer);
        }
    }

    /// The server of the operation whose own node and path item are given, innermost first.
    pub(crate) fn operation_server(
        &self,
        levels: &[&LocatedNode<'_>],
        findings: &mut Findings,
    ) -> Option<Arc<Server>> {
        if self.document.version().is_swagger() {
            return self.operation_swagger_server(levels, findings);
        }
        let own = levels
            .iter()
            .filter_map(|level| level.member("servers"))
            .find(|list| has_server(list.node))
            .filter(|_| self.options.server.is_none());
        let pointer = own.as_ref().map_or("/servers", |list| &list.pointer);
        if let Some(list) = &own {
            self.report_unlisted_defaults(list, findings);
        }
        let result = match &own {
            Some(list) => self.listed_server(list),
            None => self.root.clone(),
        };
        self.note_missing_server(&result, pointer);
        self.server_or_report(result, findings)
    }

    /// The server; a refusal is reported, except that of the operator's server, which is not the operation's fault.
    fn server_or_report(
        &self,
        result: ServerResult,
        findings: &mut Findings,
    ) -> Option<Arc<Server>> {
        let is_operators = self.options.server.is_some();
        match result {
            Ok(resolved_server) => {
                self.report_url_doubt(&resolved_server, findings);
                Some(resolved_server.server)
            }
            Err(refusal) => {
                if !is_operators {
                    refusal.report_refusal(findings);
                }
                None
            }
        }
    }

    /// The server from a list, which operations may share: it is read once.
    fn listed_server(&self, list: &LocatedNode<'_>) -> ServerResult {
        if let Some(cached_result) = self.results.borrow().get(&list.pointer) {
            return cached_result.clone();
        }
        let result = first_listed_server(list, self.options);
        self.results.borrow_mut().insert(Arc::clone(&list.pointer), result.clone());
        result
    }

    /// The server in Swagger 2.0, where an operation may have its own schemes.
    fn operation_swagger_server(
        &self,
        levels: &[&LocatedNode<'_>],
        findings: &mut Findings,
    ) -> Option<Arc<Server>> {
        let own = levels.iter().find_map(|level| level.node.get("schemes"));
        let result = match own.filter(|_| self.options.server.is_none()) {
            Some(schemes) => swagger_url(self.document, Some(schemes), self.options),
            None => self.root.clone(),
        };
        self.note_missing_server(&result, "/host");
        self.server_or_report(result, findings)
    }
}

fn swagger_url(document: &Document, schemes: Option<&Node>, options: &LoadOptions) -> ServerResult {
    let written = swagger::server_text(document.root(), schemes, options);
    let written = written.map_err(|(at, wrong, meant)| invalid_url(wrong, at, meant))?;
    let mut resolved_server = resolve_server(&written.url, "/host", options)?;
    if let Some((at, doubt)) = written.doubt {
        let doubt = format!("{doubt}; the server is read as `{}`", resolved_server.server.url);
        resolved_server.doubt = Some((at.to_owned(), doubt));
    }
    Ok(resolved_server)
}

impl ServerRefusal {
    fn report_refusal(self, findings: &mut Findings) {
        let Self { code, pointer, message, meant } = self;
        let remedy = Remedy::NameServer { url: meant.unwrap_or_else(|| "URL".to_owned()) };
        let help = &remedy.to_string();
        let finding = Finding::new(code, Severity::Error, message, help);
        findings.add(Finding { remedy: Some(&remedy), ..finding }, pointer);
    }
}

/// Returns true if a list names a server; a value that is not a list counts as naming one, and is refused.
fn has_server(list: &Node) -> bool {
    !matches!(list, Node::Null) && list.as_array().is_none_or(|servers| !servers.is_empty())
}

fn operator_server(template: &str, options: &LoadOptions) -> ServerResult {
    let url = filled_template(template, None, "", options)?;
    let wrong = |wrong| invalid_url(wrong, "", None);
    let address = text::parse_absolute(&url).map_err(wrong)?;
    let address = address
        .ok_or_else(|| text::wrong_address("expected a server URL with `http` or `https`", &url));
    server_from_address(address.map_err(wrong)?, NamedBy::Operator, &url, "")
}

/// The first server of a list. Others are not used in its stead, but named where it cannot be used.
fn first_listed_server(list: &LocatedNode<'_>, options: &LoadOptions) -> ServerResult {
    let first = list.path().index(0).to_string();
    let servers = list.node.as_array().unwrap_or_default();
    let other = || servers.iter().skip(1).find_map(|server| absolute_server_url(server, options));
    let server = servers.first();
    let template = server.and_then(|server| server.get("url")).and_then(Node::as_str);
    let Some(template) = template else {
        let message = "expected a server with a `url`, got none".to_owned();
        return Err(ServerRefusal {
            meant: other(),
            ..server_refusal(Code::InvalidServer, &first, message)
        });
    };
    let variables = server.and_then(|server| server.get("variables"));
    let result = filled_template(template, variables, &first, options)
        .and_then(|url| resolve_server(&url, &first, options));
    match result {
        Ok(mut resolved_server)
            if resolved_server.server.is_missing && !text::names_host(&resolved_server.text) =>
        {
            if let Some(other) = other() {
                Arc::make_mut(&mut resolved_server.server).suggestion = Some(other.into());
            }
            Ok(resolved_server)
        }
        Err(refusal) => {
            Err(ServerRefusal { meant: refusal.meant.clone().or_else(other), ..refusal })
        }
        result => result,
    }
}

/// The URL of a server that can be named; `None` if it is not absolute.
fn absolute_server_url(server: &Node, options: &LoadOptions) -> Option<String> {
    let url =
        filled_template(server.get("url")?.as_str()?, server.get("variables"), "", options).ok()?;
    text::parse_absolute(&url).ok()?.map(|_| url.trim().to_owned())
}

/// The URL of a server, resolved against the description's own address.
fn resolve_server(url: &str, pointer: &str, options: &LoadOptions) -> ServerResult {
    let wrong = |wrong| {
        let is_likely = text::names_host(url) || url.contains([':', '\\']);
        invalid_url(wrong, pointer, Some(url).filter(|_| is_likely).and_then(text::suggested_url))
    };
    if let Some(address) = text::parse_absolute(url).map_err(wrong)? {
        let is_trusted = options.trusts(&address.url);
        let named_by = if is_trusted { NamedBy::Operator } else { NamedBy::Description };
        return server_from_address(address, named_by, url, pointer);
    }
    let Some(document_url) = &options.document_url else {
        let address = Address { url: text::parse_hostless(url).map_err(wrong)?, doubt: None };
        let mut resolved_server = server_from_address(address, NamedBy::Description, url, pointer)?;
        let server = Arc::make_mut(&mut resolved_server.server);
        let path = server.url.path().trim_end_matches('/');
        let meant = Some(url).filter(|url| text::names_host(url)).and_then(text::suggested_url);
        server.suggestion = Some(meant.unwrap_or_else(|| format!("https://HOST{path}")).into());
        server.is_missing = true;
        return Ok(resolved_server);
    };
    let address = text::parse_relative(url, document_url).map_err(wrong)?;
    // The party that named the description's origin also named this server.
    let is_same = address.url.origin() == document_url.origin();
    let named_by = if is_same { NamedBy::Operator } else { NamedBy::Description };
    server_from_address(address, named_by, url, pointer)
}

fn server_from_address(
    address: Address,
    named_by: NamedBy,
    text: &str,
    pointer: &str,
) -> ServerResult {
    let Address { mut url, doubt } = address;
    if url.as_str().len() > LONGEST {
        let got = url.as_str().len();
        let message = format!("expected a server in at most {LONGEST} bytes, got: {got}");
        return Err(server_refusal(Code::InvalidServer, pointer, message));
    }
    let path = url.path().trim_end_matches('/').to_owned();
    url.set_path(&path);
    let server = Arc::new(Server { url, named_by, is_missing: false, suggestion: None });
    let doubt = doubt.map(|doubt| (pointer.to_owned(), doubt));
    Ok(FoundServer { server, text: text.trim().to_owned(), doubt })
}

fn invalid_url(wrong: InvalidAddress, pointer: &str, meant: Option<String>) -> ServerRefusal {
    let InvalidAddress(message) = wrong;
    ServerRefusal { meant, ..server_refusal(Code::InvalidServer, pointer, message) }
}

fn server_refusal(code: Code, pointer: &str, message: String) -> ServerRefusal {
    ServerRefusal { code, pointer: pointer.to_owned(), message, meant: None }
}

/// The length limit of an address.
const LONGEST: usize = 8 << 10;

#[cfg(test)]
mod tests;
