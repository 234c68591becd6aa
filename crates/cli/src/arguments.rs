//! What may be typed.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use serde::{Deserialize, Serialize};
use threadbare_explore::{Capture, Filters, NoStrategy, Order, Strategy};

use crate::compare::entries::{self, Entries};
use crate::ltl::formulas::Written;
use crate::syn::SynPlan;
use crate::told::is_model;

/// Threadbare lays every interleaving of a multi-threaded C program bare.
#[derive(Parser)]
#[command(name = "threadbare", version, arg_required_else_help = true)]
#[command(after_help = "Exit codes and all options: see `threadbare COMMAND --help`.")]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Run a program once on the virtual machine, with all checks, under a deterministic scheduler
    Run(RunPlan),
    /// Explore every schedule that matters: a proof, an honest bound, or a bug that replays
    Check(Box<CheckPlan>),
    /// Execute a recorded schedule again and show it, at once or step by step
    Replay(ReplayPlan),
    /// The same programs under several strategies: a table, CSV, plots
    Compare(Box<ComparePlan>),
    Syn(SynPlan),
    /// Compile and link as clang does, for `check` to explore the result: make CC="threadbare cc"
    #[command(disable_help_flag = true, override_help = crate::cc::HELP)]
    Cc {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        words: Vec<OsString>,
    },
    #[command(external_subcommand)]
    Later(Vec<OsString>),
}

/// Commands of the design that are still to come.
pub const PLANNED: &[&str] = &["worker"];

#[derive(clap::Args, Clone, Debug)]
#[command(
    override_usage = "threadbare run FILE... [OPTIONS] [--args ARG...] [-- CLANG-FLAGS...]",
    after_help = "The program's output and exit code are passed through. An error in the program is explained on stderr, and \
the exit code is then
  139   access through a null or wild pointer, out of bounds or after free; a bad function pointer
  136   division by zero
  134   a failed assert(), abort()
  1     what natively need not end the program: deadlock, livelock, double or invalid free, uninitialised value, misuse of a \
mutex or a thread, an argument that was not given, overlapping memcpy, leak, __VERIFIER_error
and 128 + n after another signal n. 125 means that Threadbare could not run the program, or stopped at a limit; 130 that \
you interrupted it (Ctrl-C); 2 that the command line was wrong; 70 a fault of Threadbare itself.

clang's errors are shown, its warnings only if a flag asks for them: -- -Wall

Examples:
  threadbare run queue.c
  threadbare run main.c util.c --args 4 input -- -Iinclude -DN=4
  threadbare run -O 2 --seed 7 queue.c
  threadbare run protocol.tb -D N=3"
)]
pub struct RunPlan {
    /// The translation units of the program: C source (.c), LLVM IR (.ll) or bitcode (.bc); what `threadbare cc` has built; or one
    /// model (.tb)
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Arguments for the program's main: all that follows, up to the last `--`
    #[arg(long, num_args = 0.., allow_hyphen_values = true, value_name = "ARG")]
    pub args: Vec<String>,

    /// Optimisation level of the code that is executed
    #[arg(short = 'O', value_name = "LEVEL", default_value_t = 0, value_parser = parse_level, allow_negative_numbers = true)]
    pub optimisation: u8,

    /// Seed of the scheduler: another seed, another interleaving, always the same one
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = parse_seed, allow_negative_numbers = true)]
    pub seed: u64,

    /// Report heap objects that are lost when the program ends
    #[arg(long)]
    pub leaks: bool,

    /// Whether a data race is an error
    #[arg(long, value_name = "error|allow", default_value = "allow", hide_possible_values = true)]
    pub races: Races,

    /// Whether the use of a value that was never set is an error; if not, memory starts out as zero
    #[arg(long, value_name = "error|allow", default_value = "error", hide_possible_values = true)]
    pub uninit: Uninit,

    /// Operations that other threads can see (locks, atomics, volatile accesses ...), of all threads together
    #[arg(long, value_name = "N", default_value_t = 50_000_000, value_parser = parse_limit, allow_negative_numbers = true)]
    pub operation_limit: u64,

    /// Jumps and calls of a thread between two such operations
    #[arg(long, value_name = "N", default_value_t = 300_000_000, value_parser = parse_limit, allow_negative_numbers = true)]
    pub step_limit: u64,

    /// Memory of the program, e.g. 512M or 4G
    #[arg(long, value_name = "SIZE", default_value = "2G", value_parser = parse_size, allow_negative_numbers = true)]
    pub memory_limit: u64,

    /// Nested calls of one thread
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = parse_limit, allow_negative_numbers = true)]
    pub stack_limit: u64,

    /// A macro of the C program, as for clang, or a parameter of the model
    #[arg(short = 'D', value_name = "NAME=VALUE")]
    pub definitions: Vec<String>,

    /// What was typed, by the names of the fields
    #[arg(skip)]
    pub given: Vec<String>,

    /// Flags for clang: what stands behind `--`
    #[arg(skip)]
    pub clang_flags: Vec<String>,
}

