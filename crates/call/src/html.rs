//! The text that a reader sees of a page, which `openapi` reads, without invisible characters. Pages come from `response`.

use callgate_openapi::page_lines;

use crate::sanitize::{n_invisible_characters, visible_text};

/// The text of a page, and the number of invisible characters removed from it.
pub(crate) fn cleaned_page_text(html: &str) -> (String, usize) {
    let text = page_lines(html);
    (visible_text(&text), n_invisible_characters(&text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_html_page_is_reduced_to_its_text() {
        for (html, expected) in [
            ("<p>a</p><p>b</p>", "a\nb"),
            ("<script>x < y</script>ok", "ok"),
            ("<SCRIPT>a</b></Script >ok", "ok"),
            ("<!-- no --><b>y</b>es", "yes"),
            ("1 &lt; 2 &amp;lt; &#65;&#x42; &nope; a&b", "1 < 2 &lt; AB &nope; a&b"),
            ("<unclosed", ""),
            ("a < b", "a < b"),
            ("<h1>T</h1>\n<ul><li>one</li><li>two</li></ul>end", "T\n- one\n- two\nend"),
            ("<tr><td>a</td><td>b</td></tr><tr><td>c</td></tr>", "a | b\nc"),
            ("a<br/>b<br>c", "a\nb\nc"),
        ] {
            assert_eq!(cleaned_page_text(html).0, expected, "{html:?}");
        }
    }

    #[test]
    fn a_hostile_html_page_is_read_in_linear_time() {
        for part in
            "<script></script>|<script><!--<script>|<script>|<!--|<|&|<style></|&#".split('|')
        {
            cleaned_page_text(&part.repeat(1024 * 1024 / part.len()));
        }
    }
}
