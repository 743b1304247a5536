//! `callgate tools`: the table, the dialects, and everything known of each tool.

use crate::prelude::*;

#[test]
fn every_tool_is_in_the_table() {
    callgate(&["tools", "config/demo.yaml"]).exits(0).prints("pets-getPet").prints("read");
}

#[test]
fn a_name_without_the_toolset_is_enough_for_every_kind_of_tool() {
    let folder = tempfile::tempdir().unwrap();
    let spec = "openapi: 3.0.3\ninfo: {title: Music, version: '1'}\nservers: [{url: https://m.example}]\n\
        paths:\n  /tracks:\n    get: {responses: {'200': {description: Tracks}}}\n";
    write(&folder, "music.yaml", spec);
    let config =
        "toolsets:\n  music: {openapi: music.yaml}\n  app: {functions: [{name: open_page}]}\n";
    let file = write(&folder, "callgate.yaml", config);
    let listed = names(&[file]);
    assert_eq!(listed.len(), 2, "{listed:?}");
    for name in &listed {
        let (_, short) = name.split_once('-').unwrap();
        callgate(&["tools", file, short]).exits(0).prints(name);
    }
}

/// The names in what `--json` prints.
fn names(arguments: &[&str]) -> Vec<String> {
    let json = callgate(&[&["tools"], arguments, &["--json"]].concat()).exits(0).json();
    let name = |tool: &Value| tool["name"].as_str().unwrap().to_owned();
    json.as_array().unwrap().iter().map(name).collect()
}

#[test]
fn tools_are_listed_below_their_first_tag() {
    let listed = callgate(&["tools", "config/demo.yaml"]).exits(0);
    let lines: Vec<&str> = listed.out.lines().collect();
    let at = |line: &str| lines.iter().position(|known| known.trim_end() == line).unwrap();
    let of = |name: &str| lines.iter().position(|line| line.trim().starts_with(name)).unwrap();
    assert!(at("pets") < of("pets-getPet ") && of("pets-getPet ") < at("owners"), "{listed:?}");
    assert!(at("owners") < of("pets-greetOwner ") && of("pets-greetOwner ") < at("clinics"));
    assert!(!lines[at("pets")].contains('\u{1b}') && listed.err.is_empty(), "{listed:?}");
}

#[test]
fn filters_leave_the_same_tools_in_every_form_and_say_how_many_they_leave_out() {
    let file = "fixtures/pets/spec.yaml";
    let all = names(&[file]);
    for (flags, is_kept) in [
        (
            &["--tag", "owners"][..],
            (|tool| ["listOwnedPets", "greetOwner"].contains(&tool)) as fn(&str) -> bool,
        ),
        (&["--effect", "write"], |tool| {
            ["createPet", "recordFeedings", "createBooking"].contains(&tool)
        }),
        (&["--tag", "owners", "--tag", "clinics", "--effect", "write,idempotent"], |tool| {
            tool == "createBooking"
        }),
        (&["--tag", "owners", "--effect", "write"], |_| false),
    ] {
        let arguments = [&[file], flags].concat();
        let kept: Vec<_> = all.iter().filter(|tool| is_kept(tool)).cloned().collect();
        assert_eq!(names(&arguments), kept, "{flags:?}");
        let shown = callgate(&[&["tools"], &*arguments].concat()).exits(0);
        for tool in &all {
            let is_shown = shown.out.split_whitespace().any(|word| word == tool);
            assert_eq!(is_shown, kept.contains(tool), "{flags:?} {tool}");
        }
        let n_out = all.len() - kept.len();
        shown.says(&format!(
            "note: {} of {} tools; {n_out} are left out by",
            kept.len(),
            all.len()
        ));
        let declared = [&["tools"], &*arguments, &["--dialect", "json"]].concat();
        let declared = callgate(&declared).exits(0).json();
        assert_eq!(declared.as_array().unwrap().len(), kept.len(), "{flags:?}");
    }
    let read = [file, "--read"];
    assert_eq!(names(&read), names(&[file, "--effect", "read"]));
    let found = callgate(&["tools", file, "--search", "pet", "--tag", "owners"]).exits(0);
    assert!(!found.out.contains("createPet"), "{found:?}");
}

