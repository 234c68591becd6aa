//! One program under one strategy, in a process of its own, so that time and memory are its own, too.

use std::fmt;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use clap::ValueEnum;

use super::entries::Entry;
use crate::arguments::ComparePlan;
use crate::{limits, report};

/// Compiling is not counted, but it ends some time.
const FOR_CLANG: Duration = Duration::from_secs(120);

/// How long a search that was interrupted may take to say what it knows.
const FOR_A_REPORT: Duration = Duration::from_secs(1);

/// Whether those figures are right is not for us to say.
pub const ELSEWHERE: &str = "elsewhere: ";

/// A value of what is varied: a macro or parameter, or an option of `check`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Point {
    pub name: String,
    pub value: i64,
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {}", self.name, self.value)
    }
}

pub struct Task<'p> {
    pub plan: &'p ComparePlan,
    pub file: &'p Path,
    pub point: Option<Point>,
    /// The point is one of an option of `check`.
    pub option: bool,
    pub entry: &'p Entry,
    /// Definitions that do not vary.
    pub fixed: &'p [String],
    pub model: bool,
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct Measure {
    /// The file, and the definitions that do not vary.
    pub program: String,
    pub point: Option<Point>,
    pub strategy: String,
    /// What is checked, as far as the strategy's own options say; or `ELSEWHERE`, with a name.
    pub checks: String,
    /// `proved`, `violated`, `bounded`, `unknown` or `error`; nothing, if it was not tried or is from elsewhere.
    pub verdict: String,
    /// Of the bug, if there is one.
    pub kind: String,
    pub executions: Option<u64>,
    pub blocked: Option<u64>,
    pub transitions: Option<u64>,
    pub states: Option<u64>,
    /// Of the processor.
    pub seconds: Option<f64>,
    pub peak_bytes: Option<u64>,
    /// Why it could not be checked, with the exit code.
    pub error: Option<(u8, String)>,
}

impl Measure {
    /// It came to an end by itself.
    pub fn is_whole(&self) -> bool {
        !matches!(self.verdict.as_str(), "unknown" | "error")
    }

    /// Nothing but what would have been measured.
    pub fn not_tried(task: &Task<'_>) -> Measure {
        Measure {
            program: std::iter::once(task.file.display().to_string())
                .chain(task.fixed.iter().cloned())
                .collect::<Vec<_>>()
                .join(" "),
            point: task.point.clone(),
            strategy: task.entry.to_string(),
            checks: task.entry.checks.clone(),
            ..Measure::default()
        }
    }

    pub fn is_from_elsewhere(&self) -> bool {
        self.checks.starts_with(ELSEWHERE)
    }

    /// The time of a transition.
    pub fn pace(&self) -> Option<f64> {
        self.seconds.zip(self.transitions).filter(|(_, count)| *count > 0).map(|(time, count)| time / count as f64)
    }

    /// Runs in a second.
    pub fn rate(&self) -> Option<f64> {
        self.seconds.zip(self.runs()).filter(|(time, _)| *time > 0.0).map(|(time, count)| count as f64 / time)
    }

    /// As the papers count them, redundant ones among them.
    pub fn runs(&self) -> Option<u64> {
        self.executions.map(|executions| executions + self.blocked.unwrap_or(0))
    }
}

fn command(task: &Task<'_>) -> std::io::Result<Command> {
    let plan = task.plan;
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("check").arg(task.file).args(["--format", "json", "--minimise", "0"]);
    command.arg("--time-limit").arg(format!("{}ms", plan.time_limit.as_millis()));
    // What the strategy says for itself goes before what is said for all.
    let mut for_all = |field: &str, option: &str, value: Option<String>| {
        if let Some(value) = value.filter(|_| !task.entry.given.iter().any(|given| given == field)) {
            command.arg(option).arg(value);
        }
    };
    // Strategies are compared, not how well they share their work, unless that is what varies.
    let jobs_vary = task.option && task.point.as_ref().is_some_and(|point| point.name == "jobs");
    for_all("jobs", "--jobs", (!jobs_vary).then(|| "1".into()));
    for_all("memory_limit", "--memory-limit", plan.memory_limit.map(|limit| limit.to_string()));
    for_all("depth_bound", "--depth-bound", plan.depth_bound.map(|bound| bound.to_string()));
    for_all("context_bound", "--context-bound", plan.context_bound.map(|bounds| bounds.to_string()));
    let bugs = |most: usize| if most == usize::MAX { "all".into() } else { most.to_string() };
    for_all("max_bugs", "--max-bugs", plan.max_bugs.map(bugs));
    if !task.model {
        let races = plan.races.and_then(|races| races.to_possible_value());
        for_all("races", "--races", races.map(|value| value.get_name().into()));
        for_all("optimisation", "-O", plan.optimisation.map(|level| level.to_string()));
    }
    plan.invariants.iter().for_each(|name| for_all("", "--invariant", Some(name.clone())));
    command.arg("--strategy").args(&task.entry.words);
    task.fixed.iter().for_each(|definition| {
        command.arg("-D").arg(definition);
    });
    match &task.point {
        Some(Point { name, value }) if task.option => command.arg(format!("--{name}")).arg(value.to_string()),
        Some(Point { name, value }) => command.arg("-D").arg(format!("{name}={value}")),
        None => &mut command,
    };
    if !task.model {
        command.arg("--").args(&plan.clang_flags);
    }
    Ok(command)
}