/// See `CheckPlan::clock_jumps`: a deadline that is computed late, and one that has passed when somebody looks.
pub const CLOCK_JUMPS: u8 = 2;

/// Options of `check` that are still to come; they are not in its help.
const PLANNED_OPTIONS: &[&str] = &["--resume", "--html"];

/// What `--isolate` asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Isolation {
    /// As if each execution were a process of its own
    Fork,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Format {
    /// For people
    Human,
    /// One JSON object on stdout
    Json,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, clap::ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fairness {
    /// All of them
    None,
    /// Those in which a thread that can always go on does so some time
    #[default]
    Weak,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Symmetry {
    /// With `graph` and a C program, where it is allowed and threads start alike
    Auto,
    /// And the report says why, if it was not
    On,
    Off,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, clap::ValueEnum)]
pub enum AtLimit {
    /// Tell what was found until then
    #[default]
    Stop,
    /// Begin again with three bits for a state, and without reduction: most states are met
    Bitstate,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Races {
    /// A data race is a bug
    Error,
    /// Every access to shared memory is a scheduling point; races are not reported
    Allow,
}

fn check_help() -> String {
    let auto =
        ("auto", "the default: `optimal`, and `graph` beside it where that takes long: who is sooner done answers");
    let all = std::iter::once(auto).chain(Strategy::table());
    let names: Vec<String> = all.map(|(name, help)| format!("  {name:<16}{help}")).collect();
    format!("Strategies:\n{}\n\n{CHECK_HELP}", names.join("\n"))
}

const CHECK_HELP: &str =
    "Exit codes: 0 proved, 1 violated, 2 wrong usage or unreadable input, 3 the program uses something \
unsupported, 4 bounded or unknown: no bug in what was explored, but no proof, 70 a fault of Threadbare itself.

clang's errors are shown, its warnings only if a flag asks for them: -- -Wall

Examples:
  threadbare check queue.c
  threadbare check main.c util.c -- -Iinclude -DN=4
  threadbare check --leaks --max-bugs all queue.c
  threadbare check -O 2 queue.c          the code as the compiler made it
  threadbare check ./app --args 4        what `make CC=\"threadbare cc\"` has built
  threadbare check protocol.tb -D N=3    a model, with a value for its parameter
  threadbare check --strategy pct:3 --runs 5000 queue.c
  threadbare check lock.c --ltl 'G ({want[1]} -> F t1@critical)'
  threadbare check server.c --ignore stats.hits    a counter that makes no state a new one";

#[derive(clap::Args, Clone, Debug)]
#[command(
    override_usage = "threadbare check FILE... [OPTIONS] [--args ARG...] [-- CLANG-FLAGS...]",
    after_help = check_help()
)]
pub struct CheckPlan {
    /// The translation units of the program: C source (.c), LLVM IR (.ll) or bitcode (.bc); what `threadbare cc` has built; beside C
    /// also objects (.o), archives (.a) and assembler files (.s), which the native backend executes; or one model (.tb)
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Arguments for the program's main: all that follows, up to the last `--`
    #[arg(long, num_args = 0.., allow_hyphen_values = true, value_name = "ARG")]
    pub args: Vec<String>,

    /// Optimisation level of the code that is executed
    #[arg(short = 'O', value_name = "LEVEL", default_value_t = 0, value_parser = parse_level)]
    pub optimisation: u8,

