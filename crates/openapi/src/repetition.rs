//! Recognizes texts that only say a name again, in another case and with other separators: `Order Id` of `order_id`.

use callgate_tool::Value;

/// True if a text has the letters and digits of a name, and no others.
pub(crate) fn has_same_letters(text: &str, name: &str) -> bool {
    folded_letters(text).eq(folded_letters(name))
}

/// Leaves out the title of a schema if it only says the name of its property again.
pub(crate) fn drop_repeated_title(schema: &mut Value, name: &str) {
    let Value::Object(members) = schema else { return };
    let title = members.get("title").and_then(Value::as_str);
    if title.is_some_and(|title| has_same_letters(title, name)) {
        members.remove("title");
    }
}

fn folded_letters(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_in_other_words_is_recognized() {
        for (text, name, expected) in [
            ("Order Id", "order_id", true),
            ("orderID", "order-id", true),
            ("The order", "order", false),
            ("Orders", "order", false),
            ("Stra\u{df}e", "stra\u{df}e", true),
            ("Order", "", false),
        ] {
            assert_eq!(has_same_letters(text, name), expected, "{text} {name}");
        }
    }
}