pub fn measure(task: &Task<'_>) -> Measure {
    let mut result = Measure { verdict: "error".into(), ..Measure::not_tried(task) };
    match run(task) {
        Ok((json, code)) => read(&json, code, task.plan.time_limit, &mut result),
        Err(error) => result.error = Some(error),
    }
    result
}

/// What it printed; or an exit code and what is wrong.
fn run(task: &Task<'_>) -> Result<(serde_json::Value, u8), (u8, String)> {
    let cannot = |error: std::io::Error| (70, format!("cannot start a process: {}", report::why(&error)));
    let mut command = command(task).map_err(cannot)?;
    let mut child =
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(cannot)?;
    let text_of = |mut pipe: Box<dyn Read + Send>| {
        std::thread::spawn(move || {
            let mut text = String::new();
            pipe.read_to_string(&mut text).map(|_| text)
        })
    };
    let output = text_of(Box::new(child.stdout.take().expect("piped")));
    let complaints = text_of(Box::new(child.stderr.take().expect("piped")));
    let mut end = Instant::now() + task.plan.time_limit * 2 + FOR_CLANG;
    let mut asked: Option<Instant> = None;
    let status = loop {
        match child.try_wait().map_err(cannot)? {
            Some(status) => break status,
            None if Instant::now() > end => {
                let _ = child.kill();
                let _ = child.wait();
                return Err((70, "it did not end in time, and was stopped".into()));
            }
            None => {
                // Mostly Ctrl-C has reached the search, too, which says what it knows. If not, it is told.
                if limits::is_interrupted() {
                    let since = *asked.get_or_insert_with(Instant::now);
                    end = end.min(since + 2 * FOR_A_REPORT);
                    if since.elapsed() > FOR_A_REPORT {
                        // SAFETY: a signal to a child that has not been waited for.
                        unsafe { libc::kill(child.id() as libc::pid_t, libc::SIGINT) };
                    }
                }
                std::thread::sleep(Duration::from_millis(5));
            }
        }
    };
    let text = output.join().ok().and_then(Result::ok).unwrap_or_default();
    let code = status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(70);
    serde_json::from_str(&text).map(|json| (json, code)).map_err(|_| {
        // What the parser of the command line complains of is not JSON.
        let complaints = complaints.join().ok().and_then(Result::ok).unwrap_or_default();
        match complaints.lines().next() {
            Some(line) => (2, line.strip_prefix("error: ").unwrap_or(line).to_string()),
            None => (70, format!("it gave no answer ({status})")),
        }
    })
}

fn read(json: &serde_json::Value, code: u8, limit: Duration, result: &mut Measure) {
    let number = |name: &str| json[name].as_u64();
    result.verdict = json["verdict"].as_str().unwrap_or("error").into();
    if result.verdict == "error" {
        let error = &json["error"];
        let what = error["message"].as_str().unwrap_or("it could not be checked");
        let place = match (error["file"].as_str(), error["line"].as_u64()) {
            (Some(file), Some(line)) => format!("{file}:{line}: "),
            _ => String::new(),
        };
        // A fault of our own is not one of the program.
        result.error = Some((if code == 70 { 70 } else { 2 }, format!("{place}{what}")));
        return;
    }
    result.kind = json["bugs"][0]["kind"].as_str().unwrap_or("").into();
    // A search that goes on after a bug may still not come to its end.
    if result.verdict == "violated" && json["seconds"].as_f64().is_some_and(|seconds| seconds >= limit.as_secs_f64()) {
        result.verdict = "unknown".into();
    }
    result.executions = number("executions");
    result.blocked = number("blocked");
    result.transitions = number("transitions");
    result.states = number("states");
    // What else the machine does is no matter of the strategy.
    result.seconds = json["cpu_seconds"].as_f64();
    result.peak_bytes = number("peak_rss_bytes");
}
