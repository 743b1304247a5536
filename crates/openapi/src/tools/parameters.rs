//! Decides which parameters of an operation are offered: not those that belong to credentials or control the message,
//! not those that do not occur in the path; and adds the undeclared variables of the path.

use std::sync::Arc;

use callgate_tree::{Node, Severity};
use hashbrown::HashSet;

use crate::{
    code::Code,
    cursor::Cursor,
    findings::{Finding, Findings},
    input::{Encoding, InputLocation, Placement, Style, Styled},
    parameter::Parameter,
    reference::LocatedNode,
    security::{
        SecurityScheme,
        argument_header::ArgumentHeader,
        credential_places::{DeclaredParameter, PlaceOwner},
        withholding_rules::{WithholdingReason, WithholdingRules, withholding_reason},
    },
    template::{QueryValue, Template},
};

#[derive(Debug)]
pub(super) struct OfferedParameters<'d> {
    pub(super) parameters: Vec<Parameter<'d>>,
    /// The places of the parameters that belong to credentials.
    pub(super) withheld: Vec<(InputLocation, Arc<str>)>,
    /// The schemes at whose places the operation requires a parameter, whatever its `security` says.
    pub(super) demanded: Vec<Arc<SecurityScheme>>,
}

pub(super) fn offered_parameters<'d>(
    mut parameters: Vec<Parameter<'d>>,
    operation: Cursor<'d, '_>,
    template: Option<&Template>,
    rules: WithholdingRules<'_>,
) -> OfferedParameters<'d> {
    let at = operation.located_node();
    if let Some(template) = template {
        take_query_values(template, &at, &mut parameters);
    }
    let mut offered = OfferedParameters {
        parameters: Vec::with_capacity(parameters.len()),
        withheld: Vec::new(),
        demanded: Vec::new(),
    };
    operation.with_findings(|findings| {
        // Each parameter is compared with each place.
        for parameter in
            operation.document.while_affordable(parameters, rules.places.parameter_step_cost())
        {
            offered.offer_or_withhold(parameter, rules, findings);
        }
        let parameters = &mut offered.parameters;
        note_query_beside_querystring(parameters, findings);
        if let Some(template) = template {
            drop_unused_path_parameters(template, parameters, findings);
            drop_fixed_query_parameters(template, parameters, findings);
            add_undeclared_variables(template, &at, parameters, findings);
        }
    });
    offered
}

impl<'d> OfferedParameters<'d> {
    fn offer_or_withhold(
        &mut self,
        parameter: Parameter<'d>,
        rules: WithholdingRules<'_>,
        findings: &mut Findings,
    ) {
        let declared = DeclaredParameter {
            place: parameter.location(),
            name: &parameter.name,
            required: parameter.required,
            description: parameter_description(&parameter),
        };
        let why =
            if parameter.is_whole_body() { None } else { withholding_reason(declared, rules) };
        let Some(why) = why else { return self.parameters.push(parameter) };
        report_withheld(&parameter, &why, findings);
        let WithholdingReason::Credential(taker) = why else { return };
        self.withheld.push((parameter.location(), Arc::clone(&parameter.name)));
        if let PlaceOwner::Scheme(scheme) = taker
            && parameter.required
        {
            self.demanded.push(scheme);
        }
    }
}

fn parameter_description<'a>(parameter: &'a Parameter<'_>) -> &'a str {
    let own = || parameter.object.text("description");
    parameter.description.as_deref().or_else(own).unwrap_or_default()
}