#[test]
fn an_unknown_tag_is_refused_with_the_nearest() {
    let told = |tag: &str, file: &str| callgate(&["tools", file, "--tag", tag]).exits(2);
    told("pest", "fixtures/pets/spec.yaml").says("did you mean `pets`?");
    told("xyz", "fixtures/pets/spec.yaml").says("`clinics`, `owners`, `pets`");
    callgate(&["tools", "config/demo.yaml", "--effect", "reed"]).exits(2).says("read");
    callgate(&["tools", "config/demo.yaml", "pets-getPet", "--read"]).exits(2).says("--read");
}

#[test]
fn a_tag_includes_the_tags_below_it() {
    let text = "openapi: 3.2.0\nservers: [{url: https://a.example}]\ntags: [{name: animals}, {name: pets, parent: animals}]\npaths:\n  /a: {get: {operationId: getPet, tags: [pets]}}\n  /b: {get: {operationId: getCar}}\n";
    let (_folder, file) = folder_with("api.yaml", text);
    assert_eq!(names(&[file, "--tag", "animals"]), ["getPet"]);
    let listed = callgate(&["tools", file]).exits(0).prints("\npets\n  getPet");
    listed.prints("\nwithout a tag\n  getCar");
}

#[test]
fn the_dialect_flag_prints_declarations() {
    let declared = callgate(&["tools", "config/demo.yaml", "--dialect", "openai"]).exits(0).json();
    let names: Vec<_> =
        declared.as_array().unwrap().iter().map(|one| &one["function"]["name"]).collect();
    assert!(names.contains(&&"pets-getPet".into()), "{names:?}");
    callgate(&["tools", "config/demo.yaml", "--dialect", "klingon"]).exits(2).says("openai");
}

#[test]
fn tools_are_declared_in_the_forms_that_a_dialect_has() {
    let file = "config/demo.yaml";
    let strict = callgate(&["tools", file, "--dialect", "openai", "--strict"]).exits(0).json();
    for tool in strict.as_array().unwrap() {
        let function = &tool["function"];
        assert_eq!(function["strict"], true, "{tool}");
        assert_eq!(function["parameters"]["additionalProperties"], false, "{tool}");
    }
    let schema = ["tools", file, "--dialect", "gemini", "--form", "schema"];
    for tool in callgate(&schema).exits(0).json().as_array().unwrap() {
        assert_eq!(tool["parameters"]["type"], "OBJECT", "{tool}");
    }
    let deferred = ["tools", file, "--dialect", "responses", "--strict", "--deferred"];
    assert_eq!(callgate(&deferred).exits(0).json()[1]["strict"], true);
    let pets = ["tools", "fixtures/pets/spec.yaml", "--dialect", "anthropic", "--strict"];
    let told = callgate(&pets).exits(0).says("takes at most 24 optional members of strict tools");
    assert!(!told.err.contains("at most 20 strict tools"), "{}", told.err);
    let gemini = ["tools", file, "--dialect", "gemini", "--strict"];
    callgate(&gemini).exits(2).says("expected a form of `gemini`, one of `usual`, `schema`");
    callgate(&["tools", file, "--strict"]).exits(2).says("--dialect");
    let ended = callgate(&["tools", file, "--losses", "--dialect", "openai", "--strict"]).exits(0);
    ended.prints("openai_strict: ");
}

#[test]
fn deferred_declarations_come_with_the_tool_that_searches_them() {
    for (dialect, search) in
        [("anthropic", "tool_search_tool_bm25_20251119"), ("responses", "tool_search")]
    {
        let file = "config/demo.yaml";
        let all = callgate(&["tools", file, "--dialect", dialect, "--deferred"]).exits(0).json();
        let all = all.as_array().unwrap();
        assert_eq!(all[0]["type"], search);
        assert!(all.len() > 2 && all[1..].iter().all(|tool| tool["defer_loading"] == true));
    }
    let openai = ["tools", "config/demo.yaml", "--dialect", "openai", "--deferred"];
    callgate(&openai).exits(2).says("--dialect responses");
    callgate(&["tools", "config/demo.yaml", "--deferred"]).exits(2).says("--dialect");
}

#[test]
fn a_projection_gives_schemas_as_a_provider_accepts_them() {
    let file = "fixtures/pets/spec.yaml";
    let declared = callgate(&["tools", file, "--projection", "gemini_schema"]).exits(0).json();
    for tool in declared.as_array().unwrap() {
        assert_eq!(tool["parameters"]["type"], "OBJECT", "{tool}");
    }
    callgate(&["tools", file, "--projection", "klingon"]).exits(2).says("gemini_schema");
    callgate(&["tools", file, "--projection", "portable", "--json"]).exits(2).says("--json");
}

