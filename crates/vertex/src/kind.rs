//! Data stores of Vertex AI Search as a kind of toolset: the way from its keys to opened tools.

use std::sync::Arc;

use async_trait::async_trait;
use callgate_call::wording;
use callgate_executor::Backend;
use callgate_kind::{
    ArgumentForm, Beside, CommonSettings, Followed, GivenLimits, Kept, KindKeys, KindSettings,
    LIMITS_OF_CALLS, NamedTool, Opened, SELECTION_BY_NAME, ServiceCalls, Surroundings, ToolsetKind,
    warn_of_replaced_limits,
};
use callgate_settings::{Mapping, Reader, Section as _, member_pointer};
use callgate_tool::{Effect, Fault, SessionSource};
use callgate_transport::Transport;
use callgate_tree::SettingFinding;
use url::Url;

use crate::{
    code::VertexCode,
    keys::{LimitKeys, LocalStoreMap, LocalStores, RootKeys, ToolsetKeys, Vertex, VertexKeys},
    load::{self, load_tools},
    local,
    settings::{Form, ToolSettings, VertexSettings},
    text_settings::{SearchParts, read_search_parts},
};

/// Data stores of Vertex AI Search: the key `vertex`, and `data_stores` for those that are searched in folders of documents.
#[derive(Clone, Copy, Debug)]
pub struct VertexKind {
    /// True if the program asks Google; otherwise folders of documents alone are searched.
    pub asks_google: bool,
}

const KEY: &str = "vertex";

impl ToolsetKind for VertexKind {
    fn key(&self) -> &'static str {
        KEY
    }

    fn example_setting(&self) -> &'static str {
        "vertex: projects/…/locations/…/collections/…/dataStores/…"
    }

    fn keys(&self) -> KindKeys {
        KindKeys { toolset: ToolsetKeys::KEYS, limits: LimitKeys::KEYS, root: RootKeys::KEYS }
    }

    fn common_keys(&self) -> Beside {
        Beside { keys: BESIDE, limits: Some(LIMITS_OF_CALLS), tools: Some(SELECTION_BY_NAME) }
    }

    fn codes_and_explanations(&self) -> Vec<(&'static str, &'static str)> {
        VertexCode::ALL.iter().map(|code| (code.as_str(), code.explanation())).collect()
    }

    fn read_root_keys(&self, reader: &mut Reader, root: Mapping<'_>) -> Option<Kept> {
        reader.get::<LocalStores>(root, "data_stores").map(Kept::new)
    }

    fn read(
        &self,
        reader: &mut Reader,
        toolset: Mapping<'_>,
        root: Option<&Kept>,
    ) -> Option<Arc<dyn KindSettings>> {
        let keys = reader.get::<Vertex>(toolset, KEY)?;
        let stores = root.and_then(Kept::get::<LocalStoreMap>).cloned().unwrap_or_default();
        let place = if keys.has_no_local_store(&stores) {
            Place::Google(read_search_parts(reader, member_pointer(toolset, KEY), &keys))
        } else {
            Place::Folder(stores)
        };
        let (kind, limit, result_bytes) = (*self, SNIPPETS, RESULT_BYTES);
        Some(Arc::new(SearchSettings { kind, keys, place, limit, result_bytes }))
    }
}

/// The settings of a search, without those that it shares with other kinds.
#[derive(Clone, Debug)]
struct SearchSettings {
    kind: VertexKind,
    keys: VertexKeys,
    place: Place,
    limit: u32,
    result_bytes: usize,
}

/// The place where documents are searched.
#[derive(Clone, Debug)]
enum Place {
    /// A folder, which these data stores are pointed at.
    Folder(LocalStoreMap),
    /// The service; `None` after a reported fault.
    Google(Option<SearchParts>),
}

#[async_trait]
impl KindSettings for SearchSettings {
    fn key(&self) -> &'static str {
        KEY
    }

    fn with_limits(
        &self,
        reader: &mut Reader,
        limits: Option<Mapping<'_>>,
        given: GivenLimits,
    ) -> Arc<dyn KindSettings> {
        let mut settings = self.clone();
        if let Some(limits) = limits {
            let mut keys = LimitKeys::default();
            LimitKeys::fill(&mut keys, reader, limits);
            let limit = keys.snippets.and_then(|count| u32::try_from(count).ok());
            settings.limit = limit.unwrap_or(settings.limit);
            if let Some(toolset) = self.needed_toolset() {
                warn_of_replaced_limits(reader, limits, LimitKeys::KEYS, toolset);
            }
        }
        settings.result_bytes = given.result_bytes.unwrap_or(settings.result_bytes);
        Arc::new(settings)
    }

    fn tools(&self, pointer: &str) -> Vec<NamedTool> {
        let tool = |(short, _)| NamedTool {
            short,
            effect: Effect::Read,
            pointer: format!("{pointer}/{KEY}"),
        };
        self.keys.tool_names().into_iter().map(tool).collect()
    }

    fn unavailable_fault(&self) -> Box<Fault> {
        wording::documents::unavailable()
    }

    fn needed_toolset(&self) -> Option<&str> {
        let Place::Folder(stores) = &self.place else { return None };
        let mut local =
            self.keys.store_or_engine_names().into_iter().filter_map(|name| stores.get(name));
        local.find_map(|store| store.toolset.as_deref())
    }

    fn called_service(&self) -> ServiceCalls {
        match &self.place {
            Place::Google(Some(_)) if self.kind.asks_google => ServiceCalls::Google,
            Place::Folder(_) | Place::Google(_) => ServiceCalls::None,
        }
    }

    fn session_sources(&self, pointer: &str) -> Vec<(String, SessionSource)> {
        let stores = self.keys.data_stores.iter().flatten().enumerate();
        let stores = stores.filter_map(|(at, store)| {
            Some((format!("data_stores/{at}/filter"), store.filter.as_deref()?))
        });
        let own = self.keys.filter.as_deref().map(|filter| ("filter".to_owned(), filter));
        let sources = stores.chain(own).flat_map(|(at, filter)| {
            let pointer = format!("{pointer}/{KEY}/{at}");
            SessionSource::sources_in(filter)
                .into_iter()
                .map(move |source| (pointer.clone(), source))
        });
        sources.collect()
    }

    async fn open(
        &self,
        toolset: &CommonSettings<'_>,
        selected: &[NamedTool],
        around: Surroundings<'_>,
    ) -> Opened {
        let pointer = format!("{}/{KEY}", toolset.pointer);
        match &self.place {
            Place::Folder(stores) => {
                match local::common_local_toolset(&self.keys, stores, &pointer, around.siblings) {
                    Ok(folder) => {
                        let folder = around.siblings.followed_toolset(folder);
                        self.open_folder_tools(toolset, selected, folder)
                    }
                    Err(finding) => Opened::with_faults(finding.into_iter().collect()),
                }
            }
            Place::Google(_) if !self.kind.asks_google => {
                let code = VertexCode::VertexUnavailable.as_str();
                Opened::with_faults(vec![SettingFinding::error(code, pointer, ABSENT, BUILD)])
            }
            Place::Google(parts) => {
                let opened = parts.clone().and_then(|parts| {
                    open_google_tools(self.vertex_settings(parts, toolset, selected), &around)
                });
                opened.unwrap_or_else(|| Opened::with_tools(Vec::new()))
            }
        }
    }
}

