//! Imports tools that search data stores of Vertex AI Search: `dataStoreSpec` of Dialogflow CX, `dataStoreTool` of Customer Engagement
//! Suite. They run on Google's data stores, with the names and the arguments that agents know; `data_stores` of a configuration points
//! them at local folders.

mod boosts;
mod modality;

use callgate_tool::{Object, ToolName, Value, json};

use crate::import::{Imported, RemarkKind, message::Message};

/// Imports the specification of a tool of Dialogflow CX.
pub(super) fn import_cx_data_store(tool: &Message<'_>, imported: &mut Imported) {
    let Some(spec) = tool.message("dataStoreSpec", imported) else { return };
    spec.remark_unknown_members(&["dataStoreConnections", "fallbackPrompt"], imported);
    let prompt = spec.node("fallbackPrompt").and_then(callgate_tree::Node::as_object);
    // It is an empty message in the published format.
    if prompt.is_some_and(|prompt| prompt.iter().next().is_some()) {
        let message = "left out: no prompt is used where no answer is found; the agent's own model gets the snippets";
        imported.add_remark(
            RemarkKind::NoEquivalent,
            spec.member_pointer("fallbackPrompt"),
            message,
        );
    }
    let connections = spec.messages("dataStoreConnections", imported);
    let stores = connections.iter().filter_map(|connection| {
        connection.remark_unknown_members(
            &["dataStoreType", "dataStore", "documentProcessingMode"],
            imported,
        );
        let types = ["DATA_STORE_TYPE_UNSPECIFIED", "PUBLIC_WEB", "UNSTRUCTURED", "STRUCTURED"];
        connection.enum_position("dataStoreType", &types, imported);
        let has_chunks = has_chunks(connection, imported);
        let name = resource_name(connection, "dataStore", imported)?;
        Some(Store { name, has_chunks, ..Store::default() })
    });
    let stores: Vec<Store> = stores.collect();
    if stores.is_empty() {
        let message = "expected a data store, got none";
        return imported.add_remark(
            RemarkKind::Invalid,
            spec.member_pointer("dataStoreConnections"),
            message,
        );
    }
    let mut vertex = Object::new();
    if stores.len() > 1 {
        let message = "an answer over several data stores needs their engine, which the export does not name: the tool gives snippets; write `vertex: {engine: …, answer: true}` for answers";
        imported.add_remark(
            RemarkKind::NoEquivalent,
            spec.member_pointer("dataStoreConnections"),
            message,
        );
    } else {
        vertex.insert("answer", true.into());
    }
    remark_account(&spec.member_pointer("dataStoreConnections"), imported);
    vertex.insert("data_stores", stores.iter().map(Store::to_value).collect());
    insert_named_search(tool, "displayName", vertex, imported);
}

/// Imports a tool of Customer Engagement Suite.
pub(super) fn import_ces_data_store(tool: &Message<'_>, imported: &mut Imported) {
    tool.remark_unknown_members(&[&SOURCES[..], &SETTINGS[..]].concat(), imported);
    let kind = tool.only_present_member(&SOURCES, imported);
    let Some(kind) = kind else {
        let message = "expected `dataStoreSource` or `engineSource`, got none";
        return imported.add_remark(RemarkKind::Invalid, tool.pointer(), message);
    };
    let Some(source) = tool.message(kind, imported) else { return };
    let searched = match kind {
        "dataStoreSource" => store_with_filter(&source, imported)
            .map(|store| SearchScope { stores: vec![store], ..SearchScope::default() }),
        _ => engine_scope(&source, imported),
    };
    let Some(mut searched) = searched else { return };
    boosts::import_boosts(tool, &mut searched, imported);
    let mut vertex = searched.to_object(&source, imported);
    modality::import_modalities(tool, &mut vertex, imported);
    if has_filter_argument(tool, &searched, imported) {
        vertex.insert("filter_argument", true.into());
    }
    remark_account(&tool.member_pointer(kind), imported);
    insert_named_search(tool, "name", vertex, imported);
}

/// The data stores that a tool searches, by an engine or by itself.
#[derive(Debug, Default)]
struct SearchScope {
    engine: Option<String>,
    filter: Option<String>,
    boosts: Vec<Value>,
    stores: Vec<Store>,
}