    /// How to explore; what there is stands below
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = parse_strategy)]
    pub strategy: Asked,

    /// How many executions a strategy that goes by chance tries [default: 1000]
    #[arg(long, value_name = "N", value_parser = parse_limit)]
    pub runs: Option<u64>,

    /// What it starts from: another seed, other executions, always the same ones [default: 0]
    #[arg(long, value_name = "N", value_parser = parse_seed)]
    pub seed: Option<u64>,

    /// What `scale` leaves out, in this order: nsb, nsb=N, nsb=exact, db=N, lcd, ss, cb=N, or none [default: nsb,lcd,ss]
    #[arg(long, value_name = "LIST")]
    pub filters: Option<Filters>,

    /// What `scale` looks at next: dfs, bfs or random:SEED [default: dfs]
    #[arg(long, value_name = "ORDER")]
    pub order: Option<Order>,

    /// How `sdpor` recognises states: exact, or delta, by changes of local states [default: exact]
    #[arg(long, value_name = "HOW")]
    pub capture: Option<Capture>,

    /// Let `stateful` store only the ends of super steps: several actions of a thread that nobody gets in the way of
    #[arg(long)]
    pub superstep: bool,

    /// Whether `graph` (of a model: `stateful`) does not tell apart threads that do the same, up to the n! orders in which n of them could change places
    #[arg(long, value_name = "WHETHER", default_value = "auto", default_missing_value = "on", num_args = 0..=1, require_equals = true)]
    pub symmetry: Symmetry,

    /// What runs the program: `vm`, the virtual machine; `native`, its own machine code; or `auto` to let Threadbare choose
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = parse_backend)]
    pub backend: String,

    /// Keep executions apart. They always are: none leaves anything behind that another one could meet
    #[arg(long, value_name = "HOW")]
    pub isolate: Option<Isolation>,

    /// What a data race is
    #[arg(long, value_name = "WHAT", default_value = "error")]
    pub races: Races,

    /// Report heap objects that are lost when the program ends
    #[arg(long)]
    pub leaks: bool,

    /// Whether the use of a value that was never set is a bug; if not, memory starts out as zero, which the verdict says
    #[arg(long, value_name = "WHAT", default_value = "error")]
    pub uninit: Uninit,

    /// A function of the program, `int FN(void)` (of a model: `let FN() = …`), that is to hold in every state; more than one
    /// may be given
    #[arg(long = "invariant", value_name = "FN")]
    pub invariants: Vec<String>,

    /// A file with the names of such functions, one a line
    #[arg(long, value_name = "FILE")]
    pub properties: Option<PathBuf>,

    /// A function of the program, `void FN(void)`, that hands what matters of a state to tb_abstract(): states are matched by
    /// that and by where threads stand, and what is found is real, but no proof. Without --strategy, that is `graph`
    #[arg(long, value_name = "FN")]
    pub abstraction: Option<String>,

    /// A global variable, `hits`, or a part of one, `stats.hits`, that is left out when states are matched; more than one may
    /// be given. Without --strategy, that is `graph`
    #[arg(long = "ignore", value_name = "VAR")]
    pub ignored: Vec<String>,

    /// You know that states which --abstraction or --ignore take for the same go on alike: then there may be a proof, which
    /// says that it rests on that
    #[arg(long)]
    pub abstraction_sound: bool,

    /// A formula of temporal logic that is to hold on every execution, e.g. 'G (request -> F granted)'; more than one may be
    /// given
    #[arg(long, value_name = "FORMULA")]
    pub ltl: Vec<String>,

    /// A file of such formulas, each with a name: `name: formula`
    #[arg(long = "ltl-file", value_name = "FILE")]
    pub ltl_files: Vec<PathBuf>,

    /// Which executions formulas are about
    #[arg(long, value_name = "WHAT", default_value = "weak")]
    pub fairness: Fairness,

    /// Write what is looked for in executions, the negation of the formula as an automaton: for Graphviz if FILE ends in .dot
    /// or .gv, else in the HOA format
    #[arg(long, value_name = "FILE")]
    pub dump_automaton: Option<PathBuf>,

    /// Write the SYN-sequence of every execution that is explored there, a file each: see `threadbare syn`
    #[arg(long, value_name = "DIR")]
    pub syn_out: Option<PathBuf>,

    /// Write at most so many sequences; the search goes on
    #[arg(long, value_name = "N", default_value_t = 10_000, requires = "syn_out")]
    pub syn_limit: u64,

    /// A formula about events that is to hold on all linearisations of every execution, as `threadbare syn check` takes them;
    /// more than one may be given
    #[arg(long, value_name = "FORMULA")]
    pub trace_spec: Vec<String>,

    /// Report threads that go on for ever without progress: steps that can be taken again and again, though nobody is left
    /// behind, and no thread ends or gets to tb_progress()
    #[arg(long)]
    pub livelock: bool,

    /// The formulas of all of these
    #[arg(skip)]
    pub formulas: Vec<Written>,

    /// How often a wait on a condition variable may end by itself, for each thread
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = parse_number::<u8>)]
    pub spurious: u8,

    /// How often a look at the clock may find that a day has passed, for each thread
    #[arg(long, value_name = "N", default_value_t = CLOCK_JUMPS, value_parser = parse_number::<u8>)]
    pub clock_jumps: u8,

    /// Go on until that many different bugs are found, or `all`
    #[arg(long, value_name = "N", default_value = "1", value_parser = parse_bugs)]
    pub max_bugs: usize,

    /// Visible operations of one execution before it is cut off [default: 10000, and none where states are stored]
    #[arg(long, value_name = "N", value_parser = parse_count)]
    pub depth_bound: Option<usize>,

    /// Preemptions of one execution: switches away from a thread that could go on. 0..3 tries 0, then 1 and so on, and ends
    /// with a proof as soon as the bound is not in the way; without --strategy, that is `dpor`
    #[arg(long, value_name = "N", value_parser = parse_bounds)]
    pub context_bound: Option<Bounds>,

    /// How many workers explore at the same time, each on a processor of its own [default: one for each processor, where the
    /// strategy can be shared and the search takes longer than a moment]
    #[arg(long, short = 'j', value_name = "N", value_parser = parse_count)]
    pub jobs: Option<usize>,

    /// Stop after that long, e.g. 30, 90s, 5m
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub time_limit: Option<std::time::Duration>,

    /// Stop when the search itself needs more memory than that, e.g. 512M or 4G
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub memory_limit: Option<u64>,

    /// What `graph` does when it needs more memory than that [default: stop]
    #[arg(long, value_name = "WHAT")]
    pub at_limit: Option<AtLimit>,

    /// How long to look for shorter schedules of the bugs that were found; 0 leaves them as they were found
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = parse_duration)]
    pub minimise: std::time::Duration,

    /// Write the schedule of a bug there, for `threadbare replay`
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,

    /// What the program reads as its standard input; nothing, if this is not given
    #[arg(long, value_name = "FILE")]
    pub stdin: Option<PathBuf>,

    /// Memory of the program, e.g. 512M or 4G
    #[arg(long, value_name = "SIZE", default_value = "2G", value_parser = parse_size)]
    pub program_memory: u64,

    /// Jumps and calls that a thread may take between two visible operations
    #[arg(long, value_name = "N", default_value_t = 300_000_000, value_parser = parse_limit)]
    pub step_limit: u64,

    /// Nested calls of one thread
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = parse_count)]
    pub stack_limit: usize,

    /// Show every step of a schedule, not only those that matter
    #[arg(long)]
    pub full: bool,

    /// Write the steps of the first bug and what orders them as a graph for Graphviz
    #[arg(long, value_name = "FILE")]
    pub dot: Option<PathBuf>,

    /// How to say it
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub format: Format,

    /// A macro of the C program, as for clang, or a parameter of the model
    #[arg(short = 'D', value_name = "NAME=VALUE")]
    pub definitions: Vec<String>,

    /// What was typed, by the names of the fields
    #[arg(skip)]
    pub given: Vec<String>,

    /// Flags for clang: what stands behind `--`
    #[arg(skip)]
    pub clang_flags: Vec<String>,
}

