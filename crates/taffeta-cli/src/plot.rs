//! Plots as SVG: lines over time, and maps of numbers as colours.

use std::fmt::Write as _;

/// Pixels of a plot, and of what is beside it.
const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 260.0;
const LEFT: f64 = 62.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 44.0;

/// Colours that are told apart by those who see red as green, too.
const COLOURS: [&str; 6] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"];

/// A line of a plot.
pub struct Line {
    pub name: String,
    pub points: Vec<(f64, Option<f64>)>,
}

/// Lines over a common axis, with parts of it marked.
pub struct LinePlot<'a> {
    pub title: &'a str,
    /// What is along the axes, with units.
    pub axes: [&'a str; 2],
    pub lines: Vec<Line>,
    /// Parts of the horizontal axis that are marked: the times of contact.
    pub bands: Vec<(f64, f64)>,
}

impl LinePlot<'_> {
    pub fn svg(&self) -> String {
        let points = || self.lines.iter().flat_map(|line| &line.points);
        let (from, to) = extent(points().map(|(x, _)| *x));
        let (_, most) = extent(points().filter_map(|(_, y)| *y));
        let top = nice_ceiling(most);
        let x = |value: f64| LEFT + (value - from) / (to - from) * (WIDTH - LEFT - RIGHT);
        let y = |value: f64| HEIGHT - BOTTOM - value / top * (HEIGHT - TOP - BOTTOM);
        let mut svg = open(self.title, WIDTH, HEIGHT);
        for &(begin, end) in &self.bands {
            let (begin, end) = (x(begin.max(from)), x(end.min(to)));
            let _ = writeln!(
                svg,
                r##"<rect x="{begin:.1}" y="{TOP}" width="{:.1}" height="{:.1}" fill="#f6d55c" fill-opacity="0.45"/>"##,
                (end - begin).max(1.0),
                HEIGHT - TOP - BOTTOM
            );
        }
        for tick in ticks(0.0, top) {
            let _ = writeln!(
                svg,
                r##"<line x1="{LEFT}" x2="{:.1}" y1="{1:.1}" y2="{1:.1}" stroke="#ddd"/><text x="{2:.1}" y="{3:.1}" text-anchor="end">{4}</text>"##,
                WIDTH - RIGHT,
                y(tick),
                LEFT - 6.0,
                y(tick) + 4.0,
                number(tick)
            );
        }
        for tick in ticks(from, to) {
            let _ = writeln!(
                svg,
                r#"<text x="{:.1}" y="{:.1}" text-anchor="middle">{}</text>"#,
                x(tick),
                HEIGHT - BOTTOM + 16.0,
                number(tick)
            );
        }
        for (line, colour) in self.lines.iter().zip(COLOURS.iter().cycle()) {
            let mut path = String::new();
            let mut pen = 'M';
            for &(at, value) in &line.points {
                match value {
                    Some(value) => {
                        let _ = write!(path, "{pen}{:.1} {:.1}", x(at), y(value));
                        pen = 'L';
                    }
                    // Where nothing is known there is no line.
                    None => pen = 'M',
                }
            }
            let _ = writeln!(svg, r#"<path d="{path}" fill="none" stroke="{colour}" stroke-width="1.4"/>"#);
        }
        if self.lines.len() > 1 {
            let mut at = LEFT + 8.0;
            for (line, colour) in self.lines.iter().zip(COLOURS.iter().cycle()) {
                let _ = writeln!(
                    svg,
                    r#"<text x="{at:.1}" y="{:.1}" fill="{colour}">{}</text>"#,
                    TOP + 12.0,
                    escape(&line.name)
                );
                at += 9.0 + 7.0 * line.name.chars().count() as f64;
            }
        }
        axis_names(&mut svg, self.axes, WIDTH, HEIGHT);
        svg + "</svg>\n"
    }
}

/// Numbers as colours, in rows and columns.
pub struct HeatMap<'a> {
    pub title: &'a str,
    pub axes: [&'a str; 2],
    pub columns: Vec<String>,
    pub rows: Vec<String>,
    /// Row by row; `None` where there is no number.
    pub values: Vec<Vec<Option<f64>>>,
    /// The least of every row is encircled, or the least of all.
    pub mark_each_row: bool,
}

