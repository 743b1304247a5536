//! The budget of one check: a step is one schema applied to one value, or equal work on a long text.

#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    left: usize,
}

pub(crate) type Paid<T = ()> = Result<T, Spent>;

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Spent {
    Depth,
    Steps,
}

impl Budget {
    /// The steps of one call. An argument has at most 1 MiB, and so half a million values.
    pub(crate) const CALL: usize = 4_000_000;

    pub(crate) fn new(steps: usize) -> Self {
        Self { left: steps }
    }

    pub(crate) fn steps_left(self) -> usize {
        self.left
    }

    pub(crate) fn charge(&mut self, steps: usize) -> Paid {
        self.left = self.left.checked_sub(steps).ok_or(Spent::Steps)?;
        Ok(())
    }
}
