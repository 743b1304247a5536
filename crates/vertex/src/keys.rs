//! The key `vertex` of a toolset: data stores and engines of Vertex AI Search whose search is a tool; and the key `data_stores` of the
//! configuration, which points data stores at folders of documents. Reads texts only.

use std::collections::BTreeMap;

use callgate_kind::{ArgumentForm, KindCode};
use callgate_settings::{
    Count, Kind, Mapping, Reader, SettingCode, forms, keys, member_pointer, words,
};
use callgate_tool::{Number, ToolName};
use callgate_tree::Node;

use crate::{
    conditions::FieldType,
    settings::{Action, ControlKind, ResultMode},
};

keys! {
    pub(crate) ToolsetKeys over (), in "a toolset" {
        /// The data stores of Vertex AI Search whose search is a tool, in place of a description: the name of one or of an engine, or a
        /// mapping. `data_stores` of the configuration points them at folders of documents.
        vertex => _: Vertex;
    }
}

keys! {
    pub(crate) RootKeys over (), in "the configuration" {
        /// The toolsets with documents that are searched in place of data stores of Vertex AI Search, by the names of the data stores.
        data_stores => _: LocalStores;
    }
}

keys! {
    /// The limit that a search shares with folders of documents.
    pub(crate) struct LimitKeys in "`limits`" {
        /// The number of snippets of a search, of data stores too.
        snippets: Count<100>;
    }
}

keys! {
    #[derive(Clone, PartialEq)]
    pub(crate) struct VertexKeys in "`vertex`" {
        /// `true` for a tool whose answer the service writes from what it finds: `manuals-answer`.
        answer: bool;
        /// `google` for one tool with the arguments of Google's agents, which answers if `answer` is `true`.
        arguments: ArgumentForm;
        /// Documents that rank higher or lower.
        boosts: Boosts;
        /// The data stores that are searched, each with one request unless `engine` is there:
        /// `projects/PROJECT/locations/LOCATION/collections/COLLECTION/dataStores/NAME`.
        data_stores: Stores;
        /// The documents in words, for the model; with `arguments: google` the purpose of the tool.
        description: String;
        /// The engine over several data stores: `projects/PROJECT/locations/LOCATION/collections/COLLECTION/engines/NAME`.
        engine: String;
        /// The most verbatim answers of each document.
        extractive_answers: Count<5>;
        /// The most verbatim segments of each document.
        extractive_segments: Count<10>;
        /// The fields of documents that the model's conditions take, each with the type of its values.
        fields: Fields;
        /// The condition on all documents, in the language of Vertex AI Search; values of the session stand in place of literals:
        /// `audience: ANY($session.params.audience)`. The model never sees it.
        filter: FilterText;
        /// `true` for an argument `filter` beside `arguments: google`, in the language of Vertex AI Search.
        filter_argument: bool;
        /// The least grounding of an answer that is shown, from 0 to 1; below it there are snippets only.
        grounding: Part;
        /// `chunks` finds parts of documents, where the data store has some.
        mode: ResultMode;
        /// The tool's name behind the toolset's; `search` unless given.
        name: VertexToolName;
        /// `false` for results without snippets of documents, where extracts are there.
        snippets: bool;
    }
}

keys! {
    #[derive(Clone, PartialEq)]
    pub(crate) struct StoreKeys in "a data store" {
        /// Documents of this data store that rank higher or lower.
        boosts: Boosts;
        /// The condition on the documents of this data store.
        filter: FilterText;
        /// `chunks` finds parts of documents; without an engine alone, which has one `mode`.
        mode: ResultMode;
        /// The name: `projects/PROJECT/locations/LOCATION/collections/COLLECTION/dataStores/NAME`.
        name: String, required;
    }
}

keys! {
    #[derive(Clone, PartialEq)]
    pub(crate) struct BoostKeys in "a boost" {
        /// The strength, from -1 to 1; below 0 the documents rank lower.
        boost: Strength;
        /// The kind of `field`: a number, or a time whose distance from now counts.
        by: ControlKind;
        /// The documents, in the language of filters.
        condition: FilterText;
        /// The field whose value decides about the strength, in place of `boost`.
        field: String;
        /// The strengths at values of `field`, between which the service interpolates.
        points: Points;
    }
}