#[derive(clap::Args, Clone, Debug)]
#[command(
    override_usage = "threadbare replay TRACE [OPTIONS]\n       threadbare replay --step TRACE\n       threadbare replay --step FILE.c... [--args ARG...] [-- CLANG-FLAGS...]",
    after_help = "The sources are compiled again with the recorded flags. A source that has changed since is named, and the \
schedule is followed as far as it goes.

Exit codes: 1 the execution shows a bug, 4 it does not (any more): the schedule ended without one, or the program went \
another way, 2 wrong usage or unreadable input, 3 the program uses something unsupported, 70 a fault of Threadbare itself. \
With --step, 0 when you quit.

Examples:
  threadbare check queue.c --trace queue.trace.json
  threadbare replay queue.trace.json
  threadbare replay --step queue.trace.json
  threadbare replay --step queue.c       every step is yours"
)]
pub struct ReplayPlan {
    /// What `threadbare check --trace FILE` wrote; with --step also the C files of a program, to start without a schedule
    #[arg(required = true, value_name = "TRACE")]
    pub files: Vec<PathBuf>,

    /// One step at a time, forwards and backwards, by keys or by lines on the standard input; `?` tells the keys
    #[arg(long)]
    pub step: bool,

    /// Show every step of a schedule, not only those that matter
    #[arg(long)]
    pub full: bool,

