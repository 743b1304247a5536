//! The flow that all kinds share: the tools that the operator selects, the opening, the tools of the last build or stand-ins where
//! the source is away, and the operator's edits. Toolsets are opened side by side; those that need another one come after it.

use std::sync::Arc;

use callgate_executor::Backend;
use callgate_settings::Reader;
use callgate_tree::SettingFinding;
use futures_util::future::join_all;

use crate::{
    edits::apply_edits,
    kept_toolset::KeptToolset,
    named_tool::{CommonSettings, NamedTool},
    opened_toolset::{Absence, Opened, OpenedToolset, Siblings},
    selection::select_tools,
    settings::KindSettings,
    source::{Followed, OpenedSource, finding_at},
    stand_ins::stand_in_tools,
    surroundings::{Missing, SharedSurroundings, Surroundings, Ways},
};

/// A toolset that is to be opened.
#[derive(Debug)]
pub struct Opening<'a> {
    /// The common settings.
    pub common: CommonSettings<'a>,
    /// The settings of its kind.
    pub settings: &'a Arc<dyn KindSettings>,
    /// The ways to its source.
    pub ways: Ways,
    /// The toolset of this name as the last build opened it.
    pub earlier: Option<&'a KeptToolset>,
}

/// Opens toolsets, and reports their findings. Returns also what the next build may use again.
pub async fn open_toolsets(
    reader: &mut Reader,
    openings: Vec<Opening<'_>>,
    shared: &SharedSurroundings<'_>,
) -> (Vec<OpenedToolset>, Vec<KeptToolset>) {
    let name = |opening: &Opening<'_>| (opening.common.name.clone(), opening.settings.key());
    let named: Vec<_> = openings.iter().map(name).collect();
    let is_first = |opening: &Opening<'_>| opening.settings.needed_toolset().is_none();
    let (first, later): (Vec<_>, Vec<_>) = openings.into_iter().partition(is_first);
    let (mut all, mut kept) = (Vec::new(), Vec::new());
    for openings in [first, later] {
        let siblings = Siblings { named: &named, opened: &all };
        let opened = open_concurrently(reader, openings, shared, siblings).await;
        let (opened, kept_toolsets): (Vec<_>, Vec<_>) = opened.into_iter().unzip();
        all.extend(opened);
        kept.extend(kept_toolsets);
    }
    (all, kept)
}

async fn open_concurrently(
    reader: &mut Reader,
    openings: Vec<Opening<'_>>,
    shared: &SharedSurroundings<'_>,
    siblings: Siblings<'_>,
) -> Vec<(OpenedToolset, KeptToolset)> {
    let mut selected = Vec::new();
    for Opening { common, settings, .. } in &openings {
        selected.push(select_tools(reader, common, settings.tools(common.pointer)));
    }
    let opening = |(opening, selected)| {
        let Opening { common, settings, ways, earlier }: &Opening<'_> = opening;
        let selected: &Vec<NamedTool> = selected;
        let earlier = earlier.and_then(|earlier| earlier.kept.as_ref());
        settings.open(common, selected, Surroundings { shared, ways, siblings, earlier })
    };
    let opened = join_all(openings.iter().zip(&selected).map(opening)).await;
    let finished = openings.iter().zip(&selected).zip(opened);
    finished
        .map(|((opening, selected), opened)| {
            report_and_edit_tools(reader, opening, selected, opened, shared)
        })
        .collect()
}

/// Reports the findings of a toolset, and applies the selection and the edits to its tools.
fn report_and_edit_tools(
    reader: &mut Reader,
    opening: &Opening<'_>,
    selected: &[NamedTool],
    opened: Opened,
    shared: &SharedSurroundings<'_>,
) -> (OpenedToolset, KeptToolset) {
    let Opening { common, settings, earlier, .. } = opening;
    let Opened { mut tools, findings, services, followed, kept } = opened;
    reader.complaints.extend(findings);
    if let Some(fault) = fatal_unreachable_fault(opening, shared.missing, &tools) {
        reader.complaints.push(fault);
        tools = Ok(Vec::new());
    }
    let source = absent_or_followed_source(opening, shared, tools.as_ref().err(), followed);
    let names: Vec<_> =
        selected.iter().filter_map(|tool| tool.unedited_name(common).ok()).collect();
    let earlier =
        || earlier.and_then(|earlier| earlier.backends_if_unchanged(&***settings, &names));
    let (mut backends, absence) = match tools.or_else(|absence| earlier().ok_or(absence)) {
        Ok(backends) => (backends, None),
        Err(absence) => (Vec::new(), Some(absence)),
    };
    // A source may have tools that the configuration does not name.
    if !settings.tools(common.pointer).is_empty() {
        backends.retain(|tool| names.contains(tool.name()));
    }
    let tools = match &absence {
        None => apply_edits(reader, common, selected, &backends),
        Some(absence) => {
            let stand_ins =
                stand_in_tools(common, selected, absence, &settings.unavailable_fault());
            apply_edits(reader, common, selected, &stand_ins)
        }
    };
    let (name, settings) = (common.name.clone(), Arc::clone(settings));
    let kept = KeptToolset { name: name.clone(), settings, names, backends, kept };
    (OpenedToolset { name, tools, absence, services, source }, kept)
}

/// The source of a toolset, if it may be away or change.
fn absent_or_followed_source(
    Opening { common, settings, .. }: &Opening<'_>,
    shared: &SharedSurroundings<'_>,
    absence: Option<&Absence>,
    followed: Option<Arc<dyn Followed>>,
) -> Option<OpenedSource> {
    let failure = match absence {
        None => None,
        Some(Absence::NamedByExport) => return None,
        Some(Absence::Unasked) => Some(UNASKED.to_owned()),
        Some(Absence::Unavailable(why)) => Some(why.clone()),
    };
    let unreachable = settings.unreachable_finding(failure.as_deref().unwrap_or_default());
    if unreachable.is_none() && followed.is_none() {
        return None;
    }
    let finding = unreachable.filter(|_| failure.is_some());
    Some(OpenedSource {
        key: settings.key(),
        name: common.name.clone(),
        is_required: common.is_required,
        is_asked: absence != Some(&Absence::Unasked),
        failure,
        unreachable: finding.map(|finding| finding_at(shared.origin, &common.name, finding)),
        followed,
        origin: shared.origin.to_owned(),
    })
}

/// The fault of a source that cannot be reached, where that makes the whole configuration fail.
fn fatal_unreachable_fault(
    Opening { common, settings, .. }: &Opening<'_>,
    missing: Missing,
    tools: &Result<Vec<Arc<dyn Backend>>, Absence>,
) -> Option<SettingFinding> {
    let Err(Absence::Unavailable(why)) = tools else { return None };
    let finding = settings.unreachable_finding(why).filter(|_| missing == Missing::Fault)?;
    let pointer = format!("{}{}", common.pointer, finding.pointer);
    Some(SettingFinding { pointer, ..finding })
}

/// The reason for which tools of a load without leave to ask are not described.
const UNASKED: &str = "it is not asked";
