//! A schedule as lanes: one column a thread, time from top to bottom. Where the columns would be too narrow, the lanes
//! shrink to rails with the text beside them.

use std::collections::BTreeSet;

use threadbare_core::words::count;
use threadbare_core::{Mode, Operation, Place, Story, StoryAccess, StoryStep, StoryWitness, Then};

use crate::canvas::Canvas;
use crate::relevance::{Object, objects, shown};
use crate::source::Sources;
use crate::style::{Ink, Style};
use crate::text::{clean, fit, fit_name, width, wrap};
use crate::words::{access, brief, is_quiet, number, quoted, step as step_words, title, values};

/// Columns for the number of the step.
const GUTTER: usize = 6;
/// A lane that is narrower says nothing.
const NARROWEST: usize = 18;
const WIDEST: usize = 64;
/// Fewer steps left out between two others are told by the numbers alone.
const FOLD: usize = 3;
/// Plain accesses of one step, where not everything is asked for.
const PLAIN: usize = 4;

/// Something that happens, and the source line where it does.
struct Line {
    marker: Option<(char, Ink)>,
    text: String,
    ink: Ink,
    at: Option<Place>,
}

impl Line {
    fn new(text: impl AsRef<str>, ink: Ink) -> Self {
        Line { marker: None, text: clean(text.as_ref()), ink, at: None }
    }

    fn at(self, place: Option<&Place>) -> Self {
        Line { at: place.cloned(), ..self }
    }

    fn marked(self, marker: char, ink: Ink) -> Self {
        Line { marker: Some((marker, ink)), ..self }
    }
}

/// What one thread does in a row.
struct Cell {
    lane: usize,
    lines: Vec<Line>,
    /// Lanes that it creates or wakes.
    arrows: Vec<usize>,
}

impl Cell {
    fn points_right(&self) -> bool {
        self.arrows.iter().any(|&lane| lane > self.lane)
    }
}

struct Row {
    /// Of the step, from 1.
    number: Option<usize>,
    cells: Vec<Cell>,
    preempted: Option<usize>,
    /// How the lanes stand after it.
    rails: Vec<Rail>,
    /// Words across all lanes: where a cycle begins and ends.
    across: Option<String>,
}

/// Above the first step of a cycle.
const FOR_EVER: &str = "from here on for ever";

impl Row {
    fn across(words: &str, rails: &[Rail]) -> Row {
        let across = Some(words.to_string());
        Row { number: None, cells: Vec::new(), preempted: None, rails: rails.to_vec(), across }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Rail {
    Absent,
    Runs,
    Blocked,
}

/// The schedule of a story; only the steps that matter, unless the style asks for all.
pub fn lanes(story: &Story, sources: &Sources, style: &Style) -> String {
    let keep = shown(story, sources, style.full);
    let ends = endings(story);
    let used: Vec<usize> = (0..story.threads.len())
        .filter(|&thread| {
            let steps = story.steps.iter().zip(&keep);
            steps.clone().any(|(step, &keep)| keep && step.thread == thread) || ends.iter().any(|end| end.0 == thread)
        })
        .collect();
    let drawing = Drawing { story, sources, style, keep: &keep, lane_of: &used, objects: objects(story, sources) };
    let room = style.width.saturating_sub(GUTTER);
    if used.is_empty() {
        String::new()
    } else if used.len() * NARROWEST <= room {
        drawing.wide(room)
    } else {
        drawing.compact()
    }
}

/// Threads that the bug stops, with the witness of each where there is one.
fn endings(story: &Story) -> Vec<(usize, Option<&StoryWitness>)> {
    let Some(bug) = &story.bug else { return Vec::new() };
    match bug.kind.as_str() {
        "data-race" => bug.witnesses.iter().filter(|w| w.step.is_none()).map(|w| (w.thread, Some(w))).collect(),
        _ if !bug.witnesses.is_empty() => bug.witnesses.iter().map(|w| (w.thread, Some(w))).collect(),
        "leak" => Vec::new(),
        _ => bug.thread.into_iter().map(|thread| (thread, None)).collect(),
    }
}

struct Drawing<'a> {
    story: &'a Story,
    sources: &'a Sources,
    style: &'a Style,
    keep: &'a [bool],
    /// The threads that have a lane, from left to right.
    lane_of: &'a [usize],
    objects: BTreeSet<Object>,
}

impl Drawing<'_> {
    fn lane(&self, thread: usize) -> Option<usize> {
        self.lane_of.iter().position(|&other| other == thread)
    }

