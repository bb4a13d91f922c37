//! The file format of tables.
//!
//! Two lines of text, `hognose-tablebase 1` and `board WxH`, then a section for each length, from
//! the full board down to 1, with little-endian numbers: the length (u32), the number of values
//! (u64), the values (f64: E of the bodies whose tail is the first cell of its orbit, in the order
//! of [`PathIndex`](crate::PathIndex), infinite if no win is sure), and the CRC-32 of these (u32).

use crate::index::PathIndex;
use crate::table::{Table, TableError, check_board};
use hognose_game::Board;
use std::io::{self, BufRead, ErrorKind, Read, Write};

const MAGIC: &str = "hognose-tablebase 1";

/// Why bytes are not a valid table.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// Reading or writing failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The bytes don't begin like a table.
    #[error("expected {expected}, got {got:?}")]
    Header {
        /// The expected line.
        expected: &'static str,
        /// The line found.
        got: String,
    },
    /// A section has a wrong checksum, or belongs to another length.
    #[error(
        "the section of length {length} is damaged: solve again to another file, or delete this one"
    )]
    Damaged {
        /// The length whose section was expected.
        length: usize,
    },
    /// Sections are missing: the table was not solved to the end.
    #[error(
        "the table ends before the section of length {length}: resume with hognose tablebase solve"
    )]
    Incomplete {
        /// The length whose section is missing.
        length: usize,
    },
    /// The table belongs to another board.
    #[error("expected a table of {expected}, got one of {got}")]
    Board {
        /// The expected board.
        expected: Board,
        /// The table's board.
        got: Board,
    },
    /// The values don't fit the board.
    #[error(transparent)]
    Table(#[from] TableError),
}

fn header(board: Board) -> String {
    format!("{MAGIC}\nboard {board}\n")
}

/// Writes the header of a table.
///
/// # Errors
/// Fails if writing fails.
pub fn write_header(out: &mut impl Write, board: Board) -> io::Result<()> {
    out.write_all(header(board).as_bytes())
}

/// Writes the section of a length.
///
/// # Errors
/// Fails if writing fails.
pub fn write_section(out: &mut impl Write, length: usize, values: &[f64]) -> io::Result<()> {
    let mut check = crc32fast::Hasher::new();
    let mut put = |bytes: &[u8]| {
        check.update(bytes);
        out.write_all(bytes)
    };
    put(&(length as u32).to_le_bytes())?;
    put(&(values.len() as u64).to_le_bytes())?;
    for block in values.chunks(1 << 13) {
        put(&block
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect::<Vec<u8>>())?;
    }
    out.write_all(&check.finalize().to_le_bytes())
}

/// Reads the header of a table.
fn read_header(input: &mut impl BufRead) -> Result<Board, FileError> {
    let mut line = || {
        let mut bytes = Vec::new();
        input.by_ref().take(64).read_until(b'\n', &mut bytes)?;
        io::Result::Ok(String::from_utf8_lossy(&bytes).trim_end().to_owned())
    };
    let got = line()?;
    if got != MAGIC {
        let expected = "\"hognose-tablebase 1\"";
        return Err(FileError::Header { expected, got });
    }
    let got = line()?;
    let board = got
        .strip_prefix("board ")
        .and_then(|board| board.parse().ok());
    let expected = "\"board WxH\"";
    board.ok_or(FileError::Header { expected, got })
}

/// Reads the section of a length, which has at most `most` values.
fn read_section(input: &mut impl Read, length: usize, most: usize) -> Result<Vec<f64>, FileError> {
    let mut check = crc32fast::Hasher::new();
    let mut take = |bytes: &mut [u8]| match input.read_exact(bytes) {
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => {
            Err(FileError::Incomplete { length })
        }
        read => Ok(read?),
    };
    let mut number = [0; 4];
    take(&mut number)?;
    check.update(&number);
    let mut count = [0; 8];
    take(&mut count)?;
    check.update(&count);
    let damaged = FileError::Damaged { length };
    let count = u64::from_le_bytes(count);
    if u32::from_le_bytes(number) as usize != length || count > most as u64 {
        return Err(damaged);
    }
    let count = count as usize;
    let mut values = Vec::with_capacity(count.min(1 << 20));
    let mut bytes = vec![0; 8 << 13];
    while values.len() < count {
        let block = &mut bytes[..8 * (count - values.len()).min(1 << 13)];
        take(block)?;
        check.update(block);
        values.extend(
            block
                .chunks_exact(8)
                .map(|value| f64::from_le_bytes(value.try_into().expect("8 bytes"))),
        );
    }
    let mut sum = [0; 4];
    take(&mut sum)?;
    if check.finalize() != u32::from_le_bytes(sum) {
        return Err(damaged);
    }
    Ok(values)
}

/// The part of a table that an interrupted writer has written.
#[derive(Clone, Debug, PartialEq)]
pub struct Unfinished {
    /// The number of complete bytes; anything after them is an incomplete section or header.
    pub end: u64,
    /// The last complete section and its length.
    pub last: Option<(usize, Vec<f64>)>,
}

