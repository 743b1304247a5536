//! Tests when the index for searches is made: beside the start and with each reload, and only where somebody may search.

use callgate_executor::{Executor, Search};

use super::*;

const SEARCHING_AGENT: &str =
    "models: {main: {dialect: openai, url: 'http://127.0.0.1:9/v1', model: m, auth: none}}
agents: {keeper: {model: main, tools: {search: always}}}
";

fn executor(sidecar: &Sidecar) -> Executor {
    sidecar.gateway.current_build().executor.clone()
}

async fn wait_for_index(executor: &Executor) {
    while !executor.has_search_index() {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_first_search_finds_its_index_made_where_tools_may_be_searched() {
    let agent = format!("console: false\n{SEARCHING_AGENT}");
    let rows = [
        ("", true),
        ("console: false\n", false),
        ("console: false\nmcp: {mode: search}\n", true),
        ("console: false\nmcp: {tokens: 1}\n", true),
        ("console: false\nmcp: {mode: direct, tokens: 1}\n", false),
        (&*agent, true),
    ];
    for (text, is_made) in rows {
        let sidecar = Sidecar::start(&format!("{text}{}", nothing())).await;
        let first = executor(&sidecar);
        if is_made {
            let made = wait_for_index(&first);
            timeout(Duration::from_secs(30), made).await.expect("a thread makes the index");
        }
        sidecar.status("/v1/tools", &[]).await;
        assert_eq!(first.has_search_index(), is_made, "{text}");
        sidecar.reload().await;
        assert_eq!(executor(&sidecar).has_search_index(), is_made, "{text}: after a reload");
        executor(&sidecar).search(&Search::new("pets"), |_| true);
        sidecar.reload().await;
        assert!(executor(&sidecar).has_search_index(), "{text}: after a search and a reload");
        let renamed = "pets.yaml, tools: {edit: {list: {name: animals}}}";
        let renamed = nothing().replace("pets.yaml", renamed);
        sidecar.reload_text(&format!("{text}{renamed}")).await;
        let reloaded = executor(&sidecar);
        let tools = reloaded.search(&Search::new("pets"), |_| true);
        let names: Vec<_> = tools.iter().map(|tool| tool.entry.name().as_str()).collect();
        assert_eq!(names, ["pets-animals"], "{text}: after a reload without the tool");
        assert!(reloaded.search(&Search::new("pets"), |_| false).is_empty(), "{text}");
    }
}
