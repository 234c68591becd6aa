//! A schedule as lanes: one column a thread, time from top to bottom. Where the columns would be too narrow, the lanes
//! shrink to rails with the text beside them.

use std::collections::BTreeSet;

use threadbare_core::{Place, Story, StoryStep, StoryWitness, Then};

use crate::canvas::Canvas;
use crate::relevance::{Object, objects, shown};
use crate::source::Sources;
use crate::style::{Ink, Style};
use crate::text::{clean, count, fit, width};
use crate::words::{access, is_quiet, number, step as step_words, title};

/// Columns for the number of the step.
const GUTTER: usize = 6;
/// A lane that is narrower says nothing.
const NARROWEST: usize = 22;
const WIDEST: usize = 64;
/// Plain accesses of one step, where not everything is asked for.
const PLAIN: usize = 4;

type Line = Vec<(String, Ink)>;

/// What one thread does in a row.
struct Cell {
    lane: usize,
    marker: char,
    ink: Ink,
    lines: Vec<Line>,
    /// Lanes that it creates or wakes.
    arrows: Vec<usize>,
}

struct Row {
    /// Of the step, from 1.
    number: Option<usize>,
    cells: Vec<Cell>,
    preempted: Option<usize>,
    /// How the lanes stand after it.
    rails: Vec<Rail>,
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
    let drawing =
        Drawing { story, sources, style, keep: &keep, lane_of: &used, objects: objects(story, sources) };
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

    fn rows(&self, brief: bool) -> Vec<Row> {
        let glyphs = self.style.glyphs();
        let steps = &self.story.steps;
        let created = |thread: usize| steps.iter().any(|step| creates(step, thread));
        let mut rails: Vec<Rail> = self
            .lane_of
            .iter()
            .map(|&thread| if thread > 0 && created(thread) { Rail::Absent } else { Rail::Runs })
            .collect();
        let mut rows = Vec::new();
        let mut folded = vec![0; self.lane_of.len()];
        let mut elsewhere = 0;
        let mut preempted = None;
        for (i, step) in steps.iter().enumerate() {
            if step.preempts && i > 0 && steps[i - 1].thread != step.thread {
                preempted = self.lane(steps[i - 1].thread);
            }
            if !self.keep[i] {
                match self.lane(step.thread) {
                    Some(lane) if !is_quiet(step) => folded[lane] += 1,
                    Some(_) => {}
                    None => elsewhere += 1,
                }
                self.advance(step, &mut rails);
                continue;
            }
            self.fold(&mut folded, &mut elsewhere, &rails, &mut rows);
            let lane = self.lane(step.thread).expect("a step that is shown has a lane");
            self.advance(step, &mut rails);
            rows.push(Row {
                number: Some(i + 1),
                cells: vec![self.cell(i, step, lane, brief)],
                preempted: preempted.take().filter(|&other| other != lane),
                rails: rails.clone(),
            });
        }
        self.fold(&mut folded, &mut elsewhere, &rails, &mut rows);
        let cells: Vec<Cell> = endings(self.story)
            .into_iter()
            .filter_map(|(thread, witness)| {
                let lines = self.ending(thread, witness, brief);
                Some(Cell { lane: self.lane(thread)?, marker: glyphs.failed, ink: Ink::Bad, lines, arrows: vec![] })
            })
            .collect();
        if !cells.is_empty() {
            for cell in &cells {
                rails[cell.lane] = Rail::Absent;
            }
            rows.push(Row { number: None, cells, preempted: preempted.take(), rails });
        }
        rows
    }

