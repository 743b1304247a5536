//! The forms in which a text may lie in bytes: as it is, in hexadecimal digits, in base64 at each of its three alignments, and
//! with escapes of URLs.

use base64::{Engine as _, prelude::BASE64_STANDARD};

/// The forms of a text of eight letters or more, by their names. Less would be found by chance.
pub fn disguises(text: &str) -> Vec<(&'static str, String)> {
    let hex = |digits: fn(u8) -> String| text.bytes().map(digits).collect::<String>();
    let mut forms = vec![
        ("plain", text.to_owned()),
        ("hexadecimal", hex(|byte| format!("{byte:02x}"))),
        ("upper hexadecimal", hex(|byte| format!("{byte:02X}"))),
        ("escapes of URLs", hex(|byte| format!("%{byte:02x}"))),
        ("upper escapes of URLs", hex(|byte| format!("%{byte:02X}"))),
    ];
    // Letters have no `+`, `/` or `=` in base64 where whole groups of them are encoded, so that both alphabets are equal.
    let groups = (0..3).filter_map(|skipped| text.get(skipped..));
    let groups = groups.filter_map(|rest| rest.get(..rest.len() / 3 * 3));
    forms.extend(groups.map(|group| ("base64", BASE64_STANDARD.encode(group))));
    forms
}

/// Checks that no form of a text is in bytes; `place` names them where one is.
#[track_caller]
pub fn check_absent(text: &str, bytes: &[u8], place: &str) {
    for (name, form) in disguises(text) {
        let is_found = bytes.windows(form.len()).any(|window| window == form.as_bytes());
        assert!(!is_found, "{place} has `{text}` as {name}: {form}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_is_found_at_each_place() {
        let of = |bytes: &str| BASE64_STANDARD.encode(bytes);
        for before in ["", "a", "ab", "abc"] {
            let text = format!("{before}canaries");
            let escaped = text.bytes().map(|byte| format!("%{byte:02X}")).collect::<String>();
            let digits = text.bytes().map(|byte| format!("{byte:02x}")).collect::<String>();
            for bytes in [of(&text), escaped, digits, text] {
                let found = |(_, form): &(_, String)| bytes.contains(&**form);
                assert!(disguises("canaries").iter().any(found), "{bytes}");
            }
        }
        check_absent("canaries", b"no such bird", "a sentence");
    }
}
