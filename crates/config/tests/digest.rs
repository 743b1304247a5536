//! The digest of a configuration depends on each text that decides which tools are served and where their calls go.

#![cfg(test)]

use std::{fs, path::Path};

use callgate_config::{Config, ConfigDigest, Environment};
use callgate_testkit::temporary_folder;

const FILES: [(&str, &str); 5] = [
    (
        "callgate.yaml",
        "toolsets: {pets: {openapi: pets.yaml, overlays: [overlay.yaml], server: 'https://pets.example'}}",
    ),
    (
        "pets.yaml",
        "openapi: 3.1.0\ninfo: {title: Pets, version: '1'}\npaths: {/pets: {get: {operationId: listPets, parameters: [{$ref: 'parts.yaml#/limit'}], responses: {'200': {description: ok}}}}}",
    ),
    ("parts.yaml", "limit: {name: limit, in: query, schema: {type: integer}}"),
    (
        "overlay.yaml",
        "overlay: 1.0.0\ninfo: {title: Ours, version: '1'}\nactions: [{target: $.info, update: {title: Ours}}]",
    ),
    ("other.yaml", "no part of the configuration"),
];

async fn digest(folder: &Path) -> ConfigDigest {
    let config = Config::from_file(folder.join("callgate.yaml")).unwrap();
    config.build(&Environment::new(), None).await.unwrap().digest()
}

#[tokio::test]
async fn the_digest_changes_with_each_file_that_is_read_and_with_no_other() {
    let folder = temporary_folder(&FILES);
    let first = digest(folder.path()).await;
    for (name, text) in FILES {
        let file = folder.path().join(name);
        // A comment of a configuration decides nothing.
        let more = if name == "callgate.yaml" { "calls: {in_flight: 7}" } else { "# changed" };
        fs::write(&file, format!("{text}\n{more}")).unwrap();
        assert_eq!(digest(folder.path()).await != first, name != "other.yaml", "{name}");
        fs::write(&file, text).unwrap();
        assert_eq!(digest(folder.path()).await, first, "{name}");
    }
}

#[tokio::test]
async fn sidecars_that_listen_at_other_addresses_serve_the_same() {
    let digest_of = async |addresses: &str| {
        let folder = temporary_folder(&FILES);
        let text = format!(
            "{addresses}toolsets: {{pets: {{openapi: pets.yaml, server: 'https://pets.example'}}}}\n"
        );
        fs::write(folder.path().join("callgate.yaml"), text).unwrap();
        digest(folder.path()).await
    };
    let first = digest_of("listen: 10.0.0.1:8410\nadmin: 10.0.0.1:8411\n").await;
    assert_eq!(digest_of("listen: 10.0.0.2:8410\nadmin: 10.0.0.2:8411\n").await, first);
    assert_ne!(digest_of("hosts: [other.example]\n").await, first);
}
