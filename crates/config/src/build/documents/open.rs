//! Indexes the folders of a configuration, one after another, and makes their tools.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use callgate_documents::{
    BoundCondition, DocumentsLimits, DocumentsSettings, Loaded, MetadataSource, Operator,
};
use callgate_settings::{Finding, Reader};
use callgate_tree::SettingFinding;

use super::{BuiltDocuments, DocumentCounts};
use crate::{
    build::{
        context::BuildContext,
        database::Databases,
        own_tools::{self, Absence, edits, selection},
    },
    config::Config,
    documents::{DocumentsKeys, DocumentsLimits as LimitsConfig, Metadata},
    toolset::ToolsetConfig,
};

/// The documents of all toolsets, with the findings about their files.
pub(super) async fn all(
    reader: &mut Reader,
    config: &Config,
    build_context: &BuildContext<'_>,
    previous: &[BuiltDocuments],
    databases: &mut Databases,
) -> Vec<BuiltDocuments> {
    let mut all = Vec::new();
    for toolset in &config.toolsets {
        let Some(settings) = settings(toolset, build_context) else { continue };
        let selected = selection::selected(reader, toolset);
        let name = settings.toolset.clone();
        let effects = build_context.environment.within(reader.effects);
        let backends = if effects.fetching().is_none() {
            own_tools::stand_ins(toolset, &selected, Absence::Unasked)
        } else {
            let earlier = previous.iter().find(|earlier| earlier.name == name);
            let earlier = earlier.map(|earlier| &earlier.documents.0);
            let loaded = callgate_documents::load(settings, earlier).await;
            let Loaded { mut tools, findings, documents, .. } = loaded;
            report(reader, toolset, findings);
            if let Some(documents) = documents.map(Documents) {
                let origin = config.origin.file.clone();
                all.push(BuiltDocuments { name, origin, documents });
            }
            let names: Vec<_> =
                selected.iter().filter_map(|tool| tool.former_name(toolset).ok()).collect();
            tools.retain(|tool| names.contains(tool.name()));
            tools
        };
        databases.tools.extend(edits::applied(reader, toolset, &selected, &backends));
    }
    all
}

/// The documents behind a toolset's tools.
#[derive(Clone, Debug)]
pub(in crate::build) struct Documents(pub(super) callgate_documents::Documents);

impl Documents {
    pub(super) async fn refresh(&self) {
        self.0.refresh().await;
    }

    pub(super) fn findings(&self, name: &str, origin: &Path) -> Vec<Finding> {
        let finding = |found: SettingFinding| {
            Finding::new(origin, found.severity, found.code, found.message)
                .at(format!("/toolsets/{name}/documents{}", found.pointer))
                .with_help(found.help)
        };
        self.0.findings().into_iter().map(finding).collect()
    }

    pub(super) fn counts(&self) -> DocumentCounts {
        let callgate_documents::DocumentCounts { files, documents, pieces, bytes, .. } =
            self.0.counts();
        DocumentCounts { files, documents, pieces, bytes }
    }

    pub(super) fn folders(&self) -> BTreeSet<PathBuf> {
        self.0.folders()
    }
}

fn report(reader: &mut Reader, toolset: &ToolsetConfig, findings: Vec<SettingFinding>) {
    let at = format!("{}/documents", toolset.pointer);
    let n_more = findings.len().saturating_sub(MOST_FINDINGS);
    let more = findings.get(MOST_FINDINGS).map(|first| (first.code, first.help.clone()));
    let reported = findings.into_iter().take(MOST_FINDINGS);
    reader.complaints.extend(reported.map(|finding| {
        let pointer = format!("{at}{}", finding.pointer);
        SettingFinding { pointer, ..finding }
    }));
    if let Some((code, help)) = more {
        let message = format!("expected files without findings, got {n_more} more with some");
        let pointer = format!("{at}/folder");
        reader.complaints.push(SettingFinding::warning(code, pointer, message, help));
    }
}

/// The settings of a toolset's documents; `None` if it has none.
fn settings(
    toolset: &ToolsetConfig,
    build_context: &BuildContext<'_>,
) -> Option<DocumentsSettings> {
    let DocumentsKeys {
        description,
        exclude,
        filter,
        folder,
        include,
        metadata,
        uri,
        conditions: _,
    } = toolset.documents.keys.clone()?;
    Some(DocumentsSettings {
        toolset: toolset.name.as_ref().map(ToString::to_string).unwrap_or_default(),
        prefix: toolset.prefix.clone(),
        folder: build_context.base.join(folder?),
        description: description.unwrap_or_default(),
        include: include.unwrap_or_default(),
        exclude: exclude.unwrap_or_default(),
        uri,
        metadata: match metadata {
            Some(Metadata::FrontMatter) | None => MetadataSource::FrontMatter,
            Some(Metadata::None) => MetadataSource::None,
        },
        bound: conditions(toolset),
        filter,
        #[cfg(feature = "pdf")]
        extractor: build_context.environment.extractor.clone(),
        #[cfg(not(feature = "pdf"))]
        extractor: None,
        limits: limits(&toolset.documents.limits),
    })
}

fn conditions(toolset: &ToolsetConfig) -> Vec<BoundCondition> {
    let keys = toolset.documents.keys.iter();
    let conditions = keys.flat_map(|keys| keys.conditions.iter().flatten());
    let bound = conditions.flat_map(|(field, condition)| {
        condition.operands().filter_map(move |(name, value)| {
            let operator = Operator::of(name)?;
            Some(BoundCondition { field: field.clone(), operator, value: value.clone() })
        })
    });
    bound.collect()
}

fn limits(config: &LimitsConfig) -> DocumentsLimits {
    let usual = DocumentsLimits::default();
    let bytes = config.folder_bytes.and_then(|bytes| u64::try_from(bytes).ok());
    DocumentsLimits {
        files: config.files.unwrap_or(usual.files),
        file_bytes: config.file_bytes.unwrap_or(usual.file_bytes),
        bytes: bytes.unwrap_or(usual.bytes),
        depth: config.folder_depth.unwrap_or(usual.depth),
        snippets: config.snippets.unwrap_or(usual.snippets),
        result_bytes: config.result_bytes.unwrap_or(usual.result_bytes),
    }
}

/// The most findings of one folder that are reported one by one.
const MOST_FINDINGS: usize = 50;
