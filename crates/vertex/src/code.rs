//! The codes of findings about data stores.

use callgate_tool::codes;

codes! {
    /// The kinds of findings about data stores of Vertex AI Search.
    pub enum VertexCode {
        /// A data store of Vertex AI Search cannot be searched as it is written.
        VertexUnavailable = "vertex-unavailable":
            "Leave all data stores of the toolset to Google, in a build with the feature `vertex`; or point each of them at one toolset with documents: `data_stores: {projects/…: {toolset: handbook}}`, whose `where` is the filter of the data store.";
    }
}
