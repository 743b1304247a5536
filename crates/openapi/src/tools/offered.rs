//! Decides which parameters of an operation are offered: not those that belong to credentials or steer the message, not
//! those the path has no place for; and adds the variables of the path that nothing declares.

use std::sync::Arc;

use callgate_tree::Node;
use hashbrown::HashSet;

use crate::{
    code::Code,
    document::Document,
    findings::Findings,
    input::{Encoding, Place, Placement, Style, Styled},
    options::LoadOptions,
    parameter::Parameter,
    reference::Located,
    security::{
        Security,
        argument_header::ArgumentHeader,
        withheld::{Rules, Withheld, withheld},
    },
    template::{QueryValue, Template},
};

/// What is known of an operation before its parameters are read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known<'a> {
    pub(super) template: Option<&'a Template>,
    pub(super) security: &'a Security,
    /// The withheld headers that the operator lets through.
    pub(super) let_through: &'a [&'a ArgumentHeader],
}

/// The parameters that are offered among those of an operation.
pub(super) fn among<'d>(
    mut parameters: Vec<Parameter<'d>>,
    (document, options, operation): (&Document, &LoadOptions, Option<&&Located<'d>>),
    Known { template, security, let_through }: Known<'_>,
    findings: &mut Findings,
) -> Vec<Parameter<'d>> {
    let mut places = options.credential_places.clone();
    places.extend(security.key_places().map(|(place, name)| (place, name.to_owned())));
    let rules = Rules { credential_places: &places, let_through };
    // Each is compared with each.
    parameters
        .retain(|parameter| document.spend(places.len()) && is_offered(parameter, rules, findings));
    note_query_beside_querystring(&parameters, findings);
    if let (Some(template), Some(operation)) = (template, operation) {
        take_query_values(template, operation, &mut parameters);
        drop_unused(template, &mut parameters, findings);
        drop_fixed(template, &mut parameters, findings);
        add_undeclared(template, operation, &mut parameters, findings);
    }
    parameters
}

fn is_offered(parameter: &Parameter<'_>, rules: Rules<'_>, findings: &mut Findings) -> bool {
    let Parameter { name, object, .. } = parameter;
    let pointer = &object.pointer;
    match withheld(parameter.place(), name, rules) {
        None => true,
        Some(Withheld::Credential) => {
            let message = format!(
                "expected the credential `{name}` from the configuration alone, got a parameter of that name"
            );
            findings.note(
                Code::CredentialParameter,
                pointer,
                message,
                "nothing; it is not offered",
            );
            false
        }
        Some(Withheld::Forbidden) => {
            let message = format!("expected a header that arguments may set, got: `{name}`");
            let help = match ArgumentHeader::new(name) {
                Ok(_) => format!(
                    "remove the parameter, or list `{name}` under `argument_headers` of the toolset; it is not sent"
                ),
                Err(_) => "remove the parameter; it is never sent".to_owned(),
            };
            findings.warning(Code::ForbiddenHeader, pointer, message, &help);
            false
        }
        Some(Withheld::Reserved) => {
            let message = format!("expected no header parameter of a reserved name, got: `{name}`");
            let help =
                "describe it with media types or a security scheme; the parameter is ignored";
            findings.note(Code::ReservedHeader, pointer, message, help);
            false
        }
    }
}

