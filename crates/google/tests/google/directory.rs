//! Services are resolved to their endpoints.

use std::sync::Arc;

use callgate_google::{Account, ErrorKind, ServiceDirectory, ServiceEndpoints};

use callgate_transport::Resolver;

use crate::server::{Google, rest};

#[tokio::test]
async fn a_service_is_resolved_to_its_endpoints() {
    let google = Google::start().await;
    let tokens = Arc::new(google.tokens(Account::Machine));
    let directory = ServiceDirectory::new(tokens, rest(), google.endpoints());
    let place = "projects/p/locations/l/namespaces/n/services";
    let pets = format!("{place}/pets").parse().unwrap();
    assert_eq!(directory.resolve(&pets).await.unwrap(), ["10.0.0.5:443".parse().unwrap()]);
    let asked = google.asked().pop().unwrap();
    assert_eq!(asked.line, format!("POST /v1/{place}/pets:resolve"));
    assert_eq!(asked.header("authorization"), "Bearer machine");
    let none = format!("{place}/none").parse().unwrap();
    assert_eq!(directory.resolve(&none).await.unwrap_err().kind(), ErrorKind::NotFound);
}

#[tokio::test]
async fn endpoints_are_cached_for_a_while_for_every_name() {
    let google = Google::start().await;
    let tokens = Arc::new(google.tokens(Account::Machine));
    let directory = ServiceDirectory::new(tokens, rest(), google.endpoints());
    let service = "projects/p/locations/l/namespaces/n/services/pets".parse().unwrap();
    let endpoints = ServiceEndpoints::new(directory, service);
    for name in ["pets.example", "other.example"] {
        let found = endpoints.addresses(name).await.unwrap();
        assert_eq!(found, ["10.0.0.5:443".parse().unwrap()]);
    }
    assert_eq!(google.asked().len(), 2, "a token and one question");
}
