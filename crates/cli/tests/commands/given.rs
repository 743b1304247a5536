//! Arguments as people write them: lists of one, members with dots, files, the members of a body that is one argument.

use crate::prelude::*;

const FILES: &str = "fixtures/files/spec.yaml";
const PETS: &str = "fixtures/pets/spec.yaml";

const BODIES: &str = concat!("\n", include_str!("given-bodies.yaml"));

fn planned(arguments: &[&str]) -> Value {
    let ended = callgate(&[arguments, &["--dry-run", "--json"]].concat()).exits(0);
    let request = ended.json()["request"].clone();
    assert_eq!(ended.err, "", "{ended:#?}");
    request
}

fn body(arguments: &[&str]) -> Value {
    Value::parse(planned(arguments)["body"].as_str().unwrap()).unwrap()
}

#[test]
fn a_single_value_for_a_list_and_dotted_members_are_sent_by_schema() {
    let given = ["call", PETS, "createPet", "name=Rex", "species=dog", "tags=a"];
    let sent = body(&given);
    assert_eq!(sent["tags"], json!(["a"]), "{sent}");
    let sent = planned(&["call", FILES, "writeNote", "text=x", "tags=a", "place.city=Rome"]);
    assert_eq!(sent["body"], "text=x&tags=a&place=%7B%22city%22%3A%22Rome%22%7D", "{sent}");
}

