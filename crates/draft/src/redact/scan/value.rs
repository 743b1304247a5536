//! Reads the value behind the name of a secret: in quotes, in brackets, in an element, in a block of lines, or to its delimiter.
//! A value without its end is all the rest of the text.

use std::ops::Range;

use super::is_word_part;
use crate::redact::secret_name::VALUE_MEMBERS;

/// A place in a text.
pub(super) struct Reader<'t> {
    pub(super) text: &'t str,
    pub(super) at: usize,
}

impl<'t> Reader<'t> {
    pub(super) fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Moves behind characters, and returns how many bytes they have.
    fn skip_while(&mut self, is_skipped: impl Fn(char) -> bool) -> usize {
        let rest = self.rest();
        let length = rest.find(|c| !is_skipped(c)).unwrap_or(rest.len());
        self.at = self.at.saturating_add(length);
        length
    }

    fn skip_any_of(&mut self, tokens: &[&'static str]) -> Option<&'static str> {
        let rest = self.rest();
        let begins = |token: &&&str| {
            rest.get(..token.len()).is_some_and(|start| start.eq_ignore_ascii_case(token))
        };
        let token = *tokens.iter().find(begins)?;
        self.at = self.at.saturating_add(token.len());
        Some(token)
    }

    /// From here to where the next text begins, or to the end.
    fn range_until(&self, is_end: impl Fn(char) -> bool) -> Range<usize> {
        let rest = self.rest();
        self.at..self.at.saturating_add(rest.find(is_end).unwrap_or(rest.len()))
    }

    /// The value of a name: `name=…`, `"name": …`, `name[x]=…`, `name="password">…`, `"name": "password", "value": …`,
    /// `name is …`. A name that is assigned is the value of another member.
    pub(super) fn named_value(&mut self, name: &str, is_assigned: bool) -> Option<Range<usize>> {
        self.skip_index();
        let is_quoted = self.skip_while(|c| "\"'\\]`".contains(c)) > 0;
        self.skip_while(char::is_whitespace);
        if let Some(separator) = self.skip_any_of(&SEPARATORS) {
            return self.value_after_separator(name, separator, is_quoted);
        }
        if !is_quoted && !is_assigned {
            return self.value_after_is();
        }
        if self.skip_any_of(&[">"]).is_some() {
            if self.skip_any_of(&["<![CDATA["]).is_some() {
                let rest = self.rest();
                let length = rest.find("]]>").unwrap_or(rest.len());
                return Some(self.at..self.at.saturating_add(length));
            }
            return Some(self.range_until(|c| c == '<'));
        }
        self.value_beside(name)
    }

    /// The word behind `is`, unless it is one of a sentence.
    fn value_after_is(&mut self) -> Option<Range<usize>> {
        self.skip_any_of(&["is ", "was "])?;
        let word = self.range_until(char::is_whitespace);
        let has_digit = self.text.get(word.clone())?.bytes().any(|byte| byte.is_ascii_digit());
        has_digit.then_some(word)
    }

    /// The value of an object or of a tag in which the name stands as the value of another member.
    fn value_beside(&self, name: &str) -> Option<Range<usize>> {
        let far = self.text.ceil_char_boundary(self.at.saturating_sub(WIDEST_PAIR));
        let before = self.text.get(far..self.at)?;
        let start = before.rfind(['{', '<']).map_or(far, |at| far.saturating_add(at));
        let far = self.text.ceil_char_boundary(self.at.saturating_add(WIDEST_PAIR));
        let behind = self.text.get(self.at..far.min(self.text.len()))?;
        let end = behind.find(['}', '>']).map_or(far, |at| self.at.saturating_add(at));
        let pair = self.text.get(start..end)?;
        VALUE_MEMBERS.iter().find_map(|member| {
            let at = pair.find(member)?.saturating_add(member.len());
            let mut reader = Reader { text: self.text, at: start.saturating_add(at) };
            reader.skip_while(|c| c.is_whitespace() || "\"'\\".contains(c));
            let separator = reader.skip_any_of(&SEPARATORS)?;
            reader.value_after_separator(name, separator, true)
        })
    }

    /// Skips `[x]` behind a name.
    fn skip_index(&mut self) {
        let index = self.rest().strip_prefix('[').map(|rest| rest.trim_start_matches(is_word_part));
        if let Some(rest) = index.filter(|rest| rest.starts_with(']')) {
            self.at = self.text.len().saturating_sub(rest.len());
        }
    }

    fn value_after_separator(
        &mut self,
        name: &str,
        separator: &str,
        is_quoted: bool,
    ) -> Option<Range<usize>> {
        let n_spaces = self.skip_while(|c| matches!(c, ' ' | '\t'));
        let mark = Reader { text: self.text, at: self.at };
        if let Some(line_end) = mark.block_mark_end() {
            return self.indented_block(line_end);
        }
        let rest = self.rest();
        let variable =
            rest.strip_prefix('$').and_then(|rest| rest.split(|c| !is_word_part(c)).next());
        if variable == Some(name) {
            return None;
        }
        let n_slashes = rest.find(|c| c != '\\').unwrap_or(0);
        let quote = rest.get(n_slashes..).and_then(|rest| rest.chars().next());
        match quote {
            Some(quote @ ('"' | '\'' | '`')) => return Some(self.quoted_range(quote, n_slashes)),
            Some('{' | '[') if n_slashes == 0 => return Some(self.bracket_range()),
            _ => {}
        }
        let word = rest.split(|c| !is_word_part(c)).next().unwrap_or_default();
        let has_scheme = precedes_credential(word)
            && rest.get(word.len()..).is_some_and(|it| it.starts_with(' '));
        Some(match (has_scheme, is_quoted, separator) {
            (false, true, _) => self.range_until(|c| c.is_whitespace() || ",}]\"'&<".contains(c)),
            (false, false, "=" | "%3D") if n_spaces == 0 => {
                self.range_until(|c| c.is_whitespace() || "&;\"'<>`".contains(c))
            }
            _ => self.range_until(|c| matches!(c, '\n' | '"' | '<')),
        })
    }

    /// The inside of quotes: `n_slashes` stand before the first one, and not more before the last.
    fn quoted_range(&self, quote: char, n_slashes: usize) -> Range<usize> {
        let start = self.at.saturating_add(n_slashes).saturating_add(quote.len_utf8());
        let rest = self.text.get(start..).unwrap_or_default();
        let pair = [quote, quote];
        let triple = String::from_iter(pair) + quote.encode_utf8(&mut [0; 4]);
        if rest.starts_with(pair.iter().collect::<String>().as_str()) {
            let rest = rest.get(2..).unwrap_or_default();
            let start = start.saturating_add(2);
            return start..start.saturating_add(rest.find(&triple).unwrap_or(rest.len()));
        }
        let mut n_before = 0_usize;
        let mut characters = rest.char_indices().peekable();
        while let Some((at, c)) = characters.next() {
            // A quote is written twice within quotes of SQL, CSV and YAML.
            let is_twice = n_slashes == 0 && at > 0;
            let is_end = c == quote && n_before <= n_slashes;
            if is_end && (!is_twice || characters.next_if(|(_, next)| *next == quote).is_none()) {
                return start..start.saturating_add(at.saturating_sub(n_before));
            }
            n_before = if c == '\\' { n_before.saturating_add(1) } else { 0 };
        }
        start..self.text.len()
    }

    /// From a bracket to the one that closes it.
    fn bracket_range(&self) -> Range<usize> {
        let (mut depth, mut is_string, mut is_escaped) = (0_usize, false, false);
        for (at, c) in self.rest().char_indices() {
            match c {
                '"' if !is_escaped => is_string = !is_string,
                '{' | '[' if !is_string => depth = depth.saturating_add(1),
                '}' | ']' if !is_string => depth = depth.saturating_sub(1),
                _ => {}
            }
            is_escaped = c == '\\' && !is_escaped;
            if depth == 0 {
                return self.at..self.at.saturating_add(at).saturating_add(1);
            }
        }
        self.at..self.text.len()
    }

    /// The end of a line that has nothing more than the mark of a block.
    fn block_mark_end(mut self) -> Option<usize> {
        self.skip_any_of(&BLOCK_MARKS);
        self.skip_while(|c| matches!(c, ' ' | '\t' | '\r'));
        self.rest().starts_with('\n').then_some(self.at)
    }

    /// The lines behind a name that are indented more than its own, as in YAML; or the value that begins on the next line.
    fn indented_block(&mut self, line_end: usize) -> Option<Range<usize>> {
        let indent = |line: &str| line.find(|c| c != ' ').unwrap_or(line.len());
        let line_start = self.text.get(..self.at)?.rfind('\n').map_or(0, |at| at.saturating_add(1));
        let own_line = self.text.get(line_start..)?.trim_start_matches("- ");
        let own = self.text.len().saturating_sub(line_start.saturating_add(own_line.len()));
        let own = own.saturating_add(indent(own_line));
        let start = line_end.saturating_add(1);
        let mut end = line_end;
        for line in self.text.get(line_end.saturating_add(1)..)?.split_inclusive('\n') {
            let is_item = line.trim_start().starts_with(['-', '{', '[', '"']);
            let is_within = indent(line) > own || (is_item && indent(line) == own);
            if !line.trim().is_empty() && !is_within {
                break;
            }
            end = end.saturating_add(line.len());
        }
        let block = start..end.saturating_add(1).min(self.text.len());
        let line = Reader { text: self.text, at: start }.range_until(|c| c == '\n');
        let names_another = self.text.get(line.clone())?.contains([':', '=']);
        Some(if block.is_empty() && !names_another { line } else { block })
            .filter(|value| !value.is_empty())
    }

    /// The content of an element, to the end that has its name.
    pub(super) fn element_content(&mut self, name: &str) -> Option<Range<usize>> {
        let tag = self.range_until(|c| matches!(c, '<' | '>'));
        if self.text.get(tag.clone())?.ends_with('/') {
            return None;
        }
        // A tag without an end is looked at no further than the next one.
        let content = self.text.get(tag.end..).and_then(|rest| rest.strip_prefix('>'));
        let Some(content) = content else { return Some(tag) };
        let start = tag.end.saturating_add(1);
        let is_end = |at: &usize| {
            let end = content.get(at.saturating_add(2)..).unwrap_or_default();
            let local = end.trim_start_matches(is_word_part).strip_prefix(':').unwrap_or(end);
            local.strip_prefix(name).is_some_and(|end| end.trim_start().starts_with('>'))
        };
        let end = content.match_indices("</").map(|(at, _)| at).find(is_end);
        Some(start..start.saturating_add(end.unwrap_or(content.len())))
    }

    /// The next word of a command.
    pub(super) fn command_word(&mut self) -> Range<usize> {
        self.skip_while(|c| matches!(c, ' ' | '\t' | '"' | '\''));
        self.range_until(|c| c.is_whitespace() || "\"'".contains(c))
    }

    /// The password of the next word, `user:password`.
    pub(super) fn password_of_login(&mut self) -> Option<Range<usize>> {
        self.skip_while(|c| c == '=');
        let login = self.command_word();
        let at = self.text.get(login.clone())?.find(':')?.saturating_add(1);
        Some(login.start.saturating_add(at)..login.end)
    }

    /// The credential behind `Bearer`, if it is no word of a sentence.
    pub(super) fn bearer_credential(&mut self) -> Option<Range<usize>> {
        let is_apart = self.skip_while(|c| c == ' ') > 0;
        let token = self.range_until(|c| c.is_whitespace() || "\"'<,;\\".contains(c));
        let text = self.text.get(token.clone())?;
        let is_typed =
            text.bytes().skip(1).all(|b| b.is_ascii_lowercase() || b.is_ascii_punctuation());
        (is_apart && text.len() >= SHORTEST_CREDENTIAL && !is_typed).then_some(token)
    }
}

fn precedes_credential(word: &str) -> bool {
    WORDS_BEFORE_CREDENTIALS.iter().any(|scheme| word.eq_ignore_ascii_case(scheme))
}

/// What stands between a name and its value, longer ones first.
const SEPARATORS: [&str; 7] = ["%3D", "%3A", "=>", ":=", "==", "=", ":"];
/// Marks of YAML: the value is the block below.
const BLOCK_MARKS: [&str; 6] = ["|-", ">-", "|+", ">+", "|", ">"];
const WORDS_BEFORE_CREDENTIALS: [&str; 7] =
    ["apikey", "basic", "bearer", "digest", "negotiate", "token", "key"];
const SHORTEST_CREDENTIAL: usize = 8;
/// The bytes on each side of a name among which its value is looked for.
const WIDEST_PAIR: usize = 200;
