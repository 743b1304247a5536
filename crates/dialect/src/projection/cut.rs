//! The cut of a schema that is too large: ever less of what is deep and optional is shown, until it fits.

/// The most that is shown.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    /// The number of optional members that may lie in each other.
    optional: usize,
    /// The number of members that may.
    nested: usize,
    /// The longest description.
    pub(super) text: usize,
}

/// The depth of a place.
#[derive(Clone, Copy, Debug, Default, Eq, Ord, PartialEq, PartialOrd)]
pub(super) struct Level {
    optional: usize,
    nested: usize,
    /// Schemas in schemas, whatever they are for.
    steps: usize,
}

impl Cut {
    /// From all to the least, for a provider that takes so many levels.
    pub(super) fn all(deepest: usize) -> impl Iterator<Item = Self> {
        let cut = move |(optional, nested, text): (usize, usize, usize)| Self {
            optional,
            nested: nested.min(deepest),
            text,
        };
        STEPS.into_iter().map(cut)
    }

    /// True where everything is shown.
    pub(super) fn is_all(self) -> bool {
        self.optional == ALL
    }

    /// True for the least of them, which is taken whatever it costs.
    pub(super) fn is_least(self) -> bool {
        self.text == 0
    }

    /// True where objects are no longer shown with their members.
    pub(super) fn ends(self, level: Level) -> bool {
        level.optional > self.optional || level.nested > self.nested || level.steps > DEEPEST
    }
}

impl Level {
    /// A member's level.
    pub(super) fn member(self, is_required: bool) -> Self {
        let optional = self.optional + usize::from(!is_required);
        Self { optional, nested: self.nested + 1, steps: self.steps + 1 }
    }

    /// The level of items, and of members without a name.
    pub(super) fn item(self) -> Self {
        Self { nested: self.nested + 1, ..self.branch() }
    }

    /// The level of an alternative.
    pub(super) fn branch(self) -> Self {
        Self { steps: self.steps + 1, ..self }
    }

    /// True where items of a list would be too deep for a provider that takes so many levels of members.
    pub(super) fn is_leaf(self, deepest: usize) -> bool {
        self.nested > deepest.saturating_add(1)
    }

    /// True where nothing may be nested any more.
    pub(super) fn is_last(self) -> bool {
        self.steps > 2 * DEEPEST
    }
}

const ALL: usize = usize::MAX;
/// Optional members in each other, members in each other, characters of a description.
const STEPS: [(usize, usize, usize); 13] = [
    (ALL, ALL, ALL),
    (6, ALL, ALL),
    (4, ALL, ALL),
    (3, ALL, ALL),
    (2, ALL, ALL),
    (2, ALL, 300),
    (1, ALL, 300),
    (1, ALL, 120),
    (0, ALL, 120),
    (0, 3, 120),
    (0, 1, 120),
    (0, 1, 40),
    (0, 0, 0),
];
/// Schemas in schemas beyond this are told in words: walking them recurses.
const DEEPEST: usize = 48;
