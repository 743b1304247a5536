//! What stands around every call, one file each. The order is the executor's; which of it an executor has is decided by
//! whoever builds it.

mod metrics;

pub use metrics::Metrics;
