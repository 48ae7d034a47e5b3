//! The header of an `.npy` file: what is in it, and how it is written and read.

use std::io::Read;
use std::path::Path;

use super::literal::{self, Literal};
use super::{Dtype, NpyError};
use crate::FileError;

const MAGIC: &[u8; 6] = b"\x93NUMPY";

/// The bytes before the header's dictionary in version 1.0: magic, version, length.
const PREFIX: usize = 10;

/// NumPy aligns the data that follows the header to this.
const ALIGNMENT: usize = 64;

/// NumPy refuses to load longer headers unless told that the file is trusted.
const LONGEST: usize = 10_000;

/// Type and shape of an array, and where its data begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Header {
    pub dtype: Dtype,
    /// The first dimension.
    pub rows: usize,
    /// The other dimensions.
    pub trailing: Vec<usize>,
    /// The length of the whole header, which fixes where the first row lies.
    pub data_offset: usize,
}

impl Header {
    /// The header of a new array without rows, with room for any number of them.
    pub fn for_growth(path: &Path, dtype: Dtype, trailing: &[usize]) -> Result<Header, NpyError> {
        let refuse = |why: String| Err(NpyError::Layout { path: path.to_path_buf(), why });
        if let Dtype::Record(fields) = &dtype
            && let Err(why) = check_fields(fields)
        {
            return refuse(why);
        }
        let mut header = Header { dtype, rows: 0, trailing: trailing.to_vec(), data_offset: 0 };
        if !matches!(header.row_bytes(), Some(1..)) {
            return refuse(format!(
                "rows of shape {trailing:?} cannot be stored; every dimension must be at least 1, and their product addressable"
            ));
        }
        header.data_offset = header.longest_encoding().next_multiple_of(ALIGNMENT).max(2 * ALIGNMENT);
        if header.data_offset > LONGEST {
            return refuse(format!(
                "its header would take {} bytes, more than the {LONGEST} that NumPy loads; use fewer or shorter field names",
                header.data_offset
            ));
        }
        Ok(header)
    }

    /// The header of an array that is all there, as bytes.
    pub fn of_whole(path: &Path, dtype: Dtype, rows: usize, trailing: &[usize]) -> Result<Vec<u8>, NpyError> {
        Ok(Header { rows, ..Self::for_growth(path, dtype, trailing)? }.encode())
    }

    /// The numbers that make up one row, unless there are too many to count.
    pub fn row_numbers(&self) -> Option<usize> {
        self.trailing.iter().try_fold(self.dtype.numbers(), |product, &dimension| product.checked_mul(dimension))
    }

    /// The bytes that make up one row, unless there are too many to count.
    pub fn row_bytes(&self) -> Option<usize> {
        self.row_numbers()?.checked_mul(self.dtype.number_bytes())
    }

    /// Whether [`Header::encode`] stays within the header's own length, however many rows come.
    pub fn can_grow(&self) -> bool {
        self.longest_encoding() <= self.data_offset && self.data_offset <= LONGEST
    }

    fn longest_encoding(&self) -> usize {
        PREFIX + self.dictionary(usize::MAX).len() + 1
    }

    /// The header as bytes, padded to its fixed length.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(&[1, 0]);
        let [low, high, ..] = (self.data_offset - PREFIX).to_le_bytes();
        bytes.extend_from_slice(&[low, high]);
        bytes.extend_from_slice(self.dictionary(self.rows).as_bytes());
        bytes.resize(self.data_offset - 1, b' ');
        bytes.push(b'\n');
        bytes
    }

    fn dictionary(&self, rows: usize) -> String {
        let descr = match &self.dtype {
            Dtype::F64 => "'<f8'".to_owned(),
            Dtype::I64 => "'<i8'".to_owned(),
            Dtype::Bool => "'|b1'".to_owned(),
            Dtype::Record(fields) => {
                let fields: Vec<String> = fields.iter().map(|field| format!("('{field}', '<f8')")).collect();
                format!("[{}]", fields.join(", "))
            }
        };
        let trailing: Vec<String> = self.trailing.iter().map(usize::to_string).collect();
        // The space is NumPy's way, which some readers take literally: (3,) but (3, 4).
        let comma = if trailing.is_empty() { "," } else { ", " };
        let shape = format!("({rows}{comma}{})", trailing.join(", "));
        format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}")
    }

    /// Reads the header at the beginning of a file.
    pub fn read(path: &Path, file: &mut impl Read) -> Result<Header, NpyError> {
        let garbled = |why: &str| NpyError::Garbled { path: path.to_path_buf(), why: why.to_owned() };
        let start = read_up_to(path, file, 8)?;
        let Some([major, _minor]) = start.strip_prefix(MAGIC) else {
            return Err(garbled("it does not begin as one"));
        };
        let length_bytes = match major {
            1 => 2,
            2 => 4,
            _ => {
                return Err(NpyError::Unsupported {
                    path: path.to_path_buf(),
                    what: format!("version {major} of the format"),
                    fix: "save it with plain field names, as version 1 or 2",
                });
            }
        };
        let length = read_up_to(path, file, length_bytes)?;
        let length_complete = length.len() == length_bytes;
        let length = usize::try_from(super::little_endian(&length)).unwrap_or(usize::MAX);
        if length > LONGEST {
            return Err(garbled("its header is longer than those that NumPy loads"));
        }
        let text = read_up_to(path, file, length)?;
        if !length_complete || text.len() < length {
            return Err(garbled("it ends within its header"));
        }
        // The format says Latin-1, whose characters are the first 256 of Unicode.
        let text: String = text.into_iter().map(char::from).collect();
        let dictionary = literal::parse(&text).map_err(|why| garbled(&why))?;
        let data_offset = MAGIC.len() + 2 + length_bytes + length;
        interpret(path, dictionary, data_offset)
    }
}

