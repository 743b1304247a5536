//! Pages and their texts: rows for each rule, and pages of random pieces.

use proptest::{prelude::*, sample::select};

use super::*;

#[track_caller]
fn check(html: &str, expected: &str) {
    assert_eq!(read(html.as_bytes()).expect("it is read").text, expected);
}

#[test]
fn elements_become_lines_of_text() {
    check(
        "<html><head><title>T</title><style>x</style></head><body><h1>A &amp; B</h1><p>One\n two<br>three</p><p>Four",
        "# A & B\n\nOne two\nthree\n\nFour\n",
    );
    check("<ul><li>a<li>b</ul>c", "- a\n- b\n\nc\n");
    check("<table><tr><th>k<th>v</tr><tr><td>1<td>2</table>", "k | v\n1 | 2\n");
    check("<pre>  a\n    b</pre>", "  a\n    b\n");
    check("a <b>b</b>c<!-- d > --> <img alt='e &lt;'>", "a bc e <\n");
    check("1 < 2 <3 &nosuch; &#65;&#x42;&nbsp;", "1 < 2 <3 &nosuch; AB\n");
}

#[test]
fn scripts_and_hidden_elements_are_left_out() {
    check("a<script>if (1 < 2) { b() }</script>c", "ac\n");
    check("a<div hidden>b<div>c</div>d</div>e", "ae\n");
    check("a<p style=\"color: red; display : none\">b</p>c", "ac\n");
    check("a<span aria-hidden=\"false\">b</span>", "ab\n");
    check("<script>never ends", "");
}

#[test]
fn a_script_ends_where_a_browser_ends_it() {
    for script in [
        "<!-- document.write(\"<script>x</script>y\") -->",
        "<!--<script></script>y",
        "<!--<SCRIPT/>x</Script >y<script>z</script>",
        "<!-- x",
        "<!--<script>x-->",
        "<!--><script>x",
        "<!--<scripts>x",
        "<script>x",
    ] {
        check(&format!("a<script>{script}</script>b"), "ab\n");
    }
    check("a<script><!--<script></script>b", "a\n");
    check("a<style><!--<style></style>b", "ab\n");
}

#[test]
fn markup_behind_a_text_beyond_ascii_is_read() {
    for text in ["Über uns", "\u{b6}", "\u{65e5}\u{672c}", "\u{1f600} x", "\u{10fffd}"] {
        check(
            &format!("<h1>a</h1><p>{text}</p><script>var s=1</script><p>b</p>"),
            &format!("# a\n\n{text}\n\nb\n"),
        );
        let page = format!("<title>{text}</title><p>b</p>");
        let page = read(page.as_bytes()).expect("it is read");
        assert_eq!((page.title.as_deref(), &*page.text), (Some(text), "b\n"));
    }
}

#[test]
fn a_page_is_read_in_the_encoding_that_it_states() {
    let latin =
        b"<meta http-equiv='Content-Type' content='text/html; charset=iso-8859-1'><p>f\xfcr";
    let japanese = b"<?xml version=\"1.0\" encoding=\"EUC-JP\"?><p>\xc6\xfc\xcb\xdc";
    let stateful = b"<meta charset=iso-2022-jp><p>\x1b$BF|K\\\x1b(B";
    let marked: Vec<u8> = "\u{feff}<p>für".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let mislabelled = "<meta charset=\"iso-8859-1\"><p>für".as_bytes();
    for (page, expected) in [
        (&latin[..], "für\n"),
        (japanese, "日本\n"),
        (stateful, "日本\n"),
        (&marked, "für\n"),
        (mislabelled, "für\n"),
    ] {
        assert_eq!(read(page).expect("it is read").text, expected);
    }
    for page in [&b"<p>f\xfcr"[..], b"<meta charset=euc-jp><p>\xff\xff", b"<meta charset=x><p>\xfc"]
    {
        let problem = read(page).expect_err("a guess could be wrong");
        assert!(problem.message.ends_with("got other bytes"), "{}", problem.message);
    }
}

#[test]
fn navigation_footers_and_the_header_of_a_page_are_left_out() {
    for (html, expected) in [
        ("<header><h1>Site</h1></header>a<footer>(c)</footer>", "a\n"),
        ("<main><header><h1>T</h1></header>a<footer>by me</footer></main>", "# T\n\na\n"),
        ("<nav><ul><li>x</ul></nav>a<aside>b</aside>c", "ac\n"),
        ("<div role=\"navigation\">x<div>y</div></div>a<div role='Navigation foo'>z</div>", "a\n"),
        ("<h2>T<a class=\"x headerlink\" href=\"#t\">\u{b6}</a></h2>a", "## T\n\na\n"),
        ("a<form><label>Find <input></label><button>Go</button></form>b", "a\n\nFind\nGo\n\nb\n"),
        ("<nav><p>All of a page</nav>", "All of a page\n"),
    ] {
        check(html, expected);
    }
}

#[test]
fn an_element_that_is_left_out_and_not_closed_ends_with_the_one_around_it() {
    check("<div><nav>x<p>y</div>a", "a\n");
    check("<nav>x</div></b></p>y</nav>a", "a\n");
    check("<p hidden>x<p>a", "a\n");
    check("<ul><li hidden>x<ul><li>y</ul><li>a</ul>", "- a\n");
    check("a<svg><path/><title>x</title><g></svg>b<!-->c", "a\nx\nbc\n");
    check("a<noscript>b</noscript><math><mi>c</mi></math></1 d>e", "abce\n");
    check("<title>T<p>a", "a\n");
    check("a<script>'</scripts>'</script >b<textarea></p></textarea>c", "abc\n");
}

