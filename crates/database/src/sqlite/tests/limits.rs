//! Time and size: whatever a statement does, it ends, and what it holds is bounded.

use std::time::Duration;

use callgate_testkit::shortest_time;
use tokio::time::{self, Instant};

use super::{ORDERS, Shop, affected, read, rows, run, run_within, texts};
use crate::{
    login::Needs,
    sqlite::Sqlite,
    transaction::{Access, Failure},
};

const ENDLESS: &str =
    "with recursive n (i) as (select 1 union all select i + 1 from n) select count(*) from n";

/// Ends within 200 ms of its deadline, and leaves the driver usable.
async fn ends(driver: &Sqlite, access: Access, text: &str) {
    let time = Duration::from_millis(300);
    let most = time + Duration::from_millis(200);
    let took = shortest_time(most, async || {
        let began = Instant::now();
        let steps = vec![if access == Access::Read { rows(text) } else { affected(text, 1 << 40) }];
        let failure = run_within(driver, access, steps, time).await.unwrap_err();
        assert_eq!(failure, Failure::TimedOut { is_rolled_back: true }, "{text}");
        began.elapsed()
    });
    let took = took.await;
    assert!(took <= most, "{text}: {took:?}");
    assert_eq!(read(driver, "select count(*) from orders").await.unwrap(), texts(&[&["3"]]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_statement_without_end_ends_with_its_deadline() {
    let shop = Shop::orders();
    let driver = shop.connect_with(|settings| settings.limits.connections = 1).await;
    driver.check_login(&super::orders_needs()).await.unwrap();
    let numbers = "with recursive n (i) as (select 1 union all select i + 1 from n)";
    for text in [
        ENDLESS.to_owned(),
        format!("{numbers} select max(i % 7) from n order by 1"),
        format!("{numbers} select i from n order by i desc"),
        format!("{numbers} select group_concat(distinct i) from n"),
        "select count(*) from orders a, orders b, orders c, orders d, orders e, orders f, orders g, orders h, \
         orders i, orders j, orders k, orders l, orders m, orders n, orders o, orders p, orders q, orders r, \
         orders s, orders t where a.no + t.no > 100"
            .to_owned(),
        format!("{numbers} select sum(length(hex(randomblob(1000000)))) from n"),
    ] {
        ends(&driver, Access::Read, &text).await;
    }
    let insert = format!("insert into orders (owner) {numbers} select i from n");
    ends(&driver, Access::Write, &insert).await;
    assert_eq!(shop.text("select count(*) from orders"), "3");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pattern_of_many_wildcards_is_no_bomb() {
    let shop = Shop::orders();
    let driver = shop.with_orders().await;
    let pattern = "%a".repeat(400);
    for text in [
        format!("select hex(zeroblob(500000)) || 'x' like '{}b'", pattern.replace('a', "0")),
        format!("select replace(hex(zeroblob(500000)), '0', 'a') glob '{}b'", "*a".repeat(400)),
        "select instr(hex(zeroblob(1000000)), hex(zeroblob(1000000)) || 'x')".to_owned(),
    ] {
        let (time, most) = (Duration::from_millis(300), Duration::from_millis(500));
        let took = shortest_time(most, async || {
            let began = Instant::now();
            let _came = run_within(&driver, Access::Read, vec![rows(&text)], time).await;
            began.elapsed()
        });
        let took = took.await;
        assert!(took <= most, "{text}: {took:?}");
    }
}

/// Nothing interrupts a function: the only connection is free again because the largest operands take it a moment.
#[tokio::test(flavor = "multi_thread")]
async fn no_function_of_a_models_text_runs_on_with_the_largest_operands() {
    let shop = Shop::orders();
    let driver = shop.connect_with(|settings| settings.limits.connections = 1).await;
    let needs = Needs { is_for_query: true, ..super::orders_needs() };
    driver.check_login(&needs).await.unwrap();
    let letters = |half: u32| format!("replace(hex(zeroblob({half})), '0', 'a')");
    let members = |name: &str| {
        format!(
            "(with recursive n (i) as (select 1 union all select i + 1 from n limit 60000) select json_group_object('{name}' || i, i) from n)"
        )
    };
    let (whole, half) = (letters(500_000), format!("{} || 'b'", letters(250_000)));
    let (one, other) = (members("k"), members("j"));
    for text in [
        format!("select instr({whole}, {half})"),
        format!("select instr({}, {} || 'b')", letters(1_000_000), letters(500_000)),
        format!("select length(replace({whole}, {half}, 'x'))"),
        format!("select length(trim({whole}, replace({whole}, 'a', 'b') || 'a'))"),
        format!("select length(ltrim({whole}, replace({whole}, 'a', 'b') || 'a'))"),
        format!("select length(rtrim({whole}, replace({whole}, 'a', 'b') || 'a'))"),
        format!(
            "select length(unhex(replace({whole}, 'a', '-'), replace({whole}, 'a', 'x') || '-'))"
        ),
        format!("select {whole} like '%' || substr({whole}, 1, 4000) || 'b'"),
        format!(
            "select {whole} glob '*' || substr(replace({whole}, 'aa', '[a-z]'), 1, 4000) || 'b'"
        ),
        format!(
            "select {whole} glob '*' || substr(replace({whole}, 'aaaaa', '[a-z]'), 1, 120) || 'b'"
        ),
        format!("select length(json_patch({one}, {other}))"),
        format!("select length(jsonb_patch({one}, {other}))"),
        format!(
            "select length(json_pretty(replace(hex(zeroblob(400)), '0', '[') || replace(hex(zeroblob(400)), '0', ']'), {whole}))"
        ),
    ] {
        let came =
            run_within(&driver, Access::Read, vec![rows(&text)], Duration::from_millis(100)).await;
        let next =
            run_within(&driver, Access::Read, vec![rows("select 1")], Duration::from_secs(5));
        assert!(next.await.is_ok(), "{text}: {came:?}");
    }
}

/// The rows have no end: only an aggregate that is measured while it grows ends before them.
#[tokio::test(flavor = "multi_thread")]
async fn an_aggregate_of_a_models_text_is_refused_when_it_is_too_long_not_at_its_end() {
    let shop = Shop::orders();
    let driver = shop.with_orders().await;
    let needs = Needs { is_for_query: true, ..super::orders_needs() };
    driver.check_login(&needs).await.unwrap();
    let aggregates = "json_group_array(x)¦json_group_array(distinct x || i)¦json_group_object(i, x)¦json_group_object(x, i)¦\
        json_group_object(null, i)¦group_concat('', iif(i = 3, ',', ''))¦string_agg('', iif(i = 3, ',', ''))";
    for aggregate in aggregates.split('¦') {
        let text = format!(
            "with recursive n (i, x) as (select 1, hex(zeroblob(1000)) union all select i + 1, x from n) \
             select length({aggregate}) from n"
        );
        let time = Duration::from_mins(1);
        let came = run_within(&driver, Access::Read, vec![rows(&text)], time).await;
        assert_eq!(came.unwrap_err(), Failure::TooLarge, "{aggregate}");
    }
    let large = vec!["hex(zeroblob(400000))"; 40].join(", ");
    for (text, expected) in [
        ("select json_group_array(no) from orders", true),
        ("select json_group_array(json_object('no', no)) over (order by no) from orders", true),
        ("select jsonb_group_array(no) from orders", false),
        ("select jsonb_group_object(no, no) from orders", false),
        (&format!("select length(json_array({large}))"), false),
        (&format!("select length(concat({large}))"), false),
        ("select json_set('{}', '$.a', 1, '$.b', 2, '$.c', 3, '$.d', 4)", true),
        ("select json_set('{}', '$.a', 1, '$.b', 2, '$.c', 3, '$.d', 4, '$.e', 5)", false),
        ("select jsonb_insert('{}', '$.a', 1, '$.b', 2, '$.c', 3, '$.d', 4, '$.e', 5)", false),
        (
            "select json_extract('[1]', '$[0]', '$[0]', '$[0]', '$[0]', '$[0]', '$[0]', '$[0]', '$[0]', '$[0]')",
            false,
        ),
    ] {
        assert_eq!(read(&driver, text).await.is_ok(), expected, "{text}");
    }
}

/// A row of two thousand values of a megabyte took gigabytes.
#[tokio::test(flavor = "multi_thread")]
async fn a_models_text_has_at_most_64_columns_or_as_many_as_the_widest_table() {
    let numbers =
        |n: usize| (0..n).map(|at| format!("{at} as c{at}")).collect::<Vec<_>>().join(", ");
    let wide = format!("create table wide as select {};", numbers(70));
    for (schema, most) in [(ORDERS.to_owned(), 64), (format!("{ORDERS} {wide}"), 70)] {
        let shop = Shop::new(&schema);
        let driver = shop.with_orders().await;
        driver.check_login(&Needs { is_for_query: true, ..super::orders_needs() }).await.unwrap();
        for (n, expected) in [(most, true), (most + 1, false)] {
            let came = read(&driver, &format!("select {}", numbers(n))).await;
            assert_eq!(came.is_ok(), expected, "{n} of {most} columns");
        }
        let within = format!("select c0 from (select {} limit 1)", numbers(most + 1));
        assert!(read(&driver, &within).await.is_err());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_caller_that_leaves_cancels_the_statement() {
    let shop = Shop::orders();
    let driver = shop.connect_with(|settings| settings.limits.connections = 1).await;
    driver.check_login(&super::orders_needs()).await.unwrap();
    // The only connection is free again at once.
    let most = Duration::from_millis(100);
    let took = shortest_time(most, async || {
        let call = run(&driver, Access::Read, vec![rows(ENDLESS)]);
        assert!(time::timeout(Duration::from_millis(100), call).await.is_err());
        let began = Instant::now();
        assert_eq!(read(&driver, "select count(*) from orders").await.unwrap(), texts(&[&["3"]]));
        began.elapsed()
    });
    let took = took.await;
    assert!(took <= most, "{took:?}");
}

/// The median of ten calls, each with another one after it that waits for the permit.
#[tokio::test(flavor = "multi_thread")]
async fn the_only_connection_is_free_fifty_milliseconds_after_the_deadline_of_a_call() {
    let shop = Shop::orders();
    let driver = shop.connect_with(|settings| settings.limits.connections = 1).await;
    driver.check_login(&super::orders_needs()).await.unwrap();
    let most = Duration::from_millis(50);
    let median = shortest_time(most, async || {
        let mut times = Vec::new();
        for _ in 0..10 {
            let (time, begun) = (Duration::from_millis(100), Instant::now());
            let failure = run_within(&driver, Access::Read, vec![rows(ENDLESS)], time).await;
            assert_eq!(failure.unwrap_err(), Failure::TimedOut { is_rolled_back: true });
            let count = read(&driver, "select count(*) from orders").await;
            assert_eq!(count.unwrap(), texts(&[&["3"]]));
            times.push(begun.elapsed().saturating_sub(time));
        }
        times.sort();
        times[5]
    });
    let median = median.await;
    assert!(median <= most, "{median:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancellation_meets_no_other_call() {
    let shop = Shop::orders();
    let driver = shop.connect_with(|settings| settings.limits.connections = 2).await;
    driver.check_login(&super::orders_needs()).await.unwrap();
    for round in 0..500_u64 {
        let call = read(&driver, "select no from orders where no = 1");
        let _left = time::timeout(Duration::from_micros(round % 97), call).await;
        let rows = read(&driver, "select count(*), 'x' from orders").await;
        assert_eq!(rows, Ok(texts(&[&["3", "x"]])), "round {round}");
    }
}

#[tokio::test]
async fn no_connection_is_free_within_the_time() {
    let shop = Shop::orders();
    let driver = shop.connect_with(|settings| settings.limits.connections = 1).await;
    driver.check_login(&super::orders_needs()).await.unwrap();
    let long = run_within(&driver, Access::Read, vec![rows(ENDLESS)], Duration::from_millis(400));
    let short = async {
        let steps = vec![rows("select no from orders")];
        run_within(&driver, Access::Read, steps, Duration::from_millis(100)).await
    };
    let (_, short) = tokio::join!(long, short);
    assert_eq!(short.unwrap_err(), Failure::Busy);
}

#[tokio::test]
async fn a_value_of_a_hundred_megabytes_is_not_read() {
    let shop = Shop::new(&format!(
        "{ORDERS} insert into orders values (4, 'x', 0, zeroblob(100000000)), (5, 'y', 0, 'small');"
    ));
    let driver = shop.with_orders().await;
    for text in [
        "select note from orders where no = 4",
        "select substr(note, 1, 10) from orders where no = 4",
        "select hex(note) from orders where no = 4",
        "select no, note from orders order by note desc",
        "select replace(hex(zeroblob(2000000)), '0', '0000')",
        "select zeroblob(100000000)",
        "select printf('%.*c', 100000000, 'x')",
        "with recursive n (i) as (select 1 union all select i + 1 from n limit 800000) \
         select group_concat(i) from n",
    ] {
        assert_eq!(read(&driver, text).await, Err(Failure::TooLarge), "{text}");
    }
    let length = read(&driver, "select octet_length(note) from orders where no = 4").await;
    assert_eq!(length.unwrap(), texts(&[&["100000000"]]));
    assert_eq!(
        read(&driver, "select note from orders where no = 5").await.unwrap(),
        texts(&[&["small"]])
    );
}

#[tokio::test]
async fn many_small_rows_are_bounded_too() {
    let shop = Shop::orders();
    let driver = shop.with_orders().await;
    let text = "with recursive n (i) as (select 1 union all select i + 1 from n) \
        select i, hex(zeroblob(10000)) from n";
    let steps = vec![super::step(text, &[], crate::transaction::Expects::Rows { most: u32::MAX })];
    assert_eq!(run(&driver, Access::Read, steps).await.unwrap_err(), Failure::TooLarge);
}

#[tokio::test]
async fn statements_that_are_too_long_or_too_deep_are_refused() {
    let shop = Shop::orders();
    let driver = shop.with_orders().await;
    for text in [
        format!("select '{}'", "x".repeat(300 << 10)),
        format!("select {}1{}", "(".repeat(5_000), ")".repeat(5_000)),
        format!("select {}1", "1+".repeat(5_000)),
        format!("select 1{}", " union select 1".repeat(60)),
        format!("select {}", vec!["?"; 5_000].join(",")),
    ] {
        assert!(read(&driver, &text).await.is_err(), "{}", text.len());
    }
}
