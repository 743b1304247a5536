//! `callgate import`: whole exports become a configuration and fixtures that run, what is not there yet is listed, no secret
//! is written down, and nothing leaves the export or stays half done.

use crate::prelude::*;

use serde_json::json;
use zip::{ZipWriter, write::SimpleFileOptions};

/// Every file below a folder, by its name.
fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let name = |path: &Path| path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
    files(folder).iter().map(|path| (name(path), fs::read(path).unwrap())).collect()
}

fn names(files: &BTreeMap<String, Vec<u8>>) -> Vec<&str> {
    files.keys().map(String::as_str).collect()
}

/// A zip of these files.
fn zipped(file: &Path, files: &BTreeMap<String, Vec<u8>>, above: &str) {
    let mut zip = ZipWriter::new(fs::File::create(file).unwrap());
    for (name, bytes) in files {
        zip.start_file(format!("{above}{name}"), SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap();
}

/// An export of these files in a folder of its own, and what importing it comes to.
pub(super) fn imported(files: &[(&str, &str)]) -> (TempDir, Ended) {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        write(&folder, &format!("export/{name}"), text);
    }
    let ended = import(&folder.path().join("export"), &folder.path().join("out"));
    (folder, ended)
}

fn import(export: &Path, out: &Path) -> Ended {
    callgate(&["import", export.to_str().unwrap(), "--out", out.to_str().unwrap()])
}

/// The folder holds nothing but the export.
#[track_caller]
fn left_nothing(folder: &Path, expected: &[&str]) {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, expected);
}

#[test]
fn the_imports_of_an_app_and_an_agent_equal_the_expected_folders() {
    for (name, summary) in [("pets_agent", "4 toolsets"), ("shop", "3 toolsets")] {
        let folder = tempfile::tempdir().unwrap();
        let export = root().join("fixtures/exports").join(name);
        let expected = contents(&root().join("fixtures/imported").join(name));
        let out = folder.path().join("out");
        import(&export, &out).exits(0).prints(summary);
        let got = contents(&out);
        assert_eq!(names(&got), names(&expected));
        for (name, bytes) in &expected {
            let text = |bytes: &[u8]| String::from_utf8(bytes.to_owned()).unwrap();
            assert_eq!(text(&got[name]), text(bytes), "{name}");
        }
        callgate(&["check", out.to_str().unwrap()]).exits(0);
        callgate(&["test", out.to_str().unwrap()]).exits(0).prints(" 0 failed");
        // The same from a zip, whose files are in a folder, and into a folder that is empty.
        let file = folder.path().join("export.zip");
        zipped(&file, &contents(&export), "exported/");
        let out = folder.path().join("again");
        fs::create_dir(&out).unwrap();
        import(&file, &out).exits(0);
        assert!(contents(&out) == expected);
        left_nothing(folder.path(), &["again", "export.zip", "out"]);
    }
}

#[test]
fn unsupported_kinds_of_an_export_are_listed_and_the_rest_is_imported() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    import(&root().join("fixtures/exports/shop"), &out)
        .exits(0)
        .says("tools with `mcpToolset` are not there yet")
        .says("tools with `pythonFunction` are not there yet")
        .says("the example calls `summarize`, which is not taken over")
        .says("note[import-ignored]: members that mean nothing here are left out: `/reviewState`")
        .says("no step is needed: calls are not changed by it");
    let out = folder.path().join("agent");
    let ended = import(&root().join("fixtures/exports/pets_agent"), &out).exits(0);
    let ended = ended.says("`roles/discoveryengine.viewer`").says("1 webhooks are not taken over");
    ended.says("`code_interpreter: {}` runs the programs that the agent writes");
}