    /// How to say it
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub format: Format,

    /// With C files: arguments for the program's main
    #[arg(long, num_args = 0.., allow_hyphen_values = true, value_name = "ARG")]
    pub args: Vec<String>,

    /// With C files: optimisation level of the code
    #[arg(short = 'O', value_name = "LEVEL", default_value_t = 0, value_parser = parse_level)]
    pub optimisation: u8,

    /// With C files: what the program reads as its standard input
    #[arg(long, value_name = "FILE")]
    pub stdin: Option<PathBuf>,

    /// With files: a macro of the C program, as for clang, or a parameter of the model
    #[arg(short = 'D', value_name = "NAME=VALUE")]
    pub definitions: Vec<String>,

    /// What was typed, by the names of the fields
    #[arg(skip)]
    pub given: Vec<String>,

    /// With C files: flags for clang, what stands behind `--`
    #[arg(skip)]
    pub clang_flags: Vec<String>,
}

#[derive(clap::Args, Clone, Debug)]
#[command(
    override_usage = "threadbare compare FILE... --strategies A,B,C [OPTIONS] [-- CLANG-FLAGS...]",
    after_help = "Each file is a program by itself. Every combination of program, value and strategy runs in a process of its \
own; time, of the processor, and memory are those of the search. A strategy may have options of `check` behind its name; \
then a semicolon stands before the next one.

Exit codes: 0 they agree, 2 wrong usage or a program that could not be checked, 70 one proves what another refutes, which is \
a fault of Threadbare itself.

Examples:
  threadbare compare philosophers.c --strategies optimal,dpor,dfs -D N=2..5 --html philosophers.html
  threadbare compare *.tb --strategies dpor,stateful --csv results.csv
  threadbare compare queue.c --strategies 'optimal; scale --filters nsb; scale --order bfs' --races allow
  threadbare compare queue.c --strategies dpor,dfs --vary context-bound=0..4 --svg bounds.svg"
)]
pub struct ComparePlan {
    /// Programs: C source (.c), LLVM IR (.ll), bitcode (.bc) or models (.tb), each by itself
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// The strategies, as `check --strategy` knows them; with options of their own: 'A; B --filters nsb; B --order bfs'
    #[arg(long, required = true, value_name = "A,B,C")]
    pub strategies: Entries,

    /// A macro of the C program, or a parameter of the model; one of them may take several values: N=2..8
    #[arg(short = 'D', value_name = "NAME=VALUE")]
    pub definitions: Vec<String>,

    /// An option of `check` that takes several numbers instead, e.g. context-bound=0..4 or depth-bound=10..60/10
    #[arg(long, value_name = "OPTION=FROM..TO")]
    pub vary: Option<String>,

