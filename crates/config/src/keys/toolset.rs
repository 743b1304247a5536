//! The keys of a toolset, without those of its credentials.

use super::{
    AUTH, BREAKER, Key, Kind, RATE_KEY, SCHEME, SERVICE_DIRECTORY, TLS, Table, Takes, key, needing,
    required, table, text, texts,
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
        text(
            "ces_toolset",
            "A tool as Customer Engagement Suite exports it: its directory or its JSON file",
        ),
        key(
            "confirm",
            Kind::AnyOf(&[Kind::Choice(RULES), Kind::Table(&CONFIRM)]),
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
        text(
            "dialogflow_tool",
            "A tool as Dialogflow CX exports it: its directory or its JSON file",
        ),
        key("egress", Kind::Table(&EGRESS), "Addresses that may be called beyond public ones"),
        key(
            "execution",
            Kind::AnyOf(&[Kind::Choice(SIDES), Kind::Table(&EXECUTION)]),
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
            Kind::Table(&LIMITS),
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
    later: &[],
    takes: Takes::Any,
};

/// The limits that may also be at the root, for every toolset that does not set its own.
pub(super) const DESCRIPTION_BYTES_KEY: Key = key(
    "description_bytes",
    Kind::Bytes,
    "The longest description, all documents it refers to together",
);
pub(super) const MEDIA_BYTES_KEY: Key =
    key("media_bytes", Kind::Bytes, "The largest image or sound that is handed on");
pub(super) const RESPONSE_BYTES_KEY: Key =
    key("response_bytes", Kind::Bytes, "The longest answer that is read");
pub(super) const RESULT_BYTES_KEY: Key =
    key("result_bytes", Kind::Bytes, "The most text a model is shown of a result");
pub(super) const TIMEOUT_KEY: Key =
    key("timeout", Kind::Duration, "The whole call, from connecting to the last byte");
pub(super) const TOOL_TOKENS_KEY: Key = key(
    "tool_tokens",
    Kind::Count(usize::MAX),
    "The tokens that the declaration of one tool takes; what is deep and optional is told in words beyond them",
);

/// The limits on a description, on one exchange, and on calls together.
pub(crate) const LIMITS: Table = table(
    "`limits`",
    &[
        key(
            "alias_bytes",
            Kind::Bytes,
            "How much text the YAML aliases of the description may stand for",
        ),
        key(
            "all_declarations_effort",
            Kind::Count(usize::MAX),
            "The steps it may take to declare all tools of the description",
        ),
        key(
            "breaker",
            Kind::AnyOf(&[Kind::Choice(&["none"]), Kind::Table(&BREAKER)]),
            "When calls are kept from a service that cannot be reached",
        ),
        key("concurrency", Kind::Count(usize::MAX), "How many calls run at a time"),
        key(
            "declaration_effort",
            Kind::Count(usize::MAX),
            "The steps it may take to declare one tool, or to build one definition that tools share",
        ),
        DESCRIPTION_BYTES_KEY,
        key(
            "description_depth",
            Kind::Count(120),
            "How deep lists and objects may be nested in the description",
        ),
        key(
            "description_effort",
            Kind::Count(usize::MAX),
            "The steps it may take to make tools of the description",
        ),
        key(
            "description_nodes",
            Kind::Count(usize::MAX),
            "How many values the description may have",
        ),
        key(
            "effort_per_byte",
            Kind::Whole,
            "The steps that each byte of a large description gives instead, where that is more",
        ),
        MEDIA_BYTES_KEY,
        key("operations", Kind::Count(usize::MAX), "How many operations the description may have"),
        RATE_KEY,
        RESPONSE_BYTES_KEY,
        RESULT_BYTES_KEY,
        key(
            "shared_definitions_effort",
            Kind::Count(usize::MAX),
            "The steps it may take to build the definitions that tools share, each once",
        ),
        TIMEOUT_KEY,
        TOOL_TOKENS_KEY,
    ],
);

/// The addresses that may be called.
pub(crate) const EGRESS: Table =
    table("`egress`", &[texts("allow", "Ranges of addresses: `10.0.0.0/8`")]);

const BIG_INTEGERS: Key = key(
    "big_integers",
    Kind::Choice(&["number", "string"]),
    "`string` writes integers beyond 2^53 as texts",
);
const SHOWN_HEADERS: Key =
    texts("headers", "Headers of an answer that are shown, instead of those that are usually");
const JSONPATH: Key = text("jsonpath", "What of a result is shown, by a JSONPath (RFC 9535)");
const SELECT: Key = texts("select", "What of a result is shown: members by their paths");

/// The keys about the results of a toolset.
pub(crate) const OUTPUT: Table = table(
    "`output`",
    &[
        BIG_INTEGERS,
        SHOWN_HEADERS,
        JSONPATH,
        SELECT,
        key(
            "tools",
            Kind::Map(&Kind::Table(&OUTPUT_TOOL)),
            "Single tools, by their names or by the `operationId`",
        ),
    ],
);

/// The keys about the results of one tool.
pub(crate) const OUTPUT_TOOL: Table = table(
    "a tool's `output`",
    &[
        BIG_INTEGERS,
        SHOWN_HEADERS,
        JSONPATH,
        key("result_bytes", Kind::Bytes, "The most text a model is shown of a result"),
        SELECT,
    ],
);

/// The withheld headers that arguments may set.
pub(crate) const ARGUMENT_HEADERS: Table = table(
    "`argument_headers`",
    &[
        texts("allow", "Headers that arguments of all tools may set"),
        key(
            "tools",
            Kind::Map(&Kind::List(&Kind::Text)),
            "Those of single tools, by their names or by the `operationId`",
        ),
    ],
);

/// The arguments of single tools.
pub(crate) const ARGUMENTS: Table = table(
    "`arguments`",
    &[key(
        "tools",
        Kind::Map(&Kind::Choice(&["body"])),
        "`body` for single tools, by their names or by the `operationId`: the arguments are the members of the body",
    )],
);

/// The keys that select operations of a description.
pub(crate) const TOOLS: Table = table(
    "`tools`",
    &[
        texts("exclude", "Patterns of names that are not offered"),
        texts("include", "Patterns of names that are offered: the tool's or the `operationId`"),
        texts("methods", "The methods that are offered"),
        texts("paths", "Patterns of paths that are offered"),
        key("read_only", Kind::Boolean, "Offers only what changes nothing (GET, HEAD)"),
        texts("tags", "The tags that are offered"),
    ],
);

/// The session values that inputs may take although credentials of other toolsets read them.
pub(crate) const SESSION_PARAMETERS: Table =
    table("`session_parameters`", &[texts("allow", "The names of the values")]);

/// The side that runs a tool.
const SIDES: &[&str] = &["client", "server"];

const RULES: &[&str] = &["always", "destructive", "dialogflow_v2", "never", "writes"];

/// The calls that a person has to approve.
pub(crate) const CONFIRM: Table = table(
    "`confirm`",
    &[
        key("default", Kind::Choice(RULES), "The rule of the tools that are not named"),
        key(
            "tools",
            Kind::Map(&Kind::Choice(RULES)),
            "The rules of single tools, by their names or by the `operationId`",
        ),
    ],
);

/// The side that runs tools once a call is checked.
pub(crate) const EXECUTION: Table = table(
    "`execution`",
    &[
        key("default", Kind::Choice(SIDES), "Who runs the tools that are not named"),
        key(
            "tools",
            Kind::Map(&Kind::Choice(SIDES)),
            "Who runs single tools, by their names or by the `operationId`",
        ),
    ],
);

/// A tool that the client runs.
pub(crate) const FUNCTION: Table = table(
    "a function",
    &[
        text("description", "What it is for, for the model"),
        key("input", Kind::Schema, "The schema of its arguments, one of objects"),
        required(text("name", "Its name; the toolset's prefix stands before it")),
        key(
            "output",
            Kind::Schema,
            "The schema of its results, which the client's are checked against",
        ),
    ],
);

/// The keys about the source of responses.
pub(crate) const UPSTREAM: Table =
    table("`upstream`", &[required(text("replay", "A directory of recorded cases"))]);
