//! The flow that all kinds share: the tools that the operator selects, the opening, stand-ins where the source is away, and the
//! operator's edits. Toolsets are opened side by side; those that need another one come after it.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use callgate_auth::Authenticator;
use callgate_executor::SessionValues;
use callgate_settings::{LoadEffects, Reader};
use callgate_transport::Transport;
use futures_util::future::join_all;

use crate::{
    edits::apply_edits,
    named_tool::{CommonSettings, NamedTool},
    opened_toolset::{Kept, Opened, OpenedToolset, Siblings},
    selection::select_tools,
    settings::{KindSettings, Surroundings},
    stand_ins::stand_ins,
};

/// A toolset that is to be opened.
#[derive(Debug)]
#[expect(clippy::exhaustive_structs, reason = "a configuration decides about each of these")]
pub struct Opening<'a> {
    /// The common settings.
    pub common: CommonSettings<'a>,
    /// The settings of its kind.
    pub settings: &'a dyn KindSettings,
    /// The transport of its calls.
    pub transport: Option<Arc<dyn Transport>>,
    /// The credential of all its calls.
    pub authenticator: Option<Arc<dyn Authenticator>>,
    /// What the toolset of this name kept in the last build.
    pub earlier: Option<&'a Kept>,
}

/// What all toolsets get from outside.
#[derive(Clone, Debug)]
#[expect(clippy::exhaustive_structs, reason = "a configuration decides about each of these")]
pub struct SharedSurroundings<'a> {
    /// The folder that relative paths start at.
    pub base: &'a Path,
    /// The effects that opening may have.
    pub effects: LoadEffects,
    /// The program that extracts text from files.
    pub extractor: Option<&'a PathBuf>,
    /// The session values that credentials of any toolset read.
    pub session_values: SessionValues,
}

/// Opens toolsets, and reports their findings.
pub async fn open_toolsets(
    reader: &mut Reader,
    openings: Vec<Opening<'_>>,
    around: &SharedSurroundings<'_>,
) -> Vec<OpenedToolset> {
    let name = |opening: &Opening<'_>| (opening.common.name.clone(), opening.settings.key());
    let named: Vec<_> = openings.iter().map(name).collect();
    let is_first = |opening: &Opening<'_>| opening.settings.needs().is_none();
    let (first, later): (Vec<_>, Vec<_>) = openings.into_iter().partition(is_first);
    let mut all = Vec::new();
    for openings in [first, later] {
        let siblings = Siblings { named: &named, opened: &all };
        let opened = open_side_by_side(reader, openings, around, siblings).await;
        all.extend(opened);
    }
    all
}

async fn open_side_by_side(
    reader: &mut Reader,
    openings: Vec<Opening<'_>>,
    around: &SharedSurroundings<'_>,
    siblings: Siblings<'_>,
) -> Vec<OpenedToolset> {
    let mut selected = Vec::new();
    for Opening { common, settings, .. } in &openings {
        selected.push(select_tools(reader, common, settings.tools(common.pointer)));
    }
    let opening = |(opening, selected)| {
        let Opening { common, settings, transport, authenticator, earlier }: &Opening<'_> = opening;
        let selected: &Vec<NamedTool> = selected;
        let around = Surroundings {
            base: around.base,
            effects: around.effects,
            extractor: around.extractor,
            transport: transport.clone(),
            authenticator: authenticator.clone(),
            session_values: around.session_values.clone(),
            siblings,
            earlier: *earlier,
        };
        settings.open(common, selected, around)
    };
    let opened = join_all(openings.iter().zip(&selected).map(opening)).await;
    let finished = openings.iter().zip(selected).zip(opened);
    finished.map(|((opening, tools), opened)| finish(reader, opening, &tools, opened)).collect()
}

/// Reports the findings of a toolset, and applies the selection and the edits to its tools.
fn finish(
    reader: &mut Reader,
    Opening { common, settings, .. }: &Opening<'_>,
    selected: &[NamedTool],
    opened: Opened,
) -> OpenedToolset {
    let Opened { tools, findings, services, followed, kept } = opened;
    reader.complaints.extend(findings);
    let names: Vec<_> = selected.iter().filter_map(|tool| tool.former_name(common).ok()).collect();
    let mut backends = match tools {
        Ok(tools) => tools,
        Err(absence) => stand_ins(common, selected, absence, &settings.unavailable()),
    };
    backends.retain(|tool| names.contains(tool.name()));
    let tools = apply_edits(reader, common, selected, &backends);
    OpenedToolset { name: common.name.clone(), tools, services, followed, kept }
}
