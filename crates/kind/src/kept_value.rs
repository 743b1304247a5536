//! A value of a kind that others hand on without knowing its type.

use std::{any::Any, sync::Arc};

/// A value of a kind that others hand on without knowing its type: what a later build may use again, the settings of a whole
/// configuration.
#[derive(Clone)]
pub struct Kept(Arc<dyn Any + Send + Sync>);

impl Kept {
    /// Keeps a value.
    pub fn new<T: Any + Send + Sync>(value: T) -> Self {
        Self(Arc::new(value))
    }

    /// The value, if it is of this type.
    pub fn get<T: Any>(&self) -> Option<&T> {
        self.0.downcast_ref()
    }
}

callgate_secret::opaque!(Kept = "Kept");