    fn rows(&self) -> Vec<Row> {
        let steps = &self.story.steps;
        let created = |thread: usize| steps.iter().any(|step| creates(step, thread));
        let mut rails: Vec<Rail> = self
            .lane_of
            .iter()
            .map(|&thread| if thread > 0 && created(thread) { Rail::Absent } else { Rail::Runs })
            .collect();
        let mut rows = Vec::new();
        let mut folded = vec![0; self.lane_of.len()];
        // The lane of the thread that was stopped last, and the step that came instead.
        let mut preempted: Option<(usize, usize)> = None;
        let cycle = self.story.lasso.as_ref().map(|lasso| lasso.cycle);
        for (i, step) in steps.iter().enumerate() {
            if step.preempts && i > 0 && steps[i - 1].thread != step.thread {
                preempted = self.lane(steps[i - 1].thread).map(|lane| (lane, i));
            }
            if !self.keep[i] {
                if cycle == Some(i) {
                    self.fold(&mut folded, &rails, &mut rows, preempted.take());
                    rows.push(Row::across(FOR_EVER, &rails));
                }
                if let Some(lane) = self.lane(step.thread).filter(|_| !is_quiet(step)) {
                    folded[lane] += 1;
                }
                self.advance(step, &mut rails);
                continue;
            }
            if cycle == Some(i) {
                self.fold(&mut folded, &rails, &mut rows, preempted.take_if(|(_, at)| *at < i));
                rows.push(Row::across(FOR_EVER, &rails));
            }
            let loud = folded.iter().sum::<usize>() >= FOLD;
            self.fold(&mut folded, &rails, &mut rows, preempted.take_if(|(_, at)| *at < i && loud));
            let lane = self.lane(step.thread).expect("a step that is shown has a lane");
            self.advance(step, &mut rails);
            rows.push(Row {
                number: Some(i + 1),
                cells: vec![self.cell(i, step, lane)],
                preempted: preempted.take().map(|(other, _)| other).filter(|&other| other != lane),
                rails: rails.clone(),
                across: None,
            });
        }
        self.fold(&mut folded, &rails, &mut rows, preempted.take());
        match cycle {
            Some(cycle) if cycle < steps.len() => {
                rows.push(Row::across(&format!("and again from step {} on", cycle + 1), &rails));
            }
            Some(_) => rows.push(Row::across("everything stays as it is, for ever", &rails)),
            None => {}
        }
        let cells: Vec<Cell> = endings(self.story)
            .into_iter()
            .filter_map(|(thread, witness)| {
                let lines = vec![self.ending(witness)];
                Some(Cell { lane: self.lane(thread)?, lines, arrows: Vec::new() })
            })
            .collect();
        if !cells.is_empty() {
            for cell in &cells {
                rails[cell.lane] = Rail::Absent;
            }
            rows.push(Row { number: None, cells, preempted: None, rails, across: None });
        }
        without_repetition(&mut rows);
        rows
    }

    /// A row for the steps that are left out.
    fn fold(&self, folded: &mut [usize], rails: &[Rail], rows: &mut Vec<Row>, preempted: Option<(usize, usize)>) {
        let fold = self.style.glyphs().fold;
        let mut cells: Vec<Cell> = Vec::new();
        if folded.iter().sum::<usize>() < FOLD {
            folded.fill(0);
        }
        for (lane, number) in folded.iter_mut().enumerate().filter(|(_, number)| **number > 0) {
            let lines = vec![Line::new(count(*number, "step"), Ink::Dim).marked(fold, Ink::Dim)];
            cells.push(Cell { lane, lines, arrows: Vec::new() });
            *number = 0;
        }
        if !cells.is_empty() {
            let preempted = preempted.map(|(lane, _)| lane).filter(|&lane| cells.iter().all(|cell| cell.lane != lane));
            rows.push(Row { number: None, cells, preempted, rails: rails.to_vec(), across: None });
        }
    }

    fn advance(&self, step: &StoryStep, rails: &mut [Rail]) {
        for &thread in &step.affects {
            if let Some(lane) = self.lane(thread).filter(|_| creates(step, thread)) {
                rails[lane] = Rail::Runs;
            }
        }
        if let Some(lane) = self.lane(step.thread) {
            rails[lane] = match step.then {
                Then::GoesOn | Then::Spins | Then::Failed => Rail::Runs,
                Then::Waits(_) => Rail::Blocked,
                Then::Ended | Then::Cut => Rail::Absent,
            };
        }
    }

