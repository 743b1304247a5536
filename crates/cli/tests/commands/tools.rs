//! `callgate tools`: the table, the dialects, and everything known of each tool.

use crate::callgate;

#[test]
fn every_tool_is_in_the_table() {
    callgate(&["tools", "config/demo.yaml"]).exits(0).prints("pets-getPet").prints("read");
}

#[test]
fn a_dialect_gives_declarations() {
    let declared = callgate(&["tools", "config/demo.yaml", "--dialect", "openai"]).exits(0).json();
    let names: Vec<_> =
        declared.as_array().unwrap().iter().map(|one| &one["function"]["name"]).collect();
    assert!(names.contains(&&"pets-getPet".into()), "{names:?}");
    callgate(&["tools", "config/demo.yaml", "--dialect", "klingon"]).exits(2).says("openai");
}

#[test]
fn json_tells_where_each_argument_goes() {
    let tools = callgate(&["tools", "fixtures/pets/spec.yaml", "--json"]).exits(0).json();
    let get_pet = tools.as_array().unwrap().iter().find(|tool| tool["name"] == "getPet").unwrap();
    assert_eq!(get_pet["method"], "GET");
    assert_eq!(get_pet["effect"], "read");
    let input = get_pet["inputs"].as_array().unwrap().iter().find(|one| one["argument"] == "petId");
    let input = input.unwrap();
    assert_eq!((&input["in"], &input["name"]), (&"path".into(), &"petId".into()));
    assert!(get_pet["tokens"].as_u64().unwrap() > 0);
}

#[test]
fn completions_are_printed_for_each_shell() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        callgate(&["completions", shell]).exits(0).prints("callgate");
    }
}