#[test]
fn the_losses_of_each_tool_are_shown_with_a_sum() {
    let description = r"
openapi: 3.1.0
servers: [{url: https://a.example}]
paths:
  /a:
    get:
      operationId: find
      summary: Find
      parameters:
        - {name: size, in: query, schema: {type: integer, enum: [1, 2]}}
        - {name: name, in: query, schema: {type: string}}
";
    let (_folder, file) = folder_with("api.yaml", description);
    callgate(&["tools", file, "--losses", "--projection", "gemini_schema"])
        .exits(0)
        .prints("find  ")
        .prints("enum                    told in words                       /properties/size")
        .prints("gemini_schema: 1 of 1 tools lose something");
    let ended = callgate(&["tools", file, "--losses", "--dialect", "openai"]).exits(0);
    ended.prints("openai: 0 of 1 tools lose something");
    callgate(&["tools", file, "--losses", "--dialect", "json"]).exits(2).says("nothing is lost");
    callgate(&["tools", file, "--losses", "--dialect", "anthropic", "--deferred"])
        .exits(2)
        .says("cannot be used with");
    let losses = callgate(&["tools", file, "--losses", "--json"]).exits(0).json();
    assert_eq!(losses[0]["projection"], "portable");
    assert_eq!(losses[0]["losses"][0]["at"], "/properties/size");
}

#[test]
fn the_json_listing_names_the_location_of_each_argument() {
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
fn tools_and_check_count_the_same_tools() {
    for file in ["pets/spec.yaml", "ledger/spec.json", "styles/spec.yaml", "faulty/spec.yaml"] {
        let file = format!("fixtures/{file}");
        let report = callgate(&["check", &file, "--json"]).json();
        let count = |key: &str| report["documents"][0][key].as_u64().unwrap();
        let tools = callgate(&["tools", &file, "--json"]).exits(0).json();
        let n_tools = u64::try_from(tools.as_array().unwrap().len()).unwrap();
        assert_eq!(n_tools, count("exposed") + count("degraded"), "{file}");
        assert_eq!(count("operations"), n_tools + count("refused"), "{file}");
    }
}

#[test]
fn session_inputs_inside_arguments_are_listed_at_every_depth() {
    let (_folder, file) = folder_with(
        "api.yaml",
        r##"
openapi: 3.1.0
servers: [{url: https://a.example}]
paths:
  /a:
    post:
      operationId: create
      summary: s
      requestBody:
        content:
          application/json:
            schema:
              type: object
              properties:
                owner: {$ref: "#/components/schemas/person"}
                labels: {type: array, items: {type: object, properties: {by: {$ref: "#/components/schemas/user"}}}}
                meta: {type: object, additionalProperties: {$ref: "#/components/schemas/user"}}
                either: {oneOf: [{type: string}, {type: object, properties: {by: {$ref: "#/components/schemas/user"}}}]}
components:
  schemas:
    user: {type: string, x-agent-input-parameter: user}
    person: {type: object, properties: {email: {$ref: "#/components/schemas/user"}, boss: {$ref: "#/components/schemas/person"}}}
"##,
    );
    let tools = callgate(&["tools", file, "--json"]).exits(0).json();
    let nested = tools[0]["nestedInputs"].as_array().unwrap();
    let nested: Vec<_> = nested.iter().map(|one| one["argument"].as_str().unwrap()).collect();
    assert_eq!(nested, ["body.owner.email", "body.labels[].by", "body.meta.*", "body.either.by"]);
    assert_eq!(tools[0]["nestedInputs"][0]["source"], "session");
    assert_eq!(tools[0]["nestedInputs"][0]["reference"], "$session.params.user");
}

#[test]
fn a_search_shows_what_fits_best_and_what_it_needs() {
    let file = "config/demo.yaml";
    callgate(&["tools", file, "--search", "which pets are there", "--limit", "3"])
        .exits(0)
        .prints("pets-listPets  ");
    let found = callgate(&["tools", file, "--search", "show one pet", "--json"]).exits(0).json();
    let pet = found.as_array().unwrap().iter().find(|tool| tool["name"] == "pets-getPet").unwrap();
    assert!(pet["needs"].is_array() && pet["score"].is_number(), "{pet}");
    callgate(&["tools", file, "--search", "zzz"]).exits(0).says("no tool has one of these words");
    callgate(&["tools", file, "--limit", "3"]).exits(2).says("--search");
    callgate(&["tools", file, "--search", "pet", "--dialect", "openai"]).exits(2).says("--dialect");
}

const UNION: &str = concat!("\n", include_str!("tools.yaml"));

#[test]
fn the_page_of_a_union_lists_its_alternatives_below_one_of_and_has_an_example_that_works() {
    let (_folder, file) = folder_with("shop.yaml", UNION);
    let page = callgate(&["tools", file, "pay"]).exits(0).out;
    let places = ["one of:", "- kind=card", "payment.last4", "- kind=bill", "payment.number"];
    let places = places.map(|text| page.find(text).unwrap_or_else(|| panic!("{text}: {page}")));
    assert!(places.is_sorted(), "{page}");
    assert_eq!(page.matches("one of").count(), 1, "{page}");
    let example = page.lines().find(|line| line.trim().starts_with("callgate call")).unwrap();
    let words: Vec<&str> = example.split_whitespace().skip(1).chain(["--dry-run"]).collect();
    callgate(&words).exits(0).prints("\"kind\":\"card\"");
}

/// A folder with a configuration that edits an operation and a function.
fn edited() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let spec = root().join("fixtures/pets/spec.yaml");
    let text = format!(
        "toolsets:\n  pets:\n    openapi: {}\n    server: https://a.example\n    auth: none\n    functions: [{{name: open_page, input: {{type: object, \
         properties: {{page: {{type: string}}, tab: {{type: integer}}}}}}}}]\n    tools: {{edit: {{getPet: {{name: show_pet, description: Shows a pet.}}, \
         open_page: {{hide: [tab]}}}}}}\n",
        spec.display()
    );
    write(&folder, "callgate.yaml", text);
    folder
}

#[test]
fn the_page_and_the_json_of_a_tool_and_check_show_edits() {
    let folder = edited();
    let file = folder.path().join("callgate.yaml");
    let file = file.to_str().unwrap();
    let page = callgate(&["tools", file, "pets-show_pet"]).exits(0);
    let page =
        page.prints("Changed by the configuration (name, description); without it: pets-getPet\n");
    page.prints("Shows a pet.");
    let page = callgate(&["tools", file, "pets-open_page"]).exits(0);
    page.prints("Changed by the configuration (hide)\n");
    let page = callgate(&["tools", file, "pets-listPets"]).exits(0);
    assert!(!page.out.contains("Changed by"), "{page:#?}");

    let tools = callgate(&["tools", file, "--json"]).exits(0).json();
    let edited = |name: &str| {
        let all = tools.as_array().unwrap();
        all.iter().find(|tool| tool["name"] == name).unwrap().get("edited").cloned()
    };
    let changes = json!({"formerName": "pets-getPet", "changes": ["name", "description"]});
    assert_eq!(edited("pets-show_pet"), Some(changes));
    let changes = json!({"formerName": "pets-open_page", "changes": ["hide"]});
    assert_eq!(edited("pets-open_page"), Some(changes));
    assert_eq!(edited("pets-listPets"), None);

    let checked = callgate(&["check", file]).exits(1);
    checked.prints("refused, 1 edited; ").prints("callgate.yaml: 1 function edited\n");
    let checked = callgate(&["check", file, "--json"]).exits(1).json();
    let edit = &checked["documents"][0]["edited"][0];
    assert_eq!(edit["operation"], "GET /pets/{petId}", "{edit}");
    let [tool, former] = ["tool", "formerName"].map(|name| edit[name].as_str().unwrap());
    assert_eq!([tool, former], ["pets-show_pet", "pets-getPet"]);
    let expected =
        json!([{"tool": "pets-open_page", "formerName": "pets-open_page", "changes": ["hide"]}]);
    assert_eq!(checked["editedFunctions"], expected);
}

#[test]
fn a_header_that_the_example_of_a_page_leaves_out_is_named() {
    let file = "fixtures/pets/spec.yaml";
    let page =
        callgate(&["tools", file, "getPet", "-H", "X-Tenant: canary", "-H", "X-Key: env:KEY"]);
    let page = page.exits(0).prints("-H 'X-Key: env:KEY'");
    assert!(!page.out.contains("canary"), "{page:#?}");
    page.prints("(`-H X-Tenant` is left out, because its value may be a secret: add it)");
}
