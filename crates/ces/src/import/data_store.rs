//! Imports tools that search data stores of Vertex AI Search: `dataStoreSpec` of Dialogflow CX, `dataStoreTool` of Customer Engagement
//! Suite. The settings name the data stores; `data_stores` of a configuration points them at local folders.

use callgate_tool::{Object, ToolName, Value};

use crate::import::{Imported, RemarkKind, message::Message};

/// Imports the specification of a tool of Dialogflow CX.
pub(super) fn of_cx(tool: &Message<'_>, imported: &mut Imported) {
    let Some(spec) = tool.message("dataStoreSpec", imported) else { return };
    spec.only(&["dataStoreConnections", "fallbackPrompt"], imported);
    if let Some(prompt) = spec.message("fallbackPrompt", imported) {
        // An empty message in the published format.
        prompt.only(&[], imported);
    }
    let connections = spec.messages("dataStoreConnections", imported);
    let stores = connections.iter().filter_map(|connection| {
        connection.only(&["dataStoreType", "dataStore", "documentProcessingMode"], imported);
        let types = ["DATA_STORE_TYPE_UNSPECIFIED", "PUBLIC_WEB", "UNSTRUCTURED", "STRUCTURED"];
        connection.position("dataStoreType", &types, imported);
        mode(connection, imported);
        store(connection, "dataStore", imported)
    });
    let stores: Vec<Value> = stores.collect();
    if stores.is_empty() {
        let message = "expected a data store, got none";
        return imported.remark(RemarkKind::Invalid, spec.at("dataStoreConnections"), message);
    }
    put(imported, Object::from([("data_stores", Value::Array(stores))]));
    named(tool, "displayName", imported);
}

/// Imports a tool of Customer Engagement Suite.
pub(super) fn of_ces(tool: &Message<'_>, imported: &mut Imported) {
    tool.only(&[&SOURCES[..], &SETTINGS[..]].concat(), imported);
    let vertex = match tool.one_of(&SOURCES, imported) {
        Some("dataStoreSource") => {
            let source = tool.message("dataStoreSource", imported);
            source.and_then(|source| of_source(&source, imported))
        }
        Some(_) => {
            let source = tool.message("engineSource", imported);
            source.and_then(|source| of_engine(&source, imported))
        }
        None => {
            let message = "expected `dataStoreSource` or `engineSource`, got none";
            imported.remark(RemarkKind::Invalid, tool.pointer(), message);
            None
        }
    };
    let Some(vertex) = vertex else { return };
    put(imported, vertex);
    named(tool, "name", imported);
    let behaviours = ["FILTER_PARAMETER_BEHAVIOR_UNSPECIFIED", "ALWAYS_INCLUDE", "NEVER_INCLUDE"];
    if tool.position("filterParameterBehavior", &behaviours, imported) == Some(1) {
        let message = "the model writes no filters: conditions of a local folder are its `where`";
        let pointer = tool.at("filterParameterBehavior");
        imported.remark(RemarkKind::NoEquivalent, pointer, message);
    }
    if tool.has("boostSpecs") {
        let message = "results of a local folder are ranked by their words alone";
        imported.remark(RemarkKind::NoEquivalent, tool.at("boostSpecs"), message);
    }
    for modality in tool.messages("modalityConfigs", imported) {
        of_modality(&modality, imported);
    }
}

/// A data store with its filter, as `vertex` has it.
fn of_source(source: &Message<'_>, imported: &mut Imported) -> Option<Object> {
    source.only(&["filter", "dataStore"], imported);
    let Some(data_store) = source.message("dataStore", imported) else {
        let message = "expected a data store, got none";
        imported.remark(RemarkKind::Invalid, source.at("dataStore"), message);
        return None;
    };
    data_store.only(
        &["name", "type", "documentProcessingMode", "connectorConfig", "displayName", "createTime"],
        imported,
    );
    let types = ["DATA_STORE_TYPE_UNSPECIFIED", "PUBLIC_WEB", "UNSTRUCTURED", "FAQ", "CONNECTOR"];
    data_store.position("type", &types, imported);
    mode(&data_store, imported);
    let name = store(&data_store, "name", imported)?;
    let mut vertex = Object::from([("data_stores", Value::Array(vec![name]))]);
    filter(source, &mut vertex, imported);
    Some(vertex)
}