/// A data store of a tool.
#[derive(Debug, Default)]
struct Store {
    name: String,
    filter: Option<String>,
    boosts: Vec<Value>,
    has_chunks: bool,
    is_connector: bool,
}

impl Store {
    /// The data store as `vertex` has it: its name alone, if there is nothing more to say.
    fn to_value(&self) -> Value {
        let mut keys = self.store_keys();
        if self.has_chunks {
            keys.insert("mode", "chunks".into());
        }
        if keys.len() == 1 { self.name.as_str().into() } else { Value::Object(keys) }
    }

    fn store_keys(&self) -> Object {
        let mut keys = Object::from([("name", self.name.as_str().into())]);
        keys.insert_if_some("filter", self.filter.as_deref());
        keys.insert_unless_empty("boosts", self.boosts.clone());
        keys
    }
}

impl SearchScope {
    fn to_object(&self, source: &Message<'_>, imported: &mut Imported) -> Object {
        let mut vertex = Object::new();
        vertex.insert_if_some("engine", self.engine.as_deref());
        vertex.insert_if_some("filter", self.filter.as_deref());
        vertex.insert_unless_empty("boosts", self.boosts.clone());
        let with_chunks = self.stores.iter().filter(|store| store.has_chunks).count();
        let store = |store: &Store| match self.engine {
            // A request to an engine has one mode.
            Some(_) => {
                let keys = store.store_keys();
                if keys.len() == 1 { store.name.as_str().into() } else { Value::Object(keys) }
            }
            None => store.to_value(),
        };
        vertex.insert_unless_empty("data_stores", self.stores.iter().map(store).collect::<Value>());
        if self.engine.is_some() && with_chunks > 0 {
            if with_chunks == self.stores.len() {
                vertex.insert("mode", "chunks".into());
            } else {
                let message = "some of the data stores have chunks: all are searched for documents, since a request to an engine has one mode";
                let pointer = source.member_pointer("dataStoreSources");
                imported.add_remark(RemarkKind::NoEquivalent, pointer, message);
            }
        }
        vertex
    }
}

/// A data store with its filter.
fn store_with_filter(source: &Message<'_>, imported: &mut Imported) -> Option<Store> {
    source.remark_unknown_members(&["filter", "dataStore"], imported);
    let Some(data_store) = source.message("dataStore", imported) else {
        let message = "expected a data store, got none";
        imported.add_remark(RemarkKind::Invalid, source.member_pointer("dataStore"), message);
        return None;
    };
    data_store.remark_unknown_members(
        &["name", "type", "documentProcessingMode", "connectorConfig", "displayName", "createTime"],
        imported,
    );
    if let Some(connector) = data_store.message("connectorConfig", imported) {
        connector.remark_unknown_members(
            &["collection", "collectionDisplayName", "dataSource"],
            imported,
        );
    }
    let types = ["DATA_STORE_TYPE_UNSPECIFIED", "PUBLIC_WEB", "UNSTRUCTURED", "FAQ", "CONNECTOR"];
    let is_connector = data_store.enum_position("type", &types, imported) == Some(4);
    let has_chunks = has_chunks(&data_store, imported);
    let name = resource_name(&data_store, "name", imported)?;
    let filter = source_filter(source, imported);
    Some(Store { name, filter, has_chunks, is_connector, boosts: Vec::new() })
}

fn engine_scope(source: &Message<'_>, imported: &mut Imported) -> Option<SearchScope> {
    source.remark_unknown_members(&["engine", "dataStoreSources", "filter"], imported);
    let engine = Some(resource_name(source, "engine", imported)?);
    let sources = source.messages("dataStoreSources", imported);
    let stores: Option<Vec<Store>> =
        sources.iter().map(|source| store_with_filter(source, imported)).collect();
    let (stores, filter) = (stores?, source_filter(source, imported));
    // data_store_tool.proto: it is not used where data stores are named. Left out, it could show more than before.
    if filter.is_some() && !stores.is_empty() {
        let message =
            "the products do not use it beside `dataStoreSources`; here it holds for all of them";
        imported.add_remark(RemarkKind::NoEquivalent, source.member_pointer("filter"), message);
    }
    Some(SearchScope { engine, filter, stores, ..SearchScope::default() })
}

