//! Workers that break the protocol: a program that begins with `#lie:` makes its worker say something else than it should.

use std::{
    io::{self, Cursor, Read, Write, stdin, stdout},
    time::Duration,
};

use callgate_code::run_worker;
use rustix::process::{Signal, getpid, kill_process};

use tokio::time::Instant;

use crate::shop::{Shop, Test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        ("a_worker_that_lies_ends_the_program_alone", Box::pin(a_worker_that_lies())),
        ("an_end_of_another_program_is_refused", Box::pin(an_end_of_another_program())),
    ]
}

/// Does what a worker does, or what the first program says.
pub(crate) fn work_or_lie() -> io::Result<()> {
    let mut length = [0; 4];
    if stdin().read_exact(&mut length).is_err() {
        return Ok(());
    }
    let mut first = vec![0; u32::from_be_bytes(length) as usize];
    stdin().read_exact(&mut first)?;
    let text = String::from_utf8_lossy(&first).into_owned();
    if let Some((_, lie)) = text.split_once("#lie:") {
        let lie = lie.split(['"', '\\']).next().unwrap_or_default();
        return tell(lie);
    }
    let taken = Cursor::new([&length[..], &first].concat());
    run_worker(&mut taken.chain(stdin()), &mut stdout())
}

fn say(text: &str) -> io::Result<()> {
    let length = u32::try_from(text.len()).unwrap();
    stdout().write_all(&[&length.to_be_bytes(), text.as_bytes()].concat())?;
    stdout().flush()
}

fn end(text: &str) -> String {
    format!(
        r#"{{"end": {{"number": 0, "result": "{text}", "error": "", "stdout": "", "cut": false, "no_program": false}}}}"#
    )
}

fn tell(lie: &str) -> io::Result<()> {
    let call = |number: usize| {
        format!(
            r#"{{"call": {{"number": {number}, "module": "pets", "name": "addPet", "positional": [], "named": {{}}}}}}"#
        )
    };
    match lie {
        "bytes" => stdout().write_all(&[0, 0, 0, 3, 255, 254, 253])?,
        "call without a program" => say(&call(7))?,
        "end twice" => {
            say(&end("1"))?;
            // The second comes with the program that follows.
            stdin().read_exact(&mut [0; 4])?;
            say(&end("2"))?;
        }
        "huge frame" => stdout().write_all(&[255; 64])?,
        "killed" => kill_process(getpid(), Signal::KILL)?,
        "long end" => return say(&end(&"x".repeat(3 << 20))),
        "lookups" => loop {
            say(r#"{"lookup": {"module": null, "name": "a"}}"#)?;
        },
        "no message" => say(r#"{"done": 8}"#)?,
        "silence" => {}
        "wait without calls" => say(r#"{"wait": true}"#)?,
        "writes" => {
            for number in 0..2000 {
                say(&call(number))?;
            }
        }
        other => panic!("no lie: {other}"),
    }
    stdout().flush()?;
    stdin().read_to_end(&mut Vec::new()).map(drop)
}

async fn a_worker_that_lies() {
    for (lie, expected) in [
        ("bytes", "SystemError"),
        ("call without a program", "SystemError"),
        ("huge frame", "SystemError"),
        ("killed", "MemoryError"),
        ("lookups", "TimeoutError"),
        ("no message", "SystemError"),
        ("silence", "TimeoutError"),
        ("wait without calls", "SystemError"),
        ("writes", "far more than 50 calls"),
    ] {
        let shop = shop();
        let started = Instant::now();
        let ran = shop.run(&format!("#lie:{lie}")).await;
        assert!(ran.error().contains(expected), "{lie}: {ran:?}");
        assert!(started.elapsed() < Duration::from_secs(5), "{lie}");
        assert_eq!(shop.traffic.n_writes.load(std::sync::atomic::Ordering::Relaxed), 0, "{lie}");
        assert_eq!(shop.value("4 + 4").await, "8", "after {lie}");
    }
}

/// An end is taken from the program that it is the end of, within the limits.
async fn an_end_of_another_program() {
    let shop = shop();
    assert_eq!(shop.value("#lie:end twice").await, "1");
    let ran = shop.run("4 + 4").await;
    assert!(ran.error().contains("SystemError"), "the end of another program: {ran:?}");
    assert_eq!(shop.value("4 + 4").await, "8");
    let ran = self::shop().run("#lie:long end").await;
    assert_eq!(
        (ran.text("execution_result").len(), ran.0["truncated"].as_bool()),
        (64 << 10, Some(true))
    );
}

fn shop() -> Shop {
    Shop::with(|settings| settings.limits.time = Duration::from_millis(300), |builder| builder)
}