    fn cell(&self, index: usize, step: &StoryStep, lane: usize) -> Cell {
        let glyphs = self.style.glyphs();
        let first = Line::new(step_words(self.story, step, glyphs), Ink::Value);
        let mut lines = vec![first.at(step.stack.first()).marked(glyphs.step, Ink::Bold)];
        lines.extend(self.plain(index, step));
        if !step.output.is_empty() {
            lines.push(Line::new(format!("prints {}", step.output.trim_end().replace('\n', " ")), Ink::Dim));
        }
        let said_below = || {
            let last = self.story.steps.iter().rposition(|other| other.thread == step.thread) == Some(index);
            last && endings(self.story).iter().any(|(thread, witness)| *thread == step.thread && witness.is_some())
        };
        for (proposition, holds) in self.story.lasso.iter().flat_map(|lasso| lasso.changes(index)) {
            lines.push(match holds {
                true => Line::new(format!("now {proposition}"), Ink::Good).marked(glyphs.marked, Ink::Good),
                false => Line::new(format!("no longer {proposition}"), Ink::Bad).marked(glyphs.marked, Ink::Bad),
            });
        }
        match &step.then {
            Then::Waits(_) | Then::Spins if said_below() => {}
            Then::Waits(what) => lines.push(Line::new(format!("waits for {}", brief(what)), Ink::Warn)),
            Then::Spins => lines.push(Line::new("goes round its loop", Ink::Warn)),
            Then::Cut => lines.push(Line::new("assume fails: stops here", Ink::Warn)),
            Then::Ended if step.operation != Operation::ThreadEnd => lines.push(Line::new("ends", Ink::Dim)),
            Then::GoesOn | Then::Failed | Then::Ended => {}
        }
        let arrows = step.affects.iter().filter_map(|&thread| self.lane(thread)).collect();
        Cell { lane, lines, arrows }
    }

    /// The plain accesses behind a step that matter, in their order; those that race are marked.
    fn plain(&self, index: usize, step: &StoryStep) -> Vec<Line> {
        let glyphs = self.style.glyphs();
        let mut races: Vec<&StoryWitness> = self.races(index).collect();
        let matters = |name: &str| self.style.full || self.objects.iter().any(|(object, _)| object == name);
        let raced = |witness: &StoryWitness, values: String| {
            let line = Line::new(format!("{}{values}", witness.what.replace('`', "")), Ink::Bad);
            line.at(witness.stack.first()).marked(glyphs.marked, Ink::Bad)
        };
        let mut lines = Vec::new();
        for (i, plain) in step.plain.iter().enumerate() {
            // Of several accesses of that line, the last one.
            let is_last = |witness: &StoryWitness| !step.plain[i + 1..].iter().any(|other| is_of(other, witness));
            if let Some(at) = races.iter().position(|witness| is_of(plain, witness) && is_last(witness)) {
                lines.push(raced(races.remove(at), values(&plain.object, glyphs)));
                continue;
            }
            // `x++` reads, too: its `1 → 2` says so.
            let writes = plain.object.mode != Mode::Read;
            let updates = !writes && step.plain.get(i + 1).is_some_and(|next| is_update(plain, next));
            if matters(&plain.object.name) && (self.style.full || !updates) {
                lines.push(Line::new(access(&plain.object, writes, glyphs), Ink::Value).at(Some(&plain.place)));
            }
        }
        let skipped = if self.style.full { 0 } else { lines.len().saturating_sub(PLAIN) };
        if skipped > 0 {
            let words = format!("{skipped} more {}", if skipped == 1 { "access" } else { "accesses" });
            lines.splice(..skipped, [Line::new(words, Ink::Dim)]);
        }
        lines.extend(races.into_iter().map(|witness| raced(witness, String::new())));
        lines
    }

    /// Accesses of a data race that belong to a step.
    fn races(&self, step: usize) -> impl Iterator<Item = &StoryWitness> {
        let bug = self.story.bug.iter().filter(|bug| bug.kind == "data-race");
        bug.flat_map(|bug| &bug.witnesses).filter(move |witness| witness.step == Some(step))
    }

    /// `queue.c:12`; `:12` where there is one file and little room.
    fn short(&self, place: &Place, narrow: bool) -> String {
        let one_file = self.story.steps.iter().filter_map(|step| step.stack.first()).all(|p| p.file == place.file);
        match one_file && narrow {
            true => format!(":{} ", place.line),
            false => format!("{} ", self.sources.short(place)),
        }
    }