/// True if a model may give a filter: unless the export says it, for data stores of connectors alone.
fn has_filter_argument(
    tool: &Message<'_>,
    searched: &SearchScope,
    imported: &mut Imported,
) -> bool {
    let behaviours =
        ["FILTER_PARAMETER_BEHAVIOR_UNSPECIFIED", "", "ALWAYS_INCLUDE", "NEVER_INCLUDE"];
    match tool.enum_position("filterParameterBehavior", &behaviours, imported) {
        Some(2) => true,
        Some(0 | 1) => searched.stores.iter().any(|store| store.is_connector),
        _ => false,
    }
}

fn has_chunks(store: &Message<'_>, imported: &mut Imported) -> bool {
    let modes = ["DOCUMENT_PROCESSING_MODE_UNSPECIFIED", "DOCUMENTS", "CHUNKS"];
    store.enum_position("documentProcessingMode", &modes, imported) == Some(2)
}

fn source_filter(source: &Message<'_>, imported: &mut Imported) -> Option<String> {
    let filter = source.text("filter", imported).map(|text| text.plain_text().to_owned());
    filter.filter(|filter| !filter.trim().is_empty())
}

/// The name of a data store or an engine.
fn resource_name(message: &Message<'_>, member: &str, imported: &mut Imported) -> Option<String> {
    let name = message.required_text(member, imported)?.plain_text().to_owned();
    let parts: Vec<&str> = name.split('/').collect();
    let (kind, expected) = match member {
        "engine" => ("engines", "projects/…/locations/…/collections/…/engines/…"),
        _ => ("dataStores", "projects/…/locations/…/collections/…/dataStores/…"),
    };
    let is_name = match *parts {
        ["projects", _, "locations", _, "collections", _, collection_kind, _]
        | ["projects", _, "locations", _, collection_kind, _] => collection_kind == kind,
        _ => false,
    };
    if !is_name {
        let message_text = format!("expected a name such as `{expected}`");
        imported.add_remark(RemarkKind::Invalid, message.member_pointer(member), message_text);
        return None;
    }
    Some(name)
}

fn remark_account(pointer: &str, imported: &mut Imported) {
    let message = "the account callgate runs as asks Vertex AI Search in place of the product's service agent: give it `roles/discoveryengine.viewer`; `data_stores` points the tool at a local folder instead";
    imported.add_remark(RemarkKind::Account, pointer, message);
}

/// Gives the tool the name that agents call it by, its description, and the arguments that they know.
fn insert_named_search(
    tool: &Message<'_>,
    member: &str,
    mut vertex: Object,
    imported: &mut Imported,
) {
    let name = tool.text(member, imported).map(|text| text.plain_text().to_owned());
    let description = tool.text("description", imported).map(|text| text.plain_text().to_owned());
    let is_legal = name.as_ref().is_some_and(|name| ToolName::new(name).is_ok());
    if name.is_some() && !is_legal {
        let message = "expected a name that models can write; the tool is called `search` behind its toolset's";
        imported.add_remark(RemarkKind::NoEquivalent, tool.member_pointer(member), message);
    }
    let name = name.filter(|_| is_legal);
    if name.is_some() {
        imported.settings.insert("prefix", "".into());
    }
    for (key, value) in [("name", name), ("description", description)] {
        vertex.insert_if_some(key, value);
    }
    vertex.insert("arguments", "google".into());
    imported.settings.insert("vertex", Value::Object(vertex));
}

/// A number of a message, in a range.
fn number_in_range(
    message: &Message<'_>,
    member: &str,
    range: std::ops::RangeInclusive<f64>,
    imported: &mut Imported,
) -> Option<f64> {
    let node = message.node(member)?;
    let number = node.as_number().and_then(callgate_tool::Number::as_f64);
    let number = number.filter(|number| range.contains(number));
    if number.is_none() {
        let message_text = format!("expected a number from {} to {}", range.start(), range.end());
        imported.add_remark(RemarkKind::Invalid, message.member_pointer(member), message_text);
    }
    number
}

/// True if a message has the member `disabled`, and it is `true`.
fn is_disabled(message: &Message<'_>) -> bool {
    message.node("disabled").map(callgate_tree::Node::to_value) == Some(json!(true))
}

const SOURCES: [&str; 2] = ["dataStoreSource", "engineSource"];

const SETTINGS: [&str; 5] =
    ["name", "description", "boostSpecs", "modalityConfigs", "filterParameterBehavior"];
