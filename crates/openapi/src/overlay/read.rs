//! Checks that a tree is an overlay and reads its actions. All faults are reported at once. `extends` is only checked:
//! the caller decides which description an overlay is for.

use std::collections::BTreeSet;

use callgate_tree::{Node, Object, Path};

use crate::{
    code::Code,
    findings::Findings,
    json_path::JsonPath,
    overlay::{
        Overlay,
        change::{Action, Change, Version},
        path,
    },
};

/// A tree as an overlay; `None` if it has any fault.
pub(super) fn read_overlay(root: &Node, findings: &mut Findings) -> Option<Overlay> {
    let mut reader = OverlayReader { findings, faults: 0 };
    let path = Path::ROOT;
    let members = reader.object_or_fault(root, path)?;
    let described = ["openapi", "swagger"].into_iter().find(|name| members.contains(name));
    if let Some(name) = described.filter(|_| !members.contains("overlay")) {
        let message = "expected an overlay, got a description".to_owned();
        reader.report_fault(
            path.name(name),
            message,
            "an overlay has `overlay`, `info` and `actions`: name one",
        );
        return None;
    }
    let version = reader.read_version(members);
    reader.report_unknown_members(members, path, &["overlay", "info", "extends", "actions"]);
    reader.read_text(members, path, "extends");
    reader.check_info(members);
    let actions = reader.read_actions(members, version.unwrap_or(Version::V1_1));
    (reader.faults == 0).then_some(Overlay { version: version?, actions })
}

struct OverlayReader<'f> {
    findings: &'f mut Findings,
    faults: usize,
}

