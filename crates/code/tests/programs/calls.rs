//! Calls from code: their arguments, their results, their faults, and what they may not do.

use std::{fs, sync::atomic::Ordering, time::Duration};

use callgate_executor::ClientFunction;
use callgate_openapi::Pattern;
use callgate_policy::{
    ApprovalRules, Approvals, Audit, AuditArguments, AuditConfig, AuditMode, Bound, Confirm,
    Limits, LimitsConfig,
};
use callgate_secret::Secret;
use callgate_tool::{Effect, ToolName, Value, json};

use tokio::time::Instant;

use crate::shop::{Shop, Test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        ("calls_have_names_values_and_results", Box::pin(calls_have_names())),
        ("numbers_keep_their_digits_in_both_ways", Box::pin(numbers_keep_their_digits())),
        ("calls_run_together_within_the_limit", Box::pin(calls_run_together())),
        ("faults_are_exceptions_with_codes", Box::pin(faults_are_exceptions())),
        ("writes_need_the_operators_word", Box::pin(writes_need_the_operators_word())),
        ("unknown_names_are_told_with_the_nearest", Box::pin(unknown_names())),
        ("a_call_that_would_wait_is_refused_before_it_is_sent", Box::pin(a_call_that_would_wait())),
        ("a_program_makes_so_many_calls", Box::pin(a_program_makes_so_many_calls())),
        ("a_call_that_is_not_awaited_ends_before_the_program", Box::pin(calls_not_awaited())),
        ("one_call_at_a_time_does_not_wait_for_itself", Box::pin(one_call_at_a_time())),
        ("each_call_is_audited_with_its_parent", Box::pin(each_call_is_audited())),
        ("the_declaration_lists_functions", Box::pin(async { the_declaration_lists_functions() })),
        ("a_sum_takes_milliseconds", Box::pin(a_sum_takes_milliseconds())),
    ]
}

async fn calls_have_names() {
    let shop = Shop::new();
    for code in [
        "(await pets.getPet(petId=7))['name']",
        "(await pets.get_pet(7))['name']",
        "(await getPet(7))['name']",
        "f = pets.getPet\n(await f(petId=7))['name']",
        "async def main():\n    p = await pets.getPet(pet_id=7)\n    return p['name']\nawait main()",
    ] {
        assert_eq!(shop.value(code).await, "Rex", "{code}");
    }
    let ran = shop.run("await pets.getPet(petId=7)\nawait pets.getPet(petId=8)").await;
    let expected =
        r#"[{"tool":"pets-getPet","ended":"answered"},{"tool":"pets-getPet","ended":"answered"}]"#;
    assert_eq!(ran.0["calls"].to_string(), expected);
    assert_eq!(shop.value("(await search('return a pet'))[0]").await, STUB);
}

const STUB: &str = "pets.getPet(petId: int, price: float = None)  # Returns a pet";

async fn numbers_keep_their_digits() {
    let shop = Shop::new();
    let pet = "p = await getPet(7, price=0.5)\n";
    assert_eq!(shop.value(&format!("{pet}p['big'] + 1")).await, "12345678901234567890124");
    assert_eq!(shop.value(&format!("{pet}p['exact']")).await, "0.10000000000000000555");
    assert_eq!(shop.value(&format!("{pet}p['price']")).await, "0.5");
    // The text of a number goes back with its digits, and so does a number beyond 64 bits.
    let again = format!("{pet}(await getPet(p['big'], p['exact']))['price']");
    assert_eq!(shop.value(&again).await, "0.10000000000000000555");
}

async fn calls_run_together() {
    let shop = Shop::with(|settings| settings.limits.parallel = 3, |builder| builder);
    let code = "import asyncio\nsum(await asyncio.gather(*[clock.wait(ms=50) for _ in range(6)]))";
    assert_eq!(shop.value(code).await, "300");
    assert_eq!(shop.traffic.most_running.load(Ordering::Relaxed), 3);
}