    /// For each search, e.g. 30, 90s, 5m
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = parse_duration)]
    pub time_limit: std::time::Duration,

    /// For each search, e.g. 512M or 4G
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub memory_limit: Option<u64>,

    /// Do not try larger values with a strategy that did not end in time
    #[arg(long)]
    pub give_up: bool,

    /// Visible operations of one execution before it is cut off
    #[arg(long, value_name = "N", value_parser = parse_count)]
    pub depth_bound: Option<usize>,

    /// Preemptions of one execution, or 0..N one after the other
    #[arg(long, value_name = "N", value_parser = parse_bounds)]
    pub context_bound: Option<Bounds>,

    /// What a data race is
    #[arg(long, value_name = "WHAT")]
    pub races: Option<Races>,

    /// A function of the programs that is to hold in every state
    #[arg(long = "invariant", value_name = "FN")]
    pub invariants: Vec<String>,

    /// Go on until that many different bugs are found, or `all`; 1 if nothing is said
    #[arg(long, value_name = "N", value_parser = parse_bugs)]
    pub max_bugs: Option<usize>,

    /// Optimisation level of the code that is executed
    #[arg(short = 'O', value_name = "LEVEL", value_parser = parse_level)]
    pub optimisation: Option<u8>,

    /// Show only this and the time, in plots and in Markdown, where each strategy then has a column
    #[arg(long, value_name = "WHAT")]
    pub show: Option<Shown>,

    /// Put figures from elsewhere beside: a file as `--csv` writes them
    #[arg(long, value_name = "FILE")]
    pub beside: Option<PathBuf>,

    /// Write the numbers there
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,

    /// Draw plots: lines over what takes several values, else bars
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,

    /// Write a page with plots and tables, which needs nothing else
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,

    /// Write tables in Markdown; `-` is the standard output, in place of the usual table
    #[arg(long, value_name = "FILE")]
    pub markdown: Option<PathBuf>,

    /// Flags for clang: what stands behind `--`
    #[arg(skip)]
    pub clang_flags: Vec<String>,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shown {
    /// Executions, redundant ones among them
    Runs,
    Transitions,
    States,
    /// The time of a transition
    Pace,
    /// Runs in a second
    Rate,
}

/// What becomes of a value that was never set.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Uninit {
    /// It is an error
    Error,
    /// It is zero
    Allow,
}

impl Arguments {
    /// `--args` takes everything up to the last `--`, also what looks like an option or is a `--` itself, and what follows
    /// is clang's: more than the parser can be told, so the line is cut first.
    pub fn read(words: impl IntoIterator<Item = OsString>) -> Result<Arguments, clap::Error> {
        let mut words: Vec<OsString> = words.into_iter().collect();
        let first = words.iter().position(|word| word == "--" || word == "--args").unwrap_or(words.len());
        let for_program = words.get(first).is_some_and(|word| word == "--args");
        let cut = words.iter().rposition(|word| word == "--").filter(|_| for_program).unwrap_or(first);
        let text = |words: Vec<OsString>| words.into_iter().skip(1).map(|word| word.to_string_lossy().into_owned());
        let mut flags = Vec::new();
        let mut args = Vec::new();
        if for_program {
            if cut > first {
                flags = text(words.split_off(cut)).collect();
            }
            args = text(words.split_off(first)).collect();
        } else {
            flags.extend(text(words.split_off(first)));
        }
        let matches =
            Arguments::command().try_get_matches_from(&words).map_err(|error| with_own_advice(error, &words))?;
        let mut arguments = Arguments::from_arg_matches(&matches)?;
        let mut given = given(&matches);
        given.extend((!flags.is_empty()).then(|| "clang_flags".to_string()));
        given.extend(for_program.then(|| "args".to_string()));
        match &mut arguments.command {
            Command::Run(plan) => {
                plan.clang_flags = flags;
                plan.args.extend(args);
                plan.given = given;
            }
            Command::Check(plan) => {
                plan.clang_flags = flags;
                plan.args.extend(args);
                plan.given = given;
            }
            Command::Replay(plan) => {
                plan.clang_flags = flags;
                plan.args.extend(args);
                plan.given = given;
            }
            Command::Compare(plan) => plan.clang_flags = flags,
            Command::Syn(plan) => plan.set_clang_flags(flags),
            Command::Cc { .. } | Command::Later(_) => {}
        }
        arguments.define_macros();
        Ok(arguments)
    }

    /// `-D` sets parameters of models. Where there is none, it is what clang calls by that name.
    fn define_macros(&mut self) {
        let (files, definitions, flags) = match &mut self.command {
            Command::Run(plan) => (&plan.files, &mut plan.definitions, &mut plan.clang_flags),
            Command::Check(plan) => (&plan.files, &mut plan.definitions, &mut plan.clang_flags),
            Command::Replay(plan) => (&plan.files, &mut plan.definitions, &mut plan.clang_flags),
            Command::Compare(_) | Command::Syn(_) | Command::Cc { .. } | Command::Later(_) => return,
        };
        if !files.iter().any(|file| is_model(file)) {
            let macros = definitions.drain(..).map(|definition| format!("-D{definition}"));
            flags.splice(0..0, macros);
        }
    }
}

