//! The key `data_stores` of the configuration, which points data stores of Vertex AI Search at folders of documents. Reads texts only;
//! `build/documents` makes the tools.

use std::collections::BTreeMap;

use callgate_settings::{Kind, forms, keys, words};

/// The meaning of a data store's filter for a folder of documents.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum LocalFilter {
    Where,
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
    struct LocalStores => BTreeMap<String, LocalStoreKeys>, Kind::Map(&LocalStoreKeys::KIND), |reader, mapping, key| {
        let help = "for example `{projects/p/locations/l/collections/c/dataStores/manuals: {toolset: handbook}}`";
        reader.map::<LocalStoreKeys, _>(mapping, key, "a mapping from data stores to toolsets", help)
    };
}
