//! The labels of messages in the styles that findings have. A line begins with one only if the command wrote it: texts of
//! others stay in their lines.

use super::in_style;

/// The text with a style for the label of each line that has one.
pub(super) fn with_styled_labels(text: &str) -> String {
    text.split_inclusive('\n').map(styled_line).collect()
}

fn styled_line(line: &str) -> String {
    let Some((label, rest)) = line.split_once(": ") else { return line.to_owned() };
    let word = label.split_once('[').map_or(label, |(word, _)| word);
    let is_code = label == word || label.ends_with(']');
    match STYLES.iter().find(|(name, _)| *name == word && is_code) {
        Some((_, style)) if rest.ends_with('\n') => {
            format!("{}: {rest}", in_style(style, label))
        }
        _ => line.to_owned(),
    }
}

/// Weight and colour, as `annotate-snippets` has them.
const STYLES: [(&str, &str); 4] =
    [("error", "1;91"), ("help", "1"), ("note", "1"), ("warning", "1;33")];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::without_styles;

    #[test]
    fn lines_of_the_command_have_a_label_in_a_style_and_their_text_stays() {
        for (text, n_styles) in [
            ("error: a: b\nhelp: c\n", 2),
            ("error[not-found]: a\n", 1),
            ("warning: a\nnote: b\n", 2),
            ("errors: a\n", 0),
            ("  error: a\n", 0),
            ("> error: a\n", 0),
            ("error[a: b\n", 0),
            ("note\n", 0),
        ] {
            let styled = with_styled_labels(text);
            assert_eq!(without_styles(&styled), text);
            assert_eq!(styled.matches("[0m").count(), n_styles, "{text}");
        }
    }
}
