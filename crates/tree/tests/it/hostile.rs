//! Texts made to hurt a reader: each is refused, or read, in bounded time and memory and on a small stack.

use std::fmt::Write as _;

use callgate_tree::{Diagnostic, Limits, TextCode, fill_positions, read};

#[track_caller]
fn check(text: &str, limits: &Limits, expected: TextCode) {
    let diagnostics = read(text.as_bytes(), limits).unwrap_err();
    let codes: Vec<_> = diagnostics.iter().map(|diagnostic| diagnostic.code).collect();
    assert_eq!(codes, [expected], "{}", text.chars().take(60).collect::<String>());
    let lost = |diagnostic: &Diagnostic| Diagnostic { position: None, ..diagnostic.clone() };
    // Whoever shows the finding asks for its place; that must be as safe as reading.
    fill_positions(text.as_bytes(), &mut diagnostics.iter().map(lost).collect::<Vec<_>>());
}

/// The row this many times, `#` in it replaced by a number.
fn numbered(n_rows: usize, row: &str) -> String {
    (0..n_rows).fold(String::new(), |text, n| text + &row.replace('#', &n.to_string()))
}

fn indented(n_levels: usize) -> String {
    (0..n_levels).fold(String::new(), |mut text, level| {
        writeln!(text, "{:level$}a:", "").unwrap();
        text
    })
}

#[test]
fn a_text_over_the_byte_limit_is_refused() {
    let limits = Limits { bytes: 10, ..Limits::default() };
    check("a: 34567890", &limits, TextCode::TextTooLarge);
    assert!(read(b"a: 3456789", &limits).is_ok());
    check(&" ".repeat((64 << 20) + 1), &Limits::default(), TextCode::TextTooLarge);
}

#[test]
fn unbounded_nesting_is_refused() {
    let limits = Limits::default();
    let texts = [
        "[".repeat(200_000),
        "{\"a\":".repeat(100_000),
        format!("{}{}", "[".repeat(10_000), "]".repeat(10_000)),
        format!("a: {}", "[".repeat(200_000)),
        format!("a: {}", "[ ".repeat(200_000)),
        format!("a: {}", "{a: ".repeat(100_000)),
        "- ".repeat(100_000),
        format!("a: {}", "[\n".repeat(100_000)),
        indented(5000),
    ];
    for text in texts {
        check(&text, &limits, TextCode::TextTooDeep);
    }
}

#[test]
fn a_text_at_the_depth_limit_is_read_and_one_level_more_refused() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}"), ("--- [", "]"), ("--- {a: ", "}")] {
        let yaml = open.starts_with('-');
        let inner = if yaml { open.strip_prefix("--- ").unwrap() } else { open };
        let deep = |n: usize| {
            let start = if yaml { "--- " } else { "" };
            format!("{start}{}1{}", inner.repeat(n), close.repeat(n))
        };
        let limits = Limits::default();
        assert!(read(deep(limits.depth).as_bytes(), &limits).is_ok(), "{open}");
        check(&deep(limits.depth + 1), &limits, TextCode::TextTooDeep);
    }
}

#[test]
fn a_tree_at_the_depth_limit_can_be_walked_on_a_small_stack() {
    let limits = Limits::default();
    let text = format!("{}{}", "[".repeat(limits.depth), "]".repeat(limits.depth));
    let walk = move || {
        let tree = read(text.as_bytes(), &limits).unwrap().value;
        assert_eq!(tree.clone(), tree);
        tree.to_value().to_string().len()
    };
    let thread = std::thread::Builder::new().stack_size(512 << 10).spawn(walk).unwrap();
    assert_eq!(thread.join().unwrap(), 240);
}

#[test]
fn more_values_than_the_limit_are_refused() {
    let limits = Limits { nodes: 100, ..Limits::default() };
    check(&format!("[{}1]", "1,".repeat(99)), &limits, TextCode::TooManyNodes);
    check(&"- 1\n".repeat(100), &limits, TextCode::TooManyNodes);
    assert!(read("- 1\n".repeat(99).as_bytes(), &limits).is_ok());
    check(&format!("[{}1]", "1,".repeat(4_000_000)), &Limits::default(), TextCode::TooManyNodes);
}