impl HeatMap<'_> {
    pub fn svg(&self) -> String {
        const CELL: [f64; 2] = [54.0, 30.0];
        // What is smaller has the same colour.
        const SMALL: f64 = 1e-9;
        let names = self.rows.iter().map(|name| name.chars().count()).max().unwrap_or(0) as f64;
        let left = 34.0 + 7.2 * names;
        let (width, height) =
            (left + CELL[0] * self.columns.len() as f64 + RIGHT, TOP + CELL[1] * self.rows.len() as f64 + BOTTOM);
        let (least, most) = extent(self.values.iter().flatten().flatten().copied());
        let mut svg = open(self.title, width, height);
        let least_of = |row: usize, all: bool| {
            let rows = if all { 0..self.values.len() } else { row..row + 1 };
            let cells = rows.flat_map(|r| self.values[r].iter().enumerate().map(move |(c, value)| (r, c, *value)));
            let known = cells.filter_map(|(r, c, value)| Some((r, c, value?)));
            known.min_by(|a, b| a.2.total_cmp(&b.2)).map(|(r, c, _)| (r, c))
        };
        for (r, row) in self.values.iter().enumerate() {
            let top = TOP + CELL[1] * r as f64;
            let _ = writeln!(
                svg,
                r#"<text x="{:.1}" y="{:.1}" text-anchor="end">{}</text>"#,
                left - 6.0,
                top + 0.5 * CELL[1] + 4.0,
                escape(&self.rows[r])
            );
            for (c, value) in row.iter().enumerate() {
                let at = left + CELL[0] * c as f64;
                let Some(value) = value else { continue };
                let part = ((value.max(SMALL) / least.max(SMALL)).ln()
                    / (most.max(SMALL) / least.max(SMALL)).ln().max(1e-9))
                .clamp(0.0, 1.0);
                let _ = writeln!(
                    svg,
                    r#"<rect x="{at:.1}" y="{top:.1}" width="{}" height="{}" fill="{}"/><text x="{:.1}" y="{:.1}" text-anchor="middle" fill="{}">{}</text>"#,
                    CELL[0],
                    CELL[1],
                    colour(part),
                    at + 0.5 * CELL[0],
                    top + 0.5 * CELL[1] + 4.0,
                    if part < 0.6 { "#fff" } else { "#000" },
                    number(*value)
                );
            }
        }
        let marked = if self.mark_each_row { self.rows.len() } else { 1 };
        let marks = (0..marked).filter_map(|r| least_of(r, !self.mark_each_row));
        for (r, c) in marks {
            let _ = writeln!(
                svg,
                r##"<rect x="{:.1}" y="{:.1}" width="{}" height="{}" rx="9" fill="none" stroke="#e4002b" stroke-width="2.5"/>"##,
                left + CELL[0] * c as f64 + 2.0,
                TOP + CELL[1] * r as f64 + 2.0,
                CELL[0] - 4.0,
                CELL[1] - 4.0
            );
        }
        for (c, name) in self.columns.iter().enumerate() {
            let _ = writeln!(
                svg,
                r#"<text x="{:.1}" y="{:.1}" text-anchor="middle">{}</text>"#,
                left + CELL[0] * (c as f64 + 0.5),
                height - BOTTOM + 16.0,
                escape(name)
            );
        }
        axis_names(&mut svg, self.axes, width, height);
        svg + "</svg>\n"
    }
}

fn open(title: &str, width: f64, height: f64) -> String {
    format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0} {height:.0}" width="{width:.0}" height="{height:.0}" font-family="sans-serif" font-size="12">
<rect width="100%" height="100%" fill="#fff"/>
<text x="{LEFT}" y="20" font-size="14">{}</text>
"##,
        escape(title)
    )
}

fn axis_names(svg: &mut String, [along, up]: [&str; 2], width: f64, height: f64) {
    let _ = writeln!(
        svg,
        r##"<text x="{:.1}" y="{:.1}" text-anchor="end" fill="#555">{}</text><text transform="translate(14 {:.1}) rotate(-90)" text-anchor="middle" fill="#555">{}</text>"##,
        width - RIGHT,
        height - 8.0,
        escape(along),
        0.5 * height,
        escape(up)
    );
}