fn report_withheld(parameter: &Parameter<'_>, why: &WithholdingReason, findings: &mut Findings) {
    let Parameter { name, .. } = parameter;
    let pointer = parameter.pointer();
    match why {
        WithholdingReason::Credential(PlaceOwner::Demanded) => {
            let message = format!(
                "expected the service to take the credential from its own place, got a required parameter that is read as one: `{name}`"
            );
            let help = format!(
                "write an `apiKey` scheme for it, or list `{name}` under `credential_arguments` of the toolset; it is not sent"
            );
            findings.warning(Code::CredentialParameter, pointer, message, &help);
        }
        WithholdingReason::Credential(PlaceOwner::Described) => {
            let message = format!(
                "expected a credential at the place of a scheme, got a parameter whose name and text are those of one: `{name}`"
            );
            let help = format!(
                "list `{name}` under `credential_arguments` of the toolset if it is none, such as a filter; it is not offered"
            );
            findings.note(Code::CredentialParameter, pointer, message, &help);
        }
        WithholdingReason::Credential(_) => {
            let message = format!(
                "expected the credential `{name}` from the configuration alone, got a parameter of that name"
            );
            let help = "no change is needed: it is not offered";
            findings.note(Code::CredentialParameter, pointer, message, help);
        }
        WithholdingReason::Forbidden => {
            let message = format!("expected a header that arguments may set, got: `{name}`");
            let help = match ArgumentHeader::new(name) {
                Ok(_) => format!(
                    "remove the parameter, or list `{name}` under `argument_headers` of the toolset; it is not sent"
                ),
                Err(_) => "remove the parameter; it is never sent".to_owned(),
            };
            findings.warning(Code::ForbiddenHeader, pointer, message, &help);
        }
        WithholdingReason::Reserved => {
            let message = format!("expected no header parameter of a reserved name, got: `{name}`");
            let help =
                "describe it with media types or a security scheme; the parameter is ignored";
            findings.note(Code::ReservedHeader, pointer, message, help);
        }
    }
}

/// Reports query parameters beside a whole query string: OpenAPI 3.2.0 §4.12.1 forbids the combination.
fn note_query_beside_querystring(parameters: &[Parameter<'_>], findings: &mut Findings) {
    let is_query = |parameter: &&Parameter<'_>| {
        matches!(parameter.location(), InputLocation::Query | InputLocation::Querystring)
    };
    let queries = parameters.iter().filter(is_query);
    let whole =
        parameters.iter().find(|parameter| parameter.location() == InputLocation::Querystring);
    if let (Some(whole), true) = (whole, queries.clone().nth(1).is_some()) {
        let message =
            format!("expected no query parameters beside a query string, got: `{}`", whole.name);
        let help = "describe either; a call that gives both is refused";
        // If two of them are required, every call supplies both.
        let is_never = queries.filter(|parameter| parameter.required).nth(1).is_some();
        let severity = if is_never { Severity::Error } else { Severity::Warning };
        let finding = Finding::new(Code::MalformedNode, severity, message, help);
        findings.add(finding, whole.pointer());
    }
}

/// Turns the variables in the path key's own query into query parameters: the declared parameter of each variable, or
/// else a required text.
fn take_query_values<'d>(
    template: &Template,
    operation: &LocatedNode<'d>,
    parameters: &mut Vec<Parameter<'d>>,
) {
    for QueryValue { name, text, variable } in &template.query_values {
        let is_query = |parameter: &Parameter<'_>| {
            parameter.location() == InputLocation::Query && parameter.name == *name
        };
        if parameters.iter().any(is_query) {
            continue;
        }
        let declares = |parameter: &&Parameter<'_>| {
            matches!(parameter.location(), InputLocation::Path | InputLocation::Query)
                && Some(&parameter.name) == variable.as_ref()
        };
        let placement = Placement::Query(Encoding::Styled(Styled::plain(Style::Form)));
        let declared_parameter = parameters.iter().find(declares).cloned();
        parameters.retain(|parameter| {
            parameter.location() != InputLocation::Query
                || Some(&parameter.name) != variable.as_ref()
        });
        parameters.push(match declared_parameter {
            Some(declared_parameter) => {
                Parameter { name: Arc::clone(name), placement, ..declared_parameter }
            }
            None => Parameter {
                object: &Node::Null,
                pointer: Some(Arc::clone(&operation.pointer)),
                name: Arc::clone(name),
                placement,
                required: true,
                schema: None,
                description: Some(format!("A value of the form `{text}`.").into()),
            },
        });
    }
    let is_left = |parameter: &Parameter<'_>| {
        let is_taken =
            template.query_values.iter().any(|value| value.has_variable(&parameter.name));
        parameter.location() != InputLocation::Path
            || !is_taken
            || template.variables().any(|name| *name == parameter.name)
    };
    parameters.retain(is_left);
}