impl OverlayReader<'_> {
    fn report_fault(&mut self, at: Path<'_>, message: String, help: &str) {
        self.faults += 1;
        self.findings.error(Code::OverlayInvalid, at, message, help);
    }

    fn object_or_fault<'n>(&mut self, node: &'n Node, at: Path<'_>) -> Option<&'n Object> {
        let object = node.as_object();
        if object.is_none() {
            let message = format!("expected an object, got: {}", node.kind());
            self.report_fault(at, message, "see the OpenAPI Overlay Specification for its members");
        }
        object
    }

    /// Reports members that the specification does not define; extensions are allowed.
    fn report_unknown_members(&mut self, members: &Object, at: Path<'_>, names: &[&str]) {
        for (name, _) in members.iter() {
            if !names.contains(&&**name) && !name.starts_with("x-") {
                let message = format!("expected one of `{}`, got: `{name}`", names.join("`, `"));
                self.report_fault(at.name(name), message, "remove it, or let it begin with `x-`");
            }
        }
    }

    fn read_text<'n>(&mut self, members: &'n Object, at: Path<'_>, name: &str) -> Option<&'n str> {
        let node = members.get(name)?;
        let text = node.as_str();
        if text.is_none() {
            let message = format!("expected a text, got: {}", node.kind());
            self.report_fault(at.name(name), message, "quote it");
        }
        text
    }

    fn required_text<'n>(
        &mut self,
        members: &'n Object,
        at: Path<'_>,
        name: &str,
    ) -> Option<&'n str> {
        if !members.contains(name) {
            self.report_fault(at, format!("expected the member `{name}`, got none"), "add it");
        }
        self.read_text(members, at, name)
    }

    fn read_version(&mut self, members: &Object) -> Option<Version> {
        let text = self.required_text(members, Path::ROOT, "overlay")?;
        let patch = |minor: &str| {
            let patch = text.strip_prefix(minor)?;
            let is_number = !patch.is_empty() && patch.bytes().all(|byte| byte.is_ascii_digit());
            is_number.then_some(())
        };
        let version = patch("1.0.").map(|()| Version::V1_0);
        let version = version.or_else(|| patch("1.1.").map(|()| Version::V1_1));
        if version.is_none() {
            let message =
                format!("expected version `1.0.0` or `1.1.0` of the specification, got: `{text}`");
            self.report_fault(
                Path::ROOT.name("overlay"),
                message,
                "write the overlay in one of these",
            );
        }
        version
    }

    fn check_info(&mut self, members: &Object) {
        let Some(node) = members.get("info") else {
            let message = "expected the member `info`, got none".to_owned();
            self.report_fault(Path::ROOT, message, "add `info: { title: …, version: … }`");
            return;
        };
        let path = Path::ROOT.name("info");
        let Some(info) = self.object_or_fault(node, path) else { return };
        self.required_text(info, path, "title");
        self.required_text(info, path, "version");
        self.read_text(info, path, "description");
    }

    fn read_actions(&mut self, members: &Object, version: Version) -> Vec<Action> {
        let node = members.get("actions").unwrap_or(&Node::Null);
        let path = Path::ROOT.name("actions");
        let Some(items) = node.as_array().filter(|items| !items.is_empty()) else {
            let got = if node.as_array().is_some() { "an empty list" } else { node.kind() };
            let message = format!("expected a list of at least one action, got: {got}");
            self.report_fault(path, message, "add an action");
            return Vec::new();
        };
        let mut seen_actions = BTreeSet::new();
        let mut actions = Vec::new();
        for (at, item) in items.iter().enumerate() {
            let path = path.index(at);
            if !seen_actions.insert(item.to_value().to_string()) {
                let message = "expected actions that differ, got the same one again".to_owned();
                self.report_fault(path, message, "remove one of them");
            }
            actions.extend(self.read_action(item, path, version));
        }
        actions
    }

    fn read_action(&mut self, node: &Node, path: Path<'_>, version: Version) -> Option<Action> {
        let members = self.object_or_fault(node, path)?;
        let names: &[&str] = match version {
            Version::V1_0 => &["target", "description", "update", "remove"],
            Version::V1_1 => &["target", "description", "update", "copy", "remove"],
        };
        self.report_unknown_members(members, path, names);
        self.read_text(members, path, "description");
        let target = self.required_text(members, path, "target");
        let target = target.and_then(|text| self.path_or_fault(text, path.name("target")));
        let change = self.read_change(members, path);
        Some(Action { target: target?, change: change? })
    }

    fn read_change(&mut self, members: &Object, path: Path<'_>) -> Option<Change> {
        let removes = members.get("remove").unwrap_or(&Node::Bool(false));
        let Some(removes) = removes.as_bool() else {
            let message = format!("expected true or false, got: {}", removes.kind());
            self.report_fault(path.name("remove"), message, "write `remove: true`");
            return None;
        };
        let source = self.read_text(members, path, "copy");
        let source = source.map(|text| self.path_or_fault(text, path.name("copy")));
        let update = members.get("update");
        match (removes, source, update) {
            // Overlay 1.1.0 §4.4.3.1: beside `remove: true` the others have no effect.
            (true, ..) => Some(Change::Remove),
            (false, Some(_), Some(_)) => {
                let message = "expected `update` or `copy`, got both".to_owned();
                self.report_fault(path, message, "write two actions");
                None
            }
            (false, Some(source), None) => source.map(Change::Copy),
            (false, None, Some(value)) => Some(Change::Update(value.to_value())),
            (false, None, None) => Some(Change::Stay),
        }
    }

    fn path_or_fault(&mut self, text: &str, at: Path<'_>) -> Option<JsonPath> {
        match path::parse_expression(text) {
            Ok(path::ParsedPath { path, read_as }) => {
                if let Some(read_as) = read_as {
                    let message =
                        format!("expected a name with `-` in quotes, read as: `{read_as}`");
                    self.findings.warning(Code::OverlayPath, at, message, "quote it");
                }
                Some(path)
            }
            Err(expected) => {
                self.faults += 1;
                let message = format!("expected {expected}, got: `{text}`");
                let help = "select nodes from the root, for example `$.paths['/pets'].get`";
                self.findings.error(Code::OverlayPath, at, message, help);
                None
            }
        }
    }
}