    /// The last row of a thread that the bug stops.
    fn ending(&self, witness: Option<&StoryWitness>) -> Line {
        let bug = self.story.bug.as_ref().expect("endings are of a bug");
        let words = match (witness, bug.kind.as_str()) {
            (Some(witness), _) => brief(&witness.what),
            (None, "assertion") => "assertion fails".into(),
            (None, "invariant") => bug.message.strip_prefix("invariant ").unwrap_or(&bug.message).into(),
            (None, "livelock") => "for ever".into(),
            (None, kind) => kind.to_string(),
        };
        let stack = witness.map_or(&bug.stack, |witness| &witness.stack);
        Line::new(words, Ink::Bad).at(stack.first()).marked(self.style.glyphs().failed, Ink::Bad)
    }

    fn wide(&self, room: usize) -> String {
        let rows = self.rows();
        let titles: Vec<String> = self.lane_of.iter().map(|&thread| clean(&title(self.story, thread))).collect();
        let narrow = room / self.lane_of.len() < 34;
        let widths = self.share(room, &rows, &titles, narrow);
        let starts: Vec<usize> = (0..widths.len()).map(|i| GUTTER + widths[..i].iter().sum::<usize>()).collect();
        let glyphs = self.style.glyphs();
        let mut canvas = Canvas::default();
        for (lane, name) in titles.iter().enumerate() {
            canvas.write(0, starts[lane], &fit(name, widths[lane] - 2, glyphs.cut), Ink::Bold);
        }
        let total = widths.iter().sum::<usize>();
        canvas.write(1, GUTTER, &glyphs.across.to_string().repeat(total - 2), Ink::Frame);
        for row in &rows {
            let top = canvas.height();
            if let Some(words) = &row.across {
                divide(&mut canvas, words, total - 2, self.style);
                continue;
            }
            let draw = |cell: &Cell| self.draw(&mut canvas, top, starts[cell.lane], widths[cell.lane], cell, narrow);
            let ends: Vec<usize> = row.cells.iter().map(draw).collect();
            // With an arrow across the lanes, what else is said in them goes one line down.
            let arrows = row.cells.iter().any(|cell| !cell.arrows.is_empty());
            if let Some(lane) = row.preempted {
                let words = fit("preempted", widths[lane] - 4, glyphs.cut);
                canvas.write(top + usize::from(arrows), starts[lane] + 2, &words, Ink::Warn);
            }
            for line in top..canvas.height() {
                for (lane, &start) in starts.iter().enumerate() {
                    draw_rail(&mut canvas, line, start, row.rails[lane], self.style);
                }
            }
            for (cell, &end) in row.cells.iter().zip(&ends) {
                for &to in &cell.arrows {
                    arrow(&mut canvas, top, (starts[cell.lane], end), starts[to], self.style);
                }
            }
            if let Some(number) = row.number {
                let text = number.to_string();
                canvas.write(top, GUTTER.saturating_sub(2 + width(&text)), &text, Ink::Dim);
            }
        }
        canvas.render(self.style)
    }

    /// Draws a cell from line `top` on, and gives the column behind the text of its first line, where an arrow begins.
    fn draw(&self, canvas: &mut Canvas, top: usize, start: usize, room: usize, cell: &Cell, narrow: bool) -> usize {
        let cut = self.style.glyphs().cut;
        let mut y = top;
        let mut end = start;
        for (i, line) in cell.lines.iter().enumerate() {
            let spare = if i == 0 && cell.points_right() { 6 } else { 4 };
            let texts = match width(&line.text) + spare <= room {
                true => vec![line.text.clone()],
                false => wrap(&line.text, room.saturating_sub(6)),
            };
            for (k, text) in texts.iter().enumerate() {
                let indent = if k == 0 { 2 } else { 4 };
                let text = fit_name(text, room.saturating_sub(2 + indent), cut);
                let at = canvas.write(y, start + indent, &text, line.ink);
                end = if y == top { at } else { end };
                if let Some((marker, ink)) = line.marker.filter(|_| k == 0) {
                    canvas.put(y, start, marker, ink);
                }
                y += 1;
            }
            if let Some(place) = &line.at {
                let short = fit(&self.short(place, narrow), room.saturating_sub(4), cut);
                let left = room.saturating_sub(4 + width(&short));
                let at = canvas.write(y, start + 2, &short, Ink::Frame);
                canvas.write(y, at, &self.sources.code_in(place, left, cut), Ink::Dim);
                y += 1;
            }
        }
        (top..y).for_each(|line| draw_rail(canvas, line, start, Rail::Runs, self.style));
        end
    }