/// The options of a command that stand on the line, and are not there by default.
fn given(matches: &clap::ArgMatches) -> Vec<String> {
    let Some((_, command)) = matches.subcommand() else { return Vec::new() };
    let ids = command.ids().map(clap::Id::as_str);
    let typed = |id: &&str| {
        matches!(command.try_contains_id(id), Ok(true))
            && command.value_source(id) == Some(clap::parser::ValueSource::CommandLine)
    };
    ids.filter(typed).map(String::from).collect()
}

/// The parser's advice is to put an unknown option behind `--`, where it would go to clang.
fn with_own_advice(mut error: clap::Error, words: &[OsString]) -> clap::Error {
    use clap::error::{ContextKind, ContextValue, ErrorKind};
    if let (ErrorKind::UnknownArgument, Some(ContextValue::String(option))) =
        (error.kind(), error.get(ContextKind::InvalidArg))
        && PLANNED_OPTIONS.contains(&option.split(['=', ' ']).next().unwrap_or(option))
    {
        let text = format!("`{option}` is not yet available in this version\n");
        return clap::Error::raw(ErrorKind::UnknownArgument, text);
    }
    if let (ErrorKind::UnknownArgument, Some(ContextValue::String(option))) =
        (error.kind(), error.get(ContextKind::InvalidArg))
        && words.get(1).is_some_and(|word| word == "compare")
        && entries::BELONG_TO_ONE.contains(&option.split(['=', ' ']).next().unwrap_or(option))
    {
        let text = format!(
            "`{option}` belongs to one strategy, and stands behind its name: --strategies 'optimal; scale --filters nsb,ss'\n"
        );
        return clap::Error::raw(ErrorKind::UnknownArgument, text);
    }
    // Of `syn`, only `record` compiles anything.
    let compiles = words.get(1).is_none_or(|word| word != "syn") || words.get(2).is_some_and(|word| word == "record");
    if error.kind() == ErrorKind::UnknownArgument && !compiles {
        error.remove(ContextKind::Suggested);
    }
    if error.kind() == ErrorKind::UnknownArgument && error.get(ContextKind::Suggested).is_some() {
        let advice = "flags for clang go behind `--`, arguments of the program behind `--args`";
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![advice.to_string().into()]));
    }
    error
}

fn parse_level(text: &str) -> Result<u8, String> {
    match text.parse() {
        Ok(level @ 0..=3) => Ok(level),
        _ if matches!(text, "s" | "z" | "g" | "fast") => {
            Err(format!("there is no -O{text} here, the levels are 0, 1, 2 and 3"))
        }
        _ => Err("the levels are 0, 1, 2 and 3".into()),
    }
}

fn parse_seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| "a whole number is needed, from 0 up".into())
}

/// Which engine is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Asked {
    Auto,
    Named(Strategy),
}

fn parse_strategy(text: &str) -> Result<Asked, String> {
    match text {
        "auto" => Ok(Asked::Auto),
        _ => text.parse().map(Asked::Named).map_err(|error: NoStrategy| {
            // It knows of one engine at a time.
            error.to_string().replacen("there are ", "there are auto, ", 1)
        }),
    }
}

fn parse_backend(text: &str) -> Result<String, String> {
    match text {
        "auto" | "vm" | "native" => Ok(text.into()),
        _ => Err("there are `vm` and `native`, and `auto` to let Threadbare choose".into()),
    }
}

fn parse_bugs(text: &str) -> Result<usize, String> {
    match text {
        "all" => Ok(usize::MAX),
        number => number.parse().ok().filter(|&n| n > 0).ok_or_else(|| "a number from 1 up, or `all`".into()),
    }
}

fn parse_duration(text: &str) -> Result<std::time::Duration, String> {
    let (digits, unit) = match text.char_indices().find(|(_, c)| !c.is_ascii_digit() && *c != '.') {
        Some((at, _)) => text.split_at(at),
        None => (text, "s"),
    };
    let scale = match unit {
        "ms" => 0.001,
        "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(format!("`{unit}` is not a unit of time: use ms, s, m or h")),
    };
    let number: f64 = digits.parse().map_err(|_| "a time, e.g. 30, 90s or 5m".to_string())?;
    std::time::Duration::try_from_secs_f64(number * scale).map_err(|_| "too long".into())
}