fn of_engine(source: &Message<'_>, imported: &mut Imported) -> Option<Object> {
    source.only(&["engine", "dataStoreSources", "filter"], imported);
    let engine = store(source, "engine", imported)?;
    let mut vertex = Object::from([("engine", engine)]);
    filter(source, &mut vertex, imported);
    let mut stores = Vec::new();
    for source in source.messages("dataStoreSources", imported) {
        let of_one = of_source(&source, imported)?;
        if let Some(own) = of_one.get("filter") {
            // Each is a condition of its own store, and `vertex` has one of all.
            let known = vertex.get("filter").is_some_and(|known| known != own);
            if known {
                let message = "expected one filter for all data stores, got several";
                imported.remark(RemarkKind::Invalid, source.at("filter"), message);
                return None;
            }
            vertex.insert("filter", own.clone());
        }
        stores.extend(
            of_one.get("data_stores").and_then(Value::as_array).into_iter().flatten().cloned(),
        );
    }
    if !stores.is_empty() {
        vertex.insert("data_stores", Value::Array(stores));
    }
    Some(vertex)
}

fn of_modality(modality: &Message<'_>, imported: &mut Imported) {
    let configs = ["rewriterConfig", "summarizationConfig", "groundingConfig", "snippetsConfig"];
    modality.only(&[&["modalityType"][..], &configs].concat(), imported);
    let types = ["MODALITY_TYPE_UNSPECIFIED", "TEXT", "AUDIO"];
    modality.position("modalityType", &types, imported);
    for config in configs.iter().filter(|config| modality.has(config)) {
        let message = match *config {
            "rewriterConfig" => {
                "no model rewrites questions: the agent's own gives other words in `also`"
            }
            "summarizationConfig" => "no model writes an answer: the agent's own gets the snippets",
            "groundingConfig" => {
                "there is no answer to measure: the tool gives snippets, as below the grounding level"
            }
            _ => "a call says how many snippets it wants: `limit`",
        };
        imported.remark(RemarkKind::NoEquivalent, modality.at(config), message);
    }
}

fn mode(store: &Message<'_>, imported: &mut Imported) {
    let modes = ["DOCUMENT_PROCESSING_MODE_UNSPECIFIED", "DOCUMENTS", "CHUNKS"];
    store.position("documentProcessingMode", &modes, imported);
}

fn filter(source: &Message<'_>, vertex: &mut Object, imported: &mut Imported) {
    let filter = source.text("filter", imported).map(|text| text.data().to_owned());
    if let Some(filter) = filter.filter(|filter| !filter.trim().is_empty()) {
        vertex.insert("filter", filter.into());
    }
}

/// The name of a data store or an engine.
fn store(message: &Message<'_>, member: &str, imported: &mut Imported) -> Option<Value> {
    let name = message.required(member, imported)?.data().to_owned();
    let pointer = message.at(member);
    let parts: Vec<&str> = name.split('/').collect();
    let (kind, expected) = match member {
        "engine" => ("engines", "projects/…/locations/…/collections/…/engines/…"),
        _ => ("dataStores", "projects/…/locations/…/collections/…/dataStores/…"),
    };
    let is_name = match *parts {
        ["projects", _, "locations", _, "collections", _, known, _]
        | ["projects", _, "locations", _, known, _] => known == kind,
        _ => false,
    };
    if !is_name {
        let message = format!("expected a name such as `{expected}`");
        imported.remark(RemarkKind::Invalid, pointer, message);
        return None;
    }
    Some(name.into())
}

fn put(imported: &mut Imported, vertex: Object) {
    imported.settings.insert("vertex", Value::Object(vertex));
}

/// Gives the tool the name that agents call it by, and its description.
fn named(tool: &Message<'_>, member: &str, imported: &mut Imported) {
    let name = tool.text(member, imported).map(|text| text.data().to_owned());
    let description = tool.text("description", imported).map(|text| text.data().to_owned());
    let is_legal = name.as_ref().is_some_and(|name| ToolName::new(name).is_ok());
    if name.is_some() && !is_legal {
        let message = "expected a name that models can write; the tool is called `search` behind its toolset's";
        imported.remark(RemarkKind::NoEquivalent, tool.at(member), message);
    }
    let name = name.filter(|_| is_legal);
    if name.is_some() {
        imported.settings.insert("prefix", "".into());
    }
    let Some(Value::Object(vertex)) = imported.settings.get_mut("vertex") else { return };
    for (key, value) in [("name", name), ("description", description)] {
        if let Some(value) = value {
            vertex.insert(key, value.into());
        }
    }
}

const SOURCES: [&str; 2] = ["dataStoreSource", "engineSource"];

const SETTINGS: [&str; 5] =
    ["name", "description", "boostSpecs", "modalityConfigs", "filterParameterBehavior"];