    /// How wide each lane is: first what happens in it, then the source, cutting the widest until all fit.
    fn share(&self, room: usize, rows: &[Row], titles: &[String], narrow: bool) -> Vec<usize> {
        let mut texts: Vec<usize> = titles.iter().map(|name| width(name) + 3).collect();
        let mut all = texts.clone();
        for row in rows {
            for cell in &row.cells {
                for (i, line) in cell.lines.iter().enumerate() {
                    let spare = if i == 0 && cell.points_right() { 6 } else { 4 };
                    // Who waits, and why it ends, may take several lines.
                    let need = width(&line.text) + spare;
                    let need = if matches!(line.ink, Ink::Warn | Ink::Bad) { need.min(22) } else { need };
                    texts[cell.lane] = texts[cell.lane].max(need);
                    let source = line
                        .at
                        .as_ref()
                        .map_or(0, |place| width(&self.short(place, narrow)) + width(&self.sources.code(place)) + 4);
                    all[cell.lane] = all[cell.lane].max(source).max(texts[cell.lane]);
                }
            }
            if let Some(lane) = row.preempted {
                texts[lane] = texts[lane].max(14);
            }
        }
        let mut widths: Vec<usize> = texts.iter().map(|&need| need.clamp(NARROWEST, 30)).collect();
        while widths.iter().sum::<usize>() > room {
            let widest = (0..widths.len()).max_by_key(|&lane| widths[lane]).expect("there is a lane");
            widths[widest] -= 1;
        }
        // What is left goes to the narrowest lanes that lack something.
        for _ in widths.iter().sum::<usize>()..room {
            let lacking = (0..widths.len()).filter(|&lane| widths[lane] < all[lane].min(WIDEST));
            match lacking.min_by_key(|&lane| widths[lane]) {
                Some(lane) => widths[lane] += 1,
                None => break,
            }
        }
        widths
    }

    fn compact(&self) -> String {
        let rows = self.rows();
        let glyphs = self.style.glyphs();
        let names: Vec<String> = self.lane_of.iter().map(|&thread| number(self.story, thread)).collect();
        let name_width = names.iter().map(|name| width(name)).max().unwrap_or(1);
        let spacing = if self.lane_of.len() * 2 + name_width + 50 > self.style.width { 1 } else { 2 };
        let left = GUTTER + self.lane_of.len() * spacing + 1;
        let text_at = left + name_width + 2;
        let room = self.style.width.saturating_sub(text_at).max(20);
        let lines = || rows.iter().flat_map(|row| &row.cells).flat_map(|cell| &cell.lines);
        let widest = lines().filter(|line| line.at.is_some()).map(|line| width(&line.text)).max().unwrap_or(0);
        let column = (widest + 2).min(room / 2);
        let mut canvas = Canvas::default();
        let titles: Vec<String> = self.lane_of.iter().map(|&thread| title(self.story, thread)).collect();
        for (i, line) in wrap(&titles.join(", "), self.style.width.saturating_sub(GUTTER)).iter().enumerate() {
            canvas.write(i, GUTTER, line, Ink::Bold);
        }
        let rule = glyphs.across.to_string().repeat(self.style.width.min(100).saturating_sub(GUTTER));
        canvas.write(canvas.height(), GUTTER, &rule, Ink::Frame);
        for row in &rows {
            if let Some(words) = &row.across {
                divide(&mut canvas, words, self.style.width.min(100).saturating_sub(GUTTER), self.style);
                continue;
            }
            let rails = |canvas: &mut Canvas, line: usize, own: usize| {
                for (lane, &rail) in row.rails.iter().enumerate() {
                    let rail = if lane == own { Rail::Runs } else { rail };
                    draw_rail(canvas, line, GUTTER + lane * spacing, rail, self.style);
                }
            };
            if let Some(lane) = row.preempted {
                let y = canvas.height();
                rails(&mut canvas, y, lane);
                canvas.write(y, left, &names[lane], Ink::Warn);
                canvas.write(y, text_at, "preempted", Ink::Warn);
            }
            for cell in &row.cells {
                for (i, line) in cell.lines.iter().enumerate() {
                    let y = canvas.height();
                    if let Some((marker, ink)) = line.marker {
                        canvas.put(y, GUTTER + cell.lane * spacing, marker, ink);
                    }
                    rails(&mut canvas, y, cell.lane);
                    if i == 0 {
                        canvas.write(y, left, &names[cell.lane], Ink::Bold);
                        if let Some(number) = row.number {
                            let text = number.to_string();
                            canvas.write(y, GUTTER.saturating_sub(2 + width(&text)), &text, Ink::Dim);
                        }
                    }
                    let text = fit(&line.text, room, glyphs.cut);
                    let end = canvas.write(y, text_at, &text, line.ink);
                    if let Some(place) = &line.at {
                        let at = (text_at + column).max(end + 2);
                        let room = self.style.width.saturating_sub(at);
                        let at = canvas.write(y, at, &fit(&self.short(place, true), room, glyphs.cut), Ink::Frame);
                        let room = self.style.width.saturating_sub(at);
                        canvas.write(y, at, &self.sources.code_in(place, room, glyphs.cut), Ink::Dim);
                    }
                }
            }
        }
        canvas.render(self.style)
    }
}

