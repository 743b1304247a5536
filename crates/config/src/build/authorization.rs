//! The credentials of each operation: the requirements of the description, solved with the configured credentials.
//! Nothing is fetched; operations that are called with equal credentials share one authenticator.

mod compatibility;
mod findings;
mod one_key;
mod origins;
mod solve;
mod token_endpoint;

use std::{collections::BTreeMap, sync::Arc};

use callgate_auth::{Authenticator, combined_authenticator, unavailable_authenticator};
use callgate_executor::Callable;
use callgate_openapi::{
    Loaded, Operation, Requirement, SecurityScheme, SecuritySchemeKind, ValueSource,
};
use callgate_settings::{Reader, pointer_segment};
use callgate_tool::nearest;

use self::{
    findings::Findings,
    origins::{Origins, Service},
    solve::{Holding, Holdings, Missing, Solution, choose_alternative},
    token_endpoint::Foreign,
};
use super::{authenticators::Authenticators, context::BuildContext};
use crate::{
    code::ConfigCode,
    toolset::{Credentials, SchemeCredential, ToolsetConfig},
};

/// Finds the credentials of every operation. The report in `loaded` lists operations that cannot be called because a
/// credential is missing; a credential that matches no scheme is a fault of the configuration.
pub(super) fn authorized_operations(
    reader: &mut Reader,
    config: &ToolsetConfig,
    loaded: &mut Loaded,
    authenticators: &mut Authenticators<'_>,
    build_context: &BuildContext<'_>,
) -> Vec<Callable> {
    let mut schemes = Schemes::default();
    let origins = Origins::new(loaded, &config.credentials.origins);
    let service = Service { loaded, origins: &origins };
    let has_certificate = build_context.has_certificate || config.tls.identity.is_some();
    // The operations of an unreadable description are unknown, and its report says so.
    let is_readable = !loaded.report.operations.is_empty();
    for (scheme, credential) in config.credentials.schemes.iter().flatten().filter(|_| is_readable)
    {
        schemes.add_credential(reader, service, Offered { scheme, credential }, authenticators);
    }
    if has_certificate {
        schemes.add_client_certificate(loaded);
    }
    let key = config.credentials.api_key.as_ref().filter(|_| is_readable);
    let key = key.and_then(|key| one_key::only_key_credential(reader, loaded, key));
    if let Some((scheme, credential)) = &key {
        schemes.add_credential(reader, service, Offered { scheme, credential }, authenticators);
    }
    let key = key.and_then(|(name, _)| schemes.made.get(&name).cloned());
    let none = combined_authenticator(Vec::new());
    let mut assignment = Assignment {
        credentials: &config.credentials,
        own: match key.as_ref().or(authenticators.own.as_ref()) {
            Some(own) => Arc::clone(own),
            None => match config.credentials.lacks_own {
                Some(why) => unavailable_authenticator(why.to_owned()),
                None => Arc::clone(&none),
            },
        },
        none,
        findings: Findings::new(std::mem::take(&mut schemes.foreign)),
        schemes,
        shared: BTreeMap::new(),
        origins,
        has_certificate,
    };
    let operations = loaded.operations.iter().map(Arc::clone);
    let callable = |operation: Arc<Operation>| {
        let authenticator = assignment.authenticator(&operation);
        Callable { operation, authenticator }
    };
    let callables = operations.map(callable).collect();
    assignment.findings.write_into_report(config.name.as_ref(), &mut loaded.report);
    callables
}

/// A configured credential, and the name of its security scheme.
#[derive(Clone, Copy)]
struct Offered<'a> {
    scheme: &'a str,
    credential: &'a SchemeCredential,
}

/// The credentials by scheme, each made once.
#[derive(Debug, Default)]
struct Schemes {
    made: BTreeMap<String, Arc<dyn Authenticator>>,
    holdings: Holdings,
    /// The schemes whose token endpoint is at an origin where no credential may go.
    foreign: BTreeMap<String, Foreign>,
}

impl Schemes {
    /// Adds the client certificate. It costs a call nothing: the connection has shown it.
    fn add_client_certificate(&mut self, loaded: &Loaded) {
        let is_met = |scheme: &&Arc<SecurityScheme>| scheme.kind == SecuritySchemeKind::MutualTls;
        for scheme in loaded.security_schemes.iter().filter(is_met) {
            let holding = Holding { cost: 0, scopes: None };
            self.holdings.insert(scheme.name.to_string(), holding);
        }
    }

    fn add_credential(
        &mut self,
        reader: &mut Reader,
        service: Service<'_>,
        Offered { scheme: name, credential }: Offered<'_>,
        authenticators: &mut Authenticators<'_>,
    ) {
        let loaded = service.loaded;
        let pointer = credential.pointer.clone();
        let declared = loaded.security_schemes.iter().find(|scheme| *scheme.name == *name);
        let Some(scheme) = declared else {
            let declared_names = loaded.security_schemes.iter().map(|scheme| &*scheme.name);
            let message = format!("expected a security scheme of the description, got: `{name}`");
            return reader.report_fault(
                ConfigCode::UnknownScheme,
                pointer,
                message,
                scheme_suggestion(name, declared_names),
            );
        };
        let Some(fitted) = compatibility::compatible_credential(scheme, credential) else {
            let expected = compatibility::expected_kind_words(&scheme.kind);
            let message = format!(
                "expected {expected} for the security scheme `{name}`, got: `{}`",
                credential.kind
            );
            let help = "the description says what the scheme is";
            return reader.report_fault(ConfigCode::WrongCredential, pointer, message, help);
        };
        let fitted = match token_endpoint::with_token_endpoint(fitted, scheme, service) {
            Ok(fitted) => fitted,
            Err(foreign) => {
                self.foreign.insert(name.to_owned(), foreign);
                return;
            }
        };
        let scopes = fitted.scopes().map(<[String]>::to_vec);
        let holding = Holding { cost: fitted.relative_cost(), scopes };
        match authenticators.make_or_reuse(fitted) {
            Ok(made) => {
                self.made.insert(name.to_owned(), made);
                self.holdings.insert(name.to_owned(), holding);
            }
            Err(error) => {
                reader.report_fault(
                    ConfigCode::Credential,
                    pointer,
                    error.to_string(),
                    "correct the credential",
                );
            }
        }
    }
}

