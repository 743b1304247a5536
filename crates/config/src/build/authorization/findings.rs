//! Reports the operations that cannot be called because a credential is missing: a sentence for the caller of each, and
//! one finding for each security scheme and each origin, however many operations need it. Names schemes and keys, never
//! a secret.

use std::collections::{BTreeMap, BTreeSet};

use callgate_openapi::{
    Code, Operation, OperationStatus, Report, SecurityScheme, SecuritySchemeKind,
};
use callgate_tool::{ToolName, ToolsetName};
use callgate_tree::{Diagnostic, Severity};

use crate::build::authorization::{compatibility, solve::Missing, token_endpoint::Foreign};

#[derive(Debug)]
pub(super) struct Findings {
    /// The schemes whose token endpoint is at an origin where no credential may go.
    foreign: BTreeMap<String, Foreign>,
    by_key: BTreeMap<Key, Finding>,
    degraded: BTreeSet<ToolName>,
}

#[derive(Debug, Eq, Ord, PartialEq, PartialOrd)]
enum Key {
    Origin(String),
    Own,
    Scheme(String),
    Scopes(String),
}

#[derive(Debug)]
struct Finding {
    /// The finding without operations.
    diagnostic: Diagnostic,
    /// The scopes that a credential lacks, for all operations.
    scopes: BTreeSet<String>,
    /// The first [`NAMED`] operations.
    operations: Vec<String>,
    n_operations: usize,
}

impl Findings {
    /// No findings yet; `foreign` are the schemes with a token endpoint at a forbidden origin.
    pub(super) fn new(foreign: BTreeMap<String, Foreign>) -> Self {
        Self { foreign, by_key: BTreeMap::new(), degraded: BTreeSet::new() }
    }

