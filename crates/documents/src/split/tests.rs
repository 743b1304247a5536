//! Pieces are bytes of their text, whatever its form is.

use proptest::prelude::*;

use super::*;

fn part(text: &str, range: Range<usize>) -> &str {
    text.get(range).expect("a part of the text")
}

#[track_caller]
fn check(text: &str, expected: &[(&str, (usize, usize), &str)]) {
    let pieces = split(text, 0, Style::Markdown);
    let found: Vec<_> = pieces
        .iter()
        .map(|piece| (part(text, piece.range.clone()), piece.lines, piece.section.as_str()))
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn a_piece_ends_before_a_heading_and_knows_the_headings_above() {
    check(
        "Intro\n\n# A\n\nOne\ntwo\n\n## B\n\nThree\n\n# C\n```\n# no heading\n```\n",
        &[
            ("Intro", (1, 1), ""),
            ("# A\n\nOne\ntwo", (3, 6), "A"),
            ("## B\n\nThree", (8, 10), "A > B"),
            ("# C\n```\n# no heading\n```", (12, 15), "C"),
        ],
    );
}

#[test]
fn a_heading_without_a_text_belongs_to_the_next_piece() {
    check("# A\n\n## B\n\nText\n", &[("# A\n\n## B\n\nText", (1, 5), "A > B")]);
    check("# A\n", &[("# A", (1, 1), "A")]);
    check("\n\n", &[]);
}

#[test]
fn paragraphs_stay_whole_where_they_fit() {
    let paragraph =
        |c: char| format!("{}\n", format!("{} ", c.to_string().repeat(59)).repeat(10).trim());
    let text = format!("{}\n{}\n{}", paragraph('a'), paragraph('b'), paragraph('c'));
    let pieces = split(&text, 0, Style::Plain);
    let lines: Vec<_> = pieces.iter().map(|piece| piece.lines).collect();
    assert_eq!(lines, [(1, 1), (3, 3), (5, 5)]);
}

#[test]
fn a_line_longer_than_a_piece_is_cut_between_words() {
    let text = "word ".repeat(1000);
    let pieces = split(&text, 0, Style::Plain);
    assert!(pieces.len() >= 4);
    for piece in &pieces {
        let shown = part(&text, piece.range.clone());
        assert!(shown.len() <= TARGET && shown.trim_end().ends_with("word"), "{shown}");
        assert_eq!(piece.lines, (1, 1));
    }
    assert!(!split(&"ä".repeat(5000), 0, Style::Plain).is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn pieces_cover_every_word_in_order_and_name_their_lines(
        text in r"(#{0,3} ?[a-zä]{0,9}( [a-z]{1,20}){0,60}\r?\n(\n|```\n|---\n)?){0,16}",
        is_markdown in any::<bool>(),
    ) {
        let style = if is_markdown { Style::Markdown } else { Style::Plain };
        let mut at = 0;
        for piece in split(&text, 0, style) {
            prop_assert!(piece.range.start >= at && piece.range.end > piece.range.start);
            let between = part(&text, at..piece.range.start);
            prop_assert!(between.trim().is_empty(), "left out: {between:?}");
            let line = |at: usize| part(&text, 0..at).matches('\n').count() + 1;
            prop_assert_eq!(piece.lines, (line(piece.range.start), line(piece.range.end)));
            prop_assert!(piece.range.len() <= 2 * LONGEST);
            at = piece.range.end;
        }
        prop_assert!(part(&text, at..text.len()).trim().is_empty());
    }
}