/// The state of a walk over the operations that gives each one its authenticator.
struct Assignment<'a> {
    credentials: &'a Credentials,
    own: Arc<dyn Authenticator>,
    none: Arc<dyn Authenticator>,
    schemes: Schemes,
    /// The authenticators by the names of the schemes that are satisfied together, or by the reason why none are.
    shared: BTreeMap<String, Arc<dyn Authenticator>>,
    origins: Origins,
    findings: Findings,
    has_certificate: bool,
}

impl Assignment<'_> {
    fn authenticator(&mut self, operation: &Operation) -> Arc<dyn Authenticator> {
        if has_session_values(operation) && !self.origins.allows_credentials(operation) {
            let why = self.findings.record_withheld_session_values(operation);
            return self.refusing_authenticator(why);
        }
        let authenticator = self.authenticator_by_schemes(operation);
        // A client shows its certificate to every server that requests it, whatever the operation requires.
        let is_credential = self.has_certificate || !authenticator.places().is_empty();
        if !is_credential
            || authenticator.obstacle().is_some()
            || self.origins.allows_credentials(operation)
        {
            return authenticator;
        }
        let security = &operation.security;
        let is_optional = security.alternatives.iter().any(|one| one.schemes.is_empty());
        if is_optional && !self.has_certificate {
            return Arc::clone(&self.none);
        }
        let why = self.findings.record_foreign_origin(operation);
        self.refusing_authenticator(why)
    }

    fn authenticator_by_schemes(&mut self, operation: &Operation) -> Arc<dyn Authenticator> {
        let security = &operation.security;
        let is_declared_open = security.is_stated && security.alternatives.is_empty();
        let Credentials { auth, lacks_own, schemes, .. } = self.credentials;
        match (auth.is_some() || lacks_own.is_some(), schemes) {
            // A description without schemes may contain `security: []`; only an operation with its own `security: []`
            // is certainly open.
            (true, None) if is_declared_open && security.is_own => Arc::clone(&self.none),
            (true, None) => self.own_authenticator(operation),
            _ if !security.is_stated => self.own_authenticator(operation),
            _ => match choose_alternative(security, &self.schemes.holdings) {
                Solution::Met(requirement) => self.combined_authenticator(requirement),
                Solution::Open => Arc::clone(&self.none),
                Solution::Unmet(missing) => {
                    let why = self.findings.record_unmet_security(operation, &missing);
                    self.refusing_authenticator(why)
                }
            },
        }
    }

    fn own_authenticator(&mut self, operation: &Operation) -> Arc<dyn Authenticator> {
        if self.credentials.lacks_own.is_some() {
            self.findings.report_missing_export_credential(operation);
        }
        // Without any credential the operator calls operations without theirs.
        let places = self.own.places();
        let lacks = |scheme: &&Arc<SecurityScheme>| {
            !places
                .iter()
                .any(|credential_place| compatibility::is_place_of_scheme(credential_place, scheme))
        };
        let missing: Vec<_> = operation.demanded_schemes.iter().filter(lacks).collect();
        if !places.is_empty() && !missing.is_empty() {
            let missing = missing.into_iter().map(|scheme| Missing { scheme, scopes: Vec::new() });
            let missing: Vec<_> = missing.collect();
            let why = self.findings.record_unmet_security(operation, &missing);
            return self.refusing_authenticator(why);
        }
        Arc::clone(&self.own)
    }

    fn combined_authenticator(&mut self, requirement: &Requirement) -> Arc<dyn Authenticator> {
        let names =
            || requirement.schemes.iter().map(|required_scheme| &*required_scheme.scheme.name);
        // No pointer segment contains a bare slash, so different lists of names have different keys.
        let key = names().map(|name| format!("/{}", pointer_segment(name))).collect::<String>();
        let made = || {
            combined_authenticator(
                names().filter_map(|name| self.schemes.made.get(name)).cloned().collect(),
            )
        };
        Arc::clone(self.shared.entry(key).or_insert_with(made))
    }

    fn refusing_authenticator(&mut self, why: String) -> Arc<dyn Authenticator> {
        Arc::clone(
            self.shared.entry(why).or_insert_with_key(|why| unavailable_authenticator(why.clone())),
        )
    }
}

/// True if values of the session are sent: a place that a credential may not reach is closed to them, too.
fn has_session_values(operation: &Operation) -> bool {
    operation.session_sources().any(|source| !matches!(source, ValueSource::Model))
}

fn scheme_suggestion<'a>(
    name: &str,
    declared_names: impl Iterator<Item = &'a str> + Clone,
) -> String {
    match nearest(name, declared_names.clone()) {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None if declared_names.clone().next().is_none() => {
            "the description declares none; write `auth:` for one credential of every operation"
                .to_owned()
        }
        None => {
            let names: Vec<_> = declared_names.take(NAMED).collect();
            format!("it declares `{}`", names.join("`, `"))
        }
    }
}

/// The number of schemes that a message names.
const NAMED: usize = 10;