    /// Records that no available credential satisfies an operation; returns the message for its calls.
    pub(super) fn record_unmet_security(
        &mut self,
        operation: &Operation,
        missing: &[Missing<'_>],
    ) -> String {
        for one in missing {
            let name = one.scheme.name.to_string();
            let key = if one.scopes.is_empty() { Key::Scheme(name) } else { Key::Scopes(name) };
            let foreign = self.foreign.get(&*one.scheme.name).cloned();
            let finding = self.add_finding(key, operation, || match foreign {
                Some(foreign) => foreign_endpoint_diagnostic(one.scheme, &foreign),
                None => missing_scheme_diagnostic(one),
            });
            finding.scopes.extend(one.scopes.iter().map(|scope| (*scope).to_owned()));
        }
        let names: Vec<_> = missing.iter().map(|one| format!("`{}`", one.scheme.name)).collect();
        let foreign = missing.iter().find(|one| self.foreign.contains_key(&*one.scheme.name));
        if let Some(foreign) = foreign {
            return format!(
                "the description asks for tokens of the security scheme `{}` at another origin than the server's, which \
                 gets no credentials; the operator allows it by `credential_origins` or names the endpoint by `token_url`",
                foreign.scheme.name
            );
        }
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

    /// Records that an export needs a credential that it does not contain.
    pub(super) fn report_missing_export_credential(&mut self, operation: &Operation) {
        let message =
            "expected a credential of the exported tool, got none that can be used".to_owned();
        let help = "write `auth:`, and see what is said about the export";
        self.add_finding(Key::Own, operation, || {
            warning_diagnostic(Code::MissingCredential, message, help)
        });
    }

    /// Records that an operation's server may not receive credentials; returns the message for its calls.
    pub(super) fn record_foreign_origin(&mut self, operation: &Operation) -> String {
        self.add_foreign_origin_finding(operation);
        "the operation has a server of its own at another origin, which gets no credentials; the operator allows it by \
         `credential_origins`"
            .to_owned()
    }

    /// Records that an operation's server may not receive values of the session; returns the message for its calls.
    pub(super) fn record_withheld_session_values(&mut self, operation: &Operation) -> String {
        self.add_foreign_origin_finding(operation);
        "the operation has a server of its own at another origin, which gets no values of the session; the operator allows \
         it by `credential_origins`"
            .to_owned()
    }

    fn add_foreign_origin_finding(&mut self, operation: &Operation) {
        let origin = operation.server.url.origin().ascii_serialization();
        self.add_finding(Key::Origin(origin.clone()), operation, || Diagnostic {
            pointer: operation.source_pointer().to_owned(),
            ..warning_diagnostic(
                Code::ForeignServer,
                format!(
                    "expected operations on the server of the toolset, got the origin `{origin}`"
                ),
                &format!(
                    "write `credential_origins: [{origin}]` if credentials and values of the session may go there"
                ),
            )
        });
    }

    fn add_finding(
        &mut self,
        key: Key,
        operation: &Operation,
        diagnostic: impl FnOnce() -> Diagnostic,
    ) -> &mut Finding {
        self.degraded.insert(operation.tool_name.clone());
        let finding = self.by_key.entry(key).or_insert_with(|| Finding {
            diagnostic: diagnostic(),
            scopes: BTreeSet::new(),
            operations: Vec::new(),
            n_operations: 0,
        });
        if finding.n_operations < NAMED {
            finding.operations.push(operation.label().to_owned());
        }
        finding.n_operations += 1;
        finding
    }

    /// Writes all findings into the report of the toolset with this name.
    pub(super) fn write_into_report(self, toolset: Option<&ToolsetName>, report: &mut Report) {
        let place = toolset.map(|name| format!(" in the toolset `{name}`")).unwrap_or_default();
        for finding in self.by_key.into_values() {
            let message = finding.finding_message();
            let Finding { diagnostic, operations, n_operations, .. } = finding;
            let operation = operations.into_iter().next().filter(|_| n_operations == 1);
            let help = format!("{}{place}", diagnostic.help);
            report.diagnostics.push(Diagnostic { message, help, operation, ..diagnostic });
        }
        for operation_report in &mut report.operations {
            if operation_report.tool.as_ref().is_some_and(|tool| self.degraded.contains(tool)) {
                operation_report.status = OperationStatus::Degraded;
            }
        }
    }
}

impl Finding {
    fn finding_message(&self) -> String {
        let what = &self.diagnostic.message;
        let n_scopes = self.scopes.len();
        let lacking = if n_scopes == 0 {
            String::new()
        } else {
            let scopes = quoted_names(self.scopes.iter(), n_scopes);
            format!(" with the scopes {scopes}, got one without them")
        };
        let operations = quoted_names(self.operations.iter(), self.n_operations);
        match self.n_operations {
            1 => format!("{what}{lacking}; {operations} cannot be called"),
            more => format!("{what}{lacking}; {more} operations cannot be called: {operations}"),
        }
    }
}

/// The first of `n_names` in backticks, and the number of further ones.
fn quoted_names<'a>(names: impl Iterator<Item = &'a String>, n_names: usize) -> String {
    let shown: Vec<_> = names.take(NAMED).map(|name| format!("`{name}`")).collect();
    match n_names.saturating_sub(shown.len()) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

fn missing_scheme_diagnostic(missing: &Missing<'_>) -> Diagnostic {
    let SecurityScheme { name, kind, file, pointer, .. } = missing.scheme;
    let (message, help) = if missing.scopes.is_empty() {
        (
            format!("expected a credential for the security scheme `{name}`, got none"),
            credential_help(name, kind),
        )
    } else {
        (
            format!("expected a credential for the security scheme `{name}`"),
            format!("add them to the `scopes` of `credentials.{name}`"),
        )
    };
    Diagnostic {
        file: file.clone(),
        pointer: pointer.to_string(),
        ..warning_diagnostic(Code::MissingCredential, message, &help)
    }
}

/// The finding about a scheme whose token endpoint is at an origin where no credential may go.
fn foreign_endpoint_diagnostic(scheme: &SecurityScheme, foreign: &Foreign) -> Diagnostic {
    let SecurityScheme { name, file, pointer, .. } = scheme;
    let Foreign { origin, is_metadata } = foreign;
    let (what, key) = if *is_metadata {
        ("metadata of the authorization server", "issuer: URL")
    } else {
        ("the token endpoint", "token_url: URL")
    };
    let message = format!(
        "expected {what} of the security scheme `{name}` on the server of the toolset, got the origin `{origin}`"
    );
    let help = format!(
        "write `credential_origins: [{origin}]` if the client secret may go there, or `{key}` under `credentials.{name}`"
    );
    Diagnostic {
        file: file.clone(),
        pointer: pointer.to_string(),
        ..warning_diagnostic(Code::ForeignTokenEndpoint, message, &help)
    }
}

fn credential_help(name: &str, kind: &SecuritySchemeKind) -> String {
    match (compatibility::example_credential(kind), kind) {
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

fn warning_diagnostic(code: Code, message: String, help: &str) -> Diagnostic {
    Diagnostic::new(code, Severity::Warning, message, help)
}

/// The failure of a call whose credential could not be imported from an export.
/// The number of scopes and operations that a finding names: all of most services', in lines that stay readable.
const NAMED: usize = 20;
