//! Reads the overlays that a toolset names and corrects its description with them. A fault of an overlay is reported at
//! its place in the overlay's own file; an overlay with a fault stops the build, like a fault of the configuration.

use std::path::{Path, PathBuf};

use callgate_openapi::{Overlaid, Overlay, apply_overlays};
use callgate_settings::{Finding, Reader, SettingCode};
use callgate_tree::{Diagnostic, Node, Parsed, Severity, fill_positions};

use crate::toolset::ToolsetConfig;

struct OverlayFile {
    file: PathBuf,
    text: Vec<u8>,
    overlay: Overlay,
}

/// Corrects a description with the overlays of its toolset; returns the description before and after, if there are
/// overlays. After a fault of an overlay the description is unchanged, and is not used.
pub(super) fn apply_toolset_overlays(
    reader: &mut Reader,
    config: &ToolsetConfig,
    base: &Path,
    description: &mut Node,
) -> Option<Overlaid> {
    let files = config.overlays.iter().map(|file| base.join(file));
    let files = files.filter_map(|file| read_overlay(reader, config, file));
    let files: Vec<_> = files.collect();
    if files.is_empty() {
        return None;
    }
    let overlays: Vec<_> = files.iter().map(|overlay_file| overlay_file.overlay.clone()).collect();
    let applied = apply_overlays(description.clone(), &overlays, &config.description_limits.text);
    for (overlay_file, diagnostics) in files.iter().zip(applied.diagnostics) {
        report_diagnostics(reader, &overlay_file.file, &overlay_file.text, diagnostics);
    }
    let overlaid = applied.overlaid?;
    *description = overlaid.root().clone();
    Some(overlaid)
}

fn read_overlay(reader: &mut Reader, config: &ToolsetConfig, file: PathBuf) -> Option<OverlayFile> {
    let text = match reader.admitted_file_beginning(&file, config.description_limits.text.bytes) {
        Ok(text) => text,
        Err(error) => {
            let message = format!("cannot read `{}`: {error}", file.display());
            let pointer = format!("{}/overlays", config.pointer);
            reader.report_fault(
                SettingCode::UnreadableFile,
                pointer,
                message,
                "name a file that exists",
            );
            return None;
        }
    };
    reader.texts.add(&text);
    match Overlay::read(&text, &config.description_limits.text) {
        Ok(Parsed { value: overlay, diagnostics }) => {
            report_diagnostics(reader, &file, &text, diagnostics);
            Some(OverlayFile { file, text, overlay })
        }
        Err(diagnostics) => {
            report_diagnostics(reader, &file, &text, diagnostics);
            None
        }
    }
}

fn report_diagnostics(
    reader: &mut Reader,
    file: &Path,
    text: &[u8],
    mut diagnostics: Vec<Diagnostic>,
) {
    fill_positions(text, &mut diagnostics);
    reader.elsewhere.extend(diagnostics.into_iter().map(|diagnostic| {
        let severity = diagnostic.severity.max(Severity::Warning);
        Finding::of_diagnostic(file, Diagnostic { severity, ..diagnostic })
    }));
}
