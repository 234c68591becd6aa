//! The comparison as plots, on logarithmic scales: lines over what takes several values, one row a program; or bars, where
//! nothing varies. Figures from elsewhere have thin lines. A line ends where a strategy did not come to an end in time, and a bar is then not there.

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::measure::Measure;
use super::table::{by_program, duration, grouped, strategies};
use crate::arguments::Shown;

/// Of a panel with lines.
const PANEL: (u32, u32) = (400, 300);
const TITLE: u32 = 34;
const LEGEND_LINE: u32 = 22;
const LEGEND_MARGIN: u32 = 8;
/// Of bars.
const BAR: u32 = 18;
const GAP: u32 = 26;
const SCALE: u32 = 40;
const BAR_PANEL: u32 = 440;

/// Colours that people tell apart however they see colours (Okabe, Ito).
const COLOURS: [RGBColor; 8] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(230, 159, 0),
    RGBColor(90, 90, 90),
    RGBColor(0, 0, 0),
];
const PALE: RGBColor = RGBColor(225, 225, 225);

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn<T> = Result<T, DrawingAreaErrorKind<std::io::Error>>;

/// What is drawn of a measure: its name, its value, and how a value is written.
#[derive(Clone, Copy)]
pub struct Quantity {
    pub name: &'static str,
    pub value: fn(&Measure) -> Option<f64>,
    pub written: fn(f64) -> String,
}

const TIME: Quantity = Quantity { name: "time", value: |one| one.seconds, written: duration };

impl Quantity {
    pub fn of(shown: Shown) -> Quantity {
        let count: fn(f64) -> String = |value| grouped(value as u64);
        let (name, value, written): (_, fn(&Measure) -> Option<f64>, _) = match shown {
            Shown::Runs => ("executions", |one| one.runs().map(|n| n as f64), count),
            Shown::Transitions => ("transitions", |one| one.transitions.map(|n| n as f64), count),
            Shown::States => ("states", |one| one.states.map(|n| n as f64), count),
            Shown::Pace => ("time of a transition", Measure::pace, duration),
            Shown::Rate => ("executions in a second", Measure::rate, |value| format!("{}/s", grouped(value as u64))),
        };
        Quantity { name, value, written }
    }

    fn shown(all: &[Measure], shown: Option<Shown>) -> Vec<Quantity> {
        let chosen = match shown {
            Some(shown) => vec![shown],
            None if all.iter().any(|one| one.states.is_some()) => {
                vec![Shown::Runs, Shown::Transitions, Shown::States]
            }
            None => vec![Shown::Runs, Shown::Transitions],
        };
        chosen.into_iter().map(Quantity::of).chain([TIME]).collect()
    }

    /// As a mark of the scale: without digits that say nothing.
    fn mark(&self, value: f64) -> String {
        (self.written)(value).replace(".00 s", " s").replace(".0 ms", " ms").replace(".0 µs", " µs")
    }

    /// What can be drawn: it came to an end, and has a logarithm.
    fn drawn(&self, one: &Measure) -> Option<f64> {
        (self.value)(one).filter(|&value| value > 0.0 && one.is_whole())
    }
}

/// Whether there is something to draw a line over.
fn varies(all: &[Measure]) -> bool {
    let mut values = all.iter().filter_map(|one| one.point.as_ref()).map(|point| point.value);
    values.next().is_some_and(|first| values.any(|value| value != first))
}

pub fn svg(all: &[Measure], shown: Option<Shown>) -> String {
    let quantities = Quantity::shown(all, shown);
    let programs = by_program(all);
    let names = strategies(all);
    let lines = varies(all);
    let panels = quantities.len() as u32;
    let (width, height) = if lines {
        (PANEL.0 * panels, (PANEL.1 + TITLE) * programs.len() as u32)
    } else {
        (BAR_PANEL * panels, SCALE + TITLE + bars(&programs).iter().map(|group| group.height).sum::<u32>())
    };
    let legend = Legend::new(&names, width);
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, (width, legend.height + height)).into_drawing_area();
        let drawn = area.fill(&WHITE).and_then(|()| {
            let (top, rest) = area.split_vertically(legend.height);
            legend.draw(&top, &names)?;
            if lines {
                draw_lines(&rest, &programs, &names, &quantities)?;
            } else {
                draw_bars(&rest, &programs, &names, &quantities)?;
            }
            area.present()
        });
        // Writing to a string does not fail.
        drawn.expect("a string takes what is written to it");
    }
    text
}