#[test]
fn a_page_that_nests_without_end_is_refused() {
    assert!(read("<div>".repeat(100_000).as_bytes()).is_err());
    check(&format!("{}a{}", "<p>".repeat(100_000), "</p>".repeat(10)), "a\n");
    check(&"<".repeat(1000), &format!("{}\n", "<".repeat(1000)));
}

#[test]
fn the_title_of_a_page_is_no_part_of_its_text() {
    let page = read(b"<title> My\n page &amp; more</title>Text").expect("it is read");
    assert_eq!((page.title.as_deref(), &*page.text), (Some("My page & more"), "Text\n"));
}

#[test]
fn a_cell_without_a_text_keeps_its_column_and_its_row() {
    check(
        "<table><tr><th>a<th>b<th>c<tr><td>1<td><td>3<tr><td>4<td><td><tr><td>5</table>",
        "a | b | c\n1 | | 3\n4 |\n5\n",
    );
    check("<tr><td>a<td><p>b</p><td>c</tr><tr><td><td>d", "a | b | c\nd\n");
}

#[test]
fn the_lines_of_preformatted_text_may_be_elements() {
    check("<pre><div>a</div><div>  b</div>c<p>d</pre>e", "a\n  b\nc\nd\n\ne\n");
}

#[test]
fn an_item_or_a_heading_without_a_text_leaves_no_mark() {
    check("<ul><li></ul>a<h2></h2><p>b", "a\n\nb\n");
    check("<ul><li><p>a</p><p>b</p></li></ul>", "- a\n\nb\n");
}

/// A piece of a page, and the words of its text.
#[derive(Clone, Debug)]
struct Piece {
    html: String,
    words: Vec<String>,
}

/// A word with characters of any plane, which is no markup.
fn word() -> impl Strategy<Value = String> {
    let is_plain = |c: &char| !c.is_whitespace() && !c.is_control() && !matches!(c, '<' | '&');
    let letter = prop_oneof![any::<char>(), select(vec!['a', '\u{e9}', '\u{b6}', '>', '"', '/'])];
    prop::collection::vec(letter.prop_filter("plain", is_plain), 1..6)
        .prop_map(|letters| letters.into_iter().collect())
}

fn piece() -> impl Strategy<Value = Piece> {
    let shown = |html: String, word: String| Piece { html, words: vec![word] };
    let unseen = |html: String| Piece { html, words: Vec::new() };
    let elements = ["p", "div", "b", "h2", "ul", "li", "table", "td", "pre", "br", "a", "main"];
    prop_oneof![
        4 => word().prop_map(move |word| shown(word.clone(), word)),
        1 => word().prop_filter("no tag", |word| !word.starts_with(|c: char| c.is_ascii()))
            .prop_map(move |word| shown(format!("<{word}"), format!("<{word}"))),
        1 => word().prop_map(move |word| {
            let references = word.chars().map(|c| format!("&#x{:x};", u32::from(c))).collect();
            shown(references, word)
        }),
        3 => (select(elements.to_vec()), word(), any::<bool>()).prop_map(move |(name, word, is_end)| {
            let title = word.replace('"', "'");
            unseen(if is_end { format!("</{name}>") } else { format!("<{name} title=\"<p>{title}\">") })
        }),
        1 => (select(vec!["script", "style", "iframe", "textarea"]), word()).prop_map(move |(name, word)| {
            unseen(format!("<{name}>{word} <p> </{name}s> {word}</{name} >"))
        }),
        1 => (select(vec!["nav", "aside", "template", "b hidden", "p role=navigation", "a class=headerlink"]), word())
            .prop_map(move |(tag, word)| {
                let name = tag.split(' ').next().unwrap_or_default();
                unseen(format!("<{tag}> {word} <i>{word} </{name}>"))
            }),
        1 => word().prop_map(move |word| unseen(format!("<section><nav>{word} <b> {word}</section>"))),
        1 => word().prop_map(move |word| unseen(format!("<!-- {} -->", word.replace('>', "")))),
    ]
}

proptest! {
    #[test]
    fn the_text_of_a_page_is_that_of_its_visible_pieces(pieces in prop::collection::vec(piece(), 1..40)) {
        let html: Vec<&str> = pieces.iter().map(|piece| &*piece.html).collect();
        // A page without a text is read whole.
        let html = format!("first {}", html.join(" "));
        let words = pieces.iter().flat_map(|piece| &piece.words).map(String::as_str);
        let is_mark = |word: &str| word.chars().all(|c| matches!(c, '#' | '-' | '|'));
        let expected: Vec<&str> = std::iter::once("first").chain(words).filter(|word| !is_mark(word)).collect();
        let page = read(html.as_bytes()).expect("it is read");
        let text: Vec<&str> = page.text.split_whitespace().filter(|word| !is_mark(word)).collect();
        prop_assert_eq!(text, expected, "{}", html);
    }

    #[test]
    fn any_text_is_read(text in "\\PC{0,80}", markup in "(<|>|/|</|<!--|-->|\\?|!|title|p|nav|script|div|=|'|\"| |\u{e9}|\u{1f600}){0,60}") {
        let _document = read(text.as_bytes());
        let _document = read(markup.as_bytes());
    }
}