#[test]
fn aliases_that_expand_to_many_lists_are_refused() {
    let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for n in 1..20 {
        let inner = format!("*a{}", n - 1);
        writeln!(text, "a{n}: &a{n} [{inner}, {inner}, {inner}, {inner}, {inner}, {inner}]")
            .unwrap();
    }
    check(&text, &Limits::default(), TextCode::AliasExpansion);
    check(&text.replace('x', "1"), &Limits { alias_bytes: usize::MAX, ..Limits::default() }, {
        TextCode::AliasExpansion
    });
}

#[test]
fn aliases_that_expand_to_many_values_are_refused() {
    let mut text = "a0: &a0 [[], [], [], [], [], [], [], [], []]\n".to_owned();
    for n in 1..20 {
        let inner = format!("*a{}", n - 1);
        writeln!(text, "a{n}: &a{n} [{inner}, {inner}, {inner}, {inner}, {inner}, {inner}]")
            .unwrap();
    }
    check(&text, &Limits::default(), TextCode::TooManyNodes);
}

#[test]
fn aliases_that_repeat_a_long_text_are_refused() {
    let text = format!("a: &a {}\nb:\n{}", "x".repeat(300_000), "- *a\n".repeat(70_000));
    check(&text, &Limits::default(), TextCode::AliasExpansion);
    let names = format!("a: &a {}\nb:\n{}", "x".repeat(1000), "- {*a : 1}\n".repeat(20_000));
    check(&names, &Limits::default(), TextCode::AliasExpansion);
}

#[test]
fn merge_keys_that_expand_to_many_members_are_refused() {
    let names = numbered(1000, "  name#: #\n");
    let text = format!("a: &a\n{names}b:\n{}", "- {<<: *a}\n".repeat(100_000));
    check(&text, &Limits::default(), TextCode::AliasExpansion);
}

#[test]
fn aliases_that_nest_beyond_the_depth_limit_are_refused() {
    let mut text = "a0: &a0 []\n".to_owned();
    for n in 1..100 {
        writeln!(text, "a{n}: &a{n} [[*a{}]]", n - 1).unwrap();
    }
    check(&text, &Limits::default(), TextCode::TextTooDeep);
}

#[test]
fn a_thousand_aliases_of_a_small_value_are_read() {
    let text = format!("a: &a {{x: {}}}\nb:\n{}", "y".repeat(100), "- *a\n".repeat(1000));
    assert!(read(text.as_bytes(), &Limits::default()).is_ok());
}

#[test]
fn repetitive_texts_are_read_or_refused_in_linear_time() {
    let n = 40_000;
    let texts = [
        "a: ".to_owned() + &"&a ".repeat(n),
        "a: ".to_owned() + &"!".repeat(n),
        "a: ".to_owned() + &"!a ".repeat(n),
        "? ".repeat(n),
        ": ".repeat(n),
        "a: ".repeat(n),
        "a: ".to_owned() + &"\"".repeat(n),
        "a: \"".to_owned() + &"\\".repeat(n),
        "a: '".to_owned() + &"''".repeat(n),
        "a: |\n".to_owned() + &" \n".repeat(n),
        "a: >\n".to_owned() + &"  x\n".repeat(n),
        "a: ".to_owned() + &"x ".repeat(n),
        "a:".to_owned() + &"\n x".repeat(n),
        "a: [".to_owned() + &"x,".repeat(n) + "]",
        "a: [".to_owned() + &"x: y,".repeat(n) + "]",
        "a: [".to_owned() + &"[],".repeat(n) + "]",
        "a: {".to_owned() + &"[]: x,".repeat(n) + "}",
        "a: [".to_owned() + &"? ,".repeat(n) + "]",
        "a: [".to_owned() + &":,".repeat(n) + "]",
        "a: ".to_owned() + &"]".repeat(n),
        "#".repeat(n),
        "#\n".repeat(n),
        "---\n".repeat(n),
        "%a\n".repeat(n),
        "%TAG !a! b\n".repeat(n),
        " ".repeat(n),
        "\t".repeat(n),
        "\n".repeat(n),
        "\u{FEFF}".repeat(n),
        "-".repeat(n),
        "*a ".repeat(n),
        numbered(n, "&a# "),
        numbered(n / 4, "- &a# x\n"),
        numbered(n / 4, "k#: x\n"),
    ];
    for text in texts {
        drop(read(text.as_bytes(), &Limits::default()));
        drop(read(format!("[{text}").as_bytes(), &Limits::default()));
    }
}