/// Which colour and shape is whose, in as many lines as it takes.
struct Legend {
    places: Vec<(i32, i32)>,
    height: u32,
}

impl Legend {
    fn new(names: &[String], width: u32) -> Legend {
        const LEFT: i32 = 60;
        let (mut x, mut y) = (LEFT, 14);
        let mut places = Vec::new();
        for name in names {
            let long = 50 + 7 * name.chars().count() as i32;
            if x > LEFT && x + long > width as i32 {
                (x, y) = (LEFT, y + LEGEND_LINE as i32);
            }
            places.push((x, y));
            x += long;
        }
        Legend { places, height: y as u32 + LEGEND_LINE / 2 + LEGEND_MARGIN }
    }

    fn draw(&self, area: &Area<'_>, names: &[String]) -> Drawn<()> {
        for (number, (name, &(x, y))) in names.iter().zip(&self.places).enumerate() {
            let colour = COLOURS[number % COLOURS.len()];
            area.draw(&PathElement::new([(x, y), (x + 22, y)], colour.stroke_width(2)))?;
            match number % 3 {
                0 => area.draw(&Circle::new((x + 11, y), 4, colour.filled()))?,
                1 => area.draw(&TriangleMarker::new((x + 11, y), 5, colour.filled()))?,
                _ => area.draw(&Cross::new((x + 11, y), 4, colour.stroke_width(2)))?,
            }
            let style = ("sans-serif", 14).into_text_style(area).pos(Pos::new(HPos::Left, VPos::Center));
            area.draw(&Text::new(name.clone(), (x + 28, y), style))?;
        }
        Ok(())
    }
}

/// Without folders.
fn title(program: &str) -> &str {
    let end = program.find(' ').unwrap_or(program.len());
    program[..end].rfind('/').map_or(program, |slash| &program[slash + 1..])
}

/// Whole powers of ten around the values, so that the scale can be read.
fn decades(values: &[f64]) -> Option<(f64, f64)> {
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let (bottom, top) = (10f64.powf(least.log10().floor()), 10f64.powf(most.log10().ceil()));
    (!values.is_empty()).then_some((bottom, if top <= bottom { bottom * 10.0 } else { top }))
}

fn draw_lines(area: &Area<'_>, programs: &[&[Measure]], names: &[String], quantities: &[Quantity]) -> Drawn<()> {
    for (rows, area) in programs.iter().zip(area.split_evenly((programs.len(), 1))) {
        area.draw(&Text::new(title(&rows[0].program).to_string(), (16, 10), ("sans-serif", 17)))?;
        let (_, panels) = area.split_vertically(TITLE);
        for (quantity, panel) in quantities.iter().zip(panels.split_evenly((1, quantities.len()))) {
            draw_panel(&panel, rows, names, quantity)?;
        }
    }
    Ok(())
}

fn draw_panel(area: &Area<'_>, rows: &[Measure], names: &[String], quantity: &Quantity) -> Drawn<()> {
    let points = |name: &str| -> Vec<(f64, f64)> {
        let of = rows.iter().filter(|one| one.strategy == name);
        of.filter_map(|one| Some((one.point.as_ref()?.value as f64, quantity.drawn(one)?))).collect()
    };
    let all: Vec<(f64, f64)> = names.iter().flat_map(|name| points(name)).collect();
    let Some((bottom, top)) = decades(&all.iter().map(|point| point.1).collect::<Vec<_>>()) else {
        return area.draw(&Text::new(format!("{}: nothing in time", quantity.name), (60, 20), ("sans-serif", 14)));
    };
    // All panels have the same width, whoever came how far.
    let values = || rows.iter().filter_map(|one| one.point.as_ref()).map(|point| point.value as f64);
    let (left, right) = (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
    let parameter = rows[0].point.as_ref().map_or("", |point| point.name.as_str());
    let mut chart = ChartBuilder::on(area)
        .margin_right(14)
        .margin_bottom(6)
        .x_label_area_size(34)
        .y_label_area_size(82)
        .build_cartesian_2d(left - 0.2..right + 0.2, (bottom * 0.999..top * 1.001).log_scale())?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(PALE)
        .axis_style(RGBColor(120, 120, 120))
        .label_style(("sans-serif", 12))
        .axis_desc_style(("sans-serif", 13))
        .x_labels(((right - left) as usize + 1).min(12))
        .x_label_formatter(&|x| if (x - x.round()).abs() < 1e-6 { format!("{x:.0}") } else { String::new() })
        .y_labels(6)
        .y_label_formatter(&|y| quantity.mark(*y))
        .x_desc(parameter)
        .y_desc(quantity.name)
        .draw()?;
    for (number, name) in names.iter().enumerate() {
        let colour = COLOURS[number % COLOURS.len()];
        let line = points(name);
        let elsewhere = rows.iter().any(|one| one.strategy == *name && one.is_from_elsewhere());
        let width = if elsewhere { 1 } else { 2 };
        chart.draw_series(LineSeries::new(line.iter().copied(), colour.stroke_width(width)))?;
        // Points of different strategies may fall together: each has a shape of its own.
        match number % 3 {
            0 => chart.draw_series(line.iter().map(|&p| Circle::new(p, 4, colour.filled()))).map(drop)?,
            1 => chart.draw_series(line.iter().map(|&p| TriangleMarker::new(p, 5, colour.filled()))).map(drop)?,
            _ => chart.draw_series(line.iter().map(|&p| Cross::new(p, 4, colour.stroke_width(2)))).map(drop)?,
        }
    }
    Ok(())
}

/// The bars of a program.
struct Group<'a> {
    title: &'a str,
    rows: &'a [Measure],
    height: u32,
}

