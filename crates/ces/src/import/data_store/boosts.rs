//! Imports `boostSpecs`: documents that rank higher or lower, each for the data stores that it names.

use callgate_tool::{Object, Value, json};

use super::{SearchScope, number_in_range};
use crate::import::{Imported, RemarkKind, message::Message};

/// Reads the boosts of a tool into those of its data stores.
pub(super) fn import_boosts(
    tool: &Message<'_>,
    searched: &mut SearchScope,
    imported: &mut Imported,
) {
    for specs in tool.messages("boostSpecs", imported) {
        specs.remark_unknown_members(&["dataStores", "spec"], imported);
        let names = specs.texts("dataStores", imported);
        let names: Vec<String> =
            names.into_iter().map(|name| name.plain_text().to_owned()).collect();
        let boosts: Vec<Value> = specs
            .messages("spec", imported)
            .iter()
            .flat_map(|spec| {
                spec.remark_unknown_members(&["conditionBoostSpecs"], imported);
                let conditions = spec.messages("conditionBoostSpecs", imported);
                let boosts = conditions.iter().filter_map(|one| boost_keys(one, imported));
                boosts.collect::<Vec<_>>()
            })
            .collect();
        assign_boosts(&specs, names, &boosts, searched, imported);
    }
}

/// Gives boosts to the data stores of these names.
fn assign_boosts(
    specs: &Message<'_>,
    names: Vec<String>,
    boosts: &[Value],
    searched: &mut SearchScope,
    imported: &mut Imported,
) {
    if searched.stores.is_empty() {
        // Naming data stores to an engine would restrict the search to them.
        searched.boosts.extend_from_slice(boosts);
        let message = "the boosts hold for all data stores of the engine";
        return imported.add_remark(
            RemarkKind::NoEquivalent,
            specs.member_pointer("dataStores"),
            message,
        );
    }
    for name in names {
        let mut stores = searched.stores.iter_mut();
        if let Some(store) = stores.find(|store| store.name == name) {
            store.boosts.extend_from_slice(boosts);
        } else {
            let message = "the boosts of a data store that is not searched are left out";
            imported.add_remark(
                RemarkKind::NoEquivalent,
                specs.member_pointer("dataStores"),
                message,
            );
        }
    }
}

fn boost_keys(spec: &Message<'_>, imported: &mut Imported) -> Option<Value> {
    spec.remark_unknown_members(&["condition", "boost", "boostControlSpec"], imported);
    let mut keys = Object::new();
    if let Some(control) = spec.message("boostControlSpec", imported) {
        if let Some(condition) = spec.text("condition", imported) {
            keys.insert("condition", condition.plain_text().into());
        }
        import_boost_control(&control, &mut keys, imported)?;
        return Some(Value::Object(keys));
    }
    keys.insert("condition", spec.required_text("condition", imported)?.plain_text().into());
    keys.insert("boost", boost_strength(spec, "boost", imported)?.into());
    Some(Value::Object(keys))
}

fn import_boost_control(
    control: &Message<'_>,
    keys: &mut Object,
    imported: &mut Imported,
) -> Option<()> {
    let members = ["fieldName", "attributeType", "interpolationType", "controlPoints"];
    control.remark_unknown_members(&members, imported);
    let types = ["ATTRIBUTE_TYPE_UNSPECIFIED", "NUMERICAL", "FRESHNESS"];
    let by = match control.enum_position("attributeType", &types, imported)? {
        1 => "number",
        2 => "freshness",
        _ => {
            let message = "expected `NUMERICAL` or `FRESHNESS`, got none";
            imported.add_remark(
                RemarkKind::Invalid,
                control.member_pointer("attributeType"),
                message,
            );
            return None;
        }
    };
    // Linear is the only one that there is.
    let interpolations = ["INTERPOLATION_TYPE_UNSPECIFIED", "LINEAR"];
    control.enum_position("interpolationType", &interpolations, imported)?;
    keys.insert("field", control.required_text("fieldName", imported)?.plain_text().into());
    keys.insert("by", by.into());
    let mut points = Vec::new();
    for point in control.messages("controlPoints", imported) {
        point.remark_unknown_members(&["attributeValue", "boostAmount"], imported);
        let value = point.required_text("attributeValue", imported)?.plain_text();
        let boost = boost_strength(&point, "boostAmount", imported)?;
        points.push(json!({"value": value, "boost": boost}));
    }
    keys.insert("points", Value::Array(points));
    Some(())
}

/// A strength, whose zero may be left out; `None` for one out of its range.
fn boost_strength(message: &Message<'_>, member: &str, imported: &mut Imported) -> Option<f64> {
    if !message.has(member) {
        return Some(0.0);
    }
    number_in_range(message, member, -1.0..=1.0, imported)
}
