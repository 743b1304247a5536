//! Cuts a schema that is too large: shows less and less of its deep and optional parts, until it fits.

#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    /// The most levels of nested optional members.
    optional: usize,
    /// The most levels of nested members.
    nested: usize,
    pub(super) text: usize,
}

#[derive(Clone, Copy, Debug, Default, Eq, Ord, PartialEq, PartialOrd)]
pub(super) struct Level {
    optional: usize,
    nested: usize,
    /// The levels of nested schemas of any kind.
    steps: usize,
}

impl Cut {
    /// All cuts from none to the largest, for a provider that supports `deepest` levels.
    pub(super) fn increasing_cuts(deepest: usize) -> impl Iterator<Item = Self> {
        let cut = move |(optional, nested, text): (usize, usize, usize)| Self {
            optional,
            nested: nested.min(deepest),
            text,
        };
        STEPS.into_iter().map(cut)
    }

    pub(super) fn keeps_all_optional_members(self) -> bool {
        self.optional == ALL
    }

    /// True for the largest cut, which is used even if the schema does not fit.
    pub(super) fn is_largest(self) -> bool {
        self.text == 0
    }

    /// True if objects at this level are shown without their members.
    pub(super) fn hides_members(self, level: Level) -> bool {
        level.optional > self.optional || level.nested > self.nested || level.steps > DEEPEST
    }
}

impl Level {
    pub(super) fn member_level(self, is_required: bool) -> Self {
        let optional = self.optional + usize::from(!is_required);
        Self { optional, nested: self.nested + 1, steps: self.steps + 1 }
    }

    /// The level of items, and of members without a name.
    pub(super) fn item_level(self) -> Self {
        Self { nested: self.nested + 1, ..self.branch_level() }
    }

    pub(super) fn branch_level(self) -> Self {
        Self { steps: self.steps + 1, ..self }
    }

    /// True if items of a list would be too deep for a provider that supports `deepest` levels of members.
    pub(super) fn is_beyond_item_depth(self, deepest: usize) -> bool {
        self.nested > deepest.saturating_add(1)
    }

    pub(super) fn is_too_deep(self) -> bool {
        self.steps > 2 * DEEPEST
    }
}

const ALL: usize = usize::MAX;
/// The most nested optional members, the most nested members, and the most characters of a description.
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
/// The most nested schemas that are walked, because walking recurses; deeper ones are described in words.
const DEEPEST: usize = 48;
