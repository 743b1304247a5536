//! Finds tools by words. The index is made from the catalog once, by the first search or before it, and then kept; each search
//! says who may see which tool before anything is ranked.

mod documents;

use std::sync::OnceLock;

use callgate_search::{Index, Product, Query, Synonyms};
use callgate_tool::{Effect, Number, Value, json};

use self::documents::search_documents;
use crate::catalog::{Catalog, Entry};

/// A search for tools.
///
/// ```
/// use callgate_executor::Search;
/// use callgate_tool::Effect;
///
/// let toolsets = ["pets".to_owned()];
/// let search =
///     Search::new("adopt a dog").with_limit(5).with_toolsets(&toolsets).with_effects(&[Effect::Read]);
/// assert_eq!(search.limit, 5);
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Search<'a> {
    /// The purpose of the wanted tool, in the searcher's words.
    pub text: &'a str,
    /// The most tools to find.
    pub limit: usize,
    /// Finds only tools of these toolsets; of all if empty.
    pub toolsets: &'a [String],
    /// Finds only tools with one of these effects; any if empty.
    pub effects: &'a [Effect],
    /// Finds only tools whose operation has one of these tags; any if empty.
    pub tags: &'a [String],
}

/// A tool that the search found.
///
/// ```
/// use callgate_executor::{Executor, Search};
/// use callgate_tool::json;
///
/// let schema = json!({"type": "object", "description": "Adopt a pet of the shop"});
/// let executor = Executor::builder()
///     .function("pets", "adopt", schema, |_| async { json!("adopted") })
///     .build()?;
/// let found = executor.search(&Search::new("adopting a dog"), |_| true);
/// let best = found.first().expect("a tool");
/// assert_eq!(best.entry.name().as_str(), "pets-adopt");
/// assert_eq!(best.to_value()["description"], "Adopt a pet of the shop");
/// # Ok::<(), callgate_executor::Error>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Found<'e> {
    /// The tool.
    pub entry: Entry<'e>,
    /// The score: a larger one fits better. Scores of one search are comparable with each other.
    pub score: f32,
    /// The arguments whose values other tools return, and those tools.
    pub needs: Vec<FoundNeed<'e>>,
    /// The things that the tool's response holds, its main subject first.
    #[doc(hidden)]
    pub produces: &'e [Product],
}

/// An argument of a tool whose value other tools return.
///
/// ```
/// use callgate_executor::{Executor, FoundNeed};
/// # use callgate_tool::json;
///
/// /// The sentence that says what to call first.
/// fn hint(FoundNeed { argument, from }: &FoundNeed<'_>) -> String {
///     let tools: Vec<_> = from.iter().map(|entry| entry.name().as_str()).collect();
///     format!("`{argument}` comes from `{}`", tools.join("` or `"))
/// }
///
/// # let executor = Executor::builder()
/// #     .function("pets", "list", json!({"type": "object"}), |_| async { json!([]) })
/// #     .build()?;
/// let need = FoundNeed { argument: "petId", from: executor.find("pets-list").into_iter().collect() };
/// assert_eq!(hint(&need), "`petId` comes from `pets-list`");
/// # Ok::<(), callgate_executor::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct FoundNeed<'e> {
    /// The argument.
    pub argument: &'e str,
    /// The tools whose responses hold the value, the simplest to call first.
    pub from: Vec<Entry<'e>>,
}

#[derive(Debug, Default)]
pub(crate) struct Finder {
    index: OnceLock<Index>,
    synonyms: Synonyms,
}

impl<'a> Search<'a> {
    /// The most tools that a search may find.
    pub const MOST: usize = 100;

    /// Searches for ten tools of any kind.
    pub fn new(text: &'a str) -> Self {
        Self { text, limit: Query::LIMIT, toolsets: &[], effects: &[], tags: &[] }
    }

    /// Reads a caller's limit: a whole number in any notation (`10.0`), from 1 to [`Search::MOST`].
    pub fn limit_of(value: &Value) -> Option<usize> {
        let number = value.as_number()?;
        (1..=Self::MOST).find(|limit| number.is_equal_to(&Number::from(*limit)))
    }

