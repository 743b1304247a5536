//! Imports `modalityConfigs`: for text, whether an answer is written, how grounded it has to be, and how many snippets there are.

use callgate_tool::{Object, Value, json};

use super::{is_disabled, number_in_range};
use crate::import::{Imported, RemarkKind, message::Message};

/// Reads the settings of texts into those of `vertex`.
pub(super) fn import_modalities(tool: &Message<'_>, vertex: &mut Object, imported: &mut Imported) {
    let mut is_answered = true;
    for modality in tool.messages("modalityConfigs", imported) {
        modality.remark_unknown_members(&[&["modalityType"][..], &CONFIGS].concat(), imported);
        let types = ["MODALITY_TYPE_UNSPECIFIED", "TEXT", "AUDIO"];
        if modality.enum_position("modalityType", &types, imported) == Some(2) {
            if CONFIGS.iter().any(|config| modality.has(config)) {
                let message = "calls are of texts: the settings of texts are used";
                imported.add_remark(RemarkKind::NoEquivalent, modality.pointer(), message);
            }
            continue;
        }
        remark_rewriter(&modality, imported);
        is_answered &= is_summarized(&modality, imported);
        import_grounding(&modality, vertex, imported);
        import_snippets(&modality, imported);
    }
    if is_answered {
        vertex.insert("answer", true.into());
    } else {
        vertex.remove("grounding");
    }
}

fn remark_rewriter(modality: &Message<'_>, imported: &mut Imported) {
    let Some(config) = modality.message("rewriterConfig", imported) else { return };
    config.remark_unknown_members(&["modelSettings", "prompt", "disabled"], imported);
    if !is_disabled(&config) {
        let message = "no model rewrites questions: the agent's own is told to write whole ones";
        imported.add_remark(
            RemarkKind::NoEquivalent,
            modality.member_pointer("rewriterConfig"),
            message,
        );
    }
}

/// True unless no answer is written.
fn is_summarized(modality: &Message<'_>, imported: &mut Imported) -> bool {
    let Some(config) = modality.message("summarizationConfig", imported) else { return true };
    config.remark_unknown_members(&["modelSettings", "prompt", "disabled"], imported);
    let is_own = ["modelSettings", "prompt"].iter().any(|member| config.has(member));
    if is_own && !is_disabled(&config) {
        let message = "the answer is written by the model of Vertex AI Search, with its own prompt";
        imported.add_remark(
            RemarkKind::NoEquivalent,
            modality.member_pointer("summarizationConfig"),
            message,
        );
    }
    !is_disabled(&config)
}

/// The products measure groundedness from 1 to 5, Vertex AI Search from 0 to 1.
fn import_grounding(modality: &Message<'_>, vertex: &mut Object, imported: &mut Imported) {
    let Some(config) = modality.message("groundingConfig", imported) else { return };
    config.remark_unknown_members(&["groundingLevel", "disabled"], imported);
    if is_disabled(&config) {
        return;
    }
    let level = number_in_range(&config, "groundingLevel", 1.0..=5.0, imported);
    let level = level.filter(|level| *level > 1.0);
    vertex.insert_if_some("grounding", level.map(|level| (level - 1.0) / 4.0));
}

fn import_snippets(modality: &Message<'_>, imported: &mut Imported) {
    let Some(config) = modality.message("snippetsConfig", imported) else { return };
    config.remark_unknown_members(&["enableSnippets", "maxSnippets"], imported);
    let enabled = config.node("enableSnippets").map(callgate_tree::Node::to_value);
    if enabled == Some(json!(false)) {
        let message = "results have snippets: the citations of an answer point at them";
        imported.add_remark(
            RemarkKind::NoEquivalent,
            config.member_pointer("enableSnippets"),
            message,
        );
    }
    if let Some(most) = number_in_range(&config, "maxSnippets", 1.0..=100.0, imported) {
        let limits = imported.settings.entry("limits").or_insert(json!({}));
        if let Value::Object(limits) = limits {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "it is in the range"
            )]
            limits.insert("snippets", Value::from(most as u64));
        }
    }
}

const CONFIGS: [&str; 4] =
    ["rewriterConfig", "summarizationConfig", "groundingConfig", "snippetsConfig"];
