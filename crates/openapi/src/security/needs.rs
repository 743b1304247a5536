//! Reads the `security` of an operation, or else of the whole description, and finds the schemes it names. Each scheme
//! is read once.

use std::{cell::OnceCell, collections::BTreeMap, sync::Arc};

use callgate_tree::{Diagnostic, Node, Object, Path, pointer::parted};

use crate::{
    code::Code,
    document::Document,
    effort::KEPT,
    findings::Findings,
    reference::{Located, follow},
    security::{RequiredScheme, Requirement, Security, SecurityScheme, SecuritySchemeKind, scheme},
};

/// The security schemes of a description.
#[derive(Debug)]
pub(crate) struct Schemes<'d> {
    document: &'d Document,
    known: BTreeMap<Arc<str>, Arc<SecurityScheme>>,
    /// What the description says for all operations, and what was found in it.
    general: OnceCell<(Security, Vec<Diagnostic>)>,
}

impl<'d> Schemes<'d> {
    /// Reads the schemes; those that cannot be read are reported.
    pub(crate) fn new(document: &'d Document, findings: &mut Findings) -> Self {
        let root = document.root();
        let (declared, pointer) = if document.version().is_swagger() {
            (root.get("securityDefinitions"), "/securityDefinitions")
        } else {
            (
                root.get("components").and_then(|parts| parts.get("securitySchemes")),
                "/components/securitySchemes",
            )
        };
        let above = Path::at(pointer);
        let mut known = BTreeMap::new();
        let declared = declared.and_then(Node::as_object);
        for (name, node) in declared.into_iter().flat_map(Object::iter) {
            let path = above.name(name);
            let found = follow(document, node, &path).map_err(|bad| bad.as_lost().report(findings));
            let kind = found.map_or(SecuritySchemeKind::Unknown, |found| scheme::kind(found.node));
            if kind == SecuritySchemeKind::Unknown {
                let message =
                    format!("expected a security scheme of a known `type`, got: `{name}`");
                let help = "write an apiKey, http, mutualTLS, oauth2 or openIdConnect scheme";
                findings.warning(Code::UnknownSecurityScheme, path, message, help);
            }
            let pointer = above.name(name).to_string().into();
            let scheme = SecurityScheme { name: Arc::clone(name), kind, file: None, pointer };
            known.insert(Arc::clone(name), Arc::new(scheme));
        }
        Self { document, known, general: OnceCell::new() }
    }

    /// Every scheme that is declared, by name.
    pub(crate) fn declared(&self) -> impl Iterator<Item = &Arc<SecurityScheme>> {
        self.known.values()
    }

    /// What an operation asks for: what it says itself, else what the description says for all, which is read once.
    pub(crate) fn needs(&self, operation: &Located<'_>, findings: &mut Findings) -> Security {
        let own = operation.member("security").filter(|own| !matches!(own.node, Node::Null));
        if let Some(list) = own {
            return Security { is_own: true, ..self.list(&list, findings) };
        }
        let (security, found) = self.general.get_or_init(|| {
            let root = Located { node: self.document.root(), pointer: "".into() };
            let mut findings = Findings::default();
            let security = root.member("security").map(|list| self.list(&list, &mut findings));
            (security.unwrap_or_default(), findings.into_diagnostics())
        });
        findings.repeat(found);
        security.clone()
    }

    fn list(&self, list: &Located<'_>, findings: &mut Findings) -> Security {
        let path = list.path();
        let Some(alternatives) = list.node.as_array() else {
            let message =
                format!("expected a list of security requirements, got: {}", list.node.kind());
            findings.warning(Code::MalformedNode, path, message, "write a list");
            return Security::default();
        };
        let is_open = alternatives.is_empty();
        let alternatives: Arc<[_]> = alternatives
            .iter()
            .enumerate()
            .take_while(|_| self.document.spend(KEPT))
            .filter_map(|(index, node)| self.requirement(node, &path.index(index), findings))
            .collect();
        // What cannot be read does not open an operation to everyone.
        let is_stated = is_open || !alternatives.is_empty();
        Security { is_stated, is_own: false, alternatives }
    }

    fn requirement(
        &self,
        node: &Node,
        path: &Path<'_>,
        findings: &mut Findings,
    ) -> Option<Requirement> {
        let Some(object) = node.as_object() else {
            let message = format!("expected a security requirement, got: {}", node.kind());
            let help = "write the names of schemes with their scopes: `{key: []}`";
            findings.warning(Code::MalformedNode, path, message, help);
            return None;
        };
        let members = object
            .iter()
            .take_while(|(name, _)| self.document.spend(KEPT + path.name(name).weight()));
        let schemes = members.map(|(name, scopes)| {
            let scopes = scopes.as_array().unwrap_or_default().iter();
            let scopes = scopes.take_while(|_| self.document.spend(1));
            let scopes = scopes.filter_map(Node::as_shared_str).cloned().collect();
            let scheme = self.known.get(name).cloned().unwrap_or_else(|| {
                let message = format!("expected a declared security scheme, got: `{name}`");
                let help = "declare it among the security schemes";
                findings.warning(Code::UnknownSecurityScheme, path.name(name), message, help);
                let (file, pointer) = parted(&path.name(name).to_string());
                Arc::new(SecurityScheme {
                    name: Arc::clone(name),
                    kind: SecuritySchemeKind::Unknown,
                    file,
                    pointer: pointer.into(),
                })
            });
            RequiredScheme { scheme, scopes }
        });
        Some(Requirement { schemes: schemes.collect() })
    }
}

