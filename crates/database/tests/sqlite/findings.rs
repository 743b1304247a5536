//! Faults of the settings, each at its place, and the size of declarations.

use callgate_database::{EntitySettings, Operation, SessionSource};
use callgate_tree::Severity;

use crate::calls::fields;
use crate::shop::{entity, folder, folder_with, loaded, own_orders, settings};

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

async fn check(entity: EntitySettings, pointer: &str, words: &str) {
    let loaded = loaded(&folder(), settings(vec![entity])).await;
    let found =
        loaded.findings.iter().find(|it| it.pointer == format!("/entities/orders/{pointer}"));
    let Some(found) = found else { panic!("{pointer}: {:?}", loaded.findings) };
    let said = format!("{}; {}", found.message, found.help);
    assert!(said.contains(words), "{said}");
    assert!(loaded.tools.is_empty());
}

#[tokio::test]
async fn a_name_that_is_no_column_is_reported_with_the_nearest_one() {
    let orders = || entity("orders");
    check(
        EntitySettings { fields: Some(fields(["no", "totl"])), ..orders() },
        "fields/1",
        "`total`",
    )
    .await;
    check(EntitySettings { key: Some(names(&["nr"])), ..orders() }, "key/0", "`no`").await;
    check(EntitySettings { filter: Some(names(&["notes"])), ..orders() }, "filter/0", "`note`")
        .await;
    check(EntitySettings { sort: Some(names(&["stat"])), ..orders() }, "sort/0", "`state`").await;
    let version = Some("versoin".to_owned());
    check(EntitySettings { version, ..orders() }, "version", "`version`").await;
    let rows = vec![("ownr".to_owned(), SessionSource::Parameter("user".to_owned()))];
    check(EntitySettings { rows, ..orders() }, "rows/ownr", "`owner`").await;
    let inputs = [(Operation::Create, vec!["toal".to_owned()])].into();
    check(EntitySettings { input_fields: inputs, ..orders() }, "input_fields/create/0", "`total`")
        .await;
    let mut other = orders();
    other.table.name = "ordrs".to_owned();
    check(other, "table", "`orders`").await;
}

#[tokio::test]
async fn a_column_without_a_type_is_left_out_of_what_is_written() {
    let folder = folder_with("create table pairs (id integer primary key, held)");
    let pairs = EntitySettings { operations: vec![Operation::Create], ..entity("pairs") };
    let findings = loaded(&folder, settings(vec![pairs])).await.findings;
    let words = "left out of `create`: `held (no type)`";
    assert!(findings.iter().any(|it| it.message.ends_with(words)), "{findings:?}");
}

#[tokio::test]
async fn columns_that_are_left_out_are_named_in_a_note() {
    let folder = folder_with(
        "create table orders (no integer primary key, photo blob, api_token text, owner text, note text)",
    );
    let loaded_with = async |entity| loaded(&folder, settings(vec![entity])).await;
    let first = loaded_with(own_orders()).await;
    let [note] = &*first.findings else { panic!("{:?}", first.findings) };
    assert_eq!((note.severity, &*note.pointer), (Severity::Note, "/entities/orders/table"));
    assert!(note.message.ends_with("left out: `photo`, `api_token`"), "{}", note.message);
    assert_eq!(first.tools.len(), 5);
    let fields = Some(fields(["no", "photo"]));
    assert_eq!(loaded_with(EntitySettings { fields, ..own_orders() }).await.findings, []);
}

#[tokio::test]
async fn settings_that_contradict_each_other_are_reported() {
    let orders = || entity("orders");
    let many = EntitySettings { many: true, version: Some("version".to_owned()), ..orders() };
    check(many, "many", "version").await;
    let many = EntitySettings { many: true, filter: Some(Vec::new()), ..orders() };
    check(many, "many", "`filter`").await;
    check(EntitySettings { affected: 0, ..orders() }, "affected", "at least 1").await;
    check(EntitySettings { operations: Vec::new(), ..orders() }, "operations", "none").await;
    let fields = Some(fields(["no", "note"]));
    check(EntitySettings { fields: fields.clone(), ..orders() }, "operations", "`owner`").await;
    let filter = Some(names(&["total"]));
    check(EntitySettings { fields, filter, ..orders() }, "filter/0", "`fields`").await;
    check(EntitySettings { version: Some("note".to_owned()), ..orders() }, "version", "not null")
        .await;
}

#[tokio::test]
async fn a_column_that_the_session_fills_is_offered_nowhere() {
    let own = own_orders;
    check(EntitySettings { fields: Some(fields(["no", "owner"])), ..own() }, "fields/1", "session")
        .await;
    check(EntitySettings { filter: Some(names(&["owner"])), ..own() }, "filter/0", "session").await;
    let inputs = [(Operation::Update, vec!["owner".to_owned()])].into();
    check(EntitySettings { input_fields: inputs, ..own() }, "input_fields/update/0", "session")
        .await;
}