/// A bound, or several to be tried one after the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    pub first: u32,
    pub last: u32,
}

impl std::fmt::Display for Bounds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.first == self.last { write!(f, "{}", self.first) } else { write!(f, "{}..{}", self.first, self.last) }
    }
}

fn parse_bounds(text: &str) -> Result<Bounds, String> {
    let (first, last) = text.split_once("..").unwrap_or((text, text));
    let number = |text: &str| text.parse::<u32>().map_err(|_| "a whole number, or two as in 0..3".to_string());
    let bounds = Bounds { first: number(first)?, last: number(last)? };
    if bounds.first > bounds.last { Err("the first bound is larger than the last".into()) } else { Ok(bounds) }
}

fn parse_number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| "a whole number is needed, from 0 up".into())
}

fn parse_limit(text: &str) -> Result<u64, String> {
    text.parse().ok().filter(|&limit| limit > 0).ok_or_else(|| "a whole number is needed, from 1 up".into())
}

fn parse_count(text: &str) -> Result<usize, String> {
    parse_limit(text).map(|limit| usize::try_from(limit).unwrap_or(usize::MAX))
}

fn parse_size(text: &str) -> Result<u64, String> {
    let (digits, unit) = match text.char_indices().find(|(_, c)| !c.is_ascii_digit()) {
        Some((at, _)) => text.split_at(at),
        None => (text, ""),
    };
    let scale = match unit.to_ascii_uppercase().as_str() {
        "" | "B" => 1,
        "K" | "KB" | "KIB" => 1 << 10,
        "M" | "MB" | "MIB" => 1 << 20,
        "G" | "GB" | "GIB" => 1 << 30,
        _ => return Err(format!("`{unit}` is not a unit of memory: use K, M or G")),
    };
    let number: u64 = digits.parse().map_err(|_| "a number, with K, M or G behind it if you like".to_string())?;
    let bytes = number.checked_mul(scale).filter(|&bytes| bytes <= 64 << 30).ok_or("at most 64G")?;
    if bytes < 1 << 20 { Err("at least 1M".into()) } else { Ok(bytes) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        assert_eq!(parse_size("64M"), Ok(64 << 20));
        assert_eq!(parse_size("2g"), Ok(2 << 30));
        assert_eq!(parse_size("1048576"), Ok(1 << 20));
        assert!(parse_size("12X").is_err());
        assert!(parse_size("").is_err());
        assert!(parse_size("5").is_err());
        assert!(parse_size("99999999999999999999G").is_err());
    }

    #[test]
    fn flags_of_clang_come_after_two_dashes() {
        let line = ["threadbare", "run", "a.c", "b.c", "--args", "-x", "1", "--", "-DN=4"];
        let parsed = Arguments::read(line.map(OsString::from)).expect("a good line");
        let Command::Run(plan) = parsed.command else { panic!("run") };
        assert_eq!(plan.files, [PathBuf::from("a.c"), "b.c".into()]);
        assert_eq!(plan.args, ["-x", "1"]);
        assert_eq!(plan.clang_flags, ["-DN=4"]);
    }

    #[test]
    fn macros_are_for_clang_and_parameters_for_models() {
        let line = |file| ["threadbare", "check", file, "-D", "N=4", "-DM", "--", "-Wall"].map(OsString::from);
        let read = |file| match Arguments::read(line(file)).expect("a good line").command {
            Command::Check(plan) => (plan.definitions, plan.clang_flags),
            _ => panic!("check"),
        };
        assert_eq!(read("a.c"), (vec![], ["-DN=4", "-DM", "-Wall"].map(String::from).to_vec()));
        assert_eq!(read("a.tb"), (["N=4", "M"].map(String::from).to_vec(), vec!["-Wall".into()]));
    }

    #[test]
    fn two_dashes_can_be_an_argument_of_the_program() {
        let line = ["threadbare", "run", "a.c", "--seed", "3", "--args", "x", "--", "-v", "--"];
        let parsed = Arguments::read(line.map(OsString::from)).expect("a good line");
        let Command::Run(plan) = parsed.command else { panic!("run") };
        assert_eq!((plan.files.len(), plan.seed), (1, 3));
        assert_eq!(plan.args, ["x", "--", "-v"]);
        assert!(plan.clang_flags.is_empty());
    }
}
