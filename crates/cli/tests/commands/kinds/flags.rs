//! The flags about answers × the kinds: what `--select` and `--jsonpath` choose of a result is shown, whatever runs the tool.

use super::{Trial, rows};

#[test]
fn selections_of_the_command_hold_for_each_kind() {
    for kind in rows::kinds() {
        let trial = Trial::start(kind);
        let name = trial.kind.name;
        let response = |flags: &[&str]| {
            let ended = trial.call_by_command(&[&["--json"], flags].concat()).exits(0);
            ended.json()["response"].clone()
        };
        let whole = response(&[]);
        // What the client does has no result here.
        let Some(members) = whole.as_object() else {
            assert_eq!(name, "functions", "{whole}");
            continue;
        };
        let member = members.keys().next().unwrap().clone();
        let selected = response(&["--select", &member]);
        let names = selected.as_object().unwrap().keys().map(ToString::to_string);
        assert_eq!(names.collect::<Vec<_>>(), *std::slice::from_ref(&member), "{name}: {selected}");
        let nodes = response(&["--jsonpath", &format!("$.{member}")]);
        assert_eq!(nodes.as_array().map(Vec::len), Some(1), "{name}: {nodes}");
    }
}
