//! Data races: small programs whose verdict is known, under all their schedules.

mod races {
    // Table rows are kept in one piece.
    mod litmus;
    mod oracle;
    mod walk;
}
