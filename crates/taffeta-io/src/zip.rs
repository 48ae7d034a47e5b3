//! ZIP archives of files as they are, not compressed.

use std::io::{self, Write};

/// 1 January 1980, where the time of a file begins in a ZIP archive: archives of the same files are the same.
const NO_DATE: [u8; 4] = [0, 0, 0x21, 0];

/// A ZIP archive being written, its files as they are.
#[derive(Debug)]
pub(crate) struct Archive<W> {
    file: W,
    entries: Vec<Entry>,
    offset: u32,
}

/// A file in the archive.
#[derive(Debug)]
struct Entry {
    name: String,
    /// What both headers of the file say of it.
    common: Vec<u8>,
    offset: u32,
}

impl<W: Write> Archive<W> {
    /// Sizes and offsets of a plain ZIP archive are four bytes.
    pub const MOST: u64 = u32::MAX as u64;

    pub fn new(file: W) -> Self {
        Self { file, entries: Vec::new(), offset: 0 }
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)?;
        self.offset += bytes.len() as u32;
        Ok(())
    }

    /// Adds a file. All of them together are to be smaller than [`Archive::MOST`].
    pub fn add(&mut self, name: &str, contents: &[u8]) -> io::Result<()> {
        let mut common = Vec::new();
        // Version 2.0, names in UTF-8, stored.
        [20u16, 1 << 11, 0].iter().for_each(|number| common.extend_from_slice(&number.to_le_bytes()));
        common.extend_from_slice(&NO_DATE);
        let size = contents.len() as u32;
        [crc32fast::hash(contents), size, size]
            .iter()
            .for_each(|number| common.extend_from_slice(&number.to_le_bytes()));
        common.extend_from_slice(&(name.len() as u16).to_le_bytes());
        // No extra field.
        common.extend_from_slice(&0u16.to_le_bytes());
        let offset = self.offset;
        self.put(b"PK\x03\x04")?;
        self.put(&common)?;
        self.put(name.as_bytes())?;
        self.put(contents)?;
        self.entries.push(Entry { name: name.to_owned(), common, offset });
        Ok(())
    }

    /// The directory, which ends the archive.
    pub fn finish(mut self) -> io::Result<W> {
        let (start, entries) = (self.offset, std::mem::take(&mut self.entries));
        for entry in &entries {
            self.put(b"PK\x01\x02\x14\x00")?;
            self.put(&entry.common)?;
            // No comment, first disk, no attributes.
            self.put(&[0; 10])?;
            self.put(&entry.offset.to_le_bytes())?;
            self.put(entry.name.as_bytes())?;
        }
        let (size, count) = (self.offset - start, entries.len() as u16);
        self.put(b"PK\x05\x06\0\0\0\0")?;
        self.put(&count.to_le_bytes())?;
        self.put(&count.to_le_bytes())?;
        self.put(&size.to_le_bytes())?;
        self.put(&start.to_le_bytes())?;
        self.put(&[0; 2])?;
        Ok(self.file)
    }
}
