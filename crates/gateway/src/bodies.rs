//! The schemas of what other crates write into responses: results, tools, findings and changes.

#![expect(dead_code, reason = "the types exist for their schemas")]

use std::collections::BTreeMap;

use callgate_tool::{Object, Value};
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{
        ObjectBuilder, RefOr,
        schema::{Schema, Type},
    },
};

macro_rules! words {
    ($($Name:ident: $of:ty,)+) => {$(
        pub(crate) struct $Name;

        impl PartialSchema for $Name {
            fn schema() -> RefOr<Schema> {
                let words = <$of>::ALL.iter().map(|one| one.as_str());
                let schema = ObjectBuilder::new().schema_type(Type::String);
                schema.enum_values(Some(words)).build().into()
            }
        }

        impl ToSchema for $Name {}
    )+};
}

words! {
    Effect: callgate_tool::Effect,
    Next: callgate_tool::Next,
    Reached: callgate_tool::Reached,
    Severity: callgate_config::Severity,
}

/// The states of an approval that was not used yet.
pub(crate) struct ApprovalState;

impl ApprovalState {
    pub(crate) const WORDS: [&str; 3] = ["approved", "rejected", "waiting"];
}

impl PartialSchema for ApprovalState {
    fn schema() -> RefOr<Schema> {
        let schema = ObjectBuilder::new().schema_type(Type::String);
        schema.enum_values(Some(Self::WORDS)).build().into()
    }
}

impl ToSchema for ApprovalState {}

/// The bytes of a result, in the media type that the service gave them
#[derive(ToSchema)]
#[schema(content_media_type = "application/octet-stream")]
pub(crate) struct Bytes(String);

/// The end of a call: `response`, `error`, `pending`, or in a dry run `request`
#[derive(ToSchema)]
#[schema(as = Result)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ResultBody {
    id: String,
    tool: String,
    /// The status of the service
    #[serde(default)]
    status: u16,
    /// Headers of the service that mean something
    #[serde(default)]
    headers: Object,
    /// The answer of the service: JSON, a text, null, a file or an array of parts
    #[serde(default)]
    response: Value,
    #[serde(default)]
    #[schema(inline)]
    error: Fault,
    /// The event that the call waits for
    #[serde(default)]
    pending: Object,
    /// The request that would be sent, with `****` for credentials
    #[serde(default)]
    request: Value,
    /// The parts that are not shown
    #[serde(default)]
    truncated: Object,
    /// Arguments of the next page
    #[serde(default)]
    next: Object,
    /// The name of the whole result
    #[serde(default)]
    handle: String,
    /// True if the service had not ended its answer
    #[serde(default)]
    still_sending: bool,
    /// The number of attempts, if `retry` of the toolset repeated one that failed
    #[serde(default)]
    attempts: usize,
    /// Arguments that defaults of the description were sent for
    #[serde(default)]
    defaults: Vec<String>,
    /// Sentences that say what was left out, converted, ignored or chosen
    #[serde(default)]
    notes: Vec<String>,
    /// The decisions that were made while the call ran, if the request asks for them
    #[serde(default)]
    #[schema(inline)]
    journal: Vec<JournalEntry>,
}

/// A decision
#[derive(ToSchema)]
pub(crate) struct JournalEntry {
    /// The name of the decision
    event: String,
    /// The decision as a sentence; absent where it names what only an operator may know
    #[serde(default)]
    text: String,
}

/// The reason why the call failed, and what to do next
#[derive(ToSchema)]
#[serde(rename_all = "camelCase")]
struct Fault {
    code: String,
    message: String,
    #[schema(inline)]
    reached: Reached,
    #[schema(inline)]
    next: Next,
    /// Seconds
    #[serde(default)]
    retry_after: f64,
}

