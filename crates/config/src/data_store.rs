//! The key `vertex` of a toolset, data stores of Vertex AI Search, and the key `data_stores` of the configuration, which points
//! them at folders of documents. Reads texts only; `build/documents` makes the tools.

use std::collections::BTreeMap;

use callgate_tool::ToolName;

use crate::{
    code::ConfigCode,
    form::{forms, words},
    keys::Kind,
    reader::at,
    settings::keys,
};

/// The meaning of a data store's filter for a folder of documents.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum LocalFilter {
    Where,
}

keys! {
    #[derive(Clone, PartialEq)]
    pub(crate) struct VertexKeys in "`vertex`" {
        /// The data stores that are searched: `projects/PROJECT/locations/LOCATION/collections/COLLECTION/dataStores/NAME`.
        data_stores: Vec<String>;
        /// The purpose of the tool, for the model.
        description: String;
        /// The engine over several data stores: `projects/PROJECT/locations/LOCATION/collections/COLLECTION/engines/NAME`.
        engine: String;
        /// The condition on documents, in the language of Vertex AI Search.
        filter: String;
        /// The tool's name behind the toolset's; `search` unless given.
        name: VertexToolName;
    }
}

keys! {
    #[derive(Clone, PartialEq)]
    pub(crate) struct LocalStoreKeys in "a data store under `data_stores`" {
        /// `where`: the condition of `filter` is that of the folder's own `where`, which the operator wrote.
        filter: LocalFilter;
        /// The toolset with the documents that are searched in place of the data store.
        toolset: String, required;
    }
}

words! {
    LocalFilter, "`where` says that the toolset's own `where` is the same condition":
    "where" => Where
}

forms! {
    struct Vertex => Option<VertexKeys>, VertexKeys::KIND, |reader, mapping, key| {
        let keys = reader.get::<VertexKeys>(mapping, key)?;
        if keys.engine.is_none() && keys.data_stores.as_ref().is_none_or(Vec::is_empty) {
            let message = "expected `data_stores` or `engine`, got none";
            let help = "for example `{data_stores: [projects/p/locations/global/collections/default_collection/dataStores/manuals]}`";
            reader.complain(ConfigCode::WrongValue, at(mapping, key), message, help);
        }
        Some(Some(keys))
    };
    struct VertexToolName => String, Kind::Text, |reader, mapping, key| {
        let text = reader.string(mapping, key)?;
        if let Err(error) = ToolName::new(text) {
            let help = "use letters, digits, `_` and `-`";
            reader.complain(ConfigCode::ToolName, at(mapping, key), error.to_string(), help);
            return None;
        }
        Some(text.to_owned())
    };
    struct LocalStores => BTreeMap<String, LocalStoreKeys>, Kind::Map(&LocalStoreKeys::KIND), |reader, mapping, key| {
        let help = "for example `{projects/p/locations/l/collections/c/dataStores/manuals: {toolset: handbook}}`";
        reader.map::<LocalStoreKeys, _>(mapping, key, "a mapping from data stores to toolsets", help)
    };
}
