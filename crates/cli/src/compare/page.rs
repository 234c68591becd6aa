//! The comparison as one page for a browser, which needs nothing else.

use std::fmt::Write as _;

use super::measure::Measure;
use super::plot;
use super::table::{COLUMNS, by_program, cells};
use crate::arguments::Shown;

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:78rem;padding:0 1rem;color:#222}\
h1{font-size:1.5rem}h2{font-size:1.1rem;margin-top:2rem}svg{max-width:100%;height:auto}\
table{border-collapse:collapse;font-variant-numeric:tabular-nums}\
th,td{padding:.2rem .8rem;text-align:right;border-bottom:1px solid #e3e3e3;white-space:nowrap}\
th{font-weight:600;border-bottom:2px solid #999}th:nth-child(-n+3),td:nth-child(-n+3){text-align:left}\
tr.first td{border-top:1px solid #999}.violated{color:#b03000}.proved{color:#00704f}.bounded,.unknown,.error{color:#777}";

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

pub fn html(all: &[Measure], shown: Option<Shown>) -> String {
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>Threadbare: a comparison of strategies</title>\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<style>{STYLE}</style>\n<h1>A comparison of strategies</h1>\n"
    );
    page += &plot::svg(all, shown);
    page += "\n<p>Logarithmic scales. A line ends where a strategy did not come to an end in time; executions count those \
             that turned out redundant.</p>\n";
    for rows in by_program(all) {
        let parameter = rows[0].point.as_ref().map_or("", |point| point.name.as_str());
        let _ = write!(page, "<h2>{}</h2>\n<table>\n<tr><th>{}</th>", escaped(&rows[0].program), escaped(parameter));
        COLUMNS.iter().for_each(|name| {
            let _ = write!(page, "<th>{name}</th>");
        });
        page += "</tr>\n";
        let mut last = None;
        for one in rows {
            let new = last != Some(&one.point);
            last = Some(&one.point);
            let value = one.point.as_ref().filter(|_| new).map_or(String::new(), |point| point.value.to_string());
            let _ = write!(page, "<tr{}><td>{value}</td>", if new { " class=\"first\"" } else { "" });
            for (column, cell) in cells(one).iter().enumerate() {
                let class = if column == 1 { format!(" class=\"{}\"", one.verdict) } else { String::new() };
                let _ = write!(page, "<td{class}>{}</td>", escaped(cell));
            }
            page += "</tr>\n";
        }
        page += "</table>\n";
    }
    page + "</html>\n"
}
