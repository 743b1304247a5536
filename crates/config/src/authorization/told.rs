//! Tells which operations cannot be called for want of a credential: a sentence for whoever calls one, and one finding
//! for each security scheme and each origin, however many operations need it. Names schemes and keys, never a secret.

use std::collections::{BTreeMap, BTreeSet};

use callgate_openapi::{
    Code, Diagnostic, Operation, OperationStatus, Report, SecurityScheme, SecuritySchemeKind,
    Severity,
};
use callgate_tool::{ToolName, ToolsetName};

use crate::authorization::{fit, solve::Missing};

/// What was found out so far.
#[derive(Debug, Default)]
pub(super) struct Told {
    found: BTreeMap<Key, Finding>,
    degraded: BTreeSet<ToolName>,
}

/// What findings are gathered by.
#[derive(Debug, Eq, Ord, PartialEq, PartialOrd)]
enum Key {
    Origin(String),
    Own,
    Scheme(String),
    Scopes(String),
}

#[derive(Debug)]
struct Finding {
    /// With no operation yet.
    diagnostic: Diagnostic,
    first: String,
    n_operations: usize,
}

impl Told {
    /// Notes that nothing at hand meets what an operation asks for; answers what a call is told.
    pub(super) fn unmet(&mut self, operation: &Operation, missing: &[Missing<'_>]) -> String {
        for one in missing {
            let name = one.scheme.name.to_string();
            let key = if one.scopes.is_empty() { Key::Scheme(name) } else { Key::Scopes(name) };
            self.add(key, operation, || diagnostic_of(one));
        }
        let names: Vec<_> = missing.iter().map(|one| format!("`{}`", one.scheme.name)).collect();
        match missing.iter().find(|one| !one.scopes.is_empty()) {
            Some(one) => format!(
                "the credential of the security scheme `{}` lacks the scopes `{}`; the operator adds them under \
                 `credentials`",
                one.scheme.name,
                one.scopes.join("`, `")
            ),
            None => format!(
                "the operation asks for the security scheme {}, which the operator has given no credential; it is \
                 written under `credentials`",
                names.join(" and ")
            ),
        }
    }

    /// Notes that an export asks for a credential it does not hold.
    pub(super) fn lacks_own(&mut self, operation: &Operation) {
        let message =
            "expected a credential of the exported tool, got none that can be used".to_owned();
        let help = "write `auth:`, and see what is said about the export".to_owned();
        self.add(Key::Own, operation, || finding(Code::MissingCredential, message, help));
    }

    /// Notes that an operation is sent where credentials may not go; answers what a call is told.
    pub(super) fn foreign(&mut self, operation: &Operation) -> String {
        let origin = operation.server.url.origin().ascii_serialization();
        self.add(Key::Origin(origin.clone()), operation, || Diagnostic {
            pointer: operation.source_pointer().to_owned(),
            ..finding(
                Code::ForeignServer,
                format!(
                    "expected operations on the server of the toolset, got the origin `{origin}`"
                ),
                format!("write `credential_origins: [{origin}]` if the credentials may go there"),
            )
        });
        "the operation has a server of its own at another origin, which gets no credentials; the operator allows it by \
         `credential_origins`"
            .to_owned()
    }

    fn add(&mut self, key: Key, operation: &Operation, diagnostic: impl FnOnce() -> Diagnostic) {
        let first = || operation.label().to_owned();
        let empty = || Finding { diagnostic: diagnostic(), first: first(), n_operations: 0 };
        self.found.entry(key).or_insert_with(empty).n_operations += 1;
        self.degraded.insert(operation.tool_name.clone());
    }

    /// Writes everything into the report of the toolset of this name.
    pub(super) fn into_report(self, toolset: Option<&ToolsetName>, report: &mut Report) {
        let place = toolset.map(|name| format!(" in the toolset `{name}`")).unwrap_or_default();
        for Finding { diagnostic, first, n_operations } in self.found.into_values() {
            let message = match n_operations {
                1 => format!("{}; `{first}` cannot be called", diagnostic.message),
                more => format!(
                    "{}; {more} operations cannot be called, the first: `{first}`",
                    diagnostic.message
                ),
            };
            let operation = (n_operations == 1).then_some(first);
            let help = format!("{}{place}", diagnostic.help);
            report.diagnostics.push(Diagnostic { message, help, operation, ..diagnostic });
        }
        for known in &mut report.operations {
            if known.tool.as_ref().is_some_and(|tool| self.degraded.contains(tool)) {
                known.status = OperationStatus::Degraded;
            }
        }
    }
}

fn diagnostic_of(missing: &Missing<'_>) -> Diagnostic {
    let SecurityScheme { name, kind, file, pointer, .. } = missing.scheme;
    let (message, help) = if missing.scopes.is_empty() {
        (
            format!("expected a credential for the security scheme `{name}`, got none"),
            write(name, kind),
        )
    } else {
        (
            format!(
                "expected a credential with the scopes `{}` for the security scheme `{name}`, got one without",
                missing.scopes.join("`, `")
            ),
            format!("add them to the `scopes` of `credentials.{name}`"),
        )
    };
    Diagnostic {
        file: file.clone(),
        pointer: pointer.to_string(),
        ..finding(Code::MissingCredential, message, help)
    }
}

fn write(name: &str, kind: &SecuritySchemeKind) -> String {
    match (fit::example(kind), kind) {
        (Some(example), _) => {
            format!("write `credentials: {{{name}: {example}}}`, or `auth: none` to call without")
        }
        (None, SecuritySchemeKind::MutualTls) => {
            "write `tls: {client_certificate: FILE, client_key: file:FILE}`".to_owned()
        }
        (None, _) => format!(
            "correct the scheme, or write `auth:` for {}",
            "one credential of every operation"
        ),
    }
}

fn finding(code: Code, message: String, help: String) -> Diagnostic {
    Diagnostic {
        code,
        severity: Severity::Warning,
        file: None,
        pointer: String::new(),
        position: None,
        message,
        help,
        operation: None,
    }
}

/// What a call is told where an export's credential could not be taken over.
pub(super) const LACKS_OWN: &str = "the credential of the exported tool could not be taken over; the operator writes it under `auth`";
