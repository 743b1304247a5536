//! Exports of others: a version in Secret Manager goes only to a server that the operator wrote, and a connection is asked only if the
//! operator wrote that it may be.

use super::*;

const CASES: &str = r#"{"displayName": "cases", "connectorSpec": {"name": "projects/p/locations/l/connections/c",
    "actions": [{"entityOperation": {"entityId": "Case", "operation": "LIST"}}]}}"#;
const VERSION: &str = "projects/p/secrets/s/versions/1";

/// An export whose tool `a` has this authentication, and whose tool `cases` is one of a connection.
fn export(trial: &Trial, authentication: &str) {
    let tool = format!(
        r#"{{"displayName": "a", "openApiSpec": {{"authentication": {{{authentication}}}}}}}"#
    );
    let spec =
        SPEC.replace("paths:", &trial.filled("servers: [{url: 'https://127.0.0.1:PORT'}]\npaths:"));
    trial.write("export/agent.json", "{}").write("export/tools/a/a.json", &tool);
    trial.write("export/tools/a/schema.yaml", &spec);
    trial.write("export/tools/cases/cases.json", CASES);
}

/// The ways in which an export names a version as its credential.
fn authentications(trial: &Trial) -> Vec<String> {
    let texts = [
        r#""apiKeyConfig": {"keyName": "k", "requestLocation": "HEADER", "secretVersionForApiKey": "VERSION"}"#,
        r#""bearerTokenConfig": {"secretVersionForToken": "VERSION"}"#,
        r#""oauthConfig": {"oauthGrantType": "CLIENT_CREDENTIAL", "clientId": "c", "secretVersionForClientSecret": "VERSION", "tokenEndpoint": "https://127.0.0.1:PORT/t"}"#,
    ];
    texts.map(|text| trial.filled(&text.replace("VERSION", VERSION))).into()
}

#[test]
fn a_version_that_an_export_names_is_read_only_for_a_server_of_the_operator() {
    let n_kinds = authentications(&Trial::new()).len();
    for kind in 0..n_kinds {
        let trial = Trial::new();
        export(&trial, &authentications(&trial)[kind]);
        let text = |more: &str| {
            trial.filled(&format!(
                "secrets: {{gcp: {{account: default}}}}\ntoolsets: {{a: {{dialogflow_tool: export/tools/a, egress: {{allow: [127.0.0.0/8]}}{more}}}}}\n"
            ))
        };
        trial.write("callgate.yaml", &text(""));
        for line in ["check callgate.yaml", "tools callgate.yaml"] {
            let ended = trial.is_without_effect(&line.split(' ').collect::<Vec<_>>());
            ended.says("write the address of the service as `server:`");
        }
        let call = ["call", "callgate.yaml", "a-a"];
        trial
            .is_without_effect(&call)
            .exits(1)
            .says("which goes only to a server that the operator writes as `server`");
        // A private endpoint of the export would be dialled in the place of the server.
        trial.write("callgate.yaml", &text(", server: 'https://127.0.0.1:PORT'"));
        let ended = trial.run(&call).exits(1);
        assert!(!ended.err.contains("write the address of the service"), "{ended:#?}");
        assert!(trial.n_connections() > 0, "{ended:#?}");
    }
}

#[test]
fn a_client_secret_of_an_export_goes_to_no_token_endpoint_of_it() {
    let trial = Trial::new();
    export(&trial, &authentications(&trial)[2]);
    let text = "secrets: {gcp: {account: default}}\ntoolsets: {a: {dialogflow_tool: export/tools/a, server: 'https://a.example'}}\n";
    trial.write("callgate.yaml", text);
    for line in ["check callgate.yaml", "call callgate.yaml a-a"] {
        let ended = trial.is_without_effect(&line.split(' ').collect::<Vec<_>>());
        ended.says("list the origin of the token endpoint under `credential_origins`");
    }
}

#[test]
fn a_test_reads_no_version_that_an_export_names() {
    let n_kinds = authentications(&Trial::new()).len();
    for kind in 0..n_kinds {
        let trial = Trial::new();
        export(&trial, &authentications(&trial)[kind]);
        let settings = "dialogflow_tool: tools/a\nserver: https://127.0.0.1:PORT\negress: {allow: [127.0.0.0/8]}\n";
        trial.write("export/toolset.yaml", &trial.filled(settings));
        trial.write("export/cases/one/call.json", r#"{"tool": "a", "arguments": {}}"#);
        trial.write("export/cases/one/response.http", "HTTP/1.1 200 OK\n\n");
        for line in [&["test", "export"][..], &["test", "export", "--update"]] {
            trial.is_without_effect(line);
        }
    }
}

#[test]
fn no_connection_of_an_export_gets_a_request_unless_the_operator_wrote_so() {
    let lines = ["check callgate.yaml", "tools callgate.yaml", "call callgate.yaml crm-Case-list"];
    for (more, is_asked) in [
        ("", false),
        (", auth: {google_access_token: {}}", false),
        (", server: 'https://127.0.0.1:PORT', egress: {allow: [127.0.0.0/8]}", true),
        (", connection: projects/p/locations/l/connections/c", true),
    ] {
        let trial = Trial::new();
        export(&trial, "");
        let text = format!("toolsets: {{crm: {{dialogflow_tool: export/tools/cases{more}}}}}\n");
        trial.write("callgate.yaml", &trial.filled(&text));
        for line in lines.map(|line| line.split(' ').collect::<Vec<_>>()) {
            if is_asked {
                trial.run(&line);
                continue;
            }
            trial
                .is_without_effect(&line)
                .says("write `server: https://connectors.googleapis.com`");
        }
        assert_eq!(trial.n_connections() > 0, is_asked, "{more}");
        if !is_asked {
            trial
                .run(&lines[2].split(' ').collect::<Vec<_>>())
                .exits(1)
                .says("an export names the connection");
        }
    }
}

#[test]
fn an_import_writes_down_no_version_and_keeps_tools_of_connections() {
    let n_kinds = authentications(&Trial::new()).len();
    for kind in 0..n_kinds {
        let trial = Trial::new();
        let authentication = authentications(&trial)[kind].replace("127.0.0.1:PORT", "a.example");
        // The rule for token endpoints of exports comes before.
        let authentication =
            authentication.replace(&format!("127.0.0.1:{}", trial.port()), "a.example");
        export(&trial, &authentication);
        let ended = trial.is_without_effect(&["import", "export", "--out", "out"]).exits(0);
        let ended = ended.prints("2 toolsets");
        let ended = ended.says("goes only to a server that you write: write `server:`");
        let ended = ended.says(&format!("`gcp:{VERSION}` in the place of `file:secret-1`"));
        ended.says("an import asks nothing: `projects/p/locations/l/connections/c`");
        for (file, bytes) in own_files(&trial.folder.path().join("out")) {
            assert!(!String::from_utf8(bytes).unwrap().contains(VERSION), "{file}");
        }
        trial.is_without_effect(&["test", "out"]).exits(0);
        let text = fs::read_to_string(trial.folder.path().join("out/callgate.yaml")).unwrap();
        assert!(text.contains("file:secret-1"), "{text}");
        assert!(text.contains("connection: projects/p"), "{text}");
        fs::remove_dir_all(trial.folder.path().join("export/tools/cases")).unwrap();
        let spec = SPEC.replace("paths:", "servers: [{url: 'https://a.example'}]\npaths:");
        trial.write("export/tools/a/schema.yaml", &spec);
        trial.is_without_effect(&["import", "export", "--out", "without"]).exits(0);
        trial.is_without_effect(&["call", "without", "a-a"]).says("secret-1");
    }
}
