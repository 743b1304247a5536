//! Tests the names of tools: made of ids and paths, unlike each other, and as the program has them.

use proptest::prelude::*;

use super::*;

fn identity<'a>((method, path, id): (&'a str, &'a str, &'a str)) -> Identity<'a> {
    Identity { method, operation_id: Some(id).filter(|id| !id.is_empty()), path, tag: None }
}

fn names(toolset: &str, operations: &[(&str, &str, &str)]) -> Vec<String> {
    let toolset = ToolsetName::new(toolset).ok();
    let identities: Vec<_> = operations.iter().copied().map(identity).collect();
    let names = tool_names(toolset.as_ref(), &identities);
    names.into_iter().map(|name| name.expect("a name").to_string()).collect()
}

#[track_caller]
fn check(toolset: &str, operation: (&str, &str, &str), expected: &str) {
    assert_eq!(names(toolset, &[operation]), [expected]);
}

#[track_caller]
fn check_arguments(slots: &[(InputLocation, &str)], expected: &[&str]) {
    let slots: Vec<_> = slots.iter().map(|&(place, name)| Slot::new(name, place)).collect();
    let names: Vec<_> =
        argument_names(&slots).into_iter().map(|name| name.expect("a name").to_string()).collect();
    assert_eq!(names, expected);
}

#[test]
fn a_tool_is_named_by_its_operation_id_behind_the_toolset() {
    check("pets", ("GET", "/pets/{petId}", "getPet"), "pets-getPet");
    check("", ("GET", "/pets/{petId}", "getPet"), "getPet");
}

#[test]
fn an_illegal_operation_id_becomes_a_legal_name() {
    check("", ("GET", "/a", "repos/list-tags"), "repos_list-tags");
    check("", ("GET", "/a", "  get pet. "), "get_pet");
    check("", ("GET", "/a", "1st"), "_1st");
    check("", ("GET", "/a", "p\u{430}y"), "p_y");
    check("", ("GET", "/a", "../../etc/passwd"), "etc_passwd");
}

#[test]
fn without_a_readable_operation_id_method_and_path_name_the_tool() {
    check("", ("GET", "/pets/{petId}", ""), "get_pets_petId");
    check("", ("POST", "/", ""), "post");
    check("", ("GET", "/pets", "猫"), "get_pets");
}

#[test]
fn a_long_tool_name_is_cut_and_gets_a_hash() {
    let long = "a".repeat(100);
    let [name] = &names("pets", &[("GET", "/a", &long)])[..] else { panic!("one name") };
    assert_eq!(name.len(), MAX_TOOL_NAME);
    assert!(name.starts_with("pets-aaa"));
}

#[test]
fn duplicate_operation_ids_get_a_hash_of_method_and_path() {
    let got = names("", &[("GET", "/a", "get"), ("GET", "/b", "get"), ("GET", "/c", "got")]);
    assert_eq!(got[2], "got");
    assert_ne!(got[0], got[1]);
    assert!(got[0].starts_with("get_") && got[0].len() == 10, "{}", got[0]);
}

#[test]
fn an_exact_name_wins_over_a_corrected_one() {
    let got = names("", &[("GET", "/a", "get/pet"), ("GET", "/b", "get_pet")]);
    assert_eq!(got[1], "get_pet");
    assert!(got[0].starts_with("get_pet_"));
}

#[test]
fn argument_names_are_legal_and_readable() {
    check_arguments(&[(InputLocation::Query, "filter[status]")], &["filter_status"]);
    check_arguments(&[(InputLocation::Query, "$top")], &["top"]);
    check_arguments(&[(InputLocation::Header, "X-Request-ID")], &["X_Request_ID"]);
    check_arguments(&[(InputLocation::Query, "1st")], &["_1st"]);
    check_arguments(&[(InputLocation::Query, "_")], &["_"]);
}

#[test]
fn arguments_that_collide_are_qualified_by_location() {
    check_arguments(
        &[(InputLocation::Path, "id"), (InputLocation::Query, "id")],
        &["path_id", "query_id"],
    );
    check_arguments(
        &[(InputLocation::Query, "body"), (InputLocation::Body, "body")],
        &["query_body", "body"],
    );
}

#[test]
fn arguments_that_still_collide_are_hashed() {
    let slots = [(InputLocation::Query, "filter[a]"), (InputLocation::Query, "filter_a")];
    let slots = slots.map(|(place, name)| Slot::new(name, place));
    let names = argument_names(&slots);
    assert_ne!(names[0], names[1]);
    assert!(names.iter().flatten().all(|name| name.as_str().starts_with("query_filter_a_")));
}

#[test]
fn an_argument_without_a_letter_gets_a_hash() {
    for name in ["", "$", "猫", "größe"] {
        let names = argument_names(&[Slot::new(name, InputLocation::Query)]);
        assert!(names[0].is_some(), "{name}");
    }
    let names = argument_names(&[Slot::new("*", InputLocation::Path)]);
    assert_eq!(names[0].as_ref().map(ArgumentName::as_str), Some("rest"));
}

proptest! {
    #[test]
    fn tool_names_are_unique_and_do_not_depend_on_order(
        ids in prop::collection::vec("[a-c/_.é]{0,4}", 1..20),
        seed in any::<u64>(),
    ) {
        let paths: Vec<_> = (0..ids.len()).map(|n| format!("/p{n}")).collect();
        let rows: Vec<_> = ids.iter().zip(&paths).map(|(id, path)| ("GET", path.as_str(), id.as_str())).collect();
        let straight = names("t", &rows);
        let mut order: Vec<usize> = (0..rows.len()).collect();
        order.sort_by_key(|at| (*at as u64).wrapping_mul(seed | 1).rotate_left(17));
        let shuffled: Vec<_> = order.iter().map(|&at| rows[at]).collect();
        let other = names("t", &shuffled);
        for (to, from) in order.iter().enumerate() {
            prop_assert_eq!(&other[to], &straight[*from]);
        }
        let distinct: std::collections::BTreeSet<_> = straight.iter().collect();
        prop_assert_eq!(distinct.len(), straight.len());
    }

    #[test]
    fn argument_names_are_unique_and_legal(
        raw in prop::collection::btree_set("\\PC{0,80}|[a-b\\[\\]_$]{0,4}", 1..20),
    ) {
        let places = [InputLocation::Query, InputLocation::Header];
        let slots: Vec<_> = raw.iter().flat_map(|name| places.map(|place| Slot::new(name, place))).collect();
        let names: Vec<_> = argument_names(&slots).into_iter().map(|name| name.expect("legal")).collect();
        let distinct: std::collections::BTreeSet<_> = names.iter().collect();
        prop_assert_eq!(distinct.len(), names.len());
    }
}