#[tokio::test]
async fn two_tools_of_one_name_are_refused() {
    let loaded = loaded(&folder(), settings(vec![entity("orders"), entity("orders")])).await;
    assert!(loaded.findings.iter().any(|it| it.message.contains("shop-orders-list")));
    assert!(loaded.tools.is_empty());
}

#[tokio::test]
async fn a_file_that_is_not_there_is_unavailable() {
    let folder = tempfile::tempdir().unwrap();
    let loaded = loaded(&folder, settings(vec![entity("orders")])).await;
    assert!(loaded.unavailable.is_some() && loaded.findings.is_empty(), "{loaded:?}");
    assert!(loaded.tools.is_empty());
}

#[tokio::test]
async fn declarations_of_ten_entities_take_at_most_6000_tokens() {
    let ten: Vec<_> =
        (0..10).map(|at| EntitySettings { name: format!("orders{at}"), ..own_orders() }).collect();
    let loaded = loaded(&folder(), settings(ten)).await;
    let are_notes = loaded.findings.iter().all(|finding| finding.severity == Severity::Note);
    assert_eq!((loaded.tools.len(), are_notes), (50, true));
    let tools = loaded.tools.iter().filter_map(|tool| tool.declaration());
    let n_tokens: usize = tools.map(callgate_tool::Tool::tokens).sum();
    assert!(n_tokens <= 6000, "{n_tokens}");
}

#[tokio::test]
async fn a_version_that_nothing_changes_is_reported() {
    let tables =
        "create table notes (no integer primary key, words text not null, at datetime not null);";
    let notes = || EntitySettings { version: Some("at".to_owned()), ..entity("notes") };
    let without = loaded(&folder_with(tables), settings(vec![notes()])).await;
    let [finding] = &*without.findings else { panic!("{:?}", without.findings) };
    assert_eq!(finding.pointer, "/entities/notes/version");
    assert!(finding.message.ends_with("a column that nothing writes: `at`"), "{finding:?}");
    let trigger = "create trigger dated after update on notes begin update notes set at = strftime('%f') where no = new.no; end;";
    let with = loaded(&folder_with(&format!("{tables}{trigger}")), settings(vec![notes()])).await;
    assert_eq!(with.findings, []);
    let other = "create trigger counted after insert on notes begin update notes set at = 'now' where no = new.no; end;";
    let with_other =
        loaded(&folder_with(&format!("{tables}{other}")), settings(vec![notes()])).await;
    assert_eq!(with_other.findings.len(), 1);
    let input_fields = [(Operation::Update, names(&["note", "version"]))].into();
    let version = Some("version".to_owned());
    check(
        EntitySettings { input_fields, version, ..entity("orders") },
        "input_fields/update/1",
        "callgate writes",
    )
    .await;
}

#[tokio::test]
async fn a_table_of_more_than_ten_thousand_rows_has_conditions_on_indexed_columns_and_a_note_of_the_others()
 {
    for (n_rows, left) in [(10_000, 0), (10_001, 2)] {
        let tables = format!(
            "create table notes (no integer primary key, day text, words text); create index days on notes (day);
             with recursive n(i) as (select 1 union all select i + 1 from n where i < {n_rows}) insert into notes select i, i, i from n;"
        );
        let loaded = loaded(&folder_with(&tables), settings(vec![entity("notes")])).await;
        let notes = loaded.findings.iter().filter(|it| it.severity == Severity::Note);
        assert_eq!(notes.clone().count(), left, "{:?}", loaded.findings);
        for note in notes {
            assert!(note.message.ends_with("more than 10000 rows: `words`"), "{note:?}");
        }
        let mut declarations = loaded.tools.iter().filter_map(|tool| tool.declaration());
        let list = declarations.find(|tool| tool.name.as_str() == "shop-notes-list").unwrap();
        let sorts = list.input_schema.to_string().contains("\"-words\"");
        assert_eq!(sorts, left == 0);
    }
}

#[cfg(not(feature = "mysql"))]
#[tokio::test]
async fn an_engine_that_is_not_in_this_build_is_reported_with_its_feature() {
    let settings =
        crate::calls::settings_at("mariadb://a:b@127.0.0.1/shop", vec![entity("orders")]);
    let loaded = loaded(&folder(), settings).await;
    let [finding] = &*loaded.findings else { panic!("{:?}", loaded.findings) };
    assert!(finding.message.contains("the feature `mysql`"), "{finding:?}");
    assert_eq!(finding.help, "build callgate with this feature");
}
