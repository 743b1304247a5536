//! The lines for the file of a host: every flag, absolute paths, and the variables that the command reads.

use crate::prelude::*;

const PETS: &str = "fixtures/pets/spec.yaml";

fn printed(file: &str, flags: &[&str]) -> Value {
    let arguments = [&["mcp", file, "--print-config", "claude"], flags].concat();
    let servers = callgate(&arguments).exits(0).json()["mcpServers"].clone();
    servers.as_object().unwrap().iter().next().unwrap().1.clone()
}

#[test]
fn print_config_keeps_every_flag_with_absolute_files() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    let file = |name: &str| write_file(&folder, name, "{}").display().to_string();
    let [session, overlay, key, ca] = ["session.json", "overlay.yaml", "key", "ca.pem"].map(file);
    let key = format!("file:{key}");
    let root = callgate_root();
    for (flags, variables) in [
        (vec!["--server", "https://a.example/v1"], vec![]),
        (vec!["--overlay", &overlay, "--overlay", &overlay], vec![]),
        (vec!["--bearer", "env:TOKEN"], vec!["TOKEN"]),
        (vec!["--bearer", &key], vec![]),
        (vec!["--bearer", "$session.credentials.token"], vec![]),
        (vec!["--api-key", "env:KEY"], vec!["KEY"]),
        (vec!["--api-key", &key], vec![]),
        (vec!["--basic", "me:env:PASSWORD"], vec!["PASSWORD"]),
        (vec!["--ca", &ca], vec![]),
        (vec!["--egress-allow", "10.0.0.0/8"], vec![]),
        (vec!["--header", "X-Key: env:H", "--header", "X-A: b"], vec!["H"]),
        (vec!["--timeout", "90s", "--limits", "response_bytes=8MiB"], vec![]),
    ] {
        let server = printed(PETS, &flags);
        let description = root.join(PETS).display().to_string();
        let expected = [vec!["mcp", &description], flags].concat();
        assert_eq!(server["args"], json!(expected));
        let found = server["env"]
            .as_object()
            .map(|env| env.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>());
        assert_eq!(found.unwrap_or_default(), variables, "{server}");
    }
    let server = printed(PETS, &["--session", &session]);
    assert_eq!(server["args"].as_array().unwrap().last().unwrap(), session.as_str());
}

#[test]
fn print_config_makes_relative_files_absolute() {
    let root = callgate_root();
    let config = root.join("config/full.yaml").display().to_string();
    let reference = format!("file:{config}");
    for (flags, expected) in [
        (["--overlay", "config/full.yaml"], config.clone()),
        (["--ca", "config/full.yaml"], config.clone()),
        (["--bearer", "file:config/full.yaml"], reference.clone()),
        (["--api-key", "file:config/full.yaml"], reference.clone()),
        (["--basic", "me:file:config/full.yaml"], format!("me:{reference}")),
        (["-H", "X-Key: file:config/full.yaml"], format!("X-Key: {reference}")),
    ] {
        let server = printed(PETS, &flags);
        assert_eq!(server["args"].as_array().unwrap().last().unwrap(), expected.as_str());
    }
    let missing = ["mcp", PETS, "--print-config", "claude", "--overlay", "missing.yaml"];
    callgate(&missing).exits(2).says("missing.yaml");
}

#[test]
fn the_variables_of_a_configuration_are_listed_in_the_env_block() {
    let text = "toolsets:\n  a:\n    openapi: api.yaml\n    server: env:SERVER\n    headers: { X-Key: 'env:KEY' }\n    \
                auth: { bearer: { token: 'env:TOKEN' } }\n";
    let (_folder, file) = folder_with("callgate.yaml", text);
    let server = printed(file, &[]);
    assert_eq!(server["env"], json!({"KEY": "…", "SERVER": "…", "TOKEN": "…"}));
    fs::write(file, "openapi: 3.0.3\ninfo: { title: 'env:TITLE', version: '1' }\npaths: {}\n")
        .unwrap();
    assert_eq!(printed(file, &[]).get("env"), None, "a description has none");
}

#[test]
fn the_variable_of_every_reference_is_in_the_env_block() {
    let folder = tempfile::tempdir().unwrap();
    for (place, name) in [
        ("credentials: { key: { bearer: { token: 'env:A' } } }", "A"),
        (
            "credentials: { key: { oauth2_client_credentials: { client_id: me, client_secret: 'env:B' } } }",
            "B",
        ),
        ("headers: { X-Key: 'env:C' }", "C"),
        ("tls: { client_certificate: cert.pem, client_key: 'env:D' }", "D"),
        ("auth: { basic: { username: 'env:E', password: 'env:E' } }", "E"),
    ] {
        let text = format!("toolsets:\n  a:\n    openapi: api.yaml\n    {place}\n");
        let file = write(&folder, "callgate.yaml", text);
        assert_eq!(printed(file, &[])["env"], json!({(name): "…"}), "{place}");
    }
    for (place, name) in [
        ("secrets: { vault: { address: 'https://v', token: 'env:F' } }", "F"),
        ("tls: { client_certificate: cert.pem, client_key: 'env:G' }", "G"),
        ("audit: { file: calls.jsonl, key: 'env:H' }", "H"),
    ] {
        let text = format!("toolsets: {{ a: {{ openapi: api.yaml }} }}\n{place}\n");
        let file = write(&folder, "callgate.yaml", text);
        assert_eq!(printed(file, &[])["env"], json!({(name): "…"}), "{place}");
    }
}

#[test]
fn the_variables_of_a_session_file_are_in_the_env_block() {
    let text = r#"{"parameters": {"a": "env:VALUE"}, "credentials": {"me": "env:TOKEN"}}"#;
    let (_folder, file) = folder_with("session.json", text);
    let server = printed(PETS, &["--session", file]);
    assert_eq!(server["env"], json!({"TOKEN": "…"}));
}

/// The repository's root, in which the command runs.
fn callgate_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}
