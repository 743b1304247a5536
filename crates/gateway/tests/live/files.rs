//! Files that change, break, go and come back.

use crate::prelude::*;
use std::os::unix::fs::symlink;

use crate::sidecar::CONFIGURATION;

#[tokio::test]
async fn a_changed_description_is_served_and_its_changes_are_reported() {
    let sidecar = Sidecar::usual().await;
    sidecar.write("pets.yaml", &description(&["listPets", "getPet"]));
    let reload = sidecar.reloads(1).await;
    assert_eq!((&reload["cause"], &reload["outcome"]), (&json!("file"), &json!("replaced")));
    assert_eq!(changes(&reload), ["getPet: added"]);
    assert_eq!(reload["breaking"], false);
    assert_eq!(sidecar.tools().await, ["listPets", "getPet"]);
    let renamed =
        description(&["listPets", "getPet"]).replace("operationId: getPet", "operationId: showPet");
    sidecar.write("pets.yaml", &renamed);
    let reload = sidecar.reloads(2).await;
    assert_eq!(changes(&reload), ["showPet: renamed"]);
    assert_eq!(reload["breaking"], true);
}

#[tokio::test]
async fn responses_to_calls_have_the_digest_of_the_configuration_that_made_them() {
    let sidecar = Sidecar::usual().await;
    let first = sidecar.digest().await;
    assert_eq!((first.len(), sidecar.digest().await), (8, first.clone()));
    sidecar.write("pets.yaml", &description(&["listPets", "getPet"]));
    sidecar.reloads(1).await;
    assert_ne!(sidecar.digest().await, first);
    sidecar.write("pets.yaml", &description(&["listPets"]));
    sidecar.reloads(2).await;
    assert_eq!(sidecar.digest().await, first);
}

#[tokio::test]
async fn a_file_changed_before_watching_began_is_read_again() {
    let write = |folder: &Path| {
        fs::write(folder.join("callgate.yaml"), CONFIGURATION).unwrap();
        fs::write(folder.join("pets.yaml"), description(&["listPets"])).unwrap();
    };
    let change = |folder: &Path| {
        fs::write(folder.join("pets.yaml"), description(&["getPet"])).unwrap();
    };
    let sidecar = Sidecar::changed(write, change).await;
    assert_eq!(changes(&sidecar.reloads(1).await), ["getPet: added", "listPets: removed"]);
}

#[tokio::test]
async fn a_broken_file_keeps_the_last_valid_state_until_it_is_corrected() {
    let sidecar = Sidecar::usual().await;
    sidecar.write("callgate.yaml", "{broken: [");
    let reload = sidecar.reloads(1).await;
    assert_eq!(reload["outcome"], "refused");
    assert!(reload["faults"][0].as_str().unwrap().contains("callgate.yaml"), "{reload}");
    assert_eq!(sidecar.tools().await, ["listPets"]);
    sidecar.write("callgate.yaml", "");
    assert_eq!(sidecar.reloads(2).await["outcome"], "refused");
    sidecar.write("pets.yaml", "openapi: [");
    sidecar.write("callgate.yaml", CONFIGURATION);
    let reload = sidecar.reloads(3).await;
    assert!(reload["faults"][0].as_str().unwrap().contains("pets.yaml"), "{reload}");
    assert_eq!(sidecar.tools().await, ["listPets"]);
    sidecar.write("pets.yaml", &description(&["getPet"]));
    let reload = sidecar.reloads(4).await;
    assert_eq!(changes(&reload), ["getPet: added", "listPets: removed"]);
    assert_eq!(sidecar.get("/readyz").await, json!({"status": "ready"}));
}

#[tokio::test]
async fn a_removed_file_keeps_the_last_valid_state_until_it_is_restored() {
    let sidecar = Sidecar::usual().await;
    let file = sidecar.folder.path().join("pets.yaml");
    fs::remove_file(&file).unwrap();
    assert_eq!(sidecar.reloads(1).await["outcome"], "refused");
    assert_eq!(sidecar.tools().await, ["listPets"]);
    // As editors write: another file takes its place.
    sidecar.write("new.yaml", &description(&["getPet"]));
    fs::rename(sidecar.folder.path().join("new.yaml"), file).unwrap();
    assert_eq!(sidecar.reloads(2).await["outcome"], "replaced");
    assert_eq!(sidecar.tools().await, ["getPet"]);
}

