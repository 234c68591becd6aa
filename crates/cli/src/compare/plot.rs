//! The comparison as plots: one row a program, with executions, transitions and time over the parameter, on a logarithmic
//! scale. A line ends where a strategy did not come to an end in time.

use plotters::coord::Shift;
use plotters::prelude::*;

use super::measure::Measure;
use super::table::{by_program, duration, grouped};

const PANEL: (u32, u32) = (400, 300);
const TITLE: u32 = 34;
const LEGEND: u32 = 30;

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

type Drawn<T> = Result<T, DrawingAreaErrorKind<std::io::Error>>;

/// What is drawn of a measure: its name, its value, and how a value is written.
struct Quantity {
    name: &'static str,
    value: fn(&Measure) -> f64,
    written: fn(f64) -> String,
}

const QUANTITIES: [Quantity; 3] = [
    Quantity { name: "executions", value: |one| (one.executions + one.blocked) as f64, written: |v| grouped(v as u64) },
    Quantity { name: "transitions", value: |one| one.transitions as f64, written: |v| grouped(v as u64) },
    Quantity { name: "time", value: |one| one.seconds, written: duration },
];

pub fn svg(all: &[Measure]) -> String {
    let programs = by_program(all);
    let strategies = strategies(all);
    let row = PANEL.1 + TITLE;
    let size = (PANEL.0 * QUANTITIES.len() as u32, LEGEND + row * programs.len() as u32);
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, size).into_drawing_area();
        // Writing to a string does not fail.
        draw(&area, &programs, &strategies).expect("a string takes what is written to it");
    }
    text
}

fn strategies(all: &[Measure]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for one in all {
        if !names.contains(&one.strategy) {
            names.push(one.strategy.clone());
        }
    }
    names
}

fn draw(area: &DrawingArea<SVGBackend<'_>, Shift>, programs: &[&[Measure]], strategies: &[String]) -> Drawn<()> {
    area.fill(&WHITE)?;
    let (legend, rest) = area.split_vertically(LEGEND);
    let mut x = 60;
    for (number, name) in strategies.iter().enumerate() {
        let colour = COLOURS[number % COLOURS.len()];
        legend.draw(&PathElement::new([(x, 18), (x + 22, 18)], colour.stroke_width(2)))?;
        marker(&legend, number, (x + 11, 18), colour)?;
        legend.draw(&Text::new(name.clone(), (x + 28, 11), ("sans-serif", 14)))?;
        x += 44 + 8 * name.chars().count() as i32;
    }
    for (rows, area) in programs.iter().zip(rest.split_evenly((programs.len(), 1))) {
        let name =
            std::path::Path::new(&rows[0].program).file_name().map_or(String::new(), |n| n.to_string_lossy().into());
        area.draw(&Text::new(name, (16, 10), ("sans-serif", 17)))?;
        let (_, panels) = area.split_vertically(TITLE);
        for (quantity, panel) in QUANTITIES.iter().zip(panels.split_evenly((1, QUANTITIES.len()))) {
            draw_panel(&panel, rows, strategies, quantity)?;
        }
    }
    area.present()
}

/// Points of different strategies may fall together: each has a shape of its own.
fn marker(area: &DrawingArea<SVGBackend<'_>, Shift>, number: usize, at: (i32, i32), colour: RGBColor) -> Drawn<()> {
    match number % 3 {
        0 => area.draw(&Circle::new(at, 4, colour.filled())),
        1 => area.draw(&TriangleMarker::new(at, 5, colour.filled())),
        _ => area.draw(&Cross::new(at, 4, colour.stroke_width(2))),
    }
}

fn draw_panel(
    area: &DrawingArea<SVGBackend<'_>, Shift>,
    rows: &[Measure],
    strategies: &[String],
    quantity: &Quantity,
) -> Drawn<()> {
    let points = |name: &str| -> Vec<(f64, f64)> {
        let of = rows.iter().filter(|one| one.strategy == name && one.is_whole());
        of.filter_map(|one| Some((one.point.as_ref()?.value as f64, (quantity.value)(one))))
            .filter(|p| p.1 > 0.0)
            .collect()
    };
    let all: Vec<(f64, f64)> = strategies.iter().flat_map(|name| points(name)).collect();
    let least = |of: fn(&(f64, f64)) -> f64| all.iter().map(of).fold(f64::INFINITY, f64::min);
    let most = |of: fn(&(f64, f64)) -> f64| all.iter().map(of).fold(f64::NEG_INFINITY, f64::max);
    if all.is_empty() {
        area.draw(&Text::new(format!("{}: nothing in time", quantity.name), (60, 20), ("sans-serif", 14)))?;
        return Ok(());
    }
    // Whole powers of ten, so that the scale can be read.
    let (bottom, top) = (10f64.powf(least(|p| p.1).log10().floor()), 10f64.powf(most(|p| p.1).log10().ceil()));
    let top = if top <= bottom { bottom * 10.0 } else { top };
    let (left, right) = (least(|p| p.0), most(|p| p.0).max(least(|p| p.0) + 1.0));
    let parameter = rows[0].point.as_ref().map_or("", |point| point.name.as_str());
    let mut chart = ChartBuilder::on(area)
        .margin_right(14)
        .margin_bottom(6)
        .x_label_area_size(34)
        .y_label_area_size(78)
        .build_cartesian_2d(left - 0.2..right + 0.2, (bottom * 0.999..top * 1.001).log_scale())?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(RGBColor(225, 225, 225))
        .axis_style(RGBColor(120, 120, 120))
        .label_style(("sans-serif", 12))
        .axis_desc_style(("sans-serif", 13))
        .x_labels(((right - left) as usize + 1).min(10))
        .x_label_formatter(&|x| if (x - x.round()).abs() < 1e-6 { format!("{x:.0}") } else { String::new() })
        .y_labels(6)
        .y_label_formatter(&|y| (quantity.written)(*y))
        .x_desc(parameter)
        .y_desc(quantity.name)
        .draw()?;
    for (number, name) in strategies.iter().enumerate() {
        let colour = COLOURS[number % COLOURS.len()];
        let line = points(name);
        chart.draw_series(LineSeries::new(line.iter().copied(), colour.stroke_width(2)))?;
        match number % 3 {
            0 => chart.draw_series(line.iter().map(|&p| Circle::new(p, 4, colour.filled()))).map(drop)?,
            1 => chart.draw_series(line.iter().map(|&p| TriangleMarker::new(p, 5, colour.filled()))).map(drop)?,
            _ => chart.draw_series(line.iter().map(|&p| Cross::new(p, 4, colour.stroke_width(2)))).map(drop)?,
        }
    }
    Ok(())
}
