//! Chooses the branches that fit a value by its members: of the branches that no member contradicts, those that declare the
//! most of its members.

use callgate_openapi::Alternative;
use callgate_tool::Object;

pub(super) fn best_matching_nodes(group: &[Alternative], members: &Object) -> Vec<usize> {
    let candidates: Vec<_> =
        group.iter().filter(|branch| is_possible_branch(branch, members)).collect();
    let n_known = |branch: &Alternative| {
        branch.member_names.iter().filter(|name| members.contains_key(name)).count()
    };
    let most = candidates.iter().map(|branch| n_known(branch)).max();
    let best = candidates.iter().filter(|branch| Some(n_known(branch)) == most);
    best.filter_map(|branch| branch.node).collect()
}

fn is_possible_branch(branch: &Alternative, members: &Object) -> bool {
    let is_complete = branch.required.iter().all(|name| members.contains_key(name));
    is_complete
        && branch
            .fixed
            .iter()
            .all(|(name, values)| members.get(name).is_none_or(|value| values.contains(value)))
}

#[cfg(test)]
mod tests {
    use callgate_openapi::{Document, Limits, LoadOptions, load};
    use callgate_tool::{Value, json};

    use super::*;

    /// The branches of a body with two kinds of owners; the first gets its e-mail from the session.
    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "a row is a literal")]
    fn check(person: Value, shop: Value, value: Value, is_first: bool) {
        let mut person = person;
        person["properties"]["email"] = json!({"x-agent-input-parameter": "mail"});
        let text = json!({"openapi": "3.1.0", "servers": [{"url": "https://api.example.com"}],
            "paths": {"/a": {"post": {"requestBody": {"content": {"application/json": {
                "schema": {"oneOf": [person, shop]}}}}}}}});
        let text = text.to_string();
        let document = Document::read(text.as_bytes(), &Limits::default()).unwrap().value;
        let loaded = load(&document, &LoadOptions::default());
        let group = &loaded.operations[0].bindings[0].nodes[0].alternatives[0];
        let Value::Object(members) = value else { panic!("no object") };
        assert_eq!(!best_matching_nodes(group, &members).is_empty(), is_first, "{members:?}");
    }

    #[test]
    fn a_branch_of_a_union_fits_by_its_required_fixed_and_declared_members() {
        let plain = json!({"properties": {"name": {}}});
        let shop = json!({"properties": {"phone": {}}});
        check(plain.clone(), shop.clone(), json!({"name": "a"}), true);
        check(plain.clone(), shop.clone(), json!({"phone": "1"}), false);
        check(plain.clone(), shop.clone(), json!({}), true);
        let named = json!({"required": ["name", "email"], "properties": {"name": {}}});
        check(named.clone(), shop.clone(), json!({"name": "a"}), true);
        check(named, shop, json!({}), false);
        let kind = |kind: &str| json!({"properties": {"kind": {"const": kind}}});
        check(kind("person"), kind("shop"), json!({"kind": "person"}), true);
        check(kind("person"), kind("shop"), json!({"kind": "shop"}), false);
    }
}