keys! {
    #[derive(Clone, PartialEq)]
    pub(crate) struct PointKeys in "a point" {
        /// The strength there, from -1 to 1.
        boost: Strength, required;
        /// The value: a number, or a span such as `7D` or `T12H`.
        value: String, required;
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

/// The data stores that are pointed at folders, by their names.
pub(crate) type LocalStoreMap = BTreeMap<String, LocalStoreKeys>;

/// The meaning of a data store's filter for a folder of documents.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum LocalFilter {
    Where,
}

words! {
    LocalFilter, "`where` says that the toolset's own `where` is the same condition":
    "where" => Where
}
words! {
    ResultMode, "`chunks` only where the data store makes some":
    "chunks" => Chunks, "documents" => Documents
}
words! {
    ControlKind, "`freshness` is the distance of a time from now":
    "freshness" => Freshness, "number" => Number
}

forms! {
    struct Vertex => VertexKeys, Kind::AnyOf(&[Kind::Text, VertexKeys::KIND]), |reader, mapping, key| {
        if let Some(name) = mapping.object.get(key).and_then(Node::as_str) {
            return Some(keys_for_name(name));
        }
        let keys = reader.get::<VertexKeys>(mapping, key)?;
        if keys.engine.is_none() && keys.data_stores.as_ref().is_none_or(Vec::is_empty) {
            let message = "expected `data_stores` or `engine`, got none";
            let help = "for example `{data_stores: [projects/p/locations/global/collections/default_collection/dataStores/manuals]}`";
            reader.report_fault(SettingCode::WrongValue, member_pointer(mapping, key), message, help);
        }
        Some(keys)
    };
    struct FilterText => String, Kind::Text, |reader, mapping, key| {
        reader.session_texts.insert(member_pointer(mapping, key));
        Some(reader.string(mapping, key)?.to_owned())
    };
    struct VertexToolName => String, Kind::Text, |reader, mapping, key| {
        let text = reader.string(mapping, key)?;
        if let Err(error) = ToolName::new(text) {
            let help = "use letters, digits, `_` and `-`";
            reader.report_fault(KindCode::ToolName, member_pointer(mapping, key), error.to_string(), help);
            return None;
        }
        Some(text.to_owned())
    };
    struct Stores => Vec<StoreKeys>, Kind::List(&Kind::AnyOf(&[Kind::Text, StoreKeys::KIND])), |reader, mapping, key| {
        let help = "for example `[projects/p/locations/global/collections/default_collection/dataStores/manuals]`";
        list_items(reader, ListKey { mapping, key, expected: "a list of data stores", help }, |reader, pointer, node| {
            match node.as_str() {
                Some(name) => Some(StoreKeys { name: Some(name.to_owned()), ..StoreKeys::default() }),
                None => reader.section::<StoreKeys>(node, pointer),
            }
        })
    };
    struct Boosts => Vec<BoostKeys>, Kind::List(&BoostKeys::KIND), |reader, mapping, key| {
        let help = "for example `[{condition: 'lang: ANY(\"de\")', boost: 0.5}]`";
        list_items(reader, ListKey { mapping, key, expected: "a list of boosts", help }, |reader, pointer, node| {
            let boost = reader.section::<BoostKeys>(node, pointer)?;
            let is_plain = boost.boost.is_some() && boost.condition.is_some();
            let parts = [boost.field.is_some(), boost.by.is_some(), boost.points.is_some()];
            let is_controlled = parts == [true; 3] && boost.boost.is_none();
            if is_controlled || (is_plain && parts == [false; 3]) {
                return Some(boost);
            }
            let message = "expected `condition` and `boost`, or `field`, `by` and `points`, got others";
            reader.report_fault(SettingCode::WrongValue, pointer, message, "write one of the two forms");
            None
        })
    };
    struct Points => Vec<PointKeys>, Kind::List(&PointKeys::KIND), |reader, mapping, key| {
        let help = "for example `[{value: 7D, boost: 0.5}, {value: 90D, boost: 0}]`";
        list_items(reader, ListKey { mapping, key, expected: "a list of points", help }, |reader, pointer, node| {
            reader.section::<PointKeys>(node, pointer)
        })
    };
    struct Fields => Vec<(String, FieldType)>, Kind::Map(&FieldType::KIND), |reader, mapping, key| {
        let help = "for example `{product: text, price: number, day: date}`";
        reader.named_values::<FieldType, _>(mapping, key, "a mapping from fields to types", help)
    };
    struct LocalStores => LocalStoreMap, Kind::Map(&LocalStoreKeys::KIND), |reader, mapping, key| {
        let help = "for example `{projects/p/locations/l/collections/c/dataStores/manuals: {toolset: handbook}}`";
        reader.named_values::<LocalStoreKeys, _>(mapping, key, "a mapping from data stores to toolsets", help)
    };
    /// A number from 0 to 1.
    struct Part => f64, Kind::Number, |reader, mapping, key| read_fraction(reader, mapping, key, 0.0);
    /// A number from -1 to 1.
    struct Strength => f64, Kind::Number, |reader, mapping, key| read_fraction(reader, mapping, key, -1.0);
}

/// The settings of a plain name.
fn keys_for_name(name: &str) -> VertexKeys {
    let owned = Some(name.to_owned());
    if name.contains("/engines/") {
        return VertexKeys { engine: owned, ..VertexKeys::default() };
    }
    let store = StoreKeys { name: owned, ..StoreKeys::default() };
    VertexKeys { data_stores: Some(vec![store]), ..VertexKeys::default() }
}

impl VertexKeys {
    /// The names of the data stores; of the engine, if it has unnamed ones.
    pub(crate) fn store_or_engine_names(&self) -> Vec<&str> {
        let stores = self.data_stores.iter().flatten().filter_map(|store| store.name.as_deref());
        let stores: Vec<&str> = stores.collect();
        if stores.is_empty() { self.engine.as_deref().into_iter().collect() } else { stores }
    }

    /// True if no data store is pointed at a folder.
    pub(crate) fn has_no_local_store(&self, local: &LocalStoreMap) -> bool {
        !self.store_or_engine_names().iter().any(|name| local.contains_key(*name))
    }

    /// True if documents have to meet a condition.
    pub(crate) fn has_filter(&self) -> bool {
        let mut stores = self.data_stores.iter().flatten();
        self.filter.is_some() || stores.any(|store| store.filter.is_some())
    }

    /// The names of the tools behind the toolset's: the search, then the answer.
    pub(crate) fn tool_names(&self) -> Vec<(String, Action)> {
        let is_answered = self.answer.unwrap_or_default();
        let name = |usual: &str| self.name.clone().unwrap_or_else(|| usual.to_owned());
        if self.arguments == Some(ArgumentForm::Google) {
            let action = if is_answered { Action::Answer } else { Action::Search };
            return vec![(name("search"), action)];
        }
        let mut tools = vec![(name("search"), Action::Search)];
        if is_answered {
            let answer = self.name.as_ref().map(|name| format!("{name}-answer"));
            let answer = answer.unwrap_or_else(|| "answer".to_owned());
            tools.push((answer, Action::Answer));
        }
        tools
    }
}

#[derive(Clone, Copy)]
struct ListKey<'a> {
    mapping: Mapping<'a>,
    key: &'a str,
    expected: &'a str,
    help: &'a str,
}

fn list_items<T>(
    reader: &mut Reader,
    ListKey { mapping, key, expected, help }: ListKey<'_>,
    read: fn(&mut Reader, &str, &Node) -> Option<T>,
) -> Option<Vec<T>> {
    let (node, pointer) = (mapping.object.get(key)?, member_pointer(mapping, key));
    let Some(items) = node.as_array() else {
        reader.report_wrong_type(&pointer, expected, node, help);
        return None;
    };
    let items = items.iter().enumerate();
    Some(items.filter_map(|(at, node)| read(reader, &format!("{pointer}/{at}"), node)).collect())
}

fn read_fraction(reader: &mut Reader, mapping: Mapping<'_>, key: &str, least: f64) -> Option<f64> {
    let node = mapping.object.get(key)?;
    let number = node.as_number().and_then(Number::as_f64);
    let number = number.filter(|number| (least..=1.0).contains(number));
    if number.is_none() {
        let expected = format!("a number from {least} to 1");
        reader.report_wrong_type(
            &member_pointer(mapping, key),
            &expected,
            node,
            "for example `0.5`",
        );
    }
    number
}
