//! The description is one that callgate itself takes without a finding, and says what the code does.

use super::*;

#[test]
fn every_reference_leads_to_a_schema() {
    let document = Value::parse(&text()).unwrap();
    let schemas = document.pointer("/components/schemas").unwrap();
    let text = document.to_string();
    let named = text.split(r##""$ref":"#/components/schemas/"##).skip(1);
    for name in named.map(|rest| rest.split('"').next().unwrap()) {
        assert!(schemas.get(name).is_some(), "{name}");
    }
}