async fn faults_are_exceptions() {
    let shop = Shop::new();
    let code = "try:\n    await getPet(404)\nexcept RuntimeError as e:\n    r = [str(e), fault(e)['code'], fault(e)['reached']]\nr";
    let expected = r#"["not_found: there is no such pet","not_found","no"]"#;
    assert_eq!(shop.value(code).await, expected);
    let code = "try:\n    await getPet('x', colour=1)\nexcept RuntimeError as e:\n    r = [p['at'] for p in fault(e)['problems']]\nr";
    assert_eq!(shop.value(code).await, r#"["petId","colour"]"#);
    let ran = shop.run("x = 1\nawait getPet(404)").await;
    assert!(ran.error().contains("line 2"), "{ran:?}");
    assert_eq!(ran.0["calls"][0]["code"], "not_found");
    let ran = shop.run("await getPet({1, 2})").await;
    assert!(ran.error().contains("TypeError: JSON has no set"), "{ran:?}");
}

async fn writes_need_the_operators_word() {
    let shop = Shop::new();
    let ran = shop.run("await pets.addPet(name='Rex')").await;
    assert!(ran.error().contains("code may not call `pets.addPet`"), "{ran:?}");
    assert_eq!(shop.traffic.n_writes.load(Ordering::Relaxed), 0);
    let shop = Shop::with(
        |settings| settings.calls.effects = vec![Effect::Read, Effect::Write],
        |builder| builder,
    );
    assert_eq!(shop.value("await pets.addPet(name='Rex')").await, r#"{"added":true}"#);
    let tool = shop.executor.find("code-generate_and_execute").unwrap();
    assert_eq!(tool.effect(), Effect::Write);
    let include = vec![Pattern::name("clock-*").unwrap()];
    let shop = Shop::with(|settings| settings.calls.include = include, |builder| builder);
    assert!(shop.run("await pets.getPet(petId=7)").await.error().contains("may not call"));
}

async fn unknown_names() {
    let shop = Shop::new();
    let ran = shop.run("await pets.getPets(petId=7)").await;
    assert!(ran.error().contains("`pets.getPet`"), "{ran:?}");
    assert!(ran.error().contains("AttributeError"), "{ran:?}");
    let ran = shop.run("getPet(7)").await;
    assert!(ran.error().contains("not awaited"), "{ran:?}");
    let ran = shop.run("await getPets(petId=7)").await;
    assert!(ran.error().contains("NameError") && ran.error().contains("getPet"), "{ran:?}");
    // Code calls no code.
    let ran = shop.run("await code.generate_and_execute(input='4')").await;
    assert!(ran.error().contains("not defined"), "{ran:?}");
}

async fn a_call_that_would_wait() {
    let mut rules = ApprovalRules::default();
    rules.toolsets.insert("pets".to_owned(), Confirm::Always);
    let page =
        ClientFunction::new(ToolName::new("app").unwrap(), "Opens", json!({"type": "object"}));
    let shop = Shop::with(
        |settings| settings.calls.effects = vec![Effect::Read, Effect::Write],
        |builder| builder.middleware(Approvals::new(rules)).backend(page.unwrap()),
    );
    for (code, expected) in [("await app()", "not_supported: the client runs this tool")] {
        let ran = shop.run(code).await;
        assert!(ran.error().contains(expected), "{ran:?}");
        assert_eq!(ran.0["calls"][0]["reached"], "no");
    }
    assert_eq!(shop.traffic.n_writes.load(Ordering::Relaxed), 0);
}

async fn a_program_makes_so_many_calls() {
    let shop = Shop::with(|settings| settings.limits.calls = 5, |builder| builder);
    let code = "n = 0\ntry:\n    while True:\n        await getPet(7)\n        n += 1\nexcept RuntimeError as e:\n    r = str(e)\n[n, r]";
    let expected = r#"[5,"too_many_calls: a program makes at most 5 calls"]"#;
    assert_eq!(shop.value(code).await, expected);
    let ran = shop.run("while True:\n    getPet(7)").await;
    assert!(ran.error().contains("far more than 5 calls"), "{ran:?}");
    assert!(shop.traffic.n_calls.load(Ordering::Relaxed) <= 10);
}

async fn calls_not_awaited() {
    let shop = Shop::new();
    let ran = shop.run("clock.wait(ms=50)\n'done'").await;
    assert_eq!(ran.text("execution_result"), "done", "{ran:?}");
    assert_eq!(ran.0["calls"][0]["ended"], "answered");
}

async fn one_call_at_a_time() {
    let config = LimitsConfig {
        in_flight: 1,
        queue: 0,
        principal: Bound { concurrency: Some(1), rate: None },
        ..LimitsConfig::default()
    };
    let shop = Shop::with(|_| (), |builder| builder.middleware(Limits::new(&config)));
    assert_eq!(shop.value("(await getPet(7))['name']").await, "Rex");
}

async fn each_call_is_audited() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("audit.jsonl");
    let key = Secret::new("0123456789abcdef".to_owned());
    let config = AuditConfig {
        file: file.clone(),
        mode: AuditMode::Required,
        arguments: AuditArguments::Digest,
    };
    let audit = Audit::open(&config, &key, Duration::from_mins(1)).unwrap();
    let shop = Shop::with(|_| (), |builder| builder.middleware(audit));
    shop.value("await getPet(7)\nawait getPet(8)").await;
    let text = fs::read_to_string(&file).unwrap();
    let lines: Vec<_> = text.lines().map(|line| Value::parse(line).unwrap()).collect();
    let begun = |tool: &str| {
        let is_begun = |line: &&Value| line["event"] == "begun" && line["tool"] == tool;
        lines.iter().filter(is_begun).collect::<Vec<_>>()
    };
    let [program] = begun("code-generate_and_execute")[..] else { panic!("{text}") };
    let calls = begun("pets-getPet");
    assert_eq!(calls.len(), 2, "{text}");
    assert!(calls.iter().all(|call| call["parent"] == program["call"]), "{text}");
    let ended = lines.iter().filter(|line| line["event"] == "ended").count();
    assert_eq!(ended, 3, "{text}");
}

fn the_declaration_lists_functions() {
    let shop = Shop::new();
    let tool = shop.executor.find("code-generate_and_execute").unwrap();
    let declared = tool.declaration().unwrap();
    // Formats of models cut the description of a tool there.
    assert!(declared.description.chars().count() < 1024, "{}", declared.description);
    let input = declared.input_schema.to_value()["properties"]["input"].clone();
    let description = input["description"].as_str().unwrap();
    assert!(description.contains(STUB), "{description}");
    assert!(!description.contains("addPet"), "{description}");
    let output = tool.declaration().unwrap().output_schema().unwrap().to_value();
    assert!(matches!(output, Value::Object(_)));
}

async fn a_sum_takes_milliseconds() {
    let shop = Shop::new();
    shop.value("4 + 4").await;
    let mut times = Vec::new();
    for _ in 0..50 {
        let started = Instant::now();
        shop.value("4 + 4").await;
        times.push(started.elapsed());
    }
    times.sort();
    println!("4 + 4: p50 {:?}, p95 {:?}", times[25], times[47]);
    assert!(times[25] < Duration::from_millis(50), "{times:?}");
}
