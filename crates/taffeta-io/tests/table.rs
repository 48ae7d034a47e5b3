//! Tables: what is read of them, and what is said of those that make no sense.

use std::fs;

use taffeta_io::table::{Table, TableError};

fn read(text: &str) -> Result<Table, TableError> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("gripper.csv");
    fs::write(&path, text).unwrap();
    Table::read(&path)
}

fn refusal(text: &str) -> String {
    let error = read(text).expect_err(text).to_string();
    assert!(error.contains("gripper.csv"), "{error}");
    error
}

#[test]
fn columns_are_found_by_name() {
    for text in [
        "t,x,y\n0,1,-2.5\n0.5,1e-3,+4\n",
        "t,x,y\n0,1,-2.5\n0.5,1e-3,+4",
        "t,x,y\r\n0,1,-2.5\r\n0.5,1e-3,+4\r\n\r\n",
        "\u{feff} t , x,y \n 0 ,\t1 , -2.5\n0.5,1e-3,+4 \n\n  \n",
    ] {
        let table = read(text).unwrap();
        assert_eq!(table.names(), ["t", "x", "y"], "{text:?}");
        assert_eq!(table.rows(), 2);
        assert_eq!(table.column("x"), Some(&[1.0, 0.001][..]));
        assert_eq!(table.column("y"), Some(&[-2.5, 4.0][..]));
        assert_eq!(table.column("z"), None);
        assert_eq!(table.time_column().unwrap(), [0.0, 0.5]);
    }
}

#[test]
fn malformed_tables_are_refused_with_line_and_column() {
    for (text, complaints) in [
        ("", ["line 1", "column 1 has no name"]),
        ("\nt,x\n0,1\n", ["line 1", "column 1 has no name"]),
        ("t,,x\n0,1,2\n", ["line 1", "column 2 has no name"]),
        ("t,x,t\n0,1,2\n", ["line 1", "named \"t\""]),
        ("t,x\n", ["line 1", "no rows"]),
        ("t,x\n0,1\n1\n", ["line 3", "1 cells and the header has 2"]),
        ("t,x\n0,1,\n", ["line 2", "3 cells and the header has 2"]),
        ("t,x\n0,1\n\n1,2\n", ["line 3", "blank"]),
        ("t\n0\n\n1\n", ["line 3", "blank"]),
        ("t,x\n0,1\n1,two\n", ["line 3, column \"x\"", "\"two\""]),
        ("t,x\n0,\n", ["line 2, column \"x\"", "\"\""]),
        ("t,x\nNaN,1\n", ["line 2, column \"t\"", "\"NaN\""]),
        ("t,x\n0,-inf\n", ["line 2, column \"x\"", "\"-inf\""]),
        ("t,x\n0,1e999\n", ["line 2, column \"x\"", "\"1e999\""]),
        ("t;x\n0;1\n", ["line 2, column \"t;x\"", "\"0;1\""]),
    ] {
        let error = refusal(text);
        for complaint in complaints {
            assert!(error.contains(complaint), "{text:?}: {error}");
        }
    }
}

#[test]
fn times_must_be_there_and_increase() {
    assert_eq!(read("x,t_s\n5,-1\n5,0\n5,0.1\n").unwrap().time_column().unwrap(), [-1.0, 0.0, 0.1]);
    for (text, complaints) in [
        ("x,time\n0,0\n", ["has 0 of the columns", "x, time"]),
        ("t,t_s\n0,0\n", ["has 2 of the columns", "t, t_s"]),
        ("t,x\n0,1\n1,1\n1,1\n", ["line 4", "1 s does not come after the 1 s"]),
        ("t,x\n2,1\n0.5,1\n", ["line 3", "0.5 s does not come after the 2 s"]),
    ] {
        let error = read(text).unwrap().time_column().unwrap_err().to_string();
        assert!(error.contains("gripper.csv"), "{error}");
        for complaint in complaints {
            assert!(error.contains(complaint), "{text:?}: {error}");
        }
    }
}

#[test]
fn a_missing_file_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let error = Table::read(&dir.path().join("absent.csv")).unwrap_err();
    let error = error.to_string();
    assert!(error.starts_with("cannot read") && error.contains("absent.csv"), "{error}");
}
