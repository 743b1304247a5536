//! Tests grants in a folder: which are kept, who may read them, and who waits for a lock.

use super::*;

fn folder() -> (tempfile::TempDir, GrantFolder) {
    let kept = tempfile::tempdir().unwrap();
    let grants = GrantFolder::new(kept.path().join("state/callgate"));
    (kept, grants)
}

async fn text(grants: &GrantFolder) -> Option<String> {
    grants.get("a").await.unwrap().map(|grant| grant.expose().to_owned())
}

#[tokio::test]
async fn a_grant_is_stored_replaced_and_removed() {
    let (_kept, grants) = folder();
    assert_eq!(text(&grants).await, None);
    assert!(!grants.remove("a").await.unwrap());
    for grant in ["one", "another"] {
        grants.put("a", &Secret::new(grant.to_owned())).await.unwrap();
        assert_eq!(text(&grants).await.as_deref(), Some(grant));
    }
    let n_files = fs::read_dir(&grants.folder).unwrap().count();
    assert_eq!(n_files, 1, "nothing is left beside it");
    assert!(grants.remove("a").await.unwrap());
    assert_eq!(text(&grants).await, None);
}

#[cfg(unix)]
#[tokio::test]
async fn a_grants_file_is_readable_by_its_owner_only() {
    use std::os::unix::fs::PermissionsExt as _;

    let (_kept, grants) = folder();
    grants.put("a", &Secret::new("canary".to_owned())).await.unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&grants.folder), mode(&grants.grant_file("a"))), (0o700, 0o600));
    fs::set_permissions(grants.grant_file("a"), fs::Permissions::from_mode(0o644)).unwrap();
    let refused = grants.get("a").await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Denied);
    assert!(!format!("{refused} {refused:?}").contains("canary"), "{refused:?}");
}

#[tokio::test]
async fn only_one_process_at_a_time_replaces_a_grant() {
    let (_kept, grants) = folder();
    let file = grants.folder.join("a.lock");
    let first = grants.lock("a").await.unwrap();
    assert!(try_lock(&file).unwrap().is_none());
    drop(grants.lock("b").await.unwrap());
    drop(first);
    assert!(try_lock(&file).unwrap().is_some());
    drop(grants.lock("a").await.unwrap());
}

#[tokio::test]
async fn a_file_instead_of_the_folder_of_grants_is_reported() {
    let kept = tempfile::NamedTempFile::new().unwrap();
    let grants = GrantFolder::new(kept.path());
    let refused = grants.put("a", &Secret::new("canary".to_owned())).await.unwrap_err();
    assert!(refused.to_string().contains("cannot be used"), "{refused}");
}
