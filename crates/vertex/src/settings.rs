//! The settings of a search and of its tools, as values. `keys` reads them from a text; nothing here sends a request.

use callgate_executor::CallSettings;
use callgate_tool::{SessionSource, ToolName};

use crate::{conditions::FieldType, filter::Filter, resource_name::ResourceName};

/// The data stores of one toolset with their tools.
#[derive(Clone, Debug)]
pub struct VertexSettings {
    /// The name of the toolset; empty for none.
    pub toolset: String,
    /// The tools.
    pub tools: Vec<ToolSettings>,
    /// The engine, or the data stores, that are searched. An answer is asked of the first.
    pub targets: Vec<Target>,
    /// The service that is called; `None` for that of the location of each target.
    pub server: Option<String>,
    /// The documents, or the purpose of the tools, in words; empty if not stated.
    pub description: String,
    /// The condition on all documents. A model never sees it.
    pub filter: Option<Filter>,
    /// The fields of a model's conditions, with the types of their values.
    pub fields: Vec<(String, FieldType)>,
    /// The names of arguments.
    pub form: Form,
    /// The documents that rank higher or lower.
    pub boosts: Vec<Boost>,
    /// True if results show snippets of documents.
    pub snippets: bool,
    /// The most verbatim answers of each document; 0 for none.
    pub extractive_answers: u32,
    /// The most verbatim segments of each document; 0 for none.
    pub extractive_segments: u32,
    /// The least grounding of an answer that is shown, from 0 to 1; below it a result has snippets only.
    pub grounding: Option<f64>,
    /// The most snippets of a search, at most 100.
    pub limit: u32,
    /// The most bytes of a result.
    pub result_bytes: usize,
    /// The settings of calls.
    pub call: CallSettings,
}

impl VertexSettings {
    /// The values of a session that filters and boosts read.
    pub(crate) fn sources(&self) -> impl Iterator<Item = &SessionSource> {
        let targets = self.targets.iter().flat_map(|target| {
            let of_stores = target.stores.iter().map(|store| (&store.filter, &store.boosts));
            of_stores.chain([(&target.filter, &target.boosts)])
        });
        let filters = targets.chain([(&self.filter, &self.boosts)]).flat_map(|(filter, boosts)| {
            let conditions = boosts.iter().filter_map(|boost| boost.condition.as_ref());
            filter.iter().chain(conditions)
        });
        filters.flat_map(Filter::sources)
    }
}

/// One tool.
#[derive(Clone, Debug)]
pub struct ToolSettings {
    /// The whole name.
    pub name: ToolName,
    /// The action of a call.
    pub action: Action,
}

/// The action of a tool.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
pub enum Action {
    /// Lets the service write an answer from what it finds.
    Answer,
    /// Finds passages.
    Search,
}

/// An engine or a data store that is searched by one request.
#[derive(Clone, Debug)]
pub struct Target {
    /// The name.
    pub name: ResourceName,
    /// The parts that documents are found in.
    pub mode: ResultMode,
    /// The condition on the documents of this data store alone.
    pub filter: Option<Filter>,
    /// The documents of this data store alone that rank higher or lower.
    pub boosts: Vec<Boost>,
    /// The data stores of an engine that are searched; empty for all.
    pub stores: Vec<StoreSettings>,
}

/// A data store of an engine.
#[derive(Clone, Debug)]
pub struct StoreSettings {
    /// The name.
    pub name: ResourceName,
    /// The condition on its documents.
    pub filter: Option<Filter>,
    /// The documents that rank higher or lower.
    pub boosts: Vec<Boost>,
}

/// The parts that a search finds.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "the service knows these")]
pub enum ResultMode {
    /// Chunks of documents; only where the data store makes some.
    Chunks,
    /// Documents.
    #[default]
    Documents,
}

/// The names of a tool's arguments.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
pub enum Form {
    /// Those of Google's agents: `query`, and `filter` as a text.
    Google {
        /// True if a model may give a `filter`.
        has_filter: bool,
    },
    /// Those of callgate: `query`, `where`, `limit`.
    #[default]
    Own,
}

/// Documents that rank higher or lower.
#[derive(Clone, Debug, PartialEq)]
pub struct Boost {
    /// The condition that the documents meet.
    pub condition: Option<Filter>,
    /// The strength, from -1 to 1; negative for lower.
    pub boost: f64,
    /// The strength by the value of a field, in place of `boost`.
    pub control: Option<BoostControl>,
}

/// The strength of a boost by the value of a field, between whose points the service interpolates.
#[derive(Clone, Debug, PartialEq)]
pub struct BoostControl {
    /// The field.
    pub field: String,
    /// The kind of the field.
    pub kind: ControlKind,
    /// The values with their strengths, from -1 to 1.
    pub points: Vec<(String, f64)>,
}

/// The kind of a field that decides about a strength.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "the service knows these")]
pub enum ControlKind {
    /// A time, whose distance from now counts: `5D`, `T12H`.
    Freshness,
    /// A number.
    Number,
}
