//! The sidecar's own paths as templates, for requests that are refused before the router sees them: a path itself may hold the
//! id of a session.

/// The template of a path of the sidecar; `None` for an unknown path.
pub(super) fn path_template(path: &str) -> Option<&'static str> {
    PATHS.into_iter().find(|template| is_path_of_template(template, path))
}

fn is_path_of_template(template: &str, path: &str) -> bool {
    let mut given = path.split('/');
    for part in template.split('/') {
        if part.starts_with("{*") {
            return given.next().is_some();
        }
        match given.next() {
            Some(given) if part == given || (part.starts_with('{') && !given.is_empty()) => {}
            _ => return false,
        }
    }
    given.next().is_none()
}

/// The paths of the router. A test compares them with `GET /openapi.json`.
const PATHS: [&str; 28] = [
    "/v1/calls",
    "/mcp",
    "/v1/dialects/{dialect}/calls",
    "/v1/tools",
    "/v1/tools/{name}",
    "/v1/tools:search",
    "/mcp/",
    "/mcp/{toolset}",
    "/healthz",
    "/metrics",
    "/readyz",
    "/openapi.json",
    "/v1/admin/calls",
    "/v1/admin/calls/{number}",
    "/v1/admin/changes",
    "/v1/admin/reload",
    "/v1/admin/report",
    "/v1/agents",
    "/v1/approvals",
    "/v1/approvals/{id}",
    "/v1/conversations",
    "/v1/conversations/{agent}/{session}",
    "/v1/drafts",
    "/v1/results",
    "/v1/results/{id}",
    "/v1/sessions/{id}",
    "/.well-known/oauth-protected-resource",
    "/.well-known/oauth-protected-resource/{*path}",
];

#[cfg(test)]
mod tests {
    use callgate_tool::Object;

    use super::*;
    use crate::description;

    #[test]
    fn each_described_path_is_known_without_its_values() {
        let described: serde_json::Value =
            serde_json::from_str(&description::openapi_json(&Object::default())).unwrap();
        for path in described["paths"].as_object().unwrap().keys() {
            let given = path.replace(['{', '}'], "");
            let template = path_template(&given).unwrap_or_else(|| panic!("{path} is not there"));
            assert_eq!(template.split('/').count(), path.split('/').count(), "{path}");
            assert!(!path.contains('{') || template.contains('{'), "{path}: {template}");
        }
        for (path, expected) in [
            ("/v1/sessions/canary", Some("/v1/sessions/{id}")),
            ("/v1/sessions/", None),
            ("/v1/sessions/a/b", None),
            ("/", None),
            ("", None),
            (
                "/.well-known/oauth-protected-resource/a/b",
                Some("/.well-known/oauth-protected-resource/{*path}"),
            ),
        ] {
            assert_eq!(path_template(path), expected, "{path}");
        }
    }
}