fn bars<'a>(programs: &[&'a [Measure]]) -> Vec<Group<'a>> {
    let group = |rows: &&'a [Measure]| {
        let height = GAP + BAR * rows.len() as u32;
        Group { title: title(&rows[0].program), rows, height }
    };
    programs.iter().map(group).collect()
}

/// One group a program, from the left; each bar has its value beside it.
fn draw_bars(area: &Area<'_>, programs: &[&[Measure]], names: &[String], quantities: &[Quantity]) -> Drawn<()> {
    const LEFT: f64 = 16.0;
    /// For the value beside the longest bar.
    const RIGHT: f64 = 84.0;
    let groups = bars(programs);
    let (_, height) = area.dim_in_pixel();
    let small = ("sans-serif", 12).into_text_style(area);
    for (quantity, panel) in quantities.iter().zip(area.split_evenly((1, quantities.len()))) {
        panel.draw(&Text::new(quantity.name, (LEFT as i32, 10), ("sans-serif", 15)))?;
        let values: Vec<f64> =
            groups.iter().flat_map(|group| group.rows).filter_map(|one| quantity.drawn(one)).collect();
        let Some((bottom, top)) = decades(&values) else { continue };
        let decades = (top / bottom).log10();
        let x = |value: f64| (LEFT + (value / bottom).log10() / decades * (f64::from(BAR_PANEL) - LEFT - RIGHT)) as i32;
        // At most so many powers of ten have names.
        let every = (decades / 6.0).ceil().max(1.0) as i32;
        for power in (0..=decades.round() as i32).step_by(every as usize) {
            let value = bottom * 10f64.powi(power);
            let foot = height as i32 - SCALE as i32;
            panel.draw(&PathElement::new([(x(value), TITLE as i32), (x(value), foot)], PALE))?;
            let style = small.clone().pos(Pos::new(HPos::Center, VPos::Top));
            panel.draw(&Text::new(quantity.mark(value), (x(value), foot + 6), style))?;
        }
        let mut y = TITLE as i32;
        for group in &groups {
            panel.draw(&Text::new(group.title.to_string(), (LEFT as i32, y + 5), ("sans-serif", 13)))?;
            let mut bar = y + GAP as i32 - 4;
            for one in group.rows {
                let number = names.iter().position(|name| *name == one.strategy).unwrap_or(0);
                let colour = COLOURS[number % COLOURS.len()];
                let beside = small.clone().pos(Pos::new(HPos::Left, VPos::Center));
                let middle = bar + BAR as i32 / 2;
                let (end, text) = match (quantity.drawn(one), one.verdict.as_str()) {
                    // Also the least of all has a bar.
                    (Some(value), _) => (x(value).max(LEFT as i32 + 3), (quantity.written)(value)),
                    (None, "unknown") => (LEFT as i32, "not in time".into()),
                    (None, "error") => (LEFT as i32, "not checked".into()),
                    (None, _) => (LEFT as i32, "–".into()),
                };
                let corners = [(LEFT as i32, bar + 2), (end, bar + BAR as i32 - 2)];
                panel.draw(&Rectangle::new(corners, colour.filled()))?;
                panel.draw(&Text::new(text, (end + 5, middle), beside))?;
                bar += BAR as i32;
            }
            y += group.height as i32;
        }
    }
    Ok(())
}
