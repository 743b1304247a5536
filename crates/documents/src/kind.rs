//! Folders of documents as a kind of toolset: the way from its keys to opened tools.

use std::{collections::BTreeSet, path::PathBuf, sync::Arc};

use async_trait::async_trait;
use callgate_call::wording;
use callgate_executor::Backend;
use callgate_kind::{
    Absence, Beside, CommonSettings, Counts, Followed, GivenLimits, Kept, KindKeys, KindSettings,
    NamedTool, Opened, Operator, SELECTION_BY_NAME, Surroundings, ToolsetKind,
};
use callgate_settings::{Mapping, Reader, Section as _, pointer_segment};
use callgate_tool::{Effect, Fault, SessionSource, ToolName};
use callgate_tree::SettingFinding;
use futures_util::future::BoxFuture;

use crate::{
    documents::Documents,
    finding::DocumentsCode,
    keys::{DocumentsKeys, LimitKeys, ToolsetKeys},
    load::{Loaded, load},
    settings::{BoundCondition, DocumentsSettings, MetadataSource},
};

/// Folders of documents: the key `documents`.
#[derive(Clone, Copy, Debug)]
pub struct DocumentsKind;

impl ToolsetKind for DocumentsKind {
    fn key(&self) -> &'static str {
        "documents"
    }

    fn example_setting(&self) -> &'static str {
        "documents: {folder: FOLDER}"
    }

    fn keys(&self) -> KindKeys {
        KindKeys { toolset: ToolsetKeys::KEYS, limits: LimitKeys::KEYS, root: &[] }
    }

    fn common_keys(&self) -> Beside {
        Beside {
            keys: &["confirm", "functions", "limits", "prefix", "tools"],
            limits: Some(&["breaker", "concurrency", "rate", "result_bytes"]),
            tools: Some(SELECTION_BY_NAME),
        }
    }

    fn codes_and_explanations(&self) -> Vec<(&'static str, &'static str)> {
        DocumentsCode::ALL.iter().map(|code| (code.as_str(), code.explanation())).collect()
    }

    fn read(
        &self,
        reader: &mut Reader,
        toolset: Mapping<'_>,
        _: Option<&Kept>,
    ) -> Option<Arc<dyn KindSettings>> {
        let keys = reader.get::<DocumentsKeys>(toolset, self.key())?;
        Some(Arc::new(FolderSettings(DocumentsSettings {
            description: keys.description.unwrap_or_default(),
            include: keys.include.unwrap_or_default(),
            exclude: keys.exclude.unwrap_or_default(),
            uri: keys.uri,
            metadata: keys.metadata.unwrap_or(MetadataSource::FrontMatter),
            bound: keys.conditions.unwrap_or_default(),
            filter: keys.filter,
            ..DocumentsSettings::new("", keys.folder?)
        })))
    }
}

/// The settings of a folder, without those that it shares with other kinds.
#[derive(Clone, Debug)]
struct FolderSettings(DocumentsSettings);

#[async_trait]
impl KindSettings for FolderSettings {
    fn key(&self) -> &'static str {
        DocumentsKind.key()
    }

    fn with_limits(
        &self,
        reader: &mut Reader,
        limits: Option<Mapping<'_>>,
        given: GivenLimits,
    ) -> Arc<dyn KindSettings> {
        let mut settings = self.0.clone();
        if let Some(limits) = limits {
            LimitKeys::fill(&mut settings.limits, reader, limits);
        }
        if let Some(bytes) = given.result_bytes {
            settings.limits.result_bytes = bytes;
        }
        Arc::new(Self(settings))
    }

    fn tools(&self, pointer: &str) -> Vec<NamedTool> {
        let tool = |short: &str| NamedTool {
            short: short.to_owned(),
            effect: Effect::Read,
            pointer: format!("{pointer}/documents"),
        };
        ["search", "read"].map(tool).into()
    }

    fn unavailable_fault(&self) -> Box<Fault> {
        wording::documents::unavailable()
    }

    fn session_sources(&self, pointer: &str) -> Vec<(String, SessionSource)> {
        let source = |BoundCondition { field, operator, value }: &BoundCondition| {
            let (field, operator) = (pointer_segment(field), key_of(*operator));
            (format!("{pointer}/documents/where/{field}/{operator}"), value.clone())
        };
        self.0.bound.iter().map(source).collect()
    }

    async fn open(
        &self,
        toolset: &CommonSettings<'_>,
        _: &[NamedTool],
        around: Surroundings<'_>,
    ) -> Opened {
        if around.shared.effects.fetching_permission().is_none() {
            return Opened::absent(Absence::Unasked);
        }
        let settings = DocumentsSettings {
            toolset: toolset.name.clone(),
            prefix: toolset.prefix.cloned(),
            folder: around.shared.base.join(&self.0.folder),
            extractor: around.shared.extractor.cloned(),
            ..self.0.clone()
        };
        let earlier = around.earlier.and_then(Kept::get::<Documents>);
        let Loaded { tools, findings, documents } = load(settings, earlier).await;
        let followed = documents
            .clone()
            .map(|opened_documents| Arc::new(opened_documents) as Arc<dyn Followed>);
        Opened {
            findings: truncate_and_place_findings(findings, toolset.pointer),
            followed,
            kept: documents.map(Kept::new),
            ..Opened::with_tools(tools)
        }
    }
}

/// The key of a condition in settings.
fn key_of(operator: Operator) -> &'static str {
    if operator == Operator::In { "any" } else { operator.as_str() }
}

/// The findings of a load, each with its place, and at the end the number of those that are left out.
fn truncate_and_place_findings(
    mut findings: Vec<SettingFinding>,
    pointer: &str,
) -> Vec<SettingFinding> {
    let n_more = findings.len().saturating_sub(MOST_FINDINGS);
    let more = findings.get(MOST_FINDINGS).map(|first| {
        let message = format!("expected files without findings, got {n_more} more with some");
        SettingFinding::warning(first.code, "/folder", message, first.help.clone())
    });
    findings.truncate(MOST_FINDINGS);
    let placed = findings.into_iter().chain(more).map(|finding| {
        let pointer = format!("{pointer}/documents{}", finding.pointer);
        SettingFinding { pointer, ..finding }
    });
    placed.collect()
}

impl Followed for Documents {
    fn refresh(&self) -> BoxFuture<'_, ()> {
        Box::pin(Self::refresh(self))
    }

    fn findings(&self) -> Vec<SettingFinding> {
        let placed = Self::findings(self).into_iter().map(|finding| {
            let pointer = format!("/documents{}", finding.pointer);
            SettingFinding { pointer, ..finding }
        });
        placed.collect()
    }

    fn index_counts(&self) -> Counts {
        Self::counts(self)
    }

    fn watched_folders(&self) -> BTreeSet<PathBuf> {
        Self::document_folders(self)
    }

    fn search_tool(&self, toolset: &str, name: ToolName, description: &str) -> Arc<dyn Backend> {
        Self::standalone_search_tool(self, toolset, name, description)
    }
}

/// The most findings of one folder that are reported one by one.
const MOST_FINDINGS: usize = 50;