/// From dark blue over green to yellow, about as bright as the number is large.
fn colour(part: f64) -> String {
    const STOPS: [[f64; 3]; 5] =
        [[68.0, 1.0, 84.0], [59.0, 82.0, 139.0], [33.0, 145.0, 140.0], [94.0, 201.0, 98.0], [253.0, 231.0, 37.0]];
    let place = part * (STOPS.len() - 1) as f64;
    let k = (place as usize).min(STOPS.len() - 2);
    let mix = |channel: usize| STOPS[k][channel] + (place - k as f64) * (STOPS[k + 1][channel] - STOPS[k][channel]);
    format!("rgb({:.0},{:.0},{:.0})", mix(0), mix(1), mix(2))
}

/// The least and the largest of some numbers, apart; 0 and 1 if there are none.
fn extent(numbers: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = numbers.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
    if low > high {
        (0.0, 1.0)
    } else if low == high {
        (low, low + f64::max(low.abs(), 1.0))
    } else {
        (low, high)
    }
}

/// A step of 1, 2 or 5 times a power of ten that divides a length into about five.
fn tick_step(length: f64) -> f64 {
    let rough = (length / 5.0).max(f64::MIN_POSITIVE);
    let power = 10f64.powf(rough.log10().floor());
    [1.0, 2.0, 5.0, 10.0].map(|k| k * power).into_iter().find(|step| *step >= rough * (1.0 - 1e-9)).unwrap_or(rough)
}

fn nice_ceiling(most: f64) -> f64 {
    let step = tick_step(most.max(f64::MIN_POSITIVE));
    (most / step).ceil().max(1.0) * step
}

fn ticks(from: f64, to: f64) -> Vec<f64> {
    let step = tick_step(to - from);
    let first = (from / step - 1e-9).ceil();
    (0..50).map(|k| (first + f64::from(k)) * step).take_while(|tick| *tick <= to + 1e-9 * step).collect()
}

/// A number with so many decimals that its digits tell.
pub fn digits(value: f64) -> String {
    if value != 0.0 && value.abs() < 1e-3 { format!("{value:.2e}") } else { format!("{value:.4}") }
}

/// A number with three digits, or fewer.
pub fn number(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let digits = (2.0 - value.abs().log10().floor()).clamp(0.0, 6.0) as usize;
    let text = format!("{value:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_within() {
        assert_eq!(ticks(0.0, 4.0), [0.0, 1.0, 2.0, 3.0, 4.0]);
        assert_eq!(ticks(0.3, 1.1).len(), 4);
        assert_eq!(nice_ceiling(7.3), 8.0);
        assert_eq!([0.0, 1.0, 0.123_46, 12.346, 1234.5].map(number), ["0", "1", "0.123", "12.3", "1234"]);
    }

    #[test]
    fn plots_have_a_line_for_every_stretch_that_is_known() {
        let points = vec![(0.0, Some(1.0)), (1.0, Some(2.0)), (2.0, None), (3.0, Some(1.0)), (4.0, Some(0.5))];
        let plot = LinePlot {
            title: "a < b",
            axes: ["t, s", "mm"],
            lines: vec![Line { name: "one".to_owned(), points }],
            bands: vec![(1.0, 1.5)],
        };
        let svg = plot.svg();
        let path = &svg[svg.find("<path d=\"").unwrap() + 9..];
        let path = &path[..path.find('"').unwrap()];
        assert_eq!((path.matches('M').count(), path.matches('L').count()), (2, 2));
        assert!(svg.contains("a &lt; b") && svg.contains("#f6d55c"));
    }

    #[test]
    fn maps_mark_the_least() {
        let map = HeatMap {
            title: "map",
            axes: ["x", "y"],
            columns: vec!["1".to_owned(), "2".to_owned()],
            rows: vec!["a".to_owned(), "b".to_owned()],
            values: vec![vec![Some(2.0), Some(1.0)], vec![Some(3.0), None]],
            mark_each_row: true,
        };
        assert_eq!(map.svg().matches("stroke=\"#e4002b\"").count(), 2);
        assert_eq!(HeatMap { mark_each_row: false, ..map }.svg().matches("rx=\"9\"").count(), 1);
        assert_eq!([0.0, 1.5, -2e-5].map(digits), ["0.0000", "1.5000", "-2.00e-5"]);
    }
}
