//! Why a job ended early.

use std::fmt::{Display, Formatter};
use std::path::{Path, PathBuf};

/// Why a job ended early. What is done by then stays, and the next run goes on from there.
#[derive(Debug)]
pub enum DatasetError {
    /// A file cannot be read or written.
    File(PathBuf, std::io::Error),
    /// A file is no Parquet, or not of the kind that is needed.
    Format(PathBuf, String),
    /// The input has no such column, or none that could hold codes; the ones that it has.
    Column(String, Vec<String>),
    /// The input has no such column, which was to be kept; the ones that it has.
    NoColumn(String, Vec<String>),
    /// The folder holds the result of something else; what differs.
    OtherJob(PathBuf, String),
    /// Another run works on the folder.
    Busy(PathBuf),
    /// Worker processes do not start.
    Worker(String),
    /// Whoever watches the progress asked to stop.
    Stopped,
}

impl Display for DatasetError {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        match self {
            DatasetError::File(path, error) => write!(f, "{}: {error}", path.display()),
            DatasetError::Format(path, error) => write!(f, "{}: {error}", path.display()),
            DatasetError::Column(name, columns) if name.is_empty() => {
                write!(f, "no column looks like code; the input has {}", columns.join(", "))
            }
            DatasetError::Column(name, columns) => {
                write!(f, "no column `{name}` with bytes or text; the input has {}", columns.join(", "))
            }
            DatasetError::NoColumn(name, columns) => {
                write!(f, "no column `{name}`; the input has {}", columns.join(", "))
            }
            DatasetError::OtherJob(path, what) => {
                write!(f, "{} holds the result of another job: {what}", path.display())
            }
            DatasetError::Busy(path) => write!(f, "another run works on {}", path.display()),
            DatasetError::Worker(error) => write!(f, "worker processes do not start: {error}"),
            DatasetError::Stopped => f.write_str("stopped"),
        }
    }
}

impl std::error::Error for DatasetError {}

/// Names the file of an error.
pub(crate) fn at<E: Into<FileFault>>(path: &Path) -> impl Fn(E) -> DatasetError + '_ {
    move |error| match error.into() {
        FileFault::Io(error) => DatasetError::File(path.to_owned(), error),
        FileFault::Format(error) => DatasetError::Format(path.to_owned(), error),
    }
}

/// What can be wrong with a file.
pub(crate) enum FileFault {
    Io(std::io::Error),
    Format(String),
}

impl From<std::io::Error> for FileFault {
    fn from(error: std::io::Error) -> FileFault {
        FileFault::Io(error)
    }
}

impl From<parquet::errors::ParquetError> for FileFault {
    fn from(error: parquet::errors::ParquetError) -> FileFault {
        FileFault::Format(error.to_string())
    }
}

impl From<arrow_schema::ArrowError> for FileFault {
    fn from(error: arrow_schema::ArrowError) -> FileFault {
        FileFault::Format(error.to_string())
    }
}
