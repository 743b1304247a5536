//! Builds without the feature `documents` have none.

use std::{
    collections::BTreeSet,
    future::{Ready, ready},
    path::{Path, PathBuf},
};

use callgate_settings::{Finding, Reader};

use super::{BuiltDocuments, DocumentCounts};
use crate::{
    build::{context::BuildContext, database::Databases},
    config::Config,
};

/// Documents that no build has.
#[derive(Clone, Debug)]
pub(in crate::build) enum Documents {}

impl Documents {
    pub(super) fn refresh(&self) -> Ready<()> {
        match *self {}
    }

    pub(super) fn findings(&self, _: &str, _: &Path) -> Vec<Finding> {
        match *self {}
    }

    pub(super) fn counts(&self) -> DocumentCounts {
        match *self {}
    }

    pub(super) fn folders(&self) -> BTreeSet<PathBuf> {
        match *self {}
    }
}

/// The reader has refused the key.
pub(in crate::build) fn all(
    _: &mut Reader,
    _: &Config,
    _: &BuildContext<'_>,
    _: &[BuiltDocuments],
    _: &mut Databases,
) -> Ready<Vec<BuiltDocuments>> {
    ready(Vec::new())
}