/// Reads the sections of an unfinished table; `most` returns the maximum number of values of a
/// section.
///
/// # Errors
/// Fails if reading fails, or the bytes are not those of an interrupted writer.
pub fn read_unfinished(
    input: &mut impl BufRead,
    board: Board,
    most: impl Fn(usize) -> usize,
) -> Result<Unfinished, FileError> {
    let expected = header(board);
    let mut begun = Vec::new();
    input
        .by_ref()
        .take(expected.len() as u64)
        .read_to_end(&mut begun)?;
    if begun.len() < expected.len() && expected.as_bytes().starts_with(&begun) {
        return Ok(Unfinished { end: 0, last: None });
    }
    let got = read_header(&mut begun.chain(&mut *input))?;
    if got != board {
        return Err(FileError::Board {
            expected: board,
            got,
        });
    }
    let mut unfinished = Unfinished {
        end: expected.len() as u64,
        last: None,
    };
    for length in (1..=board.area()).rev() {
        let values = match read_section(input, length, most(length)) {
            Err(FileError::Incomplete { .. }) => break,
            read => read?,
        };
        unfinished.end += 4 + 8 + 8 * values.len() as u64 + 4;
        unfinished.last = Some((length, values));
    }
    Ok(unfinished)
}

/// Reads a complete table.
///
/// # Errors
/// Fails if it is damaged or incomplete.
pub fn read_table(input: &mut impl BufRead) -> Result<Table, FileError> {
    let board = read_header(input)?;
    check_board(board)?;
    let mut values = Vec::new();
    for length in (1..=board.area()).rev() {
        values.push(read_section(input, length, usize::MAX)?);
    }
    values.reverse();
    // A value represents the images of a body, of which there are at most eight. A board may have
    // more bodies than fit into memory.
    let index = PathIndex::of_at_most(board, |length| 8 * values[length - 1].len());
    Ok(Table::from_values(
        index.ok_or(TableError::Values(board))?,
        values,
    )?)
}

/// Writes a complete table.
///
/// # Errors
/// Fails if writing fails.
pub fn write_table(out: &mut impl Write, table: &Table) -> io::Result<()> {
    write_header(out, table.board())?;
    let lengths = (1..=table.board().area()).rev().zip(table.values().rev());
    for (length, values) in lengths {
        write_section(out, length, values)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes that can be read up to a point; then reading fails.
    struct Failing<'a>(&'a [u8]);

    impl Read for Failing<'_> {
        fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
            if self.0.is_empty() {
                Err(io::Error::other("the disk is gone"))
            } else {
                self.0.read(bytes)
            }
        }
    }

    #[test]
    fn only_an_incomplete_section_is_cut_off() {
        let board = Board::new(2, 2).unwrap();
        let mut whole = Vec::new();
        write_header(&mut whole, board).unwrap();
        let mut ends = vec![0, whole.len() as u64];
        for length in [4, 3] {
            write_section(&mut whole, length, &[length as f64; 5]).unwrap();
            ends.push(whole.len() as u64);
        }
        let read = |bytes: &[u8]| read_unfinished(&mut &*bytes, board, |_| 5);
        for cut in 0..=whole.len() {
            let Unfinished { end, last } = read(&whole[..cut]).unwrap();
            let expected = ends
                .iter()
                .copied()
                .filter(|&end| end <= cut as u64)
                .max()
                .unwrap();
            assert_eq!(
                (end, last.map(|(length, _)| length)),
                (
                    expected,
                    match expected {
                        end if end == ends[3] => Some(3),
                        end if end == ends[2] => Some(4),
                        _ => None,
                    }
                )
            );
        }
        for broken in [0, ends[1] as usize + 3, ends[2] as usize - 1] {
            let mut bytes = whole.clone();
            bytes[broken] ^= 1;
            assert!(
                !matches!(read(&bytes), Ok(_) | Err(FileError::Io(_))),
                "{broken}"
            );
        }
        let mut failing = io::BufReader::new(Failing(&whole[..whole.len() - 3]));
        let error = read_unfinished(&mut failing, board, |_| 5).unwrap_err();
        assert!(
            matches!(error, FileError::Io(_)) && error.to_string() == "the disk is gone",
            "{error}"
        );
        let other = read_unfinished(&mut &*whole, Board::new(2, 3).unwrap(), |_| 5).unwrap_err();
        assert_eq!(other.to_string(), "expected a table of 2x3, got one of 2x2");
    }

    /// The bodies of 8x8 don't fit into memory, and counting them would take years.
    #[test]
    fn a_small_file_of_a_large_board_is_rejected_at_once() {
        let board = Board::new(8, 8).unwrap();
        let mut file = Vec::new();
        write_header(&mut file, board).unwrap();
        for length in (1..=board.area()).rev() {
            write_section(&mut file, length, &[1.0; 10]).unwrap();
        }
        assert_eq!(
            read_table(&mut &*file).unwrap_err().to_string(),
            "the values do not belong to 8x8"
        );
    }
}