/// OpenAPI 3.2.0 §4.12.1: the whole query string and its parts are not described together.
fn note_query_beside_querystring(parameters: &[Parameter<'_>], findings: &mut Findings) {
    let is_query =
        |known: &&Parameter<'_>| matches!(known.place(), Place::Query | Place::Querystring);
    let mut queries = parameters.iter().filter(is_query);
    let whole = parameters.iter().find(|known| known.place() == Place::Querystring);
    if let (Some(whole), true) = (whole, queries.nth(1).is_some()) {
        let message =
            format!("expected no query parameters beside a query string, got: `{}`", whole.name);
        let help = "describe either; what is given of them is sent one after another";
        findings.warning(Code::MalformedNode, &whole.object.pointer, message, help);
    }
}

/// Makes query parameters of the variables in the path key's own query: of the parameter that declares the variable, else
/// of a required text.
fn take_query_values<'d>(
    template: &Template,
    operation: &Located<'d>,
    parameters: &mut Vec<Parameter<'d>>,
) {
    for QueryValue { name, text, variable } in &template.query_values {
        let is_query = |known: &Parameter<'_>| known.place() == Place::Query && known.name == *name;
        if parameters.iter().any(is_query) {
            continue;
        }
        let declares = |known: &&Parameter<'_>| {
            matches!(known.place(), Place::Path | Place::Query)
                && Some(&known.name) == variable.as_ref()
        };
        let placement = Placement::Query(Encoding::Styled(Styled::plain(Style::Form)));
        let found = parameters.iter().find(declares).cloned();
        parameters.retain(|known| {
            known.place() != Place::Query || Some(&known.name) != variable.as_ref()
        });
        parameters.push(match found {
            Some(found) => Parameter { name: Arc::clone(name), placement, ..found },
            None => Parameter {
                object: Located { node: &Node::Null, pointer: Arc::clone(&operation.pointer) },
                name: Arc::clone(name),
                placement,
                required: true,
                schema: None,
                description: Some(format!("A value of the form `{text}`.").into()),
            },
        });
    }
    let is_left = |known: &Parameter<'_>| {
        let is_taken = template.query_values.iter().any(|value| value.holds(&known.name));
        known.place() != Place::Path
            || !is_taken
            || template.variables().any(|name| *name == known.name)
    };
    parameters.retain(is_left);
}

/// Leaves out path parameters that have no place in the template.
fn drop_unused(template: &Template, parameters: &mut Vec<Parameter<'_>>, findings: &mut Findings) {
    let variables: HashSet<&Arc<str>> = template.variables().collect();
    parameters.retain(|parameter| {
        let name = &parameter.name;
        let is_used = parameter.place() != Place::Path || variables.contains(name);
        if !is_used {
            let message = format!("expected path parameters of the template, got: `{name}`");
            let help = "remove it or put it into the path; it is ignored";
            findings.warning(Code::UnusedPathParameter, &parameter.object.pointer, message, help);
        }
        is_used
    });
}

/// Leaves out query parameters that the path key's own query fixes: they would be sent twice.
fn drop_fixed(template: &Template, parameters: &mut Vec<Parameter<'_>>, findings: &mut Findings) {
    parameters.retain(|parameter| {
        let name = &parameter.name;
        let is_fixed = parameter.place() == Place::Query && template.fixes(name);
        if is_fixed {
            let message = format!(
                "expected each query parameter once, got one that the path fixes: `{name}`"
            );
            let help = "leave it out of one of them; what the path says is sent";
            findings.note(Code::DuplicateParameter, &parameter.object.pointer, message, help);
        }
        !is_fixed
    });
}

/// Adds a required text for each variable that nothing declares.
fn add_undeclared<'d>(
    template: &Template,
    operation: &Located<'d>,
    parameters: &mut Vec<Parameter<'d>>,
    findings: &mut Findings,
) {
    let declared = parameters.iter().filter(|known| known.place() == Place::Path);
    let mut declared: HashSet<Arc<str>> = declared.map(|known| Arc::clone(&known.name)).collect();
    for name in template.variables() {
        if !declared.insert(Arc::clone(name)) {
            continue;
        }
        let message = format!(
            "expected a path parameter for each variable of the template, got none: `{name}`"
        );
        let help = "declare it; it is offered as a required text";
        findings.warning(Code::UndeclaredPathParameter, &operation.pointer, message, help);
        parameters.push(Parameter {
            object: Located { node: &Node::Null, pointer: Arc::clone(&operation.pointer) },
            name: Arc::clone(name),
            placement: Placement::Path(Encoding::Styled(Styled::plain(Style::Simple))),
            required: true,
            schema: None,
            description: None,
        });
    }
}