#[test]
fn imported_toolsets_offer_the_tools_of_agents_and_note_the_order_of_calls() {
    let folder = tempfile::tempdir().unwrap();
    let mut export = contents(&root().join("fixtures/exports/shop"));
    let mut replace = |name: &str, from: &str, to: &str| {
        let text = String::from_utf8(export[name].clone()).unwrap();
        assert!(text.contains(from), "{text}");
        export.insert(name.to_owned(), text.replace(from, to).into_bytes());
    };
    replace("app.json", "PARALLEL", "SEQUENTIAL");
    replace("agents/Shop assistant/Shop assistant.json", r#", "returnOrder""#, "");
    let (file, out) = (folder.path().join("export.zip"), folder.path().join("out"));
    zipped(&file, &export, "");
    import(&file, &out).exits(0).says("`toolExecutionMode`").says(r#""mode": "sequential""#);
    let tools = callgate(&["tools", out.to_str().unwrap()]).exits(0).out;
    assert!(tools.contains("getOrder") && !tools.contains("returnOrder"), "{tools}");
}

const SCHEMA: &str = "openapi: 3.0.0
info: {title: T, version: '1'}
servers: [{url: 'https://a.example'}]
paths: {/pets: {get: {operationId: listPets, summary: s}}}
";

fn tool(authentication: &str) -> String {
    format!(
        r#"{{"displayName": "pets", "openApiSpec": {{"authentication": {{{authentication}}}}}}}"#
    )
}

#[test]
fn no_secret_of_an_export_is_written_down() {
    let key =
        r#""apiKeyConfig": {"keyName": "k", "requestLocation": "HEADER", "apiKey": "canary"}"#;
    let oauth = r#""oauthConfig": {"oauthGrantType": "CLIENT_CREDENTIAL", "clientId": "id",
        "clientSecret": "canary", "tokenEndpoint": "https://idp.example/token"}"#;
    let bearer = r#""bearerTokenConfig": {"token": "canary"}"#;
    for authentication in [key, oauth, bearer] {
        let files = [
            ("agent.json", "{}"),
            ("tools/pets/pets.json", &*tool(authentication)),
            ("tools/pets/schema.yaml", SCHEMA),
        ];
        let (folder, ended) = imported(&files);
        let ended = ended.exits(0).says("write it into `secret-1` beside `callgate.yaml`");
        assert!(!ended.err.contains("canary") && !ended.out.contains("canary"), "{ended:#?}");
        for (name, bytes) in contents(&folder.path().join("out")) {
            assert!(!String::from_utf8(bytes).unwrap().contains("canary"), "{name}");
        }
        let configuration = fs::read_to_string(folder.path().join("out/callgate.yaml")).unwrap();
        assert!(configuration.contains("file:secret-1"), "{configuration}");
    }
}

#[test]
fn a_tool_that_cannot_be_called_as_exported_is_left_out() {
    let bad = r#"{"displayName": "bad", "openApiSpec": {"authentication": {"apiKeyConfig": {}}}}"#;
    let (folder, ended) = imported(&[
        ("agent.json", "{}"),
        ("tools/pets/pets.json", &tool("")),
        ("tools/pets/schema.yaml", SCHEMA),
        ("tools/bad/bad.json", bad),
        ("tools/bad/schema.yaml", SCHEMA),
        ("tools/bare/bare.json", &tool("")),
        ("tools/broken/broken.json", "{"),
    ]);
    let ended = ended.exits(1).prints("1 toolsets");
    let ended = ended.says("this tool is left out").says("broken.json");
    ended.says("with its schema, got none").exits(1);
    let configuration = fs::read_to_string(folder.path().join("out/callgate.yaml")).unwrap();
    assert!(configuration.contains("pets:") && !configuration.contains("bad:"), "{configuration}");
}

#[test]
fn import_overwrites_nothing_and_leaves_nothing_incomplete() {
    let folder = tempfile::tempdir().unwrap();
    let export = root().join("fixtures/exports/shop");
    let out = folder.path().join("out");
    fs::create_dir(&out).unwrap();
    fs::write(out.join("mine"), "mine").unwrap();
    import(&export, &out).exits(2).says("not an empty folder");
    import(&export, &out.join("mine")).exits(2).says("not an empty folder");
    assert_eq!(names(&contents(folder.path())), ["out/mine"]);
    import(&export, &folder.path().join("no/such/folder")).exits(2).says("cannot write");
}

#[test]
fn a_toolset_that_cannot_be_built_is_left_out() {
    let function = |name: &str, schema: &str| {
        format!(r#"{{"displayName": "{name}", "functionSpec": {{"inputSchema": {schema}}}}}"#)
    };
    let of_texts = function("of_texts", r#"{"type": "string"}"#);
    let (folder, ended) = imported(&[("agent.json", "{}"), ("tools/a/a.json", &of_texts)]);
    ended.exits(2).says("expected a schema of objects").says("has no tool that can be taken over");
    left_nothing(folder.path(), &["export"]);
    let toolset = |name: &str| {
        let schema = format!("toolsets/{name}/s.yaml");
        json!({"displayName": name, "openApiToolset": {"openApiSchema": schema}}).to_string()
    };
    let schema = SCHEMA.replace("https://a.example", "$env_var");
    let environment = json!({"toolsets": {"bad": {"openApiToolset": {"url": "no address"}}}});
    let (folder, ended) = imported(&[
        ("app.json", "{}"),
        ("environment.json", &environment.to_string()),
        ("toolsets/bad/bad.json", &toolset("bad")),
        ("toolsets/bad/s.yaml", &schema),
        ("toolsets/pets/pets.json", &toolset("pets")),
        ("toolsets/pets/s.yaml", SCHEMA),
    ]);
    ended.exits(1).says("this tool is left out").prints("1 toolsets");
    assert!(!folder.path().join("out/bad").exists());
    callgate(&["test", folder.path().join("out").to_str().unwrap()]).exits(0);
}

#[test]
fn import_accepts_unreadable_descriptions_and_check_reports_them() {
    let (folder, ended) = imported(&[
        ("agent.json", "{}"),
        ("tools/pets/pets.json", &tool("")),
        ("tools/pets/schema.yaml", "openapi: ["),
    ]);
    ended.exits(0);
    callgate(&["check", folder.path().join("out").to_str().unwrap()]).exits(1);
}

#[test]
fn imported_names_become_legal_and_unique() {
    let named = |name: &str| format!(r#"{{"displayName": "{name}", "openApiSpec": {{}}}}"#);
    let function = |name: &str| format!(r#"{{"displayName": "{name}", "functionSpec": {{}}}}"#);
    let (folder, ended) = imported(&[
        ("agent.json", "{}"),
        ("tools/1/1.json", &named("24/7 pets")),
        ("tools/1/schema.yaml", SCHEMA),
        ("tools/2/2.json", &named("24_7_Pets")),
        ("tools/2/schema.yaml", SCHEMA),
        ("tools/3/3.json", &named("client")),
        ("tools/3/schema.yaml", SCHEMA),
        ("tools/4/4.json", &function("open page")),
        ("tools/5/5.json", &function("open_page")),
    ]);
    ended.exits(0).says("the name of the function is that of another one").prints("4 toolsets");
    let out = folder.path().join("out");
    let told = callgate(&["tools", out.to_str().unwrap(), "--dialect", "json"]).exits(0).json();
    let names: Vec<_> = told.as_array().unwrap().iter().map(|tool| tool["name"].clone()).collect();
    let expected =
        ["_24_7_Pets_2-listPets", "_24_7_pets-listPets", "client_2-listPets", "open_page"];
    let mut names: Vec<_> = names.iter().map(|name| name.as_str().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(names, expected);
}

#[test]
fn an_app_in_yaml_is_imported_without_tools_that_lack_a_value() {
    let toolset =
        "displayName: pets\nopenApiToolset: {openApiSchema: toolsets/pets/s.yaml, url: $env_var}\n";
    let schema = SCHEMA.replace("https://a.example", "$env_var");
    let base = [
        ("app.yaml", "displayName: App"),
        ("toolsets/pets/pets.yaml", toolset),
        ("toolsets/pets/s.yaml", &*schema),
    ];
    let (_folder, ended) = imported(&base);
    ended.exits(2).says("expected a value of `environment.json` in place of `$env_var`");
    let environment = r#"{"toolsets": {"pets": {"openApiToolset": {"url": "https://b.example"}}}}"#;
    let (folder, ended) = imported(&[&base[..], &[("environment.json", environment)]].concat());
    ended.exits(0);
    let configuration = fs::read_to_string(folder.path().join("out/callgate.yaml")).unwrap();
    assert!(configuration.contains("server: https://b.example"), "{configuration}");
}

#[test]
fn tools_and_examples_are_imported_within_bounds() {
    let mut files = vec![
        ("agent.json".to_owned(), "{}".to_owned()),
        ("tools/a/a.json".to_owned(), r#"{"displayName": "a", "functionSpec": {}}"#.to_owned()),
    ];
    // Many examples of many calls, and tools that are all called the same.
    let used = r#"{"toolUse": {"tool": "a", "action": "a"}},"#.repeat(5_000);
    let example = format!(r#"{{"actions": [{}]}}"#, used.trim_end_matches(','));
    files.extend((0..3).map(|at| (format!("playbooks/p/examples/{at}.json"), example.clone())));
    let same = r#"{"displayName": "same", "extensionSpec": {}}"#;
    files.extend((0..2_000).map(|at| (format!("tools/x{at}/x{at}.json"), same.to_owned())));
    let files: Vec<_> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let (_folder, ended) = imported(&files);
    let ended = ended.exits(0).prints("1 toolsets and 600 calls of examples");
    ended.says("only the first 1000 tools are taken over").exits(0);
}

/// The output of importing a zip of these entries.
fn refused(entries: &[(&str, &[u8])], links: &[(&str, &str)]) -> Ended {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("export.zip");
    let mut zip = ZipWriter::new(fs::File::create(&file).unwrap());
    for (name, bytes) in entries {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
    }
    for (name, target) in links {
        zip.add_symlink(*name, *target, SimpleFileOptions::default()).unwrap();
    }
    zip.finish().unwrap();
    let ended = import(&file, &folder.path().join("out")).exits(2);
    left_nothing(folder.path(), &["export.zip"]);
    ended
}

#[test]
fn an_archive_with_paths_or_links_outside_itself_is_refused() {
    let own: (&str, &[u8]) = ("agent.json", b"{}");
    for name in
        ["../evil.json", "/etc/evil.json", "tools/../../evil.json", "C:/evil.json", "a\\..\\evil"]
    {
        refused(&[own, (name, b"{}")], &[]).says("expected names of files in the export");
    }
    refused(&[own], &[("tools/a/schema.yaml", "/etc/passwd")]).says("got a link");
    refused(&[("other.json", b"{}")], &[]).says("expected `agent.json` or `app.json`");
    refused(&[("a/agent.json", b"{}"), ("b/agent.json", b"{}")], &[]).says("got neither");
}

#[test]
fn an_archive_is_read_within_bounds() {
    let own: (&str, &[u8]) = ("agent.json", b"{}");
    let large = vec![b' '; (64 << 20) + 1];
    refused(&[own, ("tools/a/a.json", &large)], &[]).says("which is the bound");
    let half = vec![b' '; 50 << 20];
    let halves: [(&str, &[u8]); 3] =
        [("tools/a/a.json", &half), ("tools/b/b.json", &half), ("tools/c/c.json", &half)];
    refused(&[&[own], &halves[..]].concat(), &[]).says("which is the bound");
    let many: Vec<_> = (0..20_001).map(|at| format!("tools/{at}")).collect();
    let many: Vec<_> = many.iter().map(|name| (name.as_str(), &b""[..])).collect();
    refused(&many, &[]).says("at most 20000 files");
}

#[test]
fn a_file_that_is_no_export_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let file = write_file(folder.path(), "spec.yaml", "openapi: 3.0.0");
    import(&file, &out).exits(2).says("expected the folder of an export, or a zip of it");
    fs::write(&file, "PK\x03\x04 and no more").unwrap();
    import(&file, &out).exits(2).says("cannot read");
    import(&folder.path().join("none"), &out).exits(2).says("cannot read");
    import(folder.path(), &out).exits(2).says("expected `agent.json` or `app.json`");
}

#[cfg(unix)]
#[test]
fn links_in_a_folder_are_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    let tool = folder.path().join("tools/pets");
    fs::create_dir_all(&tool).unwrap();
    write(&folder, "agent.json", "{}");
    let link: PathBuf = tool.join("pets.json");
    std::os::unix::fs::symlink("/etc/passwd", link).unwrap();
    import(folder.path(), &folder.path().join("out")).exits(2).says("got a link");
}

#[test]
fn a_schema_outside_the_app_is_not_read() {
    let toolset = |schema: &str| {
        format!(r#"{{"displayName": "t", "openApiToolset": {{"openApiSchema": "{schema}"}}}}"#)
    };
    for schema in ["/etc/spec.yaml", "../spec.yaml", "toolsets/../../spec.yaml"] {
        let files = [("app.json", "{}"), ("toolsets/t/t.json", &*toolset(schema))];
        let (_folder, ended) = imported(&files);
        let ended = ended.exits(2).says("expected a file `");
        ended.says("has no tool that can be taken over");
    }
}
