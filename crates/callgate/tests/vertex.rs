//! Toolsets with data stores of Vertex AI Search: their keys with every refusal at its place, and the tools that they become.
#![cfg(test)]
#![cfg(feature = "vertex")]

use callgate::config::loader;
use callgate_config::{Built, Environment, Error};

const STORE: &str = "projects/p/locations/eu/collections/c/dataStores/manuals";
const ENGINE: &str = "projects/p/locations/eu/collections/c/engines/shop";

fn built(toolset: &str) -> Result<Built, Error> {
    let text =
        format!("toolsets: {{manuals: {{auth: {{bearer: {{token: 'env:T'}}}}, {toolset}}}}}");
    let environment = Environment::new().listing_missing();
    loader().text(&text, "")?.build_blocking(&environment, None)
}

#[track_caller]
fn check(toolset: &str, expected: &[&str]) {
    let built = built(toolset).unwrap_or_else(|error| panic!("{toolset}: {error}"));
    let names: Vec<_> = built.executor.entries().map(|tool| tool.name().to_string()).collect();
    assert_eq!(names, expected, "{toolset}");
}

#[test]
fn the_tools_of_data_stores_have_their_names_without_asking_anybody() {
    check(&format!("vertex: {STORE}"), &["manuals-search"]);
    check(&format!("vertex: {ENGINE}"), &["manuals-search"]);
    check(
        &format!("vertex: {{engine: {ENGINE}, answer: true}}"),
        &["manuals-search", "manuals-answer"],
    );
    let named = format!("prefix: '', vertex: {{data_stores: [{STORE}], answer: true, name: find");
    check(&format!("{named}}}"), &["find", "find-answer"]);
    check(&format!("{named}, arguments: google}}"), &["find"]);
    check(
        &format!(
            "vertex: {{engine: {ENGINE}, answer: true}}, tools: {{exclude: [search], edit: {{answer: {{name: ask}}}}}}"
        ),
        &["manuals-ask"],
    );
}

#[test]
fn a_model_sees_its_own_conditions_and_no_others() {
    let toolset = format!(
        "limits: {{snippets: 7}}, vertex: {{data_stores: [{STORE}], filter: 'tenant: ANY($session.params.tenant)', fields: {{day: date, price: number}}}}"
    );
    let built = built(&toolset).unwrap();
    let tool = built.executor.find("manuals-search").unwrap();
    let schema = tool.declaration().unwrap().input_schema.to_value();
    let fields = schema["properties"]["where"]["properties"].as_object().unwrap();
    assert_eq!(fields.keys().collect::<Vec<_>>(), ["day", "price"]);
    assert_eq!(schema["properties"]["limit"]["maximum"].as_u64(), Some(7));
    assert!(!schema.to_string().contains("tenant"));
}

/// Each toolset is refused at its place with its message. Its members alone are those of one with `STORE`.
#[track_caller]
fn refused(table: &str) {
    for row in table.trim().lines() {
        let row = row.trim().replace("STORE", STORE);
        let [toolset, place, message]: [&str; 3] =
            row.split(" => ").collect::<Vec<_>>().try_into().unwrap();
        let whole = format!("vertex: {{data_stores: [{STORE}], {toolset}}}");
        let toolset = if toolset.contains("vertex: ") { toolset } else { &whole };
        let error = built(toolset).map(drop).expect_err(toolset);
        let pointer = format!("/toolsets/manuals{place}");
        let found = error.findings().iter().find(|finding| finding.pointer == pointer);
        let found = found.unwrap_or_else(|| panic!("{toolset}: {error}"));
        assert!(found.position.is_some(), "{found:?}");
        assert_eq!(found.message, message, "{toolset}");
    }
}

#[test]
fn faults_are_reported_at_their_place() {
    refused(
        "vertex: projects/p/dataStores/d => /vertex/data_stores/0 => expected the name of a data store, got: `projects/p/dataStores/d`
        vertex: {engine: STORE} => /vertex/engine => expected the name of an engine, got: `STORE`
        filter: 'a > 1 AND b > 1 OR c > 1' => /vertex/filter => expected parentheses around `AND` beside `OR`, got none at byte 16
        filter: 'a: ANY($user)' => /vertex/filter => expected `$session.params.NAME`, `$request.payload.PATH` or `$context.PATH`, got at byte 7: `$user)`
        boosts: [{condition: 'a > 1', boost: 1.5}] => /vertex/boosts/0/boost => expected a number from -1 to 1, got: `1.5`
        boosts: [{condition: 'a >', boost: 1}] => /vertex/boosts/0/condition => expected a number, or a date in double quotes, got none at byte 3
        boosts: [{boost: 1}] => /vertex/boosts/0 => expected `condition` and `boost`, or `field`, `by` and `points`, got others
        grounding: 2, answer: true => /vertex/grounding => expected a number from 0 to 1, got: `2`
        grounding: 0.5 => /vertex/grounding => expected `answer: true` with `grounding`, got none
        fields: {'a b': text} => /vertex/fields/a b => expected the name of a field, got: `a b`
        filter_argument: true => /vertex/filter_argument => expected `arguments: google` with `filter_argument`, got others
        vertex: {data_stores: [STORE, {name: STORE2, filter: 'a > 1'}], answer: true} => /vertex/answer => expected `engine` with `answer` over several data stores, got none
        openapi: a, vertex: STORE => /openapi => expected no `openapi` beside `vertex`, got one",
    );
}

#[test]
fn a_value_that_any_principal_may_set_is_reported() {
    let text = format!(
        "access: {{principals: {{a: {{bearer: env:A}}}}}}\ntoolsets: {{manuals: {{vertex: {{data_stores: [{STORE}], filter: 'tenant: ANY($session.params.tenant)'}}}}}}"
    );
    let environment = Environment::new().with_sidecar_examination().listing_missing();
    let built = loader().text(&text, "").unwrap().build_blocking(&environment, None).unwrap();
    let open = built.warnings.iter().find(|finding| finding.code == "open-session-value").unwrap();
    assert_eq!(open.pointer, "/toolsets/manuals/vertex/filter");
}
