//! Lists the keywords of a schema that contain schemas. All other keywords contain values that may only look like schemas.

#[derive(Clone, Copy, Debug)]
pub(crate) enum Holds {
    Nothing,
    Schema,
    Schemas,
}

pub(crate) fn holds(keyword: &str) -> Holds {
    match keyword {
        "additionalProperties"
        | "allOf"
        | "anyOf"
        | "contains"
        | "else"
        | "if"
        | "items"
        | "not"
        | "oneOf"
        | "prefixItems"
        | "propertyNames"
        | "then"
        | "unevaluatedItems"
        | "unevaluatedProperties" => Holds::Schema,
        "dependentSchemas" | "patternProperties" | "properties" => Holds::Schemas,
        _ => Holds::Nothing,
    }
}
