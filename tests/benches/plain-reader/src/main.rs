//! `callgate-plain-reader FILE ROUNDS`: reads FILE into a plain value ROUNDS times, and prints the nanoseconds of CPU the first
//! time took, how many KiB the process grew by then, and the least nanoseconds of all times. JSON by its name, else YAML.

use std::{env, error::Error, fs, hint::black_box};

use rustix::time::{ClockId, clock_gettime};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let mut next = || arguments.next().ok_or("usage: callgate-plain-reader FILE ROUNDS");
    let (file, rounds) = (next()?, next()?.parse::<usize>()?);
    let bytes = fs::read(&file)?;
    let (first, grown, least) = if file.ends_with(".json") {
        measured(rounds, || serde_json::from_slice::<serde_json::Value>(black_box(&bytes)))?
    } else {
        measured(rounds, || serde_yaml::from_slice::<serde_yaml::Value>(black_box(&bytes)))?
    };
    println!("{first} {grown} {least}");
    Ok(())
}

/// The time of the first round, what it left in memory, and the least time of all rounds.
fn measured<T, E: Error + 'static>(
    rounds: usize,
    read: impl Fn() -> Result<T, E>,
) -> Result<(u64, u64, u64), Box<dyn Error>> {
    let (mut first, mut grown, mut least) = (None, None, u64::MAX);
    for _ in 0..rounds {
        let before = resident()?;
        let started = cpu();
        let value = read()?;
        let took = cpu() - started;
        let left = resident()?.saturating_sub(before);
        first = first.or(Some(took));
        grown = grown.or(Some(left));
        least = least.min(took);
        drop(value);
    }
    Ok((first.unwrap_or_default(), grown.unwrap_or_default(), least))
}

fn cpu() -> u64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    u64::try_from(time.tv_sec * 1_000_000_000 + time.tv_nsec).unwrap_or_default()
}

/// The resident memory of this process in KiB.
fn resident() -> Result<u64, Box<dyn Error>> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    Ok(line.ok_or("no VmRSS")?.trim().trim_end_matches(" kB").parse()?)
}