#[cfg(test)]
mod tests {
    use callgate_tool::{Value, json};

    use super::*;
    use crate::sample::node;

    fn shown(security: &Security) -> String {
        let scheme = |required: &RequiredScheme| {
            let scopes = required.scopes.join(" ");
            format!("{}({scopes})", required.scheme.name)
        };
        let one =
            |known: &Requirement| known.schemes.iter().map(scheme).collect::<Vec<_>>().join("+");
        let all: Vec<_> = security.alternatives.iter().map(one).collect();
        format!("{} {}", security.is_stated, all.join(" | ")).trim_end().to_owned()
    }

    /// What an operation asks for, beside a description's `security`, then the codes of the findings.
    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "a row is a literal")]
    fn check(own: Value, general: Value, expected: &[&str]) {
        let mut root = json!({"openapi": "3.1.0", "components": {"securitySchemes": {
            "key": {"type": "apiKey", "in": "header", "name": "X-Key"}, "user": {"type": "http", "scheme": "Basic"}}}});
        root["security"] = general;
        root["operation"] = if own.is_null() { json!({}) } else { json!({"security": own}) };
        if root["security"].is_null() {
            root.as_object_mut().unwrap().remove("security");
        }
        let document = Document::new(node(&root)).unwrap();
        let mut findings = Findings::default();
        let schemes = Schemes::new(&document, &mut findings);
        let operation = document.root().get("operation").unwrap();
        let operation = Located { node: operation, pointer: "/operation".into() };
        let lines = vec![shown(&schemes.needs(&operation, &mut findings))];
        let codes = findings.into_diagnostics();
        let codes = codes.iter().map(|found| found.code.as_str().to_owned());
        assert_eq!(lines.into_iter().chain(codes).collect::<Vec<_>>(), expected);
    }

    /// What kind of scheme it is.
    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "a row is a literal")]
    fn check_kind(root: Value, expected: &str) {
        let document = Document::new(node(&root)).unwrap();
        let schemes = Schemes::new(&document, &mut Findings::default());
        assert_eq!(format!("{:?}", schemes.known["a"].kind), expected);
    }

    #[test]
    fn alternatives_are_any_and_schemes_together_are_all() {
        check(
            json!([{"key": []}, {"key": [], "user": ["read", "write"]}]),
            json!(null),
            &["true key() | key()+user(read write)"],
        );
    }

    #[test]
    fn an_operation_says_it_for_itself_else_the_description() {
        check(json!(null), json!([{"key": []}]), &["true key()"]);
        check(json!([{"user": []}]), json!([{"key": []}]), &["true user()"]);
    }

    #[test]
    fn none_optional_and_unsaid_are_three_things() {
        check(json!([]), json!([{"key": []}]), &["true"]);
        check(json!([{}, {"key": []}]), json!(null), &["true  | key()"]);
        check(json!(null), json!(null), &["false"]);
    }

    #[test]
    fn an_undeclared_scheme_is_reported() {
        check(json!([{"other": []}]), json!(null), &["true other()", "unknown-security-scheme"]);
        check(json!({"key": []}), json!(null), &["false", "malformed-node"]);
        check(json!(["key", {"user": []}]), json!(null), &["true user()", "malformed-node"]);
        check(json!(["key"]), json!(null), &["false", "malformed-node"]);
    }

    #[test]
    fn schemes_of_every_version_are_read() {
        let row = |scheme: Value| json!({"openapi": "3.2.0", "components": {"securitySchemes": {"a": scheme}}});
        check_kind(
            row(json!({"type": "apiKey", "in": "cookie", "name": "k"})),
            r#"ApiKey { place: Cookie, name: "k" }"#,
        );
        check_kind(
            row(json!({"type": "http", "scheme": "Bearer", "bearerFormat": "JWT"})),
            r#"Http { scheme: "bearer", bearer_format: Some("JWT") }"#,
        );
        check_kind(row(json!({"type": "mutualTLS"})), "MutualTls");
        check_kind(
            row(json!({"type": "openIdConnect", "openIdConnectUrl": "https://a.example"})),
            r#"OpenIdConnect { url: "https://a.example" }"#,
        );
        check_kind(
            row(json!({"type": "oauth2", "flows": {"deviceAuthorization": {
                "deviceAuthorizationUrl": "https://a.example/d", "tokenUrl": "https://a.example/t", "scopes": {"read": ""}}}})),
            r#"OAuth2 { flows: [OAuthFlow { kind: DeviceAuthorization, authorization_url: None, device_authorization_url: Some("https://a.example/d"), token_url: Some("https://a.example/t"), refresh_url: None, scopes: ["read"] }], metadata_url: None }"#,
        );
        check_kind(row(json!({"type": "magic"})), "Unknown");
        let swagger =
            |scheme: Value| json!({"swagger": "2.0", "securityDefinitions": {"a": scheme}});
        check_kind(
            swagger(json!({"type": "basic"})),
            r#"Http { scheme: "basic", bearer_format: None }"#,
        );
        check_kind(
            swagger(
                json!({"type": "oauth2", "flow": "application", "tokenUrl": "https://a.example/t", "scopes": {"w": ""}}),
            ),
            r#"OAuth2 { flows: [OAuthFlow { kind: ClientCredentials, authorization_url: None, device_authorization_url: None, token_url: Some("https://a.example/t"), refresh_url: None, scopes: ["w"] }], metadata_url: None }"#,
        );
    }
}