    callgate_tool::setters! {
        /// Sets the most tools to find.
        pub fn with_limit(limit: usize) = limit;
        /// Finds only tools of these toolsets; of all if empty.
        pub fn with_toolsets(toolsets: &'a [String]) = toolsets;
        /// Finds only tools with one of these effects; any if empty.
        pub fn with_effects(effects: &'a [Effect]) = effects;
        /// Finds only tools whose operation has one of these tags; any if empty.
        pub fn with_tags(tags: &'a [String]) = tags;
    }

    fn allows_entry(&self, entry: Entry<'_>) -> bool {
        let is_of = |toolset: &String| toolset == entry.toolset();
        let has_tag = || {
            let mut tags = entry.operation().into_iter().flat_map(|operation| operation.tags());
            tags.any(|tag| self.tags.iter().any(|wanted| wanted == tag))
        };
        (self.toolsets.is_empty() || self.toolsets.iter().any(is_of))
            && (self.effects.is_empty() || self.effects.contains(&entry.effect()))
            && (self.tags.is_empty() || has_tag())
    }
}

impl Finder {
    pub(crate) fn new(synonyms: Synonyms) -> Self {
        Self { index: OnceLock::new(), synonyms }
    }

    /// The tools of a catalog that match a search, the best first, among those that `sees` allows.
    pub(crate) fn find<'e>(
        &'e self,
        catalog: &'e Catalog,
        search: &Search<'_>,
        sees: impl Fn(Entry<'e>) -> bool,
    ) -> Vec<Found<'e>> {
        let index = self.index(catalog);
        let seen = |at: usize| catalog.entry(at).filter(|entry| sees(*entry));
        let admits = |at: usize| seen(at).is_some_and(|entry| search.allows_entry(entry));
        let query = Query::new(search.text).with_limit(search.limit.min(Search::MOST));
        let hits = index.find(query, admits);
        let found_tool = |document: usize, score| {
            let needs = index.needs(document).iter().filter_map(|need| {
                let from: Vec<_> =
                    index.sources(need).filter_map(seen).take(MOST_SOURCES).collect();
                (!from.is_empty()).then_some(FoundNeed { argument: &need.argument, from })
            });
            let (needs, produces) = (needs.collect(), index.products(document));
            Some(Found { entry: catalog.entry(document)?, score, needs, produces })
        };
        hits.into_iter().filter_map(|hit| found_tool(hit.document, hit.score)).collect()
    }

    pub(crate) fn index_size_in_bytes(&self, catalog: &Catalog) -> usize {
        self.index(catalog).bytes()
    }

    /// Makes the index, unless it is made.
    pub(crate) fn make_index(&self, catalog: &Catalog) {
        self.index(catalog);
    }

    pub(crate) fn has_index(&self) -> bool {
        self.index.get().is_some()
    }

    fn index(&self, catalog: &Catalog) -> &Index {
        let synonyms = &self.synonyms;
        self.index
            .get_or_init(|| Index::new(search_documents(catalog)).with_synonyms(synonyms.clone()))
    }
}

impl Found<'_> {
    /// The tool's description for models: name, toolset, effect, purpose, needs and products.
    pub fn to_value(&self) -> Value {
        let needs = self.needs.iter().map(|need| {
            let from: Vec<&str> = need.from.iter().map(|entry| entry.name().as_str()).collect();
            json!({"argument": need.argument, "from": from})
        });
        let products = self.produces.iter().take(MOST_PRODUCTS);
        let products = products
            .map(|product| json!({"thing": (product.thing.to_string()), "at": &*product.at}));
        let (needs, produces): (Vec<_>, Vec<_>) = (needs.collect(), products.collect());
        json!({
            "name": (self.entry.name().as_str()),
            "toolset": (self.entry.toolset()),
            "effect": (self.entry.effect().as_str()),
            "description": (self.entry.brief()),
            "score": (f64::from((self.score * 1000.0).round()) / 1000.0),
            "needs": (Value::Array(needs)),
            "produces": (Value::Array(produces)),
        })
    }
}

/// The most tools that are named for one need; a model chooses among few.
const MOST_SOURCES: usize = 3;
/// The most things that are shown of one response.
const MOST_PRODUCTS: usize = 8;
