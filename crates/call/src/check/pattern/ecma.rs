//! Translates the notation of ECMA-262 (§22.2) to the engine's: notation with a different meaning in the engine is
//! rewritten. Notation that the engine does not know stays unchanged, and the engine refuses it.

use std::{iter::Peekable, str::Chars};

pub(super) fn translated_pattern(pattern: &str) -> String {
    let mut translator = Translator {
        rest: pattern.chars().peekable(),
        out: String::with_capacity(pattern.len() + 16),
    };
    while let Some(c) = translator.rest.next() {
        translator.translate_outside_class(c);
    }
    translator.out
}

struct Translator<'p> {
    rest: Peekable<Chars<'p>>,
    out: String,
}

impl Translator<'_> {
    fn translate_outside_class(&mut self, c: char) {
        match c {
            '.' => self.out.push_str(r"[^\n\r\u2028\u2029]"),
            '[' => self.translate_class(),
            '\\' => self.translate_escape(),
            '{' if !self.is_repetition_count() => self.out.push_str(r"\{"),
            other => self.out.push(other),
        }
    }

    /// True if digits, a comma and a closing brace follow: `{2,}`.
    fn is_repetition_count(&self) -> bool {
        let mut rest = self.rest.clone();
        let begins = rest.peek().is_some_and(char::is_ascii_digit);
        begins && rest.find(|c| !c.is_ascii_digit() && *c != ',') == Some('}')
    }

    fn translate_escape(&mut self) {
        let Some(c) = self.rest.next() else { return self.out.push('\\') };
        match c {
            'b' | 'B' => self.out.extend(["(?-u:\\", if c == 'b' { "b" } else { "B" }, ")"]),
            'D' | 'S' | 'W' => self.out.extend(["[^", class_escape_members(c), "]"]),
            'd' | 's' | 'w' => self.out.extend(["[", class_escape_members(c), "]"]),
            'P' | 'p' => self.translate_property(c),
            other => self.translate_character_escape(other),
        }
    }

    /// `\p{Letter}`; the engine uses these names too.
    fn translate_property(&mut self, c: char) {
        self.out.extend(['\\', c]);
        if self.rest.peek() == Some(&'{') {
            let name = std::iter::from_fn(|| self.rest.next_if(|c| !matches!(c, '}' | ']')));
            self.out.extend(name);
            self.out.extend(self.rest.next_if_eq(&'}'));
        }
    }

    /// An escape for one character, inside or outside a class.
    fn translate_character_escape(&mut self, c: char) {
        match c {
            '0' => self.out.push_str(r"\x00"),
            'c' => match self.rest.next_if(char::is_ascii_alphabetic) {
                Some(letter) => self.push_code_point(u32::from(letter) % 32),
                None => self.out.push_str(r"\\c"),
            },
            'u' if self.rest.peek() != Some(&'{') => self.translate_unicode_escape(),
            // The engine gives these escapes other meanings.
            '<' | '>' => self.out.push(c),
            other if other.is_ascii() => self.out.extend(['\\', other]),
            other => self.out.push(other),
        }
    }

    fn push_code_point(&mut self, code: u32) {
        self.out.push_str(&format!("\\x{{{code:x}}}"));
    }

    /// `\uXXXX`, or two of them that form one character.
    fn translate_unicode_escape(&mut self) {
        let Some(first) = self.take_hex_digits() else { return self.out.push_str("\\u") };
        if !(0xd800..0xdc00).contains(&first) {
            return self.push_code_point(first);
        }
        let before = self.rest.clone();
        let follows = self.rest.next() == Some('\\') && self.rest.next() == Some('u');
        let second = self.take_hex_digits().filter(|second| (0xdc00..0xe000).contains(second));
        if let Some(second) = second.filter(|_| follows) {
            return self.push_code_point(0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00));
        }
        self.rest = before;
        self.push_code_point(first);
    }

    fn take_hex_digits(&mut self) -> Option<u32> {
        let mut rest = self.rest.clone();
        let mut code = 0;
        for _ in 0..4 {
            code = code * 16 + rest.next()?.to_digit(16)?;
        }
        self.rest = rest;
        Some(code)
    }

    fn translate_class(&mut self) {
        let is_negated = self.rest.next_if_eq(&'^').is_some();
        if self.rest.next_if_eq(&']').is_some() {
            self.out.push_str(if is_negated { r"[\s\S]" } else { r"[a&&b]" });
            return;
        }
        self.out.push_str(if is_negated { "[^" } else { "[" });
        let mut is_after_set = false;
        while let Some(c) = self.rest.next() {
            let is_dash = self.rest.peek() == Some(&'-');
            match c {
                ']' => return self.out.push(']'),
                '[' if self.translate_posix_class() => {}
                // Doubled, or in another position, these characters are operators of the engine.
                '&' | '[' | '~' => self.out.extend(['\\', c]),
                '-' if is_after_set || is_dash => self.out.push_str(r"\-"),
                '\\' => {
                    is_after_set = self.translate_escape_in_class();
                    continue;
                }
                other => self.out.push(other),
            }
            is_after_set = false;
        }
    }

    /// A POSIX class, which some descriptions use: `[:alpha:]`.
    fn translate_posix_class(&mut self) -> bool {
        let mut rest = self.rest.clone();
        if rest.next() != Some(':') {
            return false;
        }
        let name: String = rest.by_ref().take_while(char::is_ascii_alphabetic).collect();
        // The colon after the name is consumed too.
        if name.is_empty() || rest.next() != Some(']') {
            return false;
        }
        self.out.extend(["[:", &name, ":]"]);
        self.rest = rest;
        true
    }

    /// An escape in a class; returns true if it stands for several characters.
    fn translate_escape_in_class(&mut self) -> bool {
        match self.rest.next() {
            Some('b') => self.out.push_str(r"\x08"),
            Some(c @ ('D' | 'S' | 'W')) => self.out.extend(["[^", class_escape_members(c), "]"]),
            Some(c @ ('d' | 's' | 'w')) => self.out.push_str(class_escape_members(c)),
            Some(c @ ('P' | 'p')) => self.translate_property(c),
            Some(c) => {
                self.translate_character_escape(c);
                return false;
            }
            None => self.out.push('\\'),
        }
        true
    }
}

/// The characters of a class escape (ECMA-262 §22.2.2.9).
fn class_escape_members(escape: char) -> &'static str {
    match escape {
        'D' | 'd' => "0-9",
        'W' | 'w' => "0-9A-Za-z_",
        _ => r"\t\n\x0b\x0c\r\x{feff}\u2028\u2029\p{Zs}",
    }
}
