//! Configurations, toolsets of fixtures and session files as earlier versions were given them: each loads as it did. The
//! copies in `compatibility/` are never changed; what is written today is added as a new copy.

use crate::prelude::*;

use callgate::config::Error;

use crate::root;

/// The copies whose names begin so.
fn copies(kind: &str) -> Vec<PathBuf> {
    let files = fs::read_dir(root().join("tests/integration/compatibility")).unwrap();
    let mut files: Vec<_> = files.map(|file| file.unwrap().path()).collect();
    files.retain(|file| file.file_name().unwrap().to_str().unwrap().starts_with(kind));
    files.sort();
    files
}

#[test]
fn configurations_of_earlier_versions_load_unchanged() -> Result<(), Error> {
    let files = copies("configuration-");
    assert!(files.len() >= 4, "{files:?}");
    for file in files {
        // Their paths are relative to the folder of the examples.
        let config = loader().text(fs::read(&file).unwrap(), root().join("config"))?;
        let built = build(&config)?;
        assert!(!built.toolsets.is_empty());
        let is_fault = |severity| severity == Severity::Error;
        assert!(!built.warnings.iter().any(|found| is_fault(found.severity)), "{}", file.display());
    }
    Ok(())
}

#[test]
fn toolsets_of_earlier_fixtures_load_unchanged() -> Result<(), Error> {
    for service in ["answers", "files", "ledger", "pets", "styles"] {
        let text =
            fs::read(root().join(format!("tests/integration/compatibility/toolset-{service}.yml")))
                .unwrap();
        let config = Config::from_toolset_text(text, root().join("fixtures").join(service))?;
        let built = build(&config)?;
        assert!(built.executor.entries().count() > 0, "{service}");
    }
    Ok(())
}

#[test]
fn sessions_of_earlier_fixtures_are_read_unchanged() {
    let files = copies("session-");
    assert!(files.len() >= 20, "{files:?}");
    for file in files {
        let envelope = Value::parse(&fs::read_to_string(&file).unwrap()).unwrap();
        let session =
            read_session(envelope).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        drop(session);
    }
}
