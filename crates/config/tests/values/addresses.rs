//! Descriptions at addresses, descriptions that cannot be had, and the files that a build names.

use crate::prelude::*;
use std::{collections::BTreeMap, fs, path::Path, sync::Mutex};

use http::header;

const DESCRIPTION: &str = "openapi: 3.1.0
info: {title: Pets, version: '1'}
servers: [{url: https://pets.example}]
paths: {/pets: {get: {operationId: listPets, responses: {'200': {description: Pets}}}}}
";

/// A server of descriptions: what it answers with, and the conditions it was asked under.
#[derive(Debug, Default)]
struct Server {
    answer: Mutex<(u16, String)>,
    asked: Mutex<Vec<BTreeMap<String, String>>>,
}

impl Server {
    fn answers(&self, status: u16, body: &str) {
        *self.answer.lock().unwrap() = (status, body.to_owned());
    }

    fn conditions(&self) -> Vec<Option<String>> {
        let asked = self.asked.lock().unwrap();
        asked.iter().map(|headers| headers.get("if-none-match").cloned()).collect()
    }
}

#[async_trait]
impl Transport for Server {
    async fn send(&self, request: Request<Bytes>, _: &Limits) -> Result<Response<Bytes>, Error> {
        let text = |value: &http::HeaderValue| value.to_str().unwrap().to_owned();
        let headers = request.headers().iter();
        let headers = headers.map(|(name, value)| (name.to_string(), text(value))).collect();
        self.asked.lock().unwrap().push(headers);
        let (status, body) = self.answer.lock().unwrap().clone();
        let answer = Response::builder().status(status).header(header::ETAG, "\"1\"");
        Ok(answer.body(body.into()).unwrap())
    }
}

async fn built(server: &Arc<Server>, previous: Option<&Built>) -> Result<Built, String> {
    let text = "toolsets: {pets: {openapi: 'https://specs.example/pets.yaml?key=canary'}}";
    let config = Config::from_text(text, "").unwrap();
    let environment = Environment::new().with_transport(Arc::clone(server) as _);
    config.build(&environment, previous).await.map_err(|error| error.to_string())
}

#[tokio::test]
async fn a_description_at_an_address_is_fetched_again_only_after_a_change() {
    let server = Arc::new(Server::default());
    server.answers(200, DESCRIPTION);
    let first = built(&server, None).await.unwrap();
    assert!(first.executor.find("pets-listPets").is_some());
    assert!(first.has_addresses());
    assert_eq!(first.toolsets[0].file, Path::new("https://specs.example/pets.yaml"));
    assert_eq!(first.toolsets[0].text().unwrap(), DESCRIPTION.as_bytes());
    server.answers(304, "");
    assert!(!first.is_outdated().await);
    let second = built(&server, Some(&first)).await.unwrap();
    assert!(second.executor.find("pets-listPets").is_some());
    server.answers(200, &DESCRIPTION.replace("listPets", "allPets"));
    assert!(second.is_outdated().await);
    let third = built(&server, Some(&second)).await.unwrap();
    assert!(third.executor.find("pets-allPets").is_some());
    let tag = Some("\"1\"".to_owned());
    assert_eq!(server.conditions(), [None, tag.clone(), tag.clone(), tag.clone(), tag]);
}

#[tokio::test]
async fn an_address_that_stops_answering_keeps_its_last_description() {
    let server = Arc::new(Server::default());
    server.answers(200, DESCRIPTION);
    let first = built(&server, None).await.unwrap();
    server.answers(500, "canary");
    assert!(!first.is_outdated().await);
    let second = built(&server, Some(&first)).await.unwrap();
    assert!(second.executor.find("pets-listPets").is_some());
    let stale = second.toolsets[0].stale.as_deref();
    assert_eq!(stale, Some("expected the status 200, got: 500"));
    assert!(second.warnings.iter().any(|known| known.code == "stale-description"));
    let error = built(&server, None).await.unwrap_err();
    assert!(
        error.contains("cannot read `https://specs.example/pets.yaml`: expected the status 200")
    );
    assert!(!error.contains("canary"), "{error}");
}

#[test]
fn an_unencrypted_address_of_a_description_is_refused() {
    for (address, is_taken) in [
        ("https://specs.example/pets.yaml", true),
        ("http://127.0.0.1:8080/openapi.json", true),
        ("http://[::1]/openapi.json", true),
        ("http://localhost/openapi.json", true),
        ("http://specs.example/pets.yaml", false),
        ("https://kim:secret@specs.example/pets.yaml", false),
        ("ftp://specs.example/pets.yaml", false),
        ("https://", false),
    ] {
        let text = format!("toolsets: {{pets: {{openapi: '{address}'}}}}");
        assert_eq!(Config::from_text(text, "").is_ok(), is_taken, "{address}");
    }
}

#[tokio::test]
async fn an_unreadable_description_fails_the_build_if_required_else_its_toolset() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("pets.yaml"), DESCRIPTION).unwrap();
    let text = "toolsets: {pets: {openapi: pets.yaml}, gone: {openapi: gone.yaml, required: true}}";
    let config = Config::from_text(text, folder.path()).unwrap();
    let error = config.build(&Environment::new(), None).await.unwrap_err();
    assert_eq!(error.findings()[0].code, "unreadable-file");
    assert!(error.files().contains(&folder.path().join("gone.yaml")));
    let built = config.build(&Environment::new().listing_missing(), None).await.unwrap();
    assert!(built.executor.find("pets-listPets").is_some());
    let [pets, gone] = &built.toolsets[..] else { panic!("{built:?}") };
    assert_eq!((pets.failure(), pets.is_required), (None, false));
    assert!(gone.failure().unwrap().starts_with("cannot read"), "{gone:?}");
    assert!(gone.is_required);
}

#[tokio::test]
async fn a_build_lists_every_file_that_it_read() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("callgate.yaml", "toolsets: {pets: {openapi: pets.yaml, overlays: [overlay.yaml]}}");
    write("pets.yaml", &DESCRIPTION.replace("{description: Pets}", "{$ref: 'answers.yaml#/pets'}"));
    write("answers.yaml", "pets: {description: Pets}");
    let overlay = "overlay: 1.0.0\ninfo: {title: a, version: '1'}\nactions: [{target: $.info, update: {title: b}}]";
    write("overlay.yaml", overlay);
    let file = folder.path().join("callgate.yaml");
    let built = Config::from_file(&file).unwrap().build(&Environment::new(), None).await.unwrap();
    let folder = fs::canonicalize(folder.path()).unwrap();
    let names = built.files().iter().map(|file| fs::canonicalize(file).unwrap());
    let names: Vec<_> = names.map(|file| file.strip_prefix(&folder).unwrap().to_owned()).collect();
    for name in ["answers.yaml", "callgate.yaml", "overlay.yaml", "pets.yaml"] {
        assert!(names.contains(&name.into()), "{name}: {names:?}");
    }
    fs::write(&file, "toolsets: [").unwrap();
    assert!(Config::from_file(&file).unwrap_err().files().contains(&file));
}
