//! Reads the `security` of an operation, or else of the whole description, and finds the schemes it names. Each scheme
//! is read once.

use std::{cell::OnceCell, collections::BTreeMap, sync::Arc};

use callgate_tree::{Diagnostic, Node, pointer::document_and_pointer};

use crate::{
    code::Code,
    cursor::Cursor,
    meter::KEPT,
    security::{RequiredScheme, Requirement, Security, SecurityScheme, SecuritySchemeKind, scheme},
};

#[derive(Debug)]
pub(crate) struct Schemes {
    schemes: BTreeMap<Arc<str>, Arc<SecurityScheme>>,
    /// The description's requirements for all operations, and their findings.
    general: OnceCell<(Security, Vec<Diagnostic>)>,
}

impl Schemes {
    pub(crate) fn new(root: Cursor<'_, '_>) -> Self {
        let holder = if root.document.version().is_swagger() {
            Some(root)
        } else {
            root.unresolved_member("components")
        };
        let name = if root.document.version().is_swagger() {
            "securityDefinitions"
        } else {
            "securitySchemes"
        };
        let declared = holder.as_ref().and_then(|holder| holder.unresolved_member(name));
        let mut schemes_by_name = BTreeMap::new();
        for (name, at) in declared.iter().flat_map(|declared| declared.affordable_members(0)) {
            let resolved_scheme = at.target_or_report_loss();
            let kind = resolved_scheme.map_or(SecuritySchemeKind::Unknown, |resolved_scheme| {
                scheme::scheme_kind(resolved_scheme.node)
            });
            if kind == SecuritySchemeKind::Unknown {
                let message =
                    format!("expected a security scheme of a known `type`, got: `{name}`");
                let help = "write an apiKey, http, mutualTLS, oauth2 or openIdConnect scheme";
                at.warning(Code::UnknownSecurityScheme, message, help);
            }
            let pointer = at.path().pointer();
            let scheme = SecurityScheme { name: Arc::clone(name), kind, file: None, pointer };
            schemes_by_name.insert(Arc::clone(name), Arc::new(scheme));
        }
        Self { schemes: schemes_by_name, general: OnceCell::new() }
    }

    pub(crate) fn declared_schemes(&self) -> impl Iterator<Item = &Arc<SecurityScheme>> {
        self.schemes.values()
    }

    /// The requirements of an operation: its own, else the description's for all, which are read once.
    pub(crate) fn operation_security(&self, operation: Cursor<'_, '_>) -> Security {
        let own =
            operation.unresolved_member("security").filter(|own| !matches!(own.node, Node::Null));
        if let Some(list) = own {
            return Security { is_own: true, ..self.read_list(list) };
        }
        let (security, shared_diagnostics) = self.general.get_or_init(|| {
            let (security, own) = operation.root().with_own_findings(|root| {
                root.unresolved_member("security").map(|list| self.read_list(list))
            });
            (security.unwrap_or_default(), own.into_diagnostics())
        });
        operation.with_findings(|findings| findings.add_shared(shared_diagnostics));
        security.clone()
    }

    fn read_list(&self, list: Cursor<'_, '_>) -> Security {
        let Some(alternatives) = list.node.as_array() else {
            let message =
                format!("expected a list of security requirements, got: {}", list.node.kind());
            list.warning(Code::MalformedNode, message, "write a list");
            return Security::default();
        };
        let is_open = alternatives.is_empty();
        let alternatives: Arc<[_]> =
            list.affordable_items(KEPT).filter_map(|node| self.read_requirement(node)).collect();
        // An unreadable requirement does not open an operation to everyone.
        let is_stated = is_open || !alternatives.is_empty();
        Security { is_stated, is_own: false, alternatives }
    }

    fn read_requirement(&self, at: Cursor<'_, '_>) -> Option<Requirement> {
        if at.node.as_object().is_none() {
            let message = format!("expected a security requirement, got: {}", at.node.kind());
            let help = "write the names of schemes with their scopes: `{key: []}`";
            at.warning(Code::MalformedNode, message, help);
            return None;
        }
        let schemes = at.affordable_members(KEPT).map(|(name, member)| {
            let scopes = member.node.as_array().unwrap_or_default();
            let scopes = at.document.while_affordable(scopes, 1);
            let scopes = scopes.filter_map(Node::as_shared_str).cloned().collect();
            let scheme =
                self.schemes.get(name).cloned().unwrap_or_else(|| undeclared_scheme(name, member));
            RequiredScheme { scheme, scopes }
        });
        Some(Requirement { schemes: schemes.collect() })
    }
}

fn undeclared_scheme(name: &Arc<str>, at: Cursor<'_, '_>) -> Arc<SecurityScheme> {
    let message = format!("expected a declared security scheme, got: `{name}`");
    let help = "declare it among the security schemes";
    at.warning(Code::UnknownSecurityScheme, message, help);
    let (file, pointer) = document_and_pointer(&at.path().pointer());
    Arc::new(SecurityScheme {
        name: Arc::clone(name),
        kind: SecuritySchemeKind::Unknown,
        file,
        pointer: pointer.into(),
    })
}

#[cfg(test)]
mod tests {
    use callgate_tool::{Value, json};

    use super::*;
    use crate::{document::Document, findings::Findings, reference::LocatedNode, sample::node};

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

    /// Checks an operation's requirements, given the description's `security`, then the codes of the findings.
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
        let root = Cursor::new(&document, &mut findings);
        let schemes = Schemes::new(root);
        let operation = document.root().get("operation").unwrap();
        let operation = LocatedNode { node: operation, pointer: "/operation".into() };
        let lines = vec![shown(&schemes.operation_security(root.at_node(&operation)))];
        let codes = findings.into_diagnostics();
        let codes = codes.iter().map(|found| found.code.as_str().to_owned());
        assert_eq!(lines.into_iter().chain(codes).collect::<Vec<_>>(), expected);
    }

    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "a row is a literal")]
    fn check_kind(root: Value, expected: &str) {
        let document = Document::new(node(&root)).unwrap();
        let mut findings = Findings::default();
        let schemes = Schemes::new(Cursor::new(&document, &mut findings));
        assert_eq!(format!("{:?}", schemes.schemes["a"].kind), expected);
    }

    #[test]
    fn security_is_read_as_alternatives_of_combined_schemes() {
        check(
            json!([{"key": []}, {"key": [], "user": ["read", "write"]}]),
            json!(null),
            &["true key() | key()+user(read write)"],
        );
    }

    #[test]
    fn the_security_of_an_operation_replaces_that_of_the_description() {
        check(json!(null), json!([{"key": []}]), &["true key()"]);
        check(json!([{"user": []}]), json!([{"key": []}]), &["true user()"]);
    }

    #[test]
    fn empty_optional_and_absent_security_differ() {
        check(json!([]), json!([{"key": []}]), &["true"]);
        check(json!([{}, {"key": []}]), json!(null), &["true  | key()"]);
        check(json!(null), json!(null), &["false"]);
    }

    #[test]
    fn an_undeclared_security_scheme_is_reported() {
        check(json!([{"other": []}]), json!(null), &["true other()", "unknown-security-scheme"]);
        check(json!({"key": []}), json!(null), &["false", "malformed-node"]);
        check(json!(["key", {"user": []}]), json!(null), &["true user()", "malformed-node"]);
        check(json!(["key"]), json!(null), &["false", "malformed-node"]);
    }

    #[test]
    fn security_schemes_of_every_version_are_read() {
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
