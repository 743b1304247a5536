//! A recorder with a limit on its series: later series are dropped.

use std::{
    collections::BTreeSet,
    sync::{PoisonError, RwLock},
};

use metrics::{Counter, Gauge, Histogram, Key, KeyName, Metadata, Recorder, SharedString, Unit};

#[derive(Debug)]
pub(super) struct BoundedRecorder<R> {
    recorder: R,
    histogram: usize,
    series: RwLock<SeriesNames>,
}

#[derive(Debug, Default)]
struct SeriesNames {
    keys: BTreeSet<Key>,
    n_series: usize,
}

impl<R: Recorder> BoundedRecorder<R> {
    /// Limits a recorder whose histograms have this many series each.
    pub(super) fn new(recorder: R, histogram: usize) -> Self {
        Self { recorder, histogram, series: RwLock::default() }
    }

    /// Returns true if there is room for a key with this many series.
    fn admit_series(&self, key: &Key, n_series: usize) -> bool {
        let read_guard = self.series.read().unwrap_or_else(PoisonError::into_inner);
        if read_guard.keys.contains(key) {
            return true;
        }
        drop(read_guard);
        let mut write_guard = self.series.write().unwrap_or_else(PoisonError::into_inner);
        if write_guard.keys.contains(key) {
            return true;
        }
        let is_room = write_guard.n_series + n_series <= MOST_SERIES;
        if is_room {
            write_guard.n_series += n_series;
            write_guard.keys.insert(key.clone());
        }
        is_room
    }
}

impl<R: Recorder> Recorder for BoundedRecorder<R> {
    fn describe_counter(&self, key: KeyName, unit: Option<Unit>, about: SharedString) {
        self.recorder.describe_counter(key, unit, about);
    }

    fn describe_gauge(&self, key: KeyName, unit: Option<Unit>, about: SharedString) {
        self.recorder.describe_gauge(key, unit, about);
    }

    fn describe_histogram(&self, key: KeyName, unit: Option<Unit>, about: SharedString) {
        self.recorder.describe_histogram(key, unit, about);
    }

    fn register_counter(&self, key: &Key, metadata: &Metadata<'_>) -> Counter {
        if self.admit_series(key, 1) {
            return self.recorder.register_counter(key, metadata);
        }
        Counter::noop()
    }

    fn register_gauge(&self, key: &Key, metadata: &Metadata<'_>) -> Gauge {
        if self.admit_series(key, 1) {
            return self.recorder.register_gauge(key, metadata);
        }
        Gauge::noop()
    }

    fn register_histogram(&self, key: &Key, metadata: &Metadata<'_>) -> Histogram {
        if self.admit_series(key, self.histogram) {
            return self.recorder.register_histogram(key, metadata);
        }
        Histogram::noop()
    }
}

/// The number of series that a scraper accepts from a sidecar without complaint.
const MOST_SERIES: usize = 2000;
