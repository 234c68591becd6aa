//! Pictures: what is drawn lies beside what is written.

mod common;

use common::{cases, random};
use threadbare_core::Random;
use threadbare_core::source::Source;
use threadbare_syn::{Recording, picture};

/// The numbers in a piece of SVG.
fn numbers(text: &str) -> Vec<i64> {
    text.split(|c: char| !c.is_ascii_digit()).filter_map(|word| word.parse().ok()).collect()
}

/// Arrows between columns that are no neighbours go through the gaps between rows, and none is hidden by a box.
#[test]
fn arrows_do_not_run_behind_boxes() {
    let (mut dice, mut far) = (Random::new(41), 0);
    for case in 0..cases(200) {
        let sequence = random(&mut dice, 4, 14, 3);
        let recording = Recording::new(sequence, &Source::new("random", "")).expect("it was executed");
        let svg = picture::svg(&recording, &[]);
        let mut boxes = Vec::new();
        for rect in svg.split("<rect x=\"").skip(1) {
            let [x, y, width, height] = numbers(&rect[..rect.find("rx").expect("rounded")])[..4] else {
                panic!("{rect}")
            };
            boxes.push((x, y, x + width, y + height));
        }
        assert_eq!(boxes.len(), recording.sequence.events.len(), "case {case}");
        for path in svg.split("<path d=\"M").skip(1).filter(|path| path.contains(" L")) {
            let curve = &path[..path.find('"').expect("closed")];
            let straight = curve.split_once('L').expect("a straight part").1;
            let before = numbers(curve.split_once('L').expect("a straight part").0);
            let (from, y, to) = (before[before.len() - 2], before[before.len() - 1], numbers(straight)[0]);
            let crosses = |&&(x1, y1, x2, y2): &&(i64, i64, i64, i64)| {
                (y1..=y2).contains(&y) && from.min(to) < x2 && from.max(to) > x1
            };
            assert!(!boxes.iter().any(|b| crosses(&b)), "case {case}: {curve}\n{svg}");
            far += 1;
        }
    }
    assert!(far > cases(200), "{far}");
}
