//! Parts that the tests of drivers on servers share.

pub(crate) mod act;
pub(crate) mod early_ends;
pub(crate) mod failures;
pub(crate) mod logins;
pub(crate) mod ratios;
pub(crate) mod steps;
