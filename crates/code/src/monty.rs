//! The worker of the engine `monty`: a process that interprets programs, one after the other. It gave up files, memory and time before
//! the first; calls of tools and their results are frames on its standard input and output, and there is no other way out.

mod run;
mod value;

use std::{
    fs,
    io::{self, BufWriter, Read, Write},
    thread,
};

use callgate_tool::Value;
use rustix::process::{Resource, Rlimit, setrlimit};

use self::run::Run;
use crate::{
    frame::{MOST_FROM_WORKER, frame_bytes, read_frame},
    message::{Order, Report},
};

/// Runs programs until the input ends. This process must have been started for that alone: it gives up files, memory and time for good.
///
/// # Errors
/// A failure of a pipe, or a message that is none.
pub fn run_worker(
    input: &mut (dyn Read + Send),
    output: &mut (dyn Write + Send),
) -> io::Result<()> {
    // Deep recursion of a program is recursion of the interpreter.
    thread::scope(|scope| {
        let builder = thread::Builder::new().stack_size(STACK);
        let working = builder.spawn_scoped(scope, || {
            run_orders_until_end(&mut Link {
                input,
                output: BufWriter::with_capacity(MOST_HELD, output),
            })
        })?;
        working.join().unwrap_or_else(|_| Err(io::ErrorKind::Other.into()))
    })
}

fn run_orders_until_end(link: &mut Link<'_>) -> io::Result<()> {
    let address_space = used_address_space();
    for (resource, most) in LIMITS {
        setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) })?;
    }
    while let Some(order) = link.next_order()? {
        let Order::Run { number, code, memory, output, time_ms } = order else {
            return Err(io::ErrorKind::InvalidData.into());
        };
        let most = address_space.saturating_add(memory).saturating_add(HEADROOM) as u64;
        setrlimit(Resource::As, Rlimit { current: Some(most), maximum: None })?;
        let end = Run::new(link, output).run(code, memory, time_ms)?;
        link.send_report(Report::End(number, end))?;
        link.output.flush()?;
    }
    Ok(())
}

/// The two pipes to the program that started this process.
struct Link<'a> {
    input: &'a mut (dyn Read + Send),
    /// Holds calls back until the code waits, so that many go out at once.
    output: BufWriter<&'a mut (dyn Write + Send)>,
}

impl Link<'_> {
    fn send_report(&mut self, report: Report) -> io::Result<()> {
        self.write_frame(&report.into_value(), MOST_FROM_WORKER)?
            .ok_or_else(|| io::ErrorKind::FileTooLarge.into())
    }

    /// Writes a frame; `None` if it is longer than `most`.
    fn write_frame(&mut self, message: &Value, most: usize) -> io::Result<Option<()>> {
        let Some(bytes) = frame_bytes(|out| message.write_to(out), most) else { return Ok(None) };
        self.output.write_all(&bytes).map(Some)
    }

    fn next_order(&mut self) -> io::Result<Option<Order>> {
        let Some(value) = read_frame(self.input)? else { return Ok(None) };
        Order::from_value(value).map(Some).ok_or_else(|| io::ErrorKind::InvalidData.into())
    }

    /// The answer to a report for which the worker waits.
    fn report_and_receive_order(&mut self, report: Report) -> io::Result<Order> {
        self.send_report(report)?;
        self.output.flush()?;
        self.next_order()?.ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }
}

/// The bytes of address space that the process has before it runs anything.
fn used_address_space() -> usize {
    let pages = fs::read_to_string("/proc/self/statm").ok();
    let pages = pages.and_then(|text| text.split(' ').next()?.parse::<usize>().ok());
    pages.map_or(UNKNOWN_SPACE, |pages| pages.saturating_mul(rustix::param::page_size()))
}

/// The bytes of calls that are held back while the code computes.
const MOST_HELD: usize = 64 << 10;
/// The bytes of stack: the interpreter takes some kilobytes for each of a thousand calls, unoptimized ones the more.
const STACK: usize = 64 << 20;
/// The bytes beside those of the program: its text, its syntax tree, its output, and what allocators keep.
const HEADROOM: usize = 32 << 20;
/// More than a program takes where the system does not say it.
const UNKNOWN_SPACE: usize = 2 << 30;
/// The most seconds of a processor for all programs of a worker, further files, bytes of a file or a core dump, and processes.
const LIMITS: [(Resource, u64); 5] = [
    (Resource::Cpu, 600),
    (Resource::Nofile, 3),
    (Resource::Fsize, 0),
    (Resource::Core, 0),
    (Resource::Nproc, 0),
];
