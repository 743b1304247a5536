//! Questions as people ask them, about four descriptions of the corpus, with the operations that answer them (by
//! `operationId`). They were written before the weights were chosen.

/// A question, and the operations that answer it: any is enough.
pub(crate) type Everyday = (&'static str, Vec<&'static str>);

/// The questions about each file below `corpus/specs`.
pub(crate) fn everyday() -> Vec<(&'static str, Vec<Everyday>)> {
    let files = include_str!("everyday.txt").split("# ").skip(1);
    let question = |line: &'static str| {
        let (question, answers) = line.split_once(" => ").unwrap();
        (question, answers.split(" | ").collect())
    };
    files
        .map(|part| {
            let (file, lines) = part.split_once('\n').unwrap();
            (file, lines.lines().map(question).collect())
        })
        .collect()
}

/// Questions whose answer must be the first or the second.
pub(crate) const FIRST: [(&str, &str, &str); 4] = [
    ("github/api.github.com.json", "create an issue", "issues/create"),
    ("github/api.github.com.json", "merge a pull request", "pulls/merge"),
    ("stripe/stripe.com.json", "refund a payment", "PostRefunds"),
    ("github/api.github.com.json", "who am i", "users/get-authenticated"),
];