impl SearchSettings {
    /// The tools that search a folder.
    fn open_folder_tools(
        &self,
        toolset: &CommonSettings<'_>,
        selected: &[NamedTool],
        folder: Option<&dyn Followed>,
    ) -> Opened {
        let pointer = format!("{}/{KEY}", toolset.pointer);
        let findings = local::google_only_keys_finding(&self.keys, &pointer).into_iter().collect();
        // If it is not indexed, its fault is reported there.
        let Some(folder) = folder else {
            return Opened { findings, ..Opened::unavailable("its folder is not indexed") };
        };
        let description = self.keys.description.as_deref().unwrap_or_default();
        let names = selected.iter().filter_map(|tool| tool.unedited_name(toolset).ok());
        let tools = names.map(|name| folder.search_tool(&toolset.name, name, description));
        Opened { findings, ..Opened::with_tools(tools.collect()) }
    }

    fn vertex_settings(
        &self,
        SearchParts { targets, filter, boosts }: SearchParts,
        toolset: &CommonSettings<'_>,
        selected: &[NamedTool],
    ) -> VertexSettings {
        let keys = &self.keys;
        let is_selected = |short: &str| selected.iter().find(|tool| tool.short == short);
        let tools = keys.tool_names().into_iter().filter_map(|(short, action)| {
            let name = is_selected(&short)?.unedited_name(toolset).ok()?;
            Some(ToolSettings { name, action })
        });
        let count = |count: Option<usize>| count.and_then(|count| u32::try_from(count).ok());
        VertexSettings {
            toolset: toolset.name.clone(),
            tools: tools.collect(),
            targets,
            server: toolset.server.map(str::to_owned),
            description: keys.description.clone().unwrap_or_default(),
            filter,
            fields: keys.fields.clone().unwrap_or_default(),
            form: match keys.arguments {
                Some(ArgumentForm::Google) => {
                    Form::Google { has_filter: keys.filter_argument.unwrap_or_default() }
                }
                Some(ArgumentForm::Own) | None => Form::Own,
            },
            boosts,
            snippets: keys.snippets.unwrap_or(true),
            extractive_answers: count(keys.extractive_answers).unwrap_or_default(),
            extractive_segments: count(keys.extractive_segments).unwrap_or_default(),
            grounding: keys.grounding,
            limit: self.limit,
            result_bytes: self.result_bytes,
            call: toolset.call.clone(),
        }
    }
}

/// The tools that ask the service; `None` after a reported fault.
fn open_google_tools(settings: VertexSettings, around: &Surroundings<'_>) -> Option<Opened> {
    let (transport, authenticator) =
        (around.ways.transport.clone()?, around.ways.authenticator.clone()?);
    let mut services: Vec<(String, Arc<dyn Transport>)> = Vec::new();
    for target in &settings.targets {
        let service = settings.server.clone().unwrap_or_else(|| target.name.service_origin());
        let origin = Url::parse(&service).ok()?.origin().ascii_serialization();
        services.push((origin, Arc::clone(&transport)));
    }
    let session_values = around.shared.session_values.clone();
    let around = load::Surroundings { transport, authenticator, session_values };
    let tools: Vec<Arc<dyn Backend>> = load_tools(settings, &around);
    Some(Opened { services, ..Opened::with_tools(tools) })
}

const ABSENT: &str = "expected data stores that `data_stores` points at a folder, got some that this build of callgate does not ask";
const BUILD: &str = "build it with the feature `vertex`, or write `data_stores: {NAME: {toolset: TOOLSET}}` beside `toolsets`";

/// The common keys that mean something beside `vertex`.
const BESIDE: &[&str] = &[
    "auth",
    "baggage",
    "confirm",
    "egress",
    "functions",
    "limits",
    "prefix",
    "retry",
    "server",
    "service_directory",
    "tls",
    "tools",
    "upstream",
];

/// The snippets and the bytes of a result, unless an operator sets them; as for folders of documents.
const SNIPPETS: u32 = 10;
const RESULT_BYTES: usize = 16 << 10;