/// Everything known of a tool
#[derive(ToSchema)]
#[schema(as = Tool)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ToolBody {
    name: String,
    toolset: String,
    /// True if a call may be `pending` until a person approves it
    approval: bool,
    operation_id: Option<String>,
    #[serde(default)]
    method: String,
    #[serde(default)]
    path: String,
    #[schema(inline)]
    effect: Effect,
    description: String,
    input_schema: Object,
    #[schema(inline)]
    output_schema: Option<OutputSchema>,
    /// About how many tokens its declaration takes of a model's context
    tokens: u64,
    #[serde(default)]
    inputs: Vec<Object>,
    #[serde(default)]
    nested_inputs: Vec<Object>,
    /// The changes that the configuration makes to the tool; absent without any
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(inline, nullable = false)]
    edited: Option<Edited>,
    /// The declaration in every dialect
    dialects: BTreeMap<String, Object>,
    /// The tokens and the losses of the schema in each form that a provider accepts
    #[schema(inline)]
    projections: BTreeMap<String, ProjectedSchema>,
}

#[derive(ToSchema)]
struct ProjectedSchema {
    tokens: u64,
    /// The parts of the schema that the form lacks or changes, each as a sentence
    losses: Vec<String>,
}

#[derive(ToSchema)]
#[serde(rename_all = "camelCase")]
struct Edited {
    /// The name of the tool without the changes
    former_name: String,
    /// The keys of the changes: `name`, `hide` and others
    changes: Vec<String>,
}

#[derive(ToSchema)]
#[serde(untagged)]
enum OutputSchema {
    Any(bool),
    Schema(Object),
}

#[derive(ToSchema)]
pub(crate) struct FoundTool {
    /// The tool's name
    name: String,
    /// The toolset it is a part of; empty for a tool of none
    toolset: String,
    #[schema(inline)]
    effect: Effect,
    /// The purpose, in a line
    description: String,
    /// The rank beside the others of this answer
    score: f64,
    /// The arguments whose values other tools answer
    #[schema(inline)]
    needs: Vec<Need>,
    /// The things that its answer tells of
    #[schema(inline)]
    produces: Vec<Product>,
}

#[derive(ToSchema)]
struct Need {
    argument: String,
    /// These tools, the simplest to call first
    from: Vec<String>,
}

#[derive(ToSchema)]
struct Product {
    /// The thing, as a stem
    thing: String,
    /// The field of the answer that identifies it
    at: String,
}

#[derive(ToSchema)]
pub(crate) enum Masked {
    #[serde(rename = "****")]
    Masked,
}

#[derive(ToSchema)]
pub(crate) struct Finding {
    code: String,
    #[schema(inline)]
    severity: Severity,
    message: String,
    help: String,
}

/// A finding with its place
#[derive(ToSchema)]
pub(crate) struct LocatedFinding {
    code: String,
    #[schema(inline)]
    severity: Severity,
    message: String,
    /// The remedy
    #[serde(default)]
    help: String,
    /// The file, below the folder of the configuration if it is there
    #[serde(default)]
    file: String,
    #[serde(default)]
    line: u32,
    #[serde(default)]
    column: u32,
    /// The JSON pointer of the value
    #[serde(default)]
    pointer: String,
    /// The first operation that it is about
    #[serde(default)]
    operation: String,
    /// The number of operations that it is about
    #[serde(default)]
    operations: usize,
}

/// A toolset as it was loaded
#[derive(ToSchema)]
pub(crate) struct ReportedToolset {
    name: String,
    /// The kind of a toolset without a description: `database`, `documents`, `functions`
    #[serde(default)]
    kind: String,
    #[schema(inline)]
    status: ToolsetStatus,
    /// The reason why it is not ready
    #[serde(default)]
    why: String,
    /// True if the sidecar is not ready without it
    required: bool,
    /// The file of its description
    #[serde(default)]
    file: String,
    /// The version that its description declares
    #[serde(default)]
    version: String,
    /// The number of its tools
    tools: usize,
    /// The estimated tokens of their declarations
    tokens: usize,
    /// The operations that are offered as described
    #[serde(default)]
    exposed: usize,
    /// The operations that are offered although something was lost
    #[serde(default)]
    degraded: usize,
    /// The operations that are not offered
    #[serde(default)]
    refused: usize,
    #[schema(inline)]
    diagnostics: Vec<LocatedFinding>,
    /// The number of findings that are not shown
    more: usize,
}

/// `stale`: the last description stays in use while there is no new one
#[derive(ToSchema)]
#[serde(rename_all = "lowercase")]
enum ToolsetStatus {
    Failed,
    Ready,
    Stale,
}

#[derive(ToSchema)]
pub(crate) struct ChangedTool {
    tool: String,
    change: String,
    breaking: bool,
}
