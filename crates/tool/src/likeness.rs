//! Finds the known names that a misspelled name most likely means. Upper and lower case are alike, and so are names whose
//! words are separated by `-`, `_`, `.` or nothing.

/// The known name that is most like `name`; `None` if no name is similar enough.
///
/// ```
/// use callgate_tool::nearest;
///
/// assert_eq!(nearest("get_Pett", ["getPets", "getPet", "addPet"]), Some("getPet"));
/// assert_eq!(nearest("weather", ["getPets", "getPet", "addPet"]), None);
/// ```
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let best = alike(name, known).reduce(|best, next| if next.0 > best.0 { next } else { best });
    best.map(|(_, known)| known)
}

/// The known names that are like `name`, the most similar first.
pub fn nearest_first<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let mut alike: Vec<_> = alike(name, known).collect();
    alike.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    alike.into_iter().map(|(_, known)| known).collect()
}

fn alike<'a>(
    name: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> impl Iterator<Item = (f64, &'a str)> {
    let name = folded(name);
    let rated =
        known.into_iter().map(move |known| (strsim::jaro_winkler(&name, &folded(known)), known));
    rated.filter(|(likeness, _)| *likeness >= ALIKE)
}

fn folded(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '-' | '_' | '.')).flat_map(char::to_lowercase).collect()
}

/// The least similarity, from 0 to 1, at which one name is suggested for another. Misspellings are above it, other words
/// below.
const ALIKE: f64 = 0.7;
