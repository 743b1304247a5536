//! The example of the manual: an agent of a configuration takes an order of pizzas. The model sees neither the cart nor the
//! payment, and the last step waits for an approval.

use std::{
    path::Path,
    sync::{Arc, Mutex},
};

use async_trait::async_trait;
use bytes::Bytes;
use callgate_agent::{Agent, Answer, EndReason, Given, Input, Transcript, TurnContext};
use callgate_config::{Environment, Loader};
use callgate_dialect::Dialect;
use callgate_executor::Decision;
use callgate_tool::{Session, Value, json};
use callgate_transport::{Error, Limits, Transport};
use http::{Request, Response};

use crate::fake::{Fake, Said, Step};

/// The pizza service, and the model beside it.
#[derive(Debug)]
struct World {
    model: Arc<Fake>,
    orders: Mutex<Vec<String>>,
}

#[async_trait]
impl Transport for World {
    async fn send(
        &self,
        request: Request<Bytes>,
        limits: &Limits,
    ) -> Result<Response<Bytes>, Error> {
        if request.uri().host() == Some("127.0.0.1") {
            assert_eq!(request.uri().path(), "/v1/chat/completions");
            return self.model.send(request, limits).await;
        }
        let body = String::from_utf8_lossy(request.body()).into_owned();
        let line = format!("{} {} {body}", request.method(), request.uri().path());
        self.orders.lock().unwrap().push(line.trim_end().to_owned());
        let answer = match request.uri().path().rsplit('/').next() {
            Some("menu") => r#"["Margherita"]"#,
            Some("pizzas") => r#"{"new_items":[{"id":1,"size":"Medium"}]}"#,
            _ => r#"{"ok":true}"#,
        };
        let response = Response::builder().header("content-type", "application/json");
        Ok(response.body(Bytes::from_static(answer.as_bytes())).unwrap())
    }
}

/// Enums and lists of enums are declared; what has a default is shown with it and not required.
fn a1_declares_enums_and_defaults(request: &Value) {
    let functions = request["tools"].as_array().unwrap().iter().map(|tool| &tool["function"]);
    let named = |name: &str| {
        let found = functions.clone().find(|it| it["name"].as_str() == Some(name));
        found.unwrap()["parameters"].clone()
    };
    let add = named("pizza-add_pizza_to_cart");
    let properties = &add["properties"];
    assert_eq!(properties["size"]["enum"], json!(["Small", "Medium", "Large"]), "{add}");
    let toppings = json!(["Cheese", "Pepperoni", "Mushrooms"]);
    assert_eq!(properties["toppings"]["type"], json!("array"), "{add}");
    assert_eq!(properties["toppings"]["items"]["enum"], toppings, "{add}");
    assert_eq!(properties["quantity"]["default"], json!(1), "{add}");
    assert_eq!(add["required"], json!(["size", "toppings"]), "a default is not required: {add}");
    let menu = named("pizza-get_pizza_menu");
    assert_eq!((&menu["type"], &menu["properties"]), (&json!("object"), &json!({})), "{menu}");
}

#[tokio::test]
async fn a16_an_order_of_pizzas_uses_the_cart_and_the_payment_of_the_session() {
    let medium = r#"{"size":"Medium","toppings":["Cheese","Pepperoni"]}"#;
    let large = r#"{"size":"Large","toppings":["Mushrooms"],"quantity":2}"#;
    let calls = |calls: &[(&str, &str)]| Step::Says(Said::calls(calls));
    let model = Fake::new(
        Dialect::OpenAi,
        [
            calls(&[("pizza-get_pizza_menu", "{}"), ("pizza-get_cart", "{}")]),
            calls(&[("pizza-add_pizza_to_cart", medium), ("pizza-add_pizza_to_cart", large)]),
            Step::Says(Said::text("Anything else?")),
            calls(&[("pizza-checkout", "{}")]),
            Step::Says(Said::text("Your pizzas are on their way.")),
        ],
    );
    let world = Arc::new(World { model: Arc::clone(&model), orders: Mutex::default() });
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../config/agents.yaml");
    let environment = Environment::new().with_transport(Arc::clone(&world) as Arc<dyn Transport>);
    let built = Loader::new().file(&root).unwrap().build(&environment, None).await.unwrap();
    let agent = Agent::from_configuration(&built, "pizza").unwrap();
    let parameters = json!({"cartId": "c-1", "paymentId": "p-1"}).as_object().cloned().unwrap();
    let context = TurnContext::new(Session::new("s-1").with_parameters(parameters));
    let mut transcript = Transcript::new(agent.dialect()).unwrap();

    let end =
        agent.turn(&mut transcript, Input::text("Two kinds of pizza."), &context).await.unwrap();
    assert_eq!((end.reason, &*end.text), (EndReason::Answered, "Anything else?"), "{end:?}");
    let seen = model.last().to_string();
    assert!(!seen.contains("cartId") && !seen.contains("c-1"), "the model sees no cart: {seen}");
    a1_declares_enums_and_defaults(&model.last());

    let end = agent.turn(&mut transcript, Input::text("No."), &context).await.unwrap();
    assert_eq!((end.reason, end.pending.len()), (EndReason::Waiting, 1), "{end:?}");
    let url = &end.pending[0].request["url"];
    assert_eq!(*url, "https://pizza.example.com/v1/carts/c-1/checkout");
    let approved = Answer::new(&*end.pending[0].id, Given::Decision(Decision::Approve));
    let end = agent.turn(&mut transcript, Input::Answers(vec![approved]), &context).await.unwrap();
    assert_eq!((end.reason, &*end.text), (EndReason::Answered, "Your pizzas are on their way."));
    model.refused_nothing();
    let orders = world.orders.lock().unwrap().clone();
    let (mut reads, writes): (Vec<_>, Vec<_>) =
        orders.into_iter().partition(|order| order.starts_with("GET"));
    reads.sort();
    assert_eq!(reads, ["GET /v1/carts/c-1", "GET /v1/menu"]);
    let [first, second, checkout] = &writes[..] else { panic!("{writes:?}") };
    assert!(first.starts_with("POST /v1/carts/c-1/pizzas {\"size\":\"Medium\""), "{first}");
    assert!(second.contains("\"Large\"") && second.contains("\"quantity\":2"), "{second}");
    assert_eq!(checkout, r#"POST /v1/carts/c-1/checkout {"paymentId":"p-1"}"#);
}