fn check_fields(fields: &[String]) -> Result<(), String> {
    if fields.is_empty() {
        return Err("records need at least one field".to_owned());
    }
    for (index, field) in fields.iter().enumerate() {
        let plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        if field.is_empty() || !field.chars().all(plain) {
            return Err(format!("the field name {field:?} must be made of ASCII letters, digits and underscores"));
        }
        if fields[..index].contains(field) {
            return Err(format!("two fields are named {field:?}; names must differ"));
        }
    }
    Ok(())
}

/// Reads so many bytes, or as many as there are.
fn read_up_to(path: &Path, file: &mut impl Read, count: usize) -> Result<Vec<u8>, FileError> {
    let mut bytes = Vec::with_capacity(count);
    file.take(count as u64).read_to_end(&mut bytes).map_err(FileError::when("read", path))?;
    Ok(bytes)
}

/// Finds type and shape in the dictionary of a header.
fn interpret(path: &Path, dictionary: Literal, data_offset: usize) -> Result<Header, NpyError> {
    let garbled = |why: &str| NpyError::Garbled { path: path.to_path_buf(), why: why.to_owned() };
    let unsupported = |what: String, fix| NpyError::Unsupported { path: path.to_path_buf(), what, fix };
    let Literal::Dictionary(entries) = dictionary else {
        return Err(garbled("its header is not a dictionary"));
    };
    let entry = |name: &str| {
        entries
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value)
            .ok_or_else(|| garbled(&format!("its header has no {name:?}")))
    };

    let dtype = dtype_of(entry("descr")?)
        .map_err(|what| unsupported(what, "convert it to float64, int64, bool or records of float64"))?;
    let Literal::Sequence(shape) = entry("shape")? else {
        return Err(garbled("its shape is not a tuple"));
    };
    let shape: Option<Vec<usize>> = shape
        .iter()
        .map(|dimension| match dimension {
            Literal::Count(count) => Some(*count),
            _ => None,
        })
        .collect();
    let shape = shape.ok_or_else(|| garbled("its shape is not made of counts"))?;
    let Some((&rows, trailing)) = shape.split_first() else {
        return Err(unsupported("a single item without dimensions".to_owned(), "save it with numpy.atleast_1d"));
    };
    match entry("fortran_order")? {
        Literal::Truth(false) => {}
        // A single dimension has but one order.
        Literal::Truth(true) if trailing.is_empty() => {}
        Literal::Truth(true) => {
            return Err(unsupported("an array in Fortran order".to_owned(), "save it with numpy.ascontiguousarray"));
        }
        _ => return Err(garbled("its fortran_order is not a truth value")),
    }

    let header = Header { dtype, rows, trailing: trailing.to_vec(), data_offset };
    let size = header.row_bytes().and_then(|bytes| bytes.checked_mul(rows));
    match size.and_then(|size| size.checked_add(data_offset)) {
        Some(_) => Ok(header),
        None => Err(garbled("its shape is larger than any file")),
    }
}

/// The type that a `descr` stands for, or what it is instead.
fn dtype_of(descr: &Literal) -> Result<Dtype, String> {
    match descr {
        Literal::Text(code) => match code.as_str() {
            "<f8" => Ok(Dtype::F64),
            "<i8" => Ok(Dtype::I64),
            "|b1" => Ok(Dtype::Bool),
            other => Err(format!("items of type '{other}'")),
        },
        Literal::Sequence(fields) if !fields.is_empty() => fields
            .iter()
            .map(field_name)
            .collect::<Option<_>>()
            .map(Dtype::Record)
            .ok_or_else(|| "records with fields other than single float64 numbers".to_owned()),
        _ => Err("items of an unknown type".to_owned()),
    }
}

fn field_name(field: &Literal) -> Option<String> {
    match field {
        Literal::Sequence(parts) => match parts.as_slice() {
            [Literal::Text(name), Literal::Text(code)] if code == "<f8" => Some(name.clone()),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_room_for_any_number_of_rows() {
        let names: Vec<String> = (0..100).map(|index| format!("field_{index}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        for fields in 1..=names.len() {
            let dtype = Dtype::record(&names[..fields]);
            let mut header = Header::for_growth(Path::new("a.npy"), dtype, &[7, 11]).unwrap();
            assert_eq!(header.data_offset % ALIGNMENT, 0);
            assert!(header.can_grow());
            let empty = header.encode().len();
            header.rows = usize::MAX;
            assert_eq!(header.encode().len(), empty);
            assert_eq!(header.data_offset, empty);
            assert_eq!(header.encode().last(), Some(&b'\n'));
        }
    }

    #[test]
    fn a_full_header_cannot_grow() {
        let mut header = Header::for_growth(Path::new("a.npy"), Dtype::F64, &[]).unwrap();
        header.data_offset = header.longest_encoding() - 1;
        assert!(!header.can_grow());
        header.data_offset += 1;
        assert!(header.can_grow());
    }
}
