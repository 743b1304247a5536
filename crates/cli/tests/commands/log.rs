//! `CALLGATE_LOG` and `-vv`: what the parts of callgate tell, by level and module, and no secret at any level.

use crate::prelude::*;

const SECRET: &str = "canary-token-51H8xZk2eTq9";

/// A call whose credential is at hand, with this filter; it is not sent to anybody.
fn called(filter: &str, flags: &[&str]) -> Ended {
    let mut command =
        command_in(&root(), &["call", "fixtures/pets/spec.yaml", "getPet", "petId=7"]);
    command.env("CALLGATE_LOG", filter).env("TOKEN", SECRET);
    let service = ["--server", "http://127.0.0.1:9", "--bearer", "env:TOKEN"];
    Ended::of(command.args(service).args(flags))
}

/// The targets of the records that are written.
fn targets(ended: &Ended) -> Vec<&str> {
    let is_record = |line: &&str| line.starts_with("20") && line.contains("Z ");
    let records = ended.err.lines().filter(is_record);
    records.filter_map(|line| line.split_whitespace().nth(2)).collect()
}

#[test]
fn log_levels_are_chosen_by_module() {
    assert!(targets(&called("", &[])).is_empty());
    assert!(targets(&called("warn", &[])).is_empty());
    assert!(targets(&called("info,callgate_executor=warn", &[])).is_empty());
    assert_eq!(targets(&called("info", &[])), ["callgate_executor::backend::exchange:"]);
    let others = called("callgate_executor=off,debug", &[]);
    assert!(targets(&others).iter().all(|target| !target.starts_with("callgate_executor")));
    for (filter, flags) in [("debug", &[][..]), ("callgate_executor=debug", &[]), ("", &["-vv"])] {
        let ended = called(filter, flags).exits(1);
        assert!(targets(&ended).contains(&"callgate_executor::executor:"), "{filter}: {ended:#?}");
    }
    assert!(targets(&called("", &["-v"])).is_empty());
    let of_secrets = called("callgate_config=debug", &[]);
    let expected = "a secret was asked for reference=env:TOKEN";
    assert!(of_secrets.err.contains(expected), "{of_secrets:#?}");
    assert!(of_secrets.err.contains("a description was read"), "{of_secrets:#?}");
}

#[test]
fn no_level_shows_a_secret() {
    for (filter, flags) in [
        ("trace", &[][..]),
        ("trace", &["-vv"]),
        ("callgate=trace,hyper=trace", &["-vv", "--json"]),
    ] {
        let ended = called(filter, flags);
        assert!(!targets(&ended).is_empty());
        assert!(!format!("{}{}", ended.out, ended.err).contains(SECRET), "{ended:#?}");
    }
}

#[test]
fn an_invalid_log_filter_is_reported() {
    let ended = called("callgate=loud", &[]).exits(2).says("`CALLGATE_LOG`: expected");
    ended.says("got: `callgate=loud`");
}