/// Whether an access is that side of a race.
fn is_of(access: &StoryAccess, witness: &StoryWitness) -> bool {
    let line = |place: &Place| (place.file.clone(), place.line);
    let reads = access.object.mode == Mode::Read;
    witness.stack.first().is_some_and(|place| line(place) == line(&access.place))
        && witness.what.starts_with(if reads { "reads" } else { "writes" })
        && quoted(&witness.what).any(|name| name == access.object.name)
}

/// Whether `write` puts a new value where `read` has just looked, in one line of the source.
fn is_update(read: &StoryAccess, write: &StoryAccess) -> bool {
    write.object.mode != Mode::Read
        && (&read.object.name, &read.object.before) == (&write.object.name, &write.object.before)
        && (&read.place.file, read.place.line) == (&write.place.file, write.place.line)
}

/// A source line that stands right above in the same lane is not said again.
fn without_repetition(rows: &mut [Row]) {
    let mut last = None;
    for row in rows {
        for cell in &mut row.cells {
            for line in &mut cell.lines {
                let here = line.at.as_ref().map(|place| (cell.lane, place.file.clone(), place.line));
                if here.is_some() && here == last {
                    line.at = None;
                } else {
                    last = here;
                }
            }
        }
    }
}

fn creates(step: &StoryStep, thread: usize) -> bool {
    step.operation == Operation::ThreadCreate && step.affects.contains(&thread)
}

/// A line across all lanes, with words in it, which may need more room than the lanes.
fn divide(canvas: &mut Canvas, words: &str, room: usize, style: &Style) {
    let across = style.glyphs().across.to_string();
    for words in wrap(words, style.width.saturating_sub(GUTTER + 4).max(8)) {
        let line = canvas.height();
        canvas.write(line, GUTTER, &across.repeat(3), Ink::Warn);
        let end = canvas.write(line, GUTTER + 4, &words, Ink::Warn);
        canvas.write(line, end + 1, &across.repeat((GUTTER + room).saturating_sub(end + 1)), Ink::Warn);
    }
}

/// Where nothing is drawn yet.
fn draw_rail(canvas: &mut Canvas, line: usize, column: usize, rail: Rail, style: &Style) {
    if canvas.get(line, column) != ' ' {
        return;
    }
    match rail {
        Rail::Absent => {}
        Rail::Runs => canvas.put(line, column, style.glyphs().rail, Ink::Frame),
        Rail::Blocked => canvas.put(line, column, style.glyphs().blocked, Ink::Warn),
    }
}

/// From the cell that starts at `from.0` and whose text ends at `from.1` to the rail in column `to`.
fn arrow(canvas: &mut Canvas, line: usize, from: (usize, usize), to: usize, style: &Style) {
    let glyphs = style.glyphs();
    let (first, last, head) = match to > from.0 {
        true => (from.1 + 1, to - 1, to - 1),
        false => (to + 1, from.0 - 1, to + 1),
    };
    for column in first..=last {
        let old = canvas.get(line, column);
        let c = match old == ' ' || old == glyphs.across || old == glyphs.crossing {
            true if old == glyphs.crossing => glyphs.crossing,
            true => glyphs.across,
            false => glyphs.crossing,
        };
        canvas.put(line, column, c, Ink::Frame);
    }
    canvas.put(line, head, if to > from.0 { glyphs.right } else { glyphs.left }, Ink::Frame);
}
