//! Lists the keywords of a schema that contain schemas. All other keywords contain values that may only look like schemas.

#[derive(Clone, Copy, Debug)]
pub(crate) enum KeywordContent {
    Nothing,
    Schema,
    Schemas,
}

pub(crate) fn content_of(keyword: &str) -> KeywordContent {
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
        | "unevaluatedProperties" => KeywordContent::Schema,
        "dependentSchemas" | "patternProperties" | "properties" => KeywordContent::Schemas,
        _ => KeywordContent::Nothing,
    }
}