#[test]
fn a_whole_body_is_given_to_a_tool_whose_arguments_are_its_members() {
    let (_folder, file) =
        folder_with("pet.json", r#"{"name": "Rex", "species": "dog", "weightKg": 12.50}"#);
    let file = format!("body=@{file}");
    let sent = planned(&["call", PETS, "createPet", &file, "tags=calm"])["body"].clone();
    let sent = sent.as_str().unwrap();
    let expected = r#"{"name":"Rex","species":"dog","weightKg":12.50,"tags":["calm"]"#;
    assert!(sent.starts_with(expected), "{sent}");
    let sent = body(&["call", PETS, "createPet", "body.name=Rex", "body.species=dog"]);
    assert_eq!((&sent["name"], &sent["species"]), (&json!("Rex"), &json!("dog")), "{sent}");
}

#[test]
fn a_text_converted_to_a_number_is_not_noted() {
    let ended = callgate(&["call", "config/demo.yaml", "pets-getPet", "petId=7"]).exits(0);
    assert!(!ended.err.contains("converted"), "{ended:#?}");
}

#[test]
fn a_file_is_uploaded_with_its_name_and_type() {
    let (folder, file) = folder_with("cat.png", b"\x89PNG\r\n\x1a\n\xff");
    let picture = format!("picture=@{file}");
    let request = planned(&["call", FILES, "addPicture", &picture, "title=Cat"]);
    let media_type = request["headers"]["content-type"].as_str().unwrap();
    assert!(media_type.starts_with("multipart/form-data"));
    let curl = request["curl"].as_str().unwrap();
    assert!(curl.contains("base64"), "{curl}");
    let text = write_file(folder.path(), "readme.md", "# Title\n");
    let given = format!("body=@{}", text.display());
    let request = planned(&["call", FILES, "replaceReadme", &given]);
    assert_eq!(request["body"], "# Title\n");
}

#[test]
fn a_text_of_a_file_is_sent_with_its_line_breaks() {
    let (_folder, file) = folder_with("name.txt", "Rex\r\n\n");
    let name = format!("name=@{file}");
    let sent = body(&["call", PETS, "createPet", &name, "species=dog"]);
    assert_eq!(sent["name"], "Rex\r\n\n");
}

#[test]
fn a_body_and_all_arguments_are_read_from_files() {
    let (folder, spec) = folder_with("bodies.yaml", BODIES);
    let order = write_file(folder.path(), "order.json", r#"{"name": "Rex", "age": 3}"#);
    let given = format!("body=@{}", order.display());
    assert_eq!(body(&["call", spec, "add", &given]), json!({"name": "Rex", "age": 3}));
    fs::write(&order, r#"{"body": {"name": "Rex"}, "kind": "x"}"#).unwrap();
    let given = format!("@{}", order.display());
    assert_eq!(body(&["call", spec, "add", "--args", &given]), json!({"name": "Rex"}));
}

#[test]
fn members_of_a_body_that_is_one_argument_are_put_inside_it() {
    let (_folder, spec) = folder_with("bodies.yaml", BODIES);
    let flat = ["call", spec, "add", "kind=x", "name=Rex", "age=3", "tags=a"];
    assert_eq!(body(&flat), json!({"name": "Rex", "age": 3, "tags": ["a"]}));
    let flat = ["call", spec, "add", "body.name=Rex", "age=3"];
    assert_eq!(body(&flat), json!({"name": "Rex", "age": 3}));
    // A member that is there already, or is no member, is left to whoever checks the call.
    let ended = callgate(&["call", spec, "add", "body.name=Rex", "name=Tom", "--dry-run"]).exits(1);
    ended.says("`name`");
    let ended = callgate(&["call", spec, "add", "name=Rex", "colour=red", "--dry-run"]).exits(1);
    ended.says("`colour`");
}

#[test]
fn a_json_object_holds_the_arguments_as_the_tool_declares_them() {
    let (_folder, spec) = folder_with("bodies.yaml", BODIES);
    let flat = ["call", spec, "add", "--args", r#"{"name": "Rex", "kind": "x"}"#, "--dry-run"];
    callgate(&flat).exits(1).says("did you mean `body.name`");
    let whole = r#"{"body": {"name": "Rex", "species": "dog"}}"#;
    callgate(&["call", PETS, "createPet", "--args", whole, "--dry-run"]).exits(1).says("`body`");
}

#[test]
fn a_model_puts_the_members_inside_the_body_itself() {
    let (folder, spec) = folder_with("bodies.yaml", BODIES);
    let line = r#"{"id": "a", "tool": "add", "args": {"name": "Rex"}}"#;
    let batch = write(&folder, "calls.jsonl", line);
    let ended = callgate(&["call", spec, "--batch", batch, "--dry-run"]).exits(1);
    ended.prints("put them inside `body`");
}

#[test]
fn an_unreadable_argument_file_is_reported_with_the_escape_for_text() {
    let ended: Ended = callgate(&["call", PETS, "createPet", "name=@rex", "species=dog"]);
    ended.exits(2).says("cannot read `rex`").says("write `name=@@rex`");
    let sent = body(&["call", PETS, "createPet", "name=@@rex", "species=dog"]);
    assert_eq!(sent["name"], "@rex");
}

const NAMES: &str = concat!("\n", include_str!("given-names.yaml"));

/// Runs a dry call of the operation above.
fn named(arguments: &[&str]) -> Ended {
    let (_folder, file) = folder_with("spec.yaml", NAMES);
    let line = ["call", file, "list", "path_id=7", "--dry-run", "--json"];
    callgate(&[&line[..], arguments].concat())
}

#[test]
fn names_of_the_service_are_accepted_at_the_command_line() {
    for (given, expected) in [
        ("$filter=a eq b", "%24filter=a%20eq%20b"),
        ("filter[length]=2", "filter%5Blength%5D=2"),
        ("where!.a=1", "where%21%5Ba%5D=1"),
        ("名前=x", "%E5%90%8D%E5%89%8D=x"),
        ("query_id=8", "?id=8"),
    ] {
        let ended = named(&[given]).exits(0);
        assert!(ended.json()["request"]["url"].as_str().unwrap().contains(expected), "{ended:#?}");
    }
    for name in ["X-Request-ID", "x-request-id"] {
        let ended = named(&[&format!("{name}=q")]).exits(0);
        assert!(ended.out.to_lowercase().contains("x-request-id"), "{ended:#?}");
    }
}

#[test]
fn a_name_of_two_inputs_is_refused_with_both_arguments() {
    named(&["n m=1"]).exits(2).says("`n m`").says("(query)").says("(cookie)");
    named(&["id=1"]).exits(2).says("(path)").says("(query)");
    named(&["$FILTER=1"]).exits(1);
    let (_folder, file) = folder_with("spec.yaml", NAMES);
    let of_a_model = r#"{"path_id": "7", "$filter": "a"}"#;
    let line = ["call", file, "list", "--dry-run", "--args", of_a_model];
    callgate(&line).exits(1);
}
