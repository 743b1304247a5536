//! The keys of a toolset.

use crate::{
    form::Form,
    keys::{
        ARGUMENT_HEADERS, ARGUMENTS, AUTH, EGRESS, FUNCTION, Kind, OUTPUT, SCHEME,
        SERVICE_DIRECTORY, SESSION_PARAMETERS, TLS, TOOLS, Table, Takes, UPSTREAM, key, needing,
        text, texts,
    },
    limits::ToolsetLimits,
    settings::Section,
    tool_rules::{ConfirmRules, ExecutionRules},
};

/// One toolset.
pub(crate) const TOOLSET: Table = Table {
    name: "a toolset",
    keys: &[
        key(
            "argument_headers",
            Kind::AnyOf(&[Kind::List(&Kind::Text), Kind::Table(&ARGUMENT_HEADERS)]),
            "Withheld headers that arguments may set",
        ),
        key(
            "arguments",
            Kind::Table(&ARGUMENTS),
            "Tools whose arguments are the members of their JSON body, with what its schema says of the whole",
        ),
        key(
            "auth",
            Kind::AnyOf(&[Kind::Choice(&["none"]), Kind::Table(&AUTH)]),
            "The credential of every operation, but those that say that they are open",
        ),
        key(
            "baggage",
            Kind::Boolean,
            "`true` hands on the `baggage` of the caller's trace, which may say what the service should not know",
        ),
        texts("body_media", "The media types of request bodies that are preferred, the best first"),
        needing(
            "ces",
            text(
                "ces_toolset",
                "A tool as Customer Engagement Suite exports it: its directory or its JSON file",
            ),
        ),
        key(
            "confirm",
            ConfirmRules::KIND,
            "The calls that a person has to approve; `writes` are those that change something",
        ),
        texts(
            "credential_arguments",
            "Parameters that are arguments although they have the name and place of a credential",
        ),
        key(
            "credential_origins",
            Kind::List(&Kind::Address),
            "Origins that credentials and values of the session may go to beside the server's own",
        ),
        key(
            "credentials",
            Kind::Map(&Kind::Table(&SCHEME)),
            "Credentials by the security schemes of the description",
        ),
        key(
            "defaults",
            Kind::Choice(&["all", "required", "safe"]),
            "Which defaults are sent; `safe` leaves out those that would decide alone what a call changes",
        ),
        needing(
            "ces",
            text(
                "dialogflow_tool",
                "A tool as Dialogflow CX exports it: its directory or its JSON file",
            ),
        ),
        key("egress", Kind::Table(&EGRESS), "Addresses that may be called beyond public ones"),
        key(
            "execution",
            ExecutionRules::KIND,
            "`client` hands checked calls to the client instead of the service",
        ),
        key(
            "functions",
            Kind::List(&Kind::Table(&FUNCTION)),
            "Tools that the client runs; without `openapi` the toolset has no others",
        ),
        key(
            "headers",
            Kind::Map(&Kind::Text),
            "Headers of every request: texts, or references to secrets",
        ),
        key(
            "limits",
            Kind::Table(&ToolsetLimits::TABLE),
            "The bounds of the description, of one call, and of calls together",
        ),
        text(
            "openapi",
            "The OpenAPI description: a file, relative to this one, or an https address",
        ),
        key("output", Kind::Table(&OUTPUT), "What of a result is shown"),
        texts(
            "overlays",
            "Overlays that correct the description (OpenAPI Overlay 1.0 and 1.1), in their order",
        ),
        text(
            "prefix",
            "What stands before the operation's name; the toolset's own name unless given",
        ),
        key(
            "redirects",
            Kind::Choice(&["none", "same_origin"]),
            "`same_origin` follows what GET and HEAD are answered below the server's path",
        ),
        key(
            "references",
            Kind::List(&Kind::Address),
            "Origins that the description may refer to documents on",
        ),
        key(
            "required",
            Kind::Boolean,
            "`true` for a sidecar that is not ready while the description cannot be read",
        ),
        key(
            "server",
            Kind::Text,
            "The server that is called instead of the description's own; `env:NAME` for the variable that holds it",
        ),
        key(
            "server_variables",
            Kind::Map(&Kind::AnyOf(&[Kind::Text, Kind::Number])),
            "Values of the variables of the server; `env:NAME` for the variable that holds one",
        ),
        needing(
            "google",
            key(
                "service_directory",
                Kind::AnyOf(&[Kind::Text, Kind::Table(&SERVICE_DIRECTORY)]),
                "The service of Service Directory whose private endpoints are dialled",
            ),
        ),
        key(
            "session_inputs",
            Kind::Choice(&["lenient", "strict"]),
            "`strict` hides from the model what the session should give",
        ),
        key(
            "session_parameters",
            Kind::Table(&SESSION_PARAMETERS),
            "Session values that inputs take although credentials of other toolsets read them",
        ),
        key("tls", Kind::Table(&TLS), "What secures its connections"),
        key("tools", Kind::Table(&TOOLS), "Which operations are offered"),
        key(
            "upstream",
            Kind::AnyOf(&[Kind::Choice(&["http", "replay"]), Kind::Table(&UPSTREAM)]),
            "`http` asks the service, `replay` answers from recordings",
        ),
    ],
    shared: &[],
    takes: Takes::Any,
};