    /// A row for the steps that are left out.
    fn fold(&self, folded: &mut [usize], elsewhere: &mut usize, rails: &[Rail], rows: &mut Vec<Row>) {
        let fold = self.style.glyphs().fold;
        let mut cells: Vec<Cell> = Vec::new();
        for (lane, number) in folded.iter_mut().enumerate().filter(|(_, number)| **number > 0) {
            let lines = vec![vec![(count(*number, "step"), Ink::Dim)]];
            cells.push(Cell { lane, marker: fold, ink: Ink::Dim, lines, arrows: Vec::new() });
            *number = 0;
        }
        *elsewhere = 0;
        if !cells.is_empty() {
            rows.push(Row { number: None, cells, preempted: None, rails: rails.to_vec() });
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

    fn cell(&self, index: usize, step: &StoryStep, lane: usize, brief: bool) -> Cell {
        let glyphs = self.style.glyphs();
        let marks: Vec<&StoryWitness> = match &self.story.bug {
            Some(bug) if bug.kind == "data-race" => {
                bug.witnesses.iter().filter(|witness| witness.step == Some(index)).collect()
            }
            _ => Vec::new(),
        };
        let mut lines: Vec<Line> = vec![vec![(clean(&step_words(self.story, step, glyphs)), Ink::Value)]];
        if let Some(place) = step.stack.first() {
            let line = self.place(place, brief);
            self.beside(&mut lines, line, brief);
        }
        let matters = |name: &str| self.objects.iter().any(|(object, _)| object == name);
        let plain: Vec<_> =
            step.plain.iter().filter(|access| self.style.full || matters(&access.object.name)).collect();
        let most = if self.style.full { usize::MAX } else { PLAIN };
        let skipped = plain.len().saturating_sub(most);
        if skipped > 0 {
            lines.push(vec![(format!("{} before", count(skipped, "access").replace("accesss", "accesses")), Ink::Dim)]);
        }
        for plain in &plain[skipped..] {
            let writes = plain.object.mode != threadbare_core::Mode::Read;
            lines.push(vec![(clean(&access(&plain.object, writes, glyphs)), Ink::Value)]);
            let line = self.place(&plain.place, brief);
            self.beside(&mut lines, line, brief);
        }
        for witness in &marks {
            lines.push(vec![(clean(&witness.what.replace('`', "")), Ink::Bad)]);
            if let Some(place) = witness.stack.first() {
                let line = self.place(place, brief);
                self.beside(&mut lines, line, brief);
            }
        }
        if !step.output.is_empty() {
            let printed = clean(step.output.trim_end_matches('\n').replace('\n', " ").as_str());
            lines.push(vec![("prints ".into(), Ink::Plain), (printed, Ink::Dim)]);
        }
        match &step.then {
            Then::Waits(what) => {
                let what = what.replace('`', "").replace(", held by thread ", ", held by ");
                lines.push(vec![(clean(&format!("waits for {what}")), Ink::Warn)]);
            }
            Then::Spins => lines.push(vec![("goes round its loop".into(), Ink::Warn)]),
            Then::Cut => lines.push(vec![("assume fails: stops here".into(), Ink::Warn)]),
            Then::Ended => lines.push(vec![("ends".into(), Ink::Dim)]),
            Then::GoesOn | Then::Failed => {}
        }
        let arrows = step.affects.iter().filter_map(|&thread| self.lane(thread)).collect();
        let (marker, ink) = match marks.is_empty() {
            true => (glyphs.step, Ink::Bold),
            false => (glyphs.marked, Ink::Bad),
        };
        Cell { lane, marker, ink, lines, arrows }
    }

    /// The source line goes below what happens there; with little height, beside it.
    fn beside(&self, lines: &mut Vec<Line>, line: Line, brief: bool) {
        match lines.last_mut().filter(|_| brief) {
            Some(last) => {
                let used: usize = last.iter().map(|(text, _)| width(text)).sum();
                last.push((" ".repeat(30usize.saturating_sub(used).max(2)), Ink::Plain));
                last.extend(line);
            }
            None => lines.push(line),
        }
    }

    fn place(&self, place: &Place, brief: bool) -> Line {
        let one_file = self.story.steps.iter().filter_map(|step| step.stack.first()).all(|p| p.file == place.file);
        let narrow = !brief && self.style.width.saturating_sub(GUTTER) / self.lane_of.len() < 34;
        let short = match one_file && narrow {
            true => format!(":{}", place.line),
            false => self.sources.short(place),
        };
        vec![(format!("{short} "), Ink::Frame), (self.sources.code(place), Ink::Dim)]
    }

    /// The last row of a thread that the bug stops.
    fn ending(&self, thread: usize, witness: Option<&StoryWitness>, brief: bool) -> Vec<Line> {
        let bug = self.story.bug.as_ref().expect("endings are of a bug");
        let words = match witness {
            Some(witness) => witness.what.replace('`', "").replace(", held by thread ", ", held by "),
            None if bug.kind == "assertion" => "assertion fails".into(),
            None => bug.kind.clone(),
        };
        let mut lines = vec![vec![(clean(&words), Ink::Bad)]];
        let stack = witness.map_or(&bug.stack, |witness| &witness.stack);
        if let Some(place) = stack.first() {
            let line = self.place(place, brief);
            self.beside(&mut lines, line, brief);
        }
        debug_assert!(self.lane(thread).is_some());
        lines
    }

    fn wide(&self, room: usize) -> String {
        let rows = self.rows(false);
        let titles: Vec<String> = self.lane_of.iter().map(|&thread| clean(&title(self.story, thread))).collect();
        let widths = share(room, &needs(&rows, &titles));
        let starts: Vec<usize> = (0..widths.len()).map(|i| GUTTER + widths[..i].iter().sum::<usize>()).collect();
        let glyphs = self.style.glyphs();
        let mut canvas = Canvas::default();
        for (lane, name) in titles.iter().enumerate() {
            canvas.write(0, starts[lane], &fit(name, widths[lane] - 2, glyphs.cut), Ink::Bold);
        }
        let total = GUTTER + widths.iter().sum::<usize>();
        canvas.write(1, starts[0], &glyphs.across.to_string().repeat(total - starts[0] - 2), Ink::Frame);
        let mut before: Vec<Rail> = rows.first().map_or(Vec::new(), |row| {
            self.lane_of.iter().zip(&row.rails).map(|(&t, &rail)| if t == 0 { Rail::Runs } else { rail }).collect()
        });
        for row in &rows {
            let top = canvas.height();
            let crowded = row.preempted.is_some() && row.cells.iter().any(|cell| !cell.arrows.is_empty());
            let lines = row.cells.iter().map(|cell| cell.lines.len()).max().unwrap_or(1);
            let height = lines.max(if crowded { 2 } else { 1 });
            for line in top..top + height {
                for (lane, &start) in starts.iter().enumerate() {
                    let own = row.cells.iter().find(|cell| cell.lane == lane);
                    let rail = match own {
                        Some(cell) if line - top < cell.lines.len() => Rail::Runs,
                        _ if line == top && row.rails[lane] != Rail::Absent => row.rails[lane],
                        _ => row.rails[lane],
                    };
                    draw_rail(&mut canvas, line, start, rail, self.style);
                }
            }
            if let Some(number) = row.number {
                let text = number.to_string();
                canvas.write(top, GUTTER.saturating_sub(2 + width(&text)), &text, Ink::Dim);
            }
            for cell in &row.cells {
                let start = starts[cell.lane];
                canvas.put(top, start, cell.marker, cell.ink);
                let mut end = start + 2;
                for (i, line) in cell.lines.iter().enumerate() {
                    let spare = if i == 0 && !cell.arrows.is_empty() { 6 } else { 4 };
                    let mut left = widths[cell.lane] - spare.min(widths[cell.lane]);
                    let mut at = start + 2;
                    for (text, ink) in line {
                        let text = fit(text, left, glyphs.cut);
                        left = left.saturating_sub(width(&text));
                        at = canvas.write(top + i, at, &text, *ink);
                    }
                    end = if i == 0 { at } else { end };
                }
                for &to in &cell.arrows {
                    arrow(&mut canvas, top, (start, end), starts[to], self.style);
                }
            }
            if let Some(lane) = row.preempted {
                let line = top + usize::from(crowded);
                let words = fit("preempted", widths[lane] - 4, glyphs.cut);
                canvas.write(line, starts[lane] + 2, &words, Ink::Warn);
            }
            before.clone_from(&row.rails);
        }
        canvas.render(self.style)
    }

    fn compact(&self) -> String {
        let rows = self.rows(true);
        let glyphs = self.style.glyphs();
        let names: Vec<String> = self.lane_of.iter().map(|&thread| number(self.story, thread)).collect();
        let name_width = names.iter().map(|name| width(name)).max().unwrap_or(1);
        let spacing = if self.lane_of.len() * 2 + name_width + 50 > self.style.width { 1 } else { 2 };
        let left = GUTTER + self.lane_of.len() * spacing + 1;
        let text_at = left + name_width + 2;
        let room = self.style.width.saturating_sub(text_at).max(20);
        let mut canvas = Canvas::default();
        let titles: Vec<String> = self.lane_of.iter().map(|&thread| title(self.story, thread)).collect();
        for (i, line) in crate::text::wrap(&titles.join("   "), self.style.width - GUTTER).iter().enumerate() {
            canvas.write(i, GUTTER, line, Ink::Bold);
        }
        let rule = glyphs.across.to_string().repeat(self.style.width.min(100) - GUTTER);
        canvas.write(canvas.height(), GUTTER, &rule, Ink::Frame);
        for row in &rows {
            let rails = |canvas: &mut Canvas, line: usize| {
                for (lane, &rail) in row.rails.iter().enumerate() {
                    draw_rail(canvas, line, GUTTER + lane * spacing, rail, self.style);
                }
            };
            if let Some(lane) = row.preempted {
                let line = canvas.height();
                rails(&mut canvas, line);
                draw_rail(&mut canvas, line, GUTTER + lane * spacing, Rail::Runs, self.style);
                canvas.write(line, left, &names[lane], Ink::Warn);
                canvas.write(line, text_at, "preempted", Ink::Warn);
            }
            for cell in &row.cells {
                for (i, line) in cell.lines.iter().enumerate() {
                    let y = canvas.height();
                    rails(&mut canvas, y);
                    let x = GUTTER + cell.lane * spacing;
                    draw_rail(&mut canvas, y, x, Rail::Runs, self.style);
                    if i == 0 {
                        canvas.put(y, x, cell.marker, cell.ink);
                        canvas.write(y, left, &names[cell.lane], Ink::Bold);
                        if let Some(number) = row.number {
                            let text = number.to_string();
                            canvas.write(y, GUTTER.saturating_sub(2 + width(&text)), &text, Ink::Dim);
                        }
                    }
                    let (mut at, mut room) = (text_at, room);
                    for (text, ink) in line {
                        let text = fit(text, room, glyphs.cut);
                        room = room.saturating_sub(width(&text));
                        at = canvas.write(y, at, &text, *ink);
                    }
                }
            }
        }
        canvas.render(self.style)
    }
}

fn creates(step: &StoryStep, thread: usize) -> bool {
    step.operation == threadbare_core::Operation::ThreadCreate && step.affects.contains(&thread)
}

fn draw_rail(canvas: &mut Canvas, line: usize, column: usize, rail: Rail, style: &Style) {
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

/// Columns that each lane would like.
fn needs(rows: &[Row], titles: &[String]) -> Vec<usize> {
    let mut needs: Vec<usize> = titles.iter().map(|name| width(name) + 3).collect();
    for row in rows {
        for cell in &row.cells {
            let spare = if cell.arrows.is_empty() { 4 } else { 6 };
            let widest = cell.lines.iter().map(|line| line.iter().map(|(text, _)| width(text)).sum::<usize>()).max();
            needs[cell.lane] = needs[cell.lane].max(widest.unwrap_or(0) + spare);
        }
        if let Some(lane) = row.preempted {
            needs[lane] = needs[lane].max(14);
        }
    }
    needs
}

/// Cuts the widest lanes until all fit.
fn share(room: usize, needs: &[usize]) -> Vec<usize> {
    let mut widths: Vec<usize> = needs.iter().map(|&need| need.clamp(NARROWEST, WIDEST)).collect();
    while widths.iter().sum::<usize>() > room {
        let widest = widths.iter().enumerate().max_by_key(|(_, width)| **width).expect("there is a lane").0;
        if widths[widest] <= NARROWEST {
            break;
        }
        widths[widest] -= 1;
    }
    widths
}
