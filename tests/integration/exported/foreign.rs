//! What an export of a stranger cannot do: name a secret, a file outside of it, or a token endpoint in this network.

use super::*;

/// A text of an export is data, whatever it begins with: the token endpoint gets it as it is written.
#[tokio::test]
async fn no_text_of_an_export_is_a_reference_to_a_secret() {
    let provider = Provider::start().await;
    provider.behave(|provider, _| provider.issue(json!(3600)));
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(&file, "canary").unwrap();
    let file = format!("file:{}", file.path().display());
    for text in ["env:CARGO_MANIFEST_DIR", &*file, "literal:a", "projects/p/secrets/s/versions/1"] {
        let oauth = json!({"oauthConfig": {"oauthGrantType": "CLIENT_CREDENTIAL", "clientId": text,
            "clientSecret": text, "tokenEndpoint": provider.url("/token"), "scopes": [text]}});
        let settings =
            json!({"dialogflow_tool": "agent/tools/pets", "server": provider.url("/v1")});
        let built = open(&dialogflow(&oauth), &settings).unwrap();
        let outcome = call(&built).await;
        assert!(matches!(outcome, Outcome::Answered(_)), "{text}: {outcome:?}");
        let asked = provider.last();
        assert_eq!(client(&asked), (text.to_owned(), text.to_owned()));
        assert_eq!(asked.form["scope"], text);
    }
    for text in ["env:CARGO_MANIFEST_DIR", &*file] {
        let key = json!({"apiKeyConfig": {"keyName": "X-Key", "requestLocation": "HEADER", "apiKey": text}});
        assert_eq!(arrived(&dialogflow(&key), "dialogflow_tool", json!({}), "x-key").await, text);
        let named = json!({"dialogflow_tool": "agent/tools/pets"});
        let oauth = json!({"oauthConfig": {"oauthGrantType": "CLIENT_CREDENTIAL", "clientId": "a",
            "clientSecret": "b", "tokenEndpoint": text}});
        check_fault(&dialogflow(&oauth), &named, "import-invalid", "expected an address");
        let schema = SCHEMA.replace("https://a.example", "$env_var");
        let files = ces(&schema, &json!({"openApiToolset": {"url": text}}));
        let named = json!({"ces_toolset": "app/toolsets/pets"});
        check_fault(&files, &named, "import-invalid", "expected an address");
    }
}

/// The operator's own variable is looked up, but a finding shows its name: the value may be a secret by mistake.
#[test]
fn a_setting_that_is_no_address_is_named_by_its_variable() {
    let value = env!("CARGO_MANIFEST_DIR");
    let text = "env:CARGO_MANIFEST_DIR";
    let url = json!({"server": "https://a.example/{v}", "server_variables": {"v": text}});
    let port = json!({"server": "https://a.example:{v}", "server_variables": {"v": text}});
    for settings in [json!({"server": text}), port, url] {
        let mut settings = settings;
        settings["dialogflow_tool"] = "agent/tools/pets".into();
        let shown = match open(&dialogflow(&json!({})), &settings) {
            Ok(built) => format!("{:?}{:?}", built.warnings, built.toolsets[0].report.diagnostics),
            Err(error) => format!("{error} {:?}", error.findings()),
        };
        assert!(!shown.contains(value), "{settings}: {shown}");
    }
    let settings = json!({"dialogflow_tool": "agent/tools/pets", "server": text});
    let error = open(&dialogflow(&json!({})), &settings).unwrap_err().to_string();
    assert!(error.contains("$CARGO_MANIFEST_DIR"), "{error}");
}

/// As one that a description names: public https, unless the operator vouches for it.
#[tokio::test]
async fn the_token_endpoint_of_an_export_is_public_https_or_vouched_for() {
    let (provider, server) = (Provider::start().await, Server::start().await);
    provider.behave(|provider, _| provider.issue(json!(3600)));
    let oauth = json!({"oauthConfig": {"oauthGrantType": "CLIENT_CREDENTIAL", "clientId": "a",
        "clientSecret": "canary-s", "tokenEndpoint": provider.url("/token")}});
    let named = json!({"dialogflow_tool": "agent/tools/pets", "server": server.url("")});
    let built = open(&dialogflow(&oauth), &named).unwrap();
    let said = |known: &Finding| known.message.contains("expected a token endpoint");
    assert!(built.warnings.iter().any(said), "{:?}", built.warnings);
    let Outcome::Failed(fault) = call(&built).await else { panic!("it was called") };
    assert_eq!((fault.code, fault.reached), (FaultCode::AuthFailed, Reached::No));
    assert_eq!((provider.n_asked(), server.total()), (0, 0));
    for allowed in [
        json!({"credential_origins": [provider.url("")]}),
        json!({"egress": {"allow": ["127.0.0.1"]}}),
    ] {
        let mut settings = named.clone();
        let (key, value) = allowed.as_object().unwrap().iter().next().unwrap();
        settings.as_object_mut().unwrap().insert(key.clone(), value.clone());
        let built = open(&dialogflow(&oauth), &settings).unwrap();
        assert!(!built.warnings.iter().any(said), "{:?}", built.warnings);
        let before = provider.n_asked();
        drop(call(&built).await);
        assert_eq!(provider.n_asked(), before + 1, "{key}");
    }
}

/// Each file of an export as a link out of it.
#[cfg(unix)]
#[test]
fn no_file_of_an_export_is_a_link_out_of_it() {
    use std::os::unix::fs::symlink;

    let spec = json!({"authentication": key()});
    let cx = || {
        vec![
            ("agent/tools/pets/pets.json", json!({"openApiSpec": spec}).to_string()),
            ("agent/tools/pets/schema.yaml", SCHEMA.to_owned()),
            ("agent/agent.json", json!({"displayName": "Agent"}).to_string()),
        ]
    };
    let own = ("dialogflow_tool", "agent/tools/pets");
    let app = ("ces_toolset", "app/toolsets/pets");
    let schema = "app/toolsets/pets/open_api_toolset/open_api_schema.yaml";
    let rows = [
        (own, cx(), "agent/tools/pets/pets.json"),
        (own, cx(), "agent/tools/pets/schema.yaml"),
        (own, cx(), "agent/agent.json"),
        (app, ces(SCHEMA, &json!({})), "app/toolsets/pets/pets.json"),
        (app, ces(SCHEMA, &json!({})), schema),
        (app, ces(SCHEMA, &json!({})), "app/toolsets/pets/open_api_toolset"),
        (app, ces(SCHEMA, &json!({})), "app/environment.json"),
    ];
    for ((key, path), files, linked) in rows {
        let files: Vec<_> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
        let folder = temporary_folder(&files);
        let toolset = json!({"server": "https://a.example", key: path});
        let config = folder.path().join("callgate.json");
        fs::write(&config, json!({"toolsets": {"pets": toolset}}).to_string()).unwrap();
        let load = || build(&loader().file(&config)?);
        load().unwrap_or_else(|error| panic!("{linked}: {error}"));
        let outside = folder.path().join("outside");
        fs::rename(folder.path().join(linked), &outside).unwrap();
        symlink(&outside, folder.path().join(linked)).unwrap();
        let error = load().unwrap_err().to_string();
        assert!(error.contains("a link that leads out of it"), "{linked}: {error}");
    }
}
