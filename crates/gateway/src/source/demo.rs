//! The demo: a pet service whose description and recorded responses are part of this program, and of the tests.

use std::sync::Arc;

use callgate_config::{Config, Description, Error};
use callgate_transport::{Recording, Refuse, Replay, Transport};
use serde::Deserialize;

pub(super) fn demo_config() -> Result<Config, Error> {
    let mut config = Config::from_text(SETTINGS, "")?;
    for toolset in &mut config.toolsets {
        toolset.description = Description::text(DESCRIPTION);
    }
    Ok(config)
}

pub(super) fn demo_transport() -> Arc<dyn Transport> {
    match demo_recordings().map(Replay::new) {
        Ok(Ok(replay)) => Arc::new(replay),
        // The recordings belong to the tests, which read all of them.
        _ => Arc::new(Refuse::new()),
    }
}

fn demo_recordings() -> serde_json::Result<Vec<Recording>> {
    let recorded: Vec<Recorded> = serde_json::from_str(RECORDINGS)?;
    Ok(recorded.into_iter().map(Recorded::into_recording).collect())
}

/// One recorded case as it is written in `demo/recordings.json`.
#[derive(Deserialize)]
struct Recorded {
    name: String,
    request: String,
    response: String,
}

impl Recorded {
    fn into_recording(self) -> Recording {
        Recording {
            name: self.name,
            request: self.request.into_bytes(),
            response: self.response.into_bytes(),
        }
    }
}

/// The settings of `config/demo.yaml`.
const SETTINGS: &str = "toolsets: {pets: {openapi: pets.yaml, auth: {api_key: {in: header, name: X-Api-Key, value: 'literal:demo-key'}}}}";
/// The description, and the cases with a response. They are copies in this crate, so that it can be published;
/// `tests/demo.py` writes them from `fixtures/pets`.
const DESCRIPTION: &str = include_str!("demo/pets.yaml");
const RECORDINGS: &str = include_str!("demo/recordings.json");

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use super::{DESCRIPTION, demo_recordings};

    #[test]
    fn the_demo_has_the_recordings_of_the_fixtures() {
        let pets = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/pets");
        let changed = "`python3 tests/demo.py` writes the demo from the fixtures";
        assert_eq!(fs::read_to_string(pets.join("spec.yaml")).unwrap(), DESCRIPTION, "{changed}");
        let recordings = demo_recordings().unwrap();
        for recorded in &recordings {
            let case = pets.join("cases").join(&recorded.name);
            assert_eq!(
                fs::read(case.join("request.http")).ok().as_ref(),
                Some(&recorded.request),
                "{changed}"
            );
            assert_eq!(
                fs::read(case.join("response.http")).ok().as_ref(),
                Some(&recorded.response),
                "{changed}"
            );
        }
        let cases = fs::read_dir(pets.join("cases")).unwrap().map(|case| case.unwrap().path());
        let answered = cases.filter(|case| {
            case.join("request.http").exists() && case.join("response.http").exists()
        });
        assert_eq!(recordings.len(), answered.count(), "{changed}");
    }
}
