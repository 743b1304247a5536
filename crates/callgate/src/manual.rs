//! The manual: guides from a first call to a sidecar in production.
//!
//! Start with [getting started](getting_started). The chapters are also the book in `docs/`, and a test runs every
//! command, configuration and program in them.

/// Makes a module for each chapter. The lines of links come first, so that they override those of the file, which lead
/// to the pages of the book.
macro_rules! chapters {
    ($($name:ident $file:literal)*) => {$(
        #[doc = "[agent-loops]: crate::manual::agent_loops"]
        #[doc = "[agents]: crate::manual::agents"]
        #[doc = "[approvals]: crate::manual::approvals"]
        #[doc = "[client-tools]: crate::manual::client_tools"]
        #[doc = "[clients]: crate::manual::clients"]
        #[doc = "[code]: crate::manual::code"]
        #[doc = "[codes]: crate::manual::codes"]
        #[doc = "[command]: crate::manual::command"]
        #[doc = "[configuration]: crate::manual::configuration"]
        #[doc = "[connections]: crate::manual::connections"]
        #[doc = "[console]: crate::manual::console"]
        #[doc = "[credentials]: crate::manual::credentials"]
        #[doc = "[databases]: crate::manual::databases"]
        #[doc = "[deploy]: crate::manual::deploy"]
        #[doc = "[documents]: crate::manual::documents"]
        #[doc = "[drafts]: crate::manual::drafts"]
        #[doc = "[extending]: crate::manual::extending"]
        #[doc = "[getting-started]: crate::manual::getting_started"]
        #[doc = "[library]: crate::manual::library"]
        #[doc = "[limits]: crate::manual::limits"]
        #[doc = "[mcp]: crate::manual::mcp"]
        #[doc = "[moving]: crate::manual::moving"]
        #[doc = "[operations]: crate::manual::operations"]
        #[doc = "[operators]: crate::manual::operators"]
        #[doc = "[requests]: crate::manual::requests"]
        #[doc = "[several-sidecars]: crate::manual::several_sidecars"]
        #[doc = "[sidecar]: crate::manual::sidecar"]
        #[doc = "[state]: crate::manual::state"]
        #[doc = "[testing]: crate::manual::testing"]
        #[doc = ""]
        #[doc = include_str!(concat!("../manual/", $file))]
        pub mod $name {}
    )*};
}

chapters! {
    getting_started "getting-started.md"
    command "command.md"
    library "library.md"
    clients "clients.md"
    sidecar "sidecar.md"
    mcp "mcp.md"
    agents "agents.md"
    agent_loops "agent-loops.md"
    recipes "recipes.md"
    credentials "credentials.md"
    requests "requests.md"
    databases "databases.md"
    code "code.md"
    documents "documents.md"
    connections "connections.md"
    client_tools "client-tools.md"
    approvals "approvals.md"
    console "console.md"
    extending "extending.md"
    drafts "drafts.md"
    moving "moving.md"
    testing "testing.md"
    state "state.md"
    several_sidecars "several-sidecars.md"
    deploy "deploy.md"
    operations "operations.md"
    operators "operators.md"
    limits "limits.md"
    configuration "configuration.md"
    codes "codes.md"
    how_it_works "how-it-works.md"
    comparison "comparison.md"
}
