//! Applies the actions of one overlay in order, each to the result of the previous one. An action that cannot be
//! applied is reported and the next one is tried, so that all faults are reported at once.

use callgate_tool::Value;
use callgate_tree::Path;
use hashbrown::HashSet;

use crate::{
    code::Code,
    findings::Findings,
    json_path::{JsonPath, PathStep},
    overlay::{
        Overlay,
        change::{Action, Change, Version},
        merge::{self, Budget, Update, ValueShape},
    },
};

pub(super) fn apply_overlay(
    root: &mut Value,
    overlay: &Overlay,
    budget: &mut Budget,
    findings: &mut Findings,
) {
    let actions = Path::ROOT.name("actions");
    for (at, action) in overlay.actions.iter().enumerate() {
        let path = actions.index(at);
        if !action.target.is_affordable(root) {
            report_too_many_nodes(path.name("target"), findings);
            continue;
        }
        let places = distinct_places(&action.target, root);
        if places.is_empty() {
            let message = "expected nodes of the description to be selected, got none".to_owned();
            let help = "correct the target, or remove the action";
            findings.warning(Code::OverlayNoMatch, path.name("target"), message, help);
            continue;
        }
        let mut run = Run { path, version: overlay.version, budget, findings };
        run.apply_change(root, action, places);
    }
}

struct Run<'a> {
    path: Path<'a>,
    version: Version,
    budget: &'a mut Budget,
    findings: &'a mut Findings,
}

impl Run<'_> {
    fn apply_change(&mut self, root: &mut Value, action: &Action, places: Vec<Vec<PathStep>>) {
        match &action.change {
            Change::Copy(source) => {
                if let Some(value) = self.copied_value(root, source) {
                    self.update_places(root, &value, "copy", &places);
                }
            }
            Change::Remove => self.remove_places(root, places),
            Change::Stay => {}
            Change::Update(value) => self.update_places(root, value, "update", &places),
        }
    }

    fn copied_value(&mut self, root: &Value, source: &JsonPath) -> Option<Value> {
        if !source.is_affordable(root) {
            report_too_many_nodes(self.path.name("copy"), self.findings);
            return None;
        }
        let nodes = source.select(root);
        if let [value] = nodes[..] {
            return Some(value.clone());
        }
        let n_nodes = nodes.len();
        let message = format!("expected one node to copy, got: {n_nodes}");
        let path = self.path.name("copy");
        self.findings.error(Code::OverlayConflict, path, message, "select exactly one node");
        None
    }

    fn remove_places(&mut self, root: &mut Value, mut places: Vec<Vec<PathStep>>) {
        // Backwards, so that a removal does not move nodes that are still to be removed.
        places.sort();
        for place in places.iter().rev() {
            let Some((last, above)) = place.split_last() else {
                let message =
                    "expected nodes inside the description, got the whole of it".to_owned();
                let path = self.path.name("target");
                let help = "select what is to be removed from it";
                self.findings.error(Code::OverlayConflict, path, message, help);
                continue;
            };
            match (node_at(root, above), last) {
                (Some(Value::Array(items)), PathStep::Index(at)) if *at < items.len() => {
                    items.remove(*at);
                }
                (Some(Value::Object(members)), PathStep::Name(name)) => {
                    members.remove(name);
                }
                _ => {}
            }
        }
    }

    fn update_places(
        &mut self,
        root: &mut Value,
        value: &Value,
        field: &str,
        places: &[Vec<PathStep>],
    ) {
        let path = self.path.name(field);
        // Overlay 1.1.0 §4.4.3.1: all objects, or all arrays, or all primitives.
        let mut shapes = places
            .iter()
            .filter_map(|place| node_at(root, place).map(|node| ValueShape::from_value(node)));
        let first = shapes.next();
        let mixed = shapes.any(|shape| Some(shape) != first);
        if mixed && self.version >= Version::V1_1 {
            let message = "expected a target that selects only objects, only arrays or only primitives, got a mixture";
            let help = "write one action for each kind";
            let target = self.path.name("target");
            self.findings.error(Code::OverlayConflict, target, message.to_owned(), help);
            return;
        }
        let update = Update { value, path, version: self.version };
        for place in places {
            let Some(node) = node_at(root, place) else { continue };
            let bounds =
                &mut merge::MergeState { budget: &mut *self.budget, findings: &mut *self.findings };
            if merge::merge_into_target(node, &update, place.len(), bounds).is_err() {
                return;
            }
        }
    }
}

fn report_too_many_nodes(path: Path<'_>, findings: &mut Findings) {
    let message = "expected an expression that selects each node of the description a few times at most, got one that selects them many times";
    let help = "write each selector once, and `..` once";
    findings.error(Code::OverlayPath, path, message.to_owned(), help);
}

/// The places of the nodes that an expression selects, without repetitions.
fn distinct_places(path: &JsonPath, root: &Value) -> Vec<Vec<PathStep>> {
    let mut seen_paths = HashSet::new();
    let mut places = path.selected_places(root);
    places.retain(|place| seen_paths.insert(place.clone()));
    places
}

fn node_at<'v>(root: &'v mut Value, place: &[PathStep]) -> Option<&'v mut Value> {
    place.iter().try_fold(root, |node, step| match (node, step) {
        (Value::Array(items), PathStep::Index(at)) => items.get_mut(*at),
        (Value::Object(members), PathStep::Name(name)) => members.get_mut(name),
        _ => None,
    })
}
