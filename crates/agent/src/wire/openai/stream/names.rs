//! The name of a function whose pieces may be parts of it, or each the whole again. The names of the declared tools decide: no piece says
//! which it is.

use std::{collections::BTreeSet, ops::Bound};

/// The names of the tools that a request declares.
#[derive(Debug, Default)]
pub(super) struct DeclaredNames(BTreeSet<String>);

impl FromIterator<String> for DeclaredNames {
    fn from_iter<I: IntoIterator<Item = String>>(names: I) -> Self {
        Self(names.into_iter().collect())
    }
}

impl DeclaredNames {
    /// The declared name that pieces make; `None` if they make none.
    pub(super) fn name_from_pieces(&self, pieces: &[String]) -> Option<String> {
        let (first, last) = (pieces.first()?, pieces.last()?);
        let repeated = pieces.iter().all(|piece| piece == first).then(|| first.clone());
        // Some servers send what has come so far in each piece, or the whole in the last one. Others go on after the whole with
        // marks of the model. Any other pieces are parts: a name of which one part is declared is no declared one.
        let are_from_first = pieces.iter().all(|piece| piece.starts_with(&**first));
        let joined = pieces.concat();
        let is_again = are_from_first || joined.strip_suffix(&**last) == Some(&**last);
        let names = [
            repeated,
            Some(joined),
            is_again.then(|| last.clone()),
            are_from_first.then(|| first.clone()),
        ];
        names.into_iter().flatten().find(|name| self.0.contains(name))
    }

    /// True if a piece goes on with a name of which pieces have come, and names no other function.
    pub(super) fn is_continued_by(&self, pieces: &[String], piece: &str) -> bool {
        let Some(last) = pieces.last() else { return false };
        let begun = pieces.concat();
        let is_whole = self.name_from_pieces(pieces).is_some();
        let is_rest = self.has_name_from(&format!("{begun}{piece}"));
        let is_so_far = piece.starts_with(&**last);
        (is_rest && !(is_whole && self.0.contains(piece)))
            || (is_so_far && !is_whole && self.has_name_from(piece))
    }

    /// True if a piece is a declared name, and those before it make another one.
    pub(super) fn is_another_name(&self, pieces: &[String], piece: &str) -> bool {
        self.0.contains(piece) && self.name_from_pieces(pieces).is_some_and(|name| name != piece)
    }

    /// True if a name begins with this text.
    fn has_name_from(&self, text: &str) -> bool {
        let mut names = self.0.range::<str, _>((Bound::Included(text), Bound::Unbounded));
        names.next().is_some_and(|name| name.starts_with(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 9] = ["a", "ab", "abc", "b", "get", "getget", "t-", "t-a", "ä-ö"];

    fn declared() -> DeclaredNames {
        NAMES.map(str::to_owned).into_iter().collect()
    }

    /// Every way to split a name into pieces that are not empty.
    fn splits(name: &str) -> Vec<Vec<String>> {
        let characters: Vec<_> = name.chars().collect();
        let n_cuts = characters.len() - 1;
        let split = |cuts: usize| {
            let mut pieces = vec![String::new()];
            for (at, character) in characters.iter().enumerate() {
                let is_cut = at > 0 && (cuts >> (at - 1)) & 1 == 1;
                pieces.extend(is_cut.then(String::new));
                pieces.last_mut().unwrap().push(*character);
            }
            pieces
        };
        (0..1 << n_cuts).map(split).collect()
    }

    #[test]
    fn every_split_of_a_declared_name_makes_it_again() {
        let declared = declared();
        let all = NAMES.iter().flat_map(|name| splits(name).into_iter().map(move |it| (*name, it)));
        for (name, pieces) in all {
            // `get` twice is `get`.
            let expected = if pieces == ["get", "get"] { "get" } else { name };
            assert_eq!(declared.name_from_pieces(&pieces).as_deref(), Some(expected), "{pieces:?}");
            let cumulative: Vec<_> = (1..=pieces.len()).map(|n| pieces[..n].concat()).collect();
            let read = declared.name_from_pieces(&cumulative);
            let is_right = read.is_some_and(|it| it == name || it == cumulative.concat());
            assert!(is_right, "{pieces:?}");
        }
        for (name, n_times) in NAMES.into_iter().flat_map(|name| (1..5).map(move |n| (name, n))) {
            let repeated = vec![name.to_owned(); n_times];
            assert_eq!(declared.name_from_pieces(&repeated).as_deref(), Some(name), "{n_times}");
        }
        assert_eq!(declared.name_from_pieces(&[]), None);
        for (pieces, expected) in [
            ("x,y", None),
            ("get,x", None),
            ("x,get", None),
            ("get,get<|x|>", Some("get")),
            ("t,-a,t-a", Some("t-a")),
        ] {
            let pieces: Vec<_> = pieces.split(',').map(str::to_owned).collect();
            assert_eq!(declared.name_from_pieces(&pieces).as_deref(), expected, "{pieces:?}");
        }
    }

    #[test]
    fn a_piece_goes_on_with_a_name_where_a_declared_one_does() {
        let declared = declared();
        for (pieces, piece, expected) in [
            ("t", "-a", true),
            ("t-", "a", false),
            ("t,-", "x", false),
            ("ge", "t", true),
            ("ge", "get", true),
            ("get", "get", false),
            ("get", "g", true),
            ("abc", "b", false),
            ("x", "y", false),
        ] {
            let pieces: Vec<_> = pieces.split(',').map(str::to_owned).collect();
            assert_eq!(declared.is_continued_by(&pieces, piece), expected, "{pieces:?} {piece}");
        }
        assert!(!declared.is_continued_by(&[], "a"), "nothing has begun");
    }

    #[test]
    fn a_declared_name_beside_another_one_is_another() {
        let declared = declared();
        for (pieces, piece, expected) in [
            ("a", "ab", true),
            ("ab", "a", true),
            ("t,-,a", "t-", true),
            ("ab", "ab", false),
            ("a,b", "ab", false),
            ("get,get", "get", false),
            ("x", "a", false),
            ("a", "x", false),
        ] {
            let pieces: Vec<_> = pieces.split(',').map(str::to_owned).collect();
            assert_eq!(declared.is_another_name(&pieces, piece), expected, "{pieces:?} {piece}");
        }
    }
}
