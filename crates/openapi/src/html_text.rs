//! Turns HTML into plain text: paragraphs, items after `- `, cells between ` | `. Whole pages are read in [`page`].
//!
//! A text of a description is Markdown in which HTML may stand. Links become `text (address)`, code stands in backticks. Markdown
//! stays as it is, and so does whatever is no markup, such as `<id>`. Comments, scripts and styles, which no person sees, are left
//! out and counted.
//!
//! Only names of HTML are tags. Those that are also words need proof, because `<address>` or `<code>` may stand for a value:
//! the other tag of their pair, or an attribute. References to characters are read once, and a tag that they spell is text.
//! The result is never longer than the text, and takes time that is linear in its length.

mod character;
mod code_span;
mod element;
mod markup;
mod page;
mod start;
mod tag;
mod writer;

use std::borrow::Cow;

pub use self::page::{PageText, main_content_text, page_lines};
use self::{code_span::CodeSpans, markup::Markup, writer::Writer};

#[derive(Debug, Eq, PartialEq)]
pub(crate) struct PlainText<'t> {
    pub(crate) text: Cow<'t, str>,
    pub(crate) n_hidden: usize,
}

pub(crate) fn plain_text(text: &str) -> PlainText<'_> {
    let untouched = || PlainText { text: text.into(), n_hidden: 0 };
    if !text.contains(['<', '&']) {
        return untouched();
    }
    let code = CodeSpans::from_text(text);
    let markup = markup::text_markup(text, &code);
    if markup.is_empty() {
        return untouched();
    }
    let is_hidden = |markup_item: &&Markup<'_>| markup_item.hides_text(text);
    let n_hidden = markup.iter().filter(is_hidden).count();
    let text = Writer::new(text, &code).text_with_rendered_markup(&markup);
    PlainText { text: text.into(), n_hidden }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(rows: &[(&str, &str)]) {
        for (text, expected) in rows {
            assert_eq!(plain_text(text).text, *expected, "{text:?}");
        }
    }

    #[test]
    fn paragraphs_lists_and_tables_become_lines() {
        check(&[
            ("<p>One</p><p>Two</p>", "One\n\nTwo"),
            ("<p>One<p>Two", "One\n\nTwo"),
            ("One<br>two<br/>\nthree", "One\ntwo\nthree"),
            (
                "These:<ul>\n  <li>a</li>\n  <li><p>b</p></li>\n</ul>\nMore",
                "These:\n\n- a\n- b\n\nMore",
            ),
            ("<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>", "- a\n- b\n- c"),
            (
                "<table>\n <tr>\n  <th>A</th>\n  <th>B</th>\n </tr>\n <tr><td>1</td><td>2</td></tr>\n</table>",
                "A | B\n1 | 2",
            ),
            ("<dl><dt>A</dt><dd>B</dd></dl>", "A: B"),
            ("<h1>T</h1>x<hr>y", "T\n\nx\n\ny"),
        ]);
    }

    #[test]
    fn links_code_and_formats_keep_their_meaning() {
        check(&[
            (
                "See <a href=\"https://a.example/?x=1&amp;y=2\">the page</a>.",
                "See the page (https://a.example/?x=1&y=2).",
            ),
            ("<a href='https://a.example'>https://a.example</a>", "https://a.example"),
            ("<a href=\"#part\">Part</a> <a name=\"part\"></a>", "Part "),
            ("Send <code>a</code>, <b>not</b> <i>b</i>.", "Send `a`, not b."),
            ("<pre><code>a &lt; b\n  c</code></pre>d", "```\na < b\n  c\n```\nd"),
            ("10<sup>6</sup>, H<sub>2</sub>O, <del>old</del>", "10^6, H_2O, ~~old~~"),
            ("use <img src=\"cid:X\"> or <img alt='a b' src=c>", "use cid:X or a b"),
        ]);
    }

    #[test]
    fn text_that_is_no_markup_stays() {
        let texts = [
            "a <id>, <order-id>, <https://a.example>, x<y, a < b > c",
            "Send code to <address>, or <code>, <a> and <b>",
            "<pod name>-<table name>, <label selector>, </b>",
            "`<b>x</b>` and\n```\n<p>x</p>\n```\n",
            "\\<b>x\\</b> \\&amp;",
            "<order><title>x</title></order>",
            "<Body>x</Body> AT&T &copy=1 &unknown; & &#xd800;",
            "**bold** [a](b) | c |\n- d\n    e",
        ];
        for text in texts {
            assert!(matches!(plain_text(text).text, Cow::Borrowed(_)), "{text:?}");
        }
    }

    #[test]
    fn references_to_characters_are_read_once_and_spell_no_tags() {
        check(&[
            ("&lt;b&gt;x&lt;/b&gt;", "<b>x</b>"),
            ("&amp;lt;", "&lt;"),
            ("a&nbsp;b &mdash; &#39;c&#x27;", "a b \u{2014} 'c'"),
            ("`&amp;`", "`&amp;`"),
        ]);
    }

    #[test]
    fn parts_that_nobody_sees_are_left_out_and_counted() {
        for (text, expected, n_hidden) in [
            ("a<!-- do it -->b", "ab", 1),
            ("a<!-- -->b<!---->", "ab", 0),
            ("a<!-- to the end", "a", 1),
            ("<style>\nh1 {}\n</style>a<script type=\"x\">b('<p>')</script>c", "ac", 2),
            ("a <script> and <style> b", "a <script> and <style> b", 0),
        ] {
            let got = plain_text(text);
            assert_eq!((&*got.text, got.n_hidden), (expected, n_hidden), "{text:?}");
        }
    }

    #[test]
    fn a_comment_that_is_left_out_joins_nothing_to_a_tag() {
        check(&[
            ("<<b>x</b>i>y</i>", "<<b>xi>y</i>"),
            ("<b<!-- -->>x</b>", "<b<\u{2026}>x</b>"),
            ("< <b>x</b>", "< x"),
        ]);
    }

    #[test]
    fn a_long_text_takes_linear_time() {
        for part in
            ["<a \"", "<a '<a \"", "<b>", "<!--", "<script>", "`", "``` \n", "&", "<p", "</td>"]
        {
            let text = part.repeat(200_000);
            assert!(plain_text(&text).text.len() <= text.len());
        }
    }

    proptest! {
        #[test]
        fn plain_text_is_never_longer(text in "(<|>|/|</|<!--|-->|`|~~~|\\\\|&lt;|&amp;|&#9;|p|b|a|li|td|dd|pre|code|table|img|script| href=x| alt='y'|\n|  | |é|x){0,40}") {
            let plain = plain_text(&text);
            prop_assert!(plain.text.len() <= text.len(), "{:?}", plain);
        }

        #[test]
        fn plain_text_of_any_text_is_never_longer(text in "\\PC{0,60}") {
            prop_assert!(plain_text(&text).text.len() <= text.len());
        }

        #[test]
        fn plain_text_has_no_markup(text in "(<|>|/|</|<!--|-->|<p>|<b>|</b>|<li>|<td>|</td>|<br>|</p>|b|a|i|pre|code|script|style|title|sup| href=x|\n|  | |é|x|<a href=y>|</a>|<pre>|</pre>|<x>|</x>){0,40}") {
            let once = plain_text(&text).text.into_owned();
            let twice = plain_text(&once).text.into_owned();
            prop_assert_eq!(&once, &twice);
        }
    }
}
