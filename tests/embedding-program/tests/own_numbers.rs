//! Types of one's own beside callgate: `serde_json` reads them as it does in a program without it.

use callgate::{Value, value::Number};
use serde::Deserialize;

#[derive(Debug, Deserialize, PartialEq)]
struct Pet {
    name: String,
    #[serde(flatten)]
    size: Size,
}

#[derive(Debug, Deserialize, PartialEq)]
struct Size {
    weight: f64,
}

#[test]
fn a_flattened_number_is_read() {
    let pet: Pet = serde_json::from_str(r#"{"name":"Rex","weight":31.5}"#).unwrap();
    assert_eq!(pet, Pet { name: "Rex".to_owned(), size: Size { weight: 31.5 } });
    let plain: serde_json::Value = serde_json::from_str(r#"{"b":1.10,"a":2}"#).unwrap();
    assert_eq!(plain.to_string(), r#"{"a":2,"b":1.1}"#);
}

#[derive(Deserialize, serde::Serialize)]
struct Offer {
    price: Number,
    details: Value,
}

#[test]
fn values_inside_types_of_the_program_keep_digits_and_order() {
    let text = r#"{"price":1.10,"details":{"b":9007199254740993.0,"a":1e400}}"#;
    let offer: Offer = serde_json::from_str(text).unwrap();
    assert_eq!(serde_json::to_string(&offer).unwrap(), text);
}
