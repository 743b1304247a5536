//! `callgate-reader FILE ROUNDS`: reads FILE into a plain value ROUNDS times, each time into fresh memory, and prints the
//! least nanoseconds of CPU it took and how many KiB the process grew by the first time. JSON by its name, else YAML.

use std::{env, error::Error, fs, hint::black_box};

use rustix::time::{ClockId, clock_gettime};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let mut next = || arguments.next().ok_or("usage: callgate-reader FILE ROUNDS");
    let (file, rounds) = (next()?, next()?.parse::<usize>()?);
    let bytes = fs::read(&file)?;
    let (least, grown) = if file.ends_with(".json") {
        measured(rounds, || serde_json::from_slice::<serde_json::Value>(black_box(&bytes)))?
    } else {
        measured(rounds, || serde_yaml::from_slice::<serde_yaml::Value>(black_box(&bytes)))?
    };
    println!("{least} {grown}");
    Ok(())
}

/// The least time of some rounds, and what the first one left in memory.
fn measured<T, E: Error + 'static>(
    rounds: usize,
    read: impl Fn() -> Result<T, E>,
) -> Result<(u64, u64), Box<dyn Error>> {
    let (mut least, mut grown) = (u64::MAX, None);
    for _ in 0..rounds {
        let before = resident()?;
        let started = cpu();
        let value = read()?;
        least = least.min(cpu() - started);
        let left = resident()?.saturating_sub(before);
        grown = grown.or(Some(left));
        drop(value);
    }
    Ok((least, grown.unwrap_or_default()))
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
