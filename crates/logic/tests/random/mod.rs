//! Random formulas and words. Not every test needs both.
#![allow(dead_code)]

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use threadbare_core::Random;
use threadbare_logic::{Binary, Expr, Kind, Lasso, Unary};

pub fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

pub const PROPOSITIONS: u8 = 3;

/// Looks at `TB_FUZZ_CASES` random formulas, or so many, of at most this size. What fails is made smaller.
pub fn each_formula(cases: u64, size: u32, check: impl Fn(&Expr) -> Result<(), TestCaseError>) {
    let (cases, seed) = (setting("TB_FUZZ_CASES", cases), setting("TB_FUZZ_SEED", 1));
    let config = Config { cases: cases as u32, failure_persistence: None, ..Config::default() };
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &bytes));
    let result = runner.run(&formula(size), |formula| {
        check(&formula).map_err(|error| match error {
            TestCaseError::Fail(why) => TestCaseError::fail(format!("{}: {why}", formula.display(&[]))),
            other => other,
        })
    });
    if let Err(error) = result {
        panic!("{error}");
    }
}

/// A formula of at most so many operators, constants and propositions.
pub fn formula(size: u32) -> BoxedStrategy<Expr> {
    let leaf = prop_oneof![
        9 => (0..PROPOSITIONS).prop_map(|p| Expr::new(Kind::Proposition(p))),
        1 => any::<bool>().prop_map(|value| Expr::new(Kind::Constant(value))),
    ];
    if size < 2 {
        return leaf.boxed();
    }
    let op = prop_oneof![Just(Unary::Not), Just(Unary::Next), Just(Unary::Finally), Just(Unary::Globally)];
    let unary = (op, formula(size - 1)).prop_map(|(op, a)| Expr::unary(op, a));
    if size < 3 {
        return prop_oneof![1 => leaf, 5 => unary].boxed();
    }
    let op = prop_oneof![
        Just(Binary::And),
        Just(Binary::Or),
        Just(Binary::Implies),
        Just(Binary::Iff),
        Just(Binary::Until),
        Just(Binary::Release),
        Just(Binary::WeakUntil),
    ];
    let (left, right) = ((size - 1) / 2, size - 1 - (size - 1) / 2);
    let binary = (op, formula(left), formula(right), any::<bool>())
        .prop_map(|(op, a, b, turned)| if turned { Expr::binary(op, b, a) } else { Expr::binary(op, a, b) });
    prop_oneof![1 => leaf, 5 => unary, 7 => binary].boxed()
}

/// Random words, most of them short.
pub fn words(seed: u64, count: usize) -> Vec<Lasso> {
    let mut random = Random::new(seed);
    let mut part = |least: usize, most: usize| {
        let length = least + random.below(most - least + 1).min(random.below(most - least + 1));
        (0..length).map(|_| random.word() & ((1 << PROPOSITIONS) - 1)).collect::<Vec<u64>>()
    };
    (0..count).map(|_| Lasso { prefix: part(0, 5), cycle: part(1, 5) }).collect()
}
