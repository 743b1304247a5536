//! Descriptions at addresses: asked for again, and missed at the start.

use crate::prelude::*;
use std::sync::Mutex;

use axum::http::StatusCode;
use tokio::time::timeout;

/// What a server of a description answers with.
type Served = Arc<Mutex<(u16, String)>>;

async fn server(status: u16, text: &str) -> (String, Served) {
    let served: Served = Arc::new(Mutex::new((status, text.to_owned())));
    let answer = Arc::clone(&served);
    let answer = get(move || async move {
        let (status, text) = answer.lock().unwrap().clone();
        (StatusCode::from_u16(status).unwrap(), text)
    });
    let origin = callgate_testkit::serve(Router::new().fallback(answer)).await;
    (format!("{origin}/pets.yaml"), served)
}

async fn sidecar(address: &str, interval: &str) -> Sidecar {
    let text = format!(
        "reload: {{interval: {interval}}}\ntoolsets: {{pets: {{openapi: '{address}', prefix: '', required: true}}}}"
    );
    Sidecar::with(|folder| fs::write(folder.join("callgate.yaml"), text).unwrap()).await
}

#[tokio::test]
async fn a_changed_description_at_an_address_is_reloaded() {
    let (address, served) = server(200, &description(&["listPets"])).await;
    let sidecar = sidecar(&address, "50ms").await;
    assert_eq!(sidecar.tools().await, ["listPets"]);
    *served.lock().unwrap() = (200, description(&["getPet"]));
    let reload = sidecar.reloads(1).await;
    assert_eq!(reload["cause"], "address");
    assert_eq!(changes(&reload), ["getPet: added", "listPets: removed"]);
    *served.lock().unwrap() = (200, "openapi: [".to_owned());
    assert_eq!(sidecar.reloads(2).await["outcome"], "refused");
    assert_eq!(sidecar.tools().await, ["getPet"]);
}

/// Without an event the file would be looked at after ten seconds.
#[tokio::test]
async fn a_changed_file_is_reloaded_at_once_while_addresses_are_fetched_often() {
    let (address, _served) = server(200, &description(&["listPets"])).await;
    let sidecar = sidecar(&address, "50ms").await;
    let text = fs::read_to_string(sidecar.folder.path().join("callgate.yaml")).unwrap();
    sidecar.write("callgate.yaml", &text.replace("prefix: ''", "prefix: shop"));
    let reload = timeout(Duration::from_secs(8), sidecar.reloads(1)).await.expect("at once");
    assert_eq!((&reload["cause"], &reload["outcome"]), (&json!("file"), &json!("replaced")));
    assert_eq!(sidecar.tools().await, ["shop-listPets"]);
}

#[tokio::test]
async fn a_missing_required_description_makes_the_sidecar_unready_until_it_is_fetched() {
    let (address, served) = server(503, "").await;
    let sidecar = sidecar(&address, "50ms").await;
    assert_eq!(sidecar.get("/readyz").await, json!({"status": "not_ready"}));
    assert_eq!(sidecar.get("/healthz").await, json!({"status": "ok"}));
    *served.lock().unwrap() = (200, description(&["getPet"]));
    assert_eq!(changes(&sidecar.reloads(1).await), ["getPet: added"]);
    assert_eq!(sidecar.get("/readyz").await, json!({"status": "ready"}));
}

#[tokio::test]
async fn a_reload_request_while_addresses_are_fetched_gets_an_answer() {
    let (address, _served) = server(503, "").await;
    let sidecar = sidecar(&address, "1ms").await;
    let asked = async {
        for _ in 0..50 {
            assert_eq!(sidecar.post("/v1/admin/reload").await["outcome"], "replaced");
        }
    };
    timeout(Duration::from_secs(30), asked).await.expect("each has its end");
}
