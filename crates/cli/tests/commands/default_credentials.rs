//! Application default credentials as a process finds them (AIP-4110): the file the environment names, then the one of
//! `gcloud`. The service sees a token that the account of that file signed.

use crate::prelude::*;

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use rcgen::{KeyPair, PKCS_RSA_SHA256};

/// Writes the file of an account that was never anybody's.
fn write_account(file: &Path, email: &str) {
    let pair = KeyPair::generate_for(&PKCS_RSA_SHA256).unwrap();
    let account = json!({
        "type": "service_account", "client_email": email, "private_key": pair.serialize_pem(),
        "private_key_id": "k1", "project_id": "p", "token_uri": "https://oauth2.googleapis.com/token",
    });
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, account.to_string()).unwrap();
}

/// Calls `getPet` with these variables instead of the environment's.
fn call(server: &Server, variables: &[(&str, &Path)]) -> Ended {
    let toolset = json!({
        "openapi": root().join("fixtures/pets/spec.yaml").to_str(), "server": server.url("/v1"),
        "auth": {"google_access_token": {"scopes": ["https://www.googleapis.com/auth/pubsub"]}},
    });
    let configuration = json!({"toolsets": {"pets": toolset}});
    let (_folder, file) = folder_with("callgate.json", configuration.to_string());
    let mut command = Command::new(env!("CARGO_BIN_EXE_callgate"));
    command.args(["call", file, "pets-getPet", "petId=7"]);
    for name in ["GOOGLE_APPLICATION_CREDENTIALS", "CLOUDSDK_CONFIG", "HOME", "APPDATA"] {
        command.env_remove(name);
    }
    Ended::of(command.envs(variables.iter().copied()))
}

/// Who signed the token of the last request.
fn issuer(server: &Server) -> Value {
    let requests = server.requests();
    let mut lines = requests.last().unwrap().lines();
    let token = lines.find_map(|line| line.strip_prefix("authorization: Bearer "));
    let claims = token.unwrap().split('.').nth(1).unwrap();
    let claims = BASE64_URL_SAFE_NO_PAD.decode(claims).unwrap();
    serde_json::from_slice::<Value>(&claims).unwrap()["iss"].clone()
}

#[test]
fn the_file_of_the_credentials_variable_precedes_that_of_gcloud() {
    let folder = tempfile::tempdir().unwrap();
    let named = folder.path().join("key.json");
    write_account(&named, "named@p.iam.gserviceaccount.com");
    let config = folder.path().join("gcloud");
    let usual = config.join("application_default_credentials.json");
    write_account(&usual, "usual@p.iam.gserviceaccount.com");
    let server = Server::start();
    let variables = [("GOOGLE_APPLICATION_CREDENTIALS", &*named), ("CLOUDSDK_CONFIG", &*config)];
    for (variables, expected) in [
        (&variables[..], "named@p.iam.gserviceaccount.com"),
        (&variables[1..], "usual@p.iam.gserviceaccount.com"),
    ] {
        call(&server, variables).exits(0);
        assert_eq!(issuer(&server), expected);
    }
}

#[test]
fn a_missing_file_of_the_credentials_variable_fails_the_call() {
    let server = Server::start();
    let file = Path::new("/nowhere/key.json");
    let ended = call(&server, &[("GOOGLE_APPLICATION_CREDENTIALS", file)]).exits(1);
    assert!(ended.err.contains("/nowhere/key.json"), "{ended:#?}");
    assert_eq!(server.requests(), Vec::<String>::new());
}
