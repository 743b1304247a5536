//! Searches over descriptions as they are, through the catalog of an executor. What words alone do is tested in `search`.

use crate::prelude::*;

use callgate::{
    json, openapi,
    search::{Found, Search},
};
use serde_json::Value;

/// The bars for labelled questions to a real description: the part of the tools among the first five, and how
/// often all of them are among the first ten.
const RECALL_AT_5: f64 = 0.70;
const COMPLETE_AT_10: f64 = 0.65;

const SHOP: &str = concat!("\n", include_str!("search.yaml"));

async fn shop() -> Executor {
    openapi(SHOP).build().await.unwrap()
}

fn names<'e>(found: &[Found<'e>]) -> Vec<&'e str> {
    found.iter().map(|found| found.entry.name().as_str()).collect()
}

#[tokio::test]
async fn tools_that_produce_the_inputs_of_a_tool_follow_it() {
    let executor = shop().await;
    let found = executor.search(&Search::new("the pets somebody has"), |_| true);
    assert_eq!(names(&found), ["petsOfOwner", "listOwners", "addPet"]);
    let first = found[0].to_value();
    assert_eq!(first["needs"], json!([{"argument": "ownerId", "from": ["listOwners"]}]));
    assert_eq!(found[1].to_value()["produces"], json!([{"thing": "owner", "at": "items[].id"}]));
    assert!(executor.search_index_bytes() > 0);
}

#[tokio::test]
async fn a_search_finds_words_of_arguments_tags_and_bodies() {
    let executor = shop().await;
    let first = |text: &str| executor.search(&Search::new(text), |_| true)[0].entry.name().as_str();
    assert_eq!(first("nickname"), "addPet");
    assert_eq!(first("friends"), "addPet");
    assert_eq!(first("people"), "listOwners");
}

#[tokio::test]
async fn search_filters_are_applied_before_ranking() {
    let executor = shop().await;
    let search = Search::new("pets of owners").with_limit(1);
    assert_eq!(names(&executor.search(&search, |_| true)), ["petsOfOwner"]);
    let writes = executor.search(&search.with_effects(&[Effect::Write]), |_| true);
    assert_eq!(names(&writes), ["addPet"]);
    let none = ["nobody".to_owned()];
    assert!(executor.search(&search.with_toolsets(&none), |_| true).is_empty());
    let bare = [String::new()];
    assert_eq!(names(&executor.search(&search.with_toolsets(&bare), |_| true)), ["petsOfOwner"]);
}

#[tokio::test]
async fn hidden_tools_are_neither_found_nor_named() {
    let executor = shop().await;
    let sees = |entry: Entry<'_>| entry.name().as_str() != "listOwners";
    let found = executor.search(&Search::new("owners and their pets"), sees);
    assert_eq!(found.len(), 2);
    assert!(found.iter().all(|found| found.needs.is_empty()));
}

#[tokio::test]
async fn tools_that_are_no_operations_are_found_by_their_declarations() {
    let schema = json!({
        "type": "object", "description": "Tells the hour",
        "properties": {"zone": {"type": "string", "description": "Where the sun stands"}},
    });
    let executor =
        Executor::builder().function("clock", "get_time", schema, |_| async { json!("12:00") });
    let executor = executor.build().unwrap();
    for text in ["clocks", "zones", "standing sun", "time"] {
        assert_eq!(
            names(&executor.search(&Search::new(text), |_| true)),
            ["clock-get_time"],
            "{text}"
        );
    }
    assert!(executor.search(&Search::new("and the"), |_| true).is_empty());
}

#[tokio::test]
async fn labelled_questions_to_a_real_description_are_answered() {
    let Some(folder) = corpus("retrieval/restbench-spotify") else { return };
    let description = fs::read_to_string(folder.join("openapi.json")).unwrap();
    let executor = openapi(description).server("https://api.example.com/v1").build().await.unwrap();
    let questions = fs::read_to_string(folder.join("queries.jsonl")).unwrap();
    let questions: Vec<Value> =
        questions.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let (mut recall, mut complete) = (0.0, 0.0);
    for question in &questions {
        let found = executor.search(&Search::new(question["query"].as_str().unwrap()), |_| true);
        let found: Vec<&str> =
            found.iter().map(|found| found.entry.operation().unwrap().label()).collect();
        let wanted = question["gold"].as_array().unwrap();
        let n_in = |first: &[&str]| {
            wanted.iter().filter(|id| first.contains(&id.as_str().unwrap())).count()
        };
        recall += ratio(n_in(found.get(..5).unwrap_or(&found)), wanted.len());
        complete += ratio(n_in(&found) / wanted.len(), questions.len());
    }
    recall /= ratio(questions.len(), 1);
    let said = format!(
        "restbench-spotify with dependencies: recall@5 {recall:.3}, complete@10 {complete:.3}"
    );
    say(&said);
    assert!(recall >= RECALL_AT_5 && complete >= COMPLETE_AT_10, "{said}");
}

fn ratio(part: usize, whole: usize) -> f64 {
    f64::from(u32::try_from(part).unwrap()) / f64::from(u32::try_from(whole).unwrap())
}
