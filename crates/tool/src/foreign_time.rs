//! Times that a server states, bounded where they come in: whoever adds one to a clock, or sleeps for it, cannot overflow.

#![warn(clippy::arithmetic_side_effects)]

use std::time::Duration;

/// A time that a server states in seconds: from zero to a year. What is no number counts as zero.
///
/// ```
/// use std::time::Duration;
///
/// use callgate_tool::clamped_duration;
///
/// assert_eq!(clamped_duration(1.5), Duration::from_millis(1500));
/// assert_eq!(clamped_duration(-1.0), Duration::ZERO);
/// assert_eq!(clamped_duration(f64::INFINITY), clamped_duration(1e18));
/// ```
pub fn clamped_duration(seconds: f64) -> Duration {
    // What is no number stays so, and makes no duration.
    Duration::try_from_secs_f64(seconds.clamp(0.0, LONGEST)).unwrap_or_default()
}

/// A year: longer than anybody waits, and far from the end of every clock.
const LONGEST: f64 = 31_536_000.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_of_any_size_is_between_zero_and_a_year() {
        let year = Duration::from_hours(24 * 365);
        for (seconds, expected) in [
            (0.25, Duration::from_millis(250)),
            (-0.0, Duration::ZERO),
            (f64::NEG_INFINITY, Duration::ZERO),
            (f64::NAN, Duration::ZERO),
            (31_536_001.0, year),
            (f64::MAX, year),
        ] {
            assert_eq!(clamped_duration(seconds), expected, "{seconds}");
        }
    }
}