/// The variables of a template. Few are compared pair by pair; the names of many are looked up.
struct Variables<'a> {
    template: &'a Template,
    many: HashSet<&'a Arc<str>>,
}

impl<'a> Variables<'a> {
    fn from_template(template: &'a Template) -> Self {
        let is_few = Self::has_few_variables(template);
        let many = if is_few { HashSet::new() } else { template.variables().collect() };
        Self { template, many }
    }

    fn has_few_variables(template: &Template) -> bool {
        template.variables().nth(COMPARED_VARIABLES).is_none()
    }

    fn has_variable(&self, name: &Arc<str>) -> bool {
        if self.many.is_empty() {
            return self.template.variables().any(|variable| variable == name);
        }
        self.many.contains(name)
    }
}

/// Up to this many variables are compared with each parameter.
const COMPARED_VARIABLES: usize = 16;

fn drop_unused_path_parameters(
    template: &Template,
    parameters: &mut Vec<Parameter<'_>>,
    findings: &mut Findings,
) {
    let variables = Variables::from_template(template);
    parameters.retain(|parameter| {
        let name = &parameter.name;
        let is_used = parameter.location() != InputLocation::Path || variables.has_variable(name);
        if !is_used {
            let message = format!("expected path parameters of the template, got: `{name}`");
            let help = "remove it or put it into the path; it is ignored";
            findings.warning(Code::UnusedPathParameter, parameter.pointer(), message, help);
        }
        is_used
    });
}

/// Removes query parameters that the path key's own query sets: they would be sent twice.
fn drop_fixed_query_parameters(
    template: &Template,
    parameters: &mut Vec<Parameter<'_>>,
    findings: &mut Findings,
) {
    parameters.retain(|parameter| {
        let name = &parameter.name;
        let is_fixed =
            parameter.location() == InputLocation::Query && template.has_fixed_query_key(name);
        if is_fixed {
            let message = format!(
                "expected each query parameter once, got one that the path fixes: `{name}`"
            );
            let help = "leave it out of one of them; what the path says is sent";
            findings.note(Code::DuplicateParameter, parameter.pointer(), message, help);
        }
        !is_fixed
    });
}

fn add_undeclared_variables<'d>(
    template: &Template,
    operation: &LocatedNode<'d>,
    parameters: &mut Vec<Parameter<'d>>,
    findings: &mut Findings,
) {
    let is_path = |parameter: &&Parameter<'_>| parameter.location() == InputLocation::Path;
    let mut declared: HashSet<Arc<str>> = HashSet::new();
    let is_few = Variables::has_few_variables(template);
    if !is_few {
        declared
            .extend(parameters.iter().filter(is_path).map(|parameter| Arc::clone(&parameter.name)));
    }
    for name in template.variables() {
        let is_declared = if is_few {
            parameters.iter().filter(is_path).any(|parameter| parameter.name == *name)
        } else {
            !declared.insert(Arc::clone(name))
        };
        if is_declared {
            continue;
        }
        let message = format!(
            "expected a path parameter for each variable of the template, got none: `{name}`"
        );
        let help = "declare it; it is offered as a required text";
        findings.warning(Code::UndeclaredPathParameter, &operation.pointer, message, help);
        parameters.push(Parameter {
            object: &Node::Null,
            pointer: Some(Arc::clone(&operation.pointer)),
            name: Arc::clone(name),
            placement: Placement::Path(Encoding::Styled(Styled::plain(Style::Simple))),
            required: true,
            schema: None,
            description: None,
        });
    }
}