#[tokio::test]
async fn a_swapped_symbolic_link_of_a_kubernetes_mount_reloads() {
    let version = |folder: &Path, name: &str, operation: &str| {
        fs::create_dir(folder.join(name)).unwrap();
        fs::write(folder.join(name).join("callgate.yaml"), CONFIGURATION).unwrap();
        fs::write(folder.join(name).join("pets.yaml"), description(&[operation])).unwrap();
    };
    let sidecar = Sidecar::with(|folder| {
        version(folder, "..1", "listPets");
        symlink("..1", folder.join("..data")).unwrap();
        symlink("..data/callgate.yaml", folder.join("callgate.yaml")).unwrap();
        symlink("..data/pets.yaml", folder.join("pets.yaml")).unwrap();
    })
    .await;
    let folder = sidecar.folder.path();
    for (number, operation) in [(2, "getPet"), (3, "addPet")] {
        version(folder, &format!("..{number}"), operation);
        symlink(format!("..{number}"), folder.join("..data_tmp")).unwrap();
        fs::rename(folder.join("..data_tmp"), folder.join("..data")).unwrap();
        fs::remove_dir_all(folder.join(format!("..{}", number - 1))).unwrap();
        assert_eq!(sidecar.reloads(number - 1).await["outcome"], "replaced");
        assert_eq!(sidecar.tools().await, [operation]);
    }
}

#[tokio::test]
async fn files_added_by_a_reload_are_watched() {
    let sidecar = Sidecar::usual().await;
    fs::create_dir(sidecar.folder.path().join("more")).unwrap();
    sidecar.write("callgate.yaml", &CONFIGURATION.replace("pets.yaml", "more/pets.yaml"));
    assert_eq!(sidecar.reloads(1).await["outcome"], "refused");
    sidecar.write("more/pets.yaml", &description(&["getPet"]));
    sidecar.reloads(2).await;
    assert_eq!(sidecar.tools().await, ["getPet"]);
}

#[tokio::test]
async fn a_reload_request_reloads_unwatched_files() {
    let unwatched = format!("reload: {{watch: false}}\n{CONFIGURATION}");
    let sidecar = Sidecar::with(|folder| {
        fs::write(folder.join("callgate.yaml"), &unwatched).unwrap();
        fs::write(folder.join("pets.yaml"), description(&["listPets"])).unwrap();
    })
    .await;
    sidecar.write("pets.yaml", &description(&["getPet"]));
    let reload = sidecar.post("/v1/admin/reload").await;
    assert_eq!((&reload["cause"], &reload["outcome"]), (&json!("request"), &json!("replaced")));
    assert_eq!(sidecar.tools().await, ["getPet"]);
    sidecar.write("callgate.yaml", "{broken: [");
    assert_eq!(sidecar.post("/v1/admin/reload").await["outcome"], "refused");
    sidecar.write("callgate.yaml", &unwatched);
    assert_eq!(sidecar.post("/v1/admin/reload").await["outcome"], "replaced");
}

#[tokio::test]
async fn a_setting_that_needs_a_restart_is_reported_until_it_is_reverted() {
    let sidecar = Sidecar::usual().await;
    let settings = "listen: 127.0.0.1:1\nadmin: 127.0.0.1:2\nlimits: {requests: 7}\nproxy: http://a.example:3128\nsessions: {most: 7}\n";
    sidecar.write("callgate.yaml", &format!("{settings}{CONFIGURATION}"));
    let reload = sidecar.reloads(1).await;
    let keys = json!(["listen", "admin", "limits", "proxy", "sessions"]);
    assert_eq!((&reload["outcome"], &reload["needsRestart"]), (&json!("replaced"), &keys));
    assert_eq!(sidecar.post("/v1/admin/reload").await["needsRestart"], keys);
    sidecar.write("callgate.yaml", CONFIGURATION);
    while sidecar.post("/v1/admin/reload").await["needsRestart"] != json!([]) {}
}
