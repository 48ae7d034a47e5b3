//! Cells of tables.

use glam::DVec3;

/// Splits a line at commas that are not between quotes; quotes are left out.
pub fn split(line: &str) -> Vec<String> {
    let (mut cells, mut cell, mut quoted) = (Vec::new(), String::new(), false);
    for letter in line.chars() {
        match letter {
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(std::mem::take(&mut cell).trim().to_owned()),
            _ => cell.push(letter),
        }
    }
    cells.push(cell.trim().to_owned());
    cells
}

/// A number, or `None` for an empty cell or `nan`: not seen.
pub fn number(cells: &[impl AsRef<str>], column: usize, line: usize) -> Result<Option<f64>, String> {
    let cell = cells.get(column).map_or("", |cell| cell.as_ref().trim());
    if cell.is_empty() || cell.eq_ignore_ascii_case("nan") {
        return Ok(None);
    }
    let wrong = || format!("line {line}, column {}: {cell:?} is not a finite number", column + 1);
    cell.parse::<f64>().ok().filter(|number| number.is_finite()).map(Some).ok_or_else(wrong)
}

/// A place in three columns, or `None` if one of them is empty.
pub fn place(cells: &[impl AsRef<str>], first: usize, line: usize, unit: f64) -> Result<Option<DVec3>, String> {
    let [x, y, z] = [0, 1, 2].map(|axis| number(cells, first + axis, line));
    Ok(x?.zip(y?).zip(z?).map(|((x, y), z)| DVec3::new(x, y, z) * unit))
}

/// A time, which must be there.
pub fn time(cells: &[impl AsRef<str>], column: usize, line: usize) -> Result<f64, String> {
    number(cells, column, line)?.ok_or_else(|| format!("line {line}, column {}: the time is missing", column + 1))
}
