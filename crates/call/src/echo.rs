//! Masks the credentials of a call in its decoded answer: entities, encodings, escapes and split data can form a credential
//! that no search of the bytes finds. `secret` finds them in a text.

use std::{borrow::Cow, mem};

use callgate_secret::Masker;
use callgate_tool::{Content, Json, Value};

pub(crate) fn mask_content(shown: &mut Content, masker: &Masker<'_>) -> Echo {
    match shown {
        Content::Empty => Echo::Nothing,
        Content::File { media_type, .. } | Content::Media { media_type, .. } => {
            mask_text(media_type, masker)
        }
        Content::Json(taken) => {
            let (masked, echo) = masked_json(mem::replace(taken, Json::from(Value::Null)), masker);
            *taken = masked;
            echo
        }
        Content::Parts(parts) => parts.iter_mut().fold(Echo::Nothing, |echo, part| {
            let names = [&mut part.name, &mut part.content_id, &mut part.filename];
            let names = names.into_iter().flatten();
            let echo = names.fold(echo, |echo, name| echo.more_secret(mask_text(name, masker)));
            echo.more_secret(mask_content(&mut part.content, masker))
        }),
        Content::Text { text: shown, media_type } => {
            mask_text(media_type, masker).more_secret(mask_text(shown, masker))
        }
    }
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Echo {
    Nothing,
    Secret,
}

impl Echo {
    fn more_secret(self, other: Self) -> Self {
        if self == Self::Secret { self } else { other }
    }
}

pub(crate) fn masked_json(json: Json, masker: &Masker<'_>) -> (Json, Echo) {
    let Cow::Owned(masked) = masker.mask_text(json.text()) else { return (json, Echo::Nothing) };
    // The value is taken, not copied: a tree of small values has many times the bytes of its text.
    let mut kept = json.into_value();
    kept.mask_secrets(masker);
    let kept = Json::from(kept);
    // No single text holds a secret that is split among several.
    let lies_across = matches!(masker.mask_text(kept.text()), Cow::Owned(_));
    (if lies_across { Json::from(Value::String(masked)) } else { kept }, Echo::Secret)
}

fn mask_text(text: &mut String, masker: &Masker<'_>) -> Echo {
    if masker.mask_in(text) { Echo::Secret } else { Echo::Nothing }
}

#[cfg(test)]
mod tests {
    use callgate_secret::Secret;
    use callgate_tool::json;

    use super::*;

    #[track_caller]
    fn check(value: &Value, expected: &Value) {
        let secrets = ["canary-token", "987654", "x\",\"y\",\"z"];
        let masker = Masker::new(secrets.map(|one| Secret::new(one.to_owned())).to_vec());
        let (json, _) = masked_json(Json::from(value.clone()), &masker);
        assert_eq!(json.value(), expected);
    }

    #[test]
    fn masking_secrets_keeps_json_valid() {
        check(&json!({"a": [1, "b", null]}), &json!({"a": [1, "b", null]}));
        check(&json!({"a": 987_654, "b": -1_987_654.5}), &json!({"a": "****", "b": "-1****.5"}));
        check(&json!({"canary-token": {"b": "a canary-token"}}), &json!({"****": {"b": "a ****"}}));
        check(&json!(["&#99;anary-token", "cana\nry-token"]), &json!(["****", "****"]));
        check(&json!(["x", "y", "z"]), &json!("[\"****\"]"));
    }
}
