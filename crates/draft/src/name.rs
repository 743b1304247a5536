//! Names: of operations, of inputs, of components.

use std::collections::BTreeSet;

/// The words of a name, whatever separates them: `pet-owners`, `petOwners` and `pet_owners` are two.
pub(crate) fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for c in name.chars() {
        let begins =
            !c.is_ascii_alphanumeric() || (c.is_ascii_uppercase() && before.is_ascii_lowercase());
        if begins && words.last().is_some_and(|word| !word.is_empty()) {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c.is_ascii_alphanumeric()) {
            word.push(c.to_ascii_lowercase());
        }
        before = c;
    }
    words.retain(|word| !word.is_empty());
    words
}

fn with_capital(word: &str) -> String {
    let mut characters = word.chars();
    characters
        .next()
        .map(|first| first.to_ascii_uppercase().to_string() + characters.as_str())
        .unwrap_or_default()
}

/// `petOwners`.
pub(crate) fn camel_name(name: &str) -> String {
    let words = words(name);
    let (first, rest) =
        words.split_first().map(|(first, rest)| (first.clone(), rest)).unwrap_or_default();
    first + &rest.iter().map(|word| with_capital(word)).collect::<String>()
}

/// `PetOwners`.
pub(crate) fn pascal_name(name: &str) -> String {
    words(name).iter().map(|word| with_capital(word)).collect()
}

/// A name of one thing for the name of many: `pets`, `categories`, `addresses`, `status`.
pub(crate) fn singular(name: &str) -> String {
    let lower = name.to_ascii_lowercase();
    let cut = |n: usize, end: &str| format!("{}{end}", name.get(..name.len() - n).unwrap_or(name));
    let keeps = ["ss", "us", "is", "news", "series"].iter().any(|end| lower.ends_with(end));
    if keeps || !lower.ends_with('s') || lower.len() < 3 {
        name.to_owned()
    } else if lower.ends_with("ies") && lower.len() > 4 {
        cut(3, "y")
    } else if ["sses", "shes", "ches", "xes", "zes"].iter().any(|end| lower.ends_with(end)) {
        cut(2, "")
    } else {
        cut(1, "")
    }
}

/// True for the name of many.
pub(crate) fn is_plural(name: &str) -> bool {
    singular(name) != name
}

/// A name that is not yet there; it gets a number where it is.
pub(crate) fn unique_name(name: String, names: &mut BTreeSet<String>) -> String {
    let numbers = std::iter::successors(Some(2_u32), |n| n.checked_add(1));
    let numbered = std::iter::once(name.clone()).chain(numbers.map(|n| format!("{name}{n}")));
    let unique = numbered.into_iter().find(|name| !names.contains(name)).unwrap_or(name);
    names.insert(unique.clone());
    unique
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_many_have_a_name_of_one() {
        let many = "pets categories addresses boxes status news data series houses as";
        let one = "pet category address box status news data series house as";
        let singulars: Vec<_> = many.split(' ').map(singular).collect();
        assert_eq!(singulars.join(" "), one);
    }

    #[test]
    fn words_are_found_in_every_way_of_writing_them() {
        for name in ["pet-owners", "petOwners", "pet_owners", "Pet owners", "/pet/owners"] {
            assert_eq!(camel_name(name), "petOwners");
            assert_eq!(pascal_name(name), "PetOwners");
        }
    }
}
