//! Any bytes as an overlay of a fixed description: read, applied once and twice, and the corrected description loaded.
//! What comes of it stays within the limits, and nothing in it is deeper than a description may be.

#![no_main]

use std::sync::OnceLock;

use callgate_openapi::{
    Document, Limits as DescriptionLimits, LoadOptions, Overlay, apply_overlays, load,
};
use callgate_tree::{Limits, Node, Severity, fill_positions, read};
use libfuzzer_sys::fuzz_target;

const DESCRIPTION: &[u8] = include_bytes!("../../../fixtures/pets/spec.yaml");

static TREE: OnceLock<Node> = OnceLock::new();

fuzz_target!(|bytes: &[u8]| {
    let limits = Limits { nodes: 20_000, alias_bytes: 1 << 20, ..Limits::default() };
    let overlay = match Overlay::read(bytes, &limits) {
        Ok(parsed) => parsed.value,
        Err(mut diagnostics) => {
            assert!(diagnostics.iter().any(|each| each.severity == Severity::Error));
            return fill_positions(bytes, &mut diagnostics);
        }
    };
    let tree = TREE.get_or_init(|| read(DESCRIPTION, &Limits::default()).expect("a tree").value);
    let overlays = [overlay.clone(), overlay];
    for n_times in [1, 2] {
        let overlays = overlays.get(..n_times).unwrap_or_default();
        let mut applied = apply_overlays(tree.clone(), overlays, &limits);
        assert_eq!(applied.diagnostics.len(), n_times);
        for diagnostics in &mut applied.diagnostics {
            fill_positions(bytes, diagnostics);
        }
        let Some(overlaid) = applied.overlaid else { return };
        let (n_nodes, depth) = size(overlaid.root());
        assert!(n_nodes <= limits.nodes, "{n_nodes} nodes");
        assert!(depth <= limits.depth, "{depth} levels");
        let within = DescriptionLimits { text: limits, ..DescriptionLimits::default() };
        let Ok(document) = Document::with_limits(overlaid.root().clone(), within) else { return };
        let mut loaded = load(&document, &LoadOptions::default()).with_schema_findings();
        overlaid.fill_original_positions(DESCRIPTION, &mut loaded.report.diagnostics);
    }
});

/// How many values a tree has, and how many levels of lists and objects.
fn size(node: &Node) -> (usize, usize) {
    let below: Vec<(usize, usize)> = match node {
        Node::Array(items) => items.iter().map(size).collect(),
        Node::Object(members) => members.iter().map(|(_, member)| size(member)).collect(),
        _ => return (1, 0),
    };
    let n_nodes = below.iter().map(|(n_nodes, _)| n_nodes).sum::<usize>();
    let depth = below.iter().map(|(_, depth)| *depth).max().unwrap_or_default();
    (n_nodes + 1, depth + 1)
}
