//! The keys of the sections of a toolset.

use super::{Key, Kind, Table, key, required, table, text, texts};

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
