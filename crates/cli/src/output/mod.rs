//! Where results go: the one place that writes for all commands.
//!
//! * Files appear whole or not at all; what was there stays when something fails. Several files are
//!   prepared before the first of them is changed, and streams are written last.
//! * Links are followed to what they name, hard links stay links, owners and permissions stay; a
//!   new file has the permissions that the umask leaves.
//! * What is no regular file (a pipe, a device, `/dev/stdout`) is written straight into.
//! * A read-only file is not overwritten, whoever asks; nor is an input, or an output by another.
//! * A reader that goes away (`cairn … | head`) is no fault.

mod draft;
mod identity;
mod target;

pub(crate) use draft::Draft;
pub(crate) use identity::remember_input;

use cairn_diag::Diagnostic;
use identity::Identity;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};
use target::Target;

/// Why something could not be written; names the file as the user did.
pub(crate) type Fault = Box<Diagnostic>;

/// A place for an artifact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Sink {
    /// Standard output, or the file that `--output` names for what would be printed.
    Stdout,
    /// A file.
    File(PathBuf),
}

impl Sink {
    /// The sink that a command line names; `-` is standard output.
    pub(crate) fn of_path(path: &Path) -> Sink {
        if path.as_os_str() == "-" { Sink::Stdout } else { Sink::File(path.to_owned()) }
    }
}

/// The file that takes the place of standard output.
static RESULT: OnceLock<PathBuf> = OnceLock::new();
/// What was written into it.
static PRINTED: Mutex<String> = Mutex::new(String::new());

/// Sets where results go that would be printed.
pub(crate) fn set_result(sink: Sink) {
    if let Sink::File(path) = sink {
        _ = RESULT.set(path);
    }
}

/// What is really written for a sink: results that are printed one after the other make one file.
fn resolved(sink: &Sink, text: &str) -> (Sink, String) {
    match (sink, RESULT.get(), PRINTED.lock()) {
        (Sink::Stdout, Some(path), Ok(mut printed)) => {
            printed.push_str(text);
            (Sink::File(path.clone()), printed.clone())
        }
        _ => (sink.clone(), text.to_owned()),
    }
}

/// Writes a text to a sink.
///
/// # Errors
/// What the operating system says, or why the place must not be overwritten.
pub(crate) fn write(sink: &Sink, text: &str) -> Result<(), Fault> {
    write_all(&[(sink.clone(), text.to_owned())])
}

/// Writes texts to sinks: all of them, or none where one of the files cannot be written.
///
/// # Errors
/// As [`write`]; also two sinks that are the same file.
pub(crate) fn write_all(list: &[(Sink, String)]) -> Result<(), Fault> {
    let list: Vec<(Sink, String)> = list.iter().map(|(sink, text)| resolved(sink, text)).collect();
    refuse_twice(&list)?;
    let (mut drafts, mut streams) = (Vec::new(), Vec::new());
    for (sink, text) in &list {
        let path = match sink {
            Sink::Stdout => {
                streams.push((Path::new("standard output"), Target::Stdout, text));
                continue;
            }
            Sink::File(path) => path,
        };
        match target::find(path).map_err(|error| fault(path, &error))? {
            Target::File(_) => {
                identity::refuse_input(path)?;
                let mut draft = Draft::new(path)?;
                draft.file().write_all(text.as_bytes()).map_err(|error| fault(path, &error))?;
                drafts.push(draft);
            }
            stream => streams.push((path, stream, text)),
        }
    }
    drafts.into_iter().try_for_each(Draft::commit)?;
    for (name, stream, text) in streams {
        write_stream(&stream, text.as_bytes()).map_err(|error| fault(name, &error))?;
    }
    Ok(())
}

/// Writes a text in the place of the input that it was made from.
///
/// # Errors
/// As [`write`].
pub(crate) fn replace(path: &Path, text: &str) -> Result<(), Fault> {
    let mut draft = Draft::new(path)?;
    draft.file().write_all(text.as_bytes()).map_err(|error| fault(path, &error))?;
    draft.commit()
}

/// Adds a text at the end of a file.
///
/// # Errors
/// As [`write`].
pub(crate) fn append(path: &Path, text: &str) -> Result<(), Fault> {
    check(path)?;
    let explain = |error| fault(path, &error);
    match target::find(path).map_err(explain)? {
        Target::File(file) => {
            let file = std::fs::OpenOptions::new().create(true).append(true).open(file);
            file.and_then(|mut file| file.write_all(text.as_bytes())).map_err(explain)
        }
        stream => write_stream(&stream, text.as_bytes()).map_err(explain),
    }
}

/// Says in advance why a file must not be written, if so.
///
/// # Errors
/// It is an input, a folder, or read-only.
pub(crate) fn check(path: &Path) -> Result<(), Fault> {
    if let Target::File(file) = target::find(path).map_err(|error| fault(path, &error))? {
        identity::refuse_input(path)?;
        draft::refuse_read_only(path, &file)?;
    }
    Ok(())
}

/// Two files that are one would leave the second text only.
fn refuse_twice(list: &[(Sink, String)]) -> Result<(), Fault> {
    let mut seen: Vec<(Identity, String)> = Vec::new();
    for (sink, _) in list {
        let (identity, name) = match sink {
            Sink::Stdout => (Identity::of_stdout(), "standard output".to_owned()),
            Sink::File(path) => match target::find(path) {
                Ok(Target::File(file)) => (Identity::of(&file), path.display().to_string()),
                _ => continue,
            },
        };
        let Some(identity) = identity else { continue };
        let is_stdout = *sink == Sink::Stdout;
        if let Some((_, other)) =
            seen.iter().find(|(known, other)| *known == identity && !(is_stdout && *other == name))
        {
            let message = format!("`{name}` and `{other}` are the same file: one would overwrite the other");
            return Err(Diagnostic::error(message).with_help("give each output a file of its own").into());
        }
        seen.push((identity, name));
    }
    Ok(())
}

fn write_stream(stream: &Target, bytes: &[u8]) -> std::io::Result<()> {
    let result = match stream {
        Target::Stdout => {
            let mut out = std::io::stdout().lock();
            out.write_all(bytes).and_then(|()| out.flush())
        }
        Target::Stream(path) | Target::File(path) => {
            let file = std::fs::OpenOptions::new().append(true).open(path);
            file.and_then(|mut file| file.write_all(bytes))
        }
    };
    match result {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// An error of the operating system about the file that was asked for.
fn fault(path: &Path, error: &std::io::Error) -> Fault {
    let text = error.to_string();
    // The name of a temporary file says nothing to the user.
    let text = text.split(" at path \"").next().unwrap_or(&text);
    let found = Diagnostic::error(format!("{}: {text}", path.display()));
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    match folder {
        Some(folder) if error.kind() == ErrorKind::NotFound && !folder.exists() => {
            found.with_help(format!("there is no folder `{}`", folder.display())).into()
        }
        _ => found.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.hex");
        write(&Sink::File(path.clone()), "one").unwrap();
        write(&Sink::File(path.clone()), "two").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "two");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_missing_folder_is_an_error_with_the_path() {
        let error = write(&Sink::File("/nonexistent/a.hex".into()), "x").unwrap_err();
        assert!(error.message.starts_with("/nonexistent/a.hex: No such file"), "{error:?}");
        assert!(error.help.is_some_and(|help| help.contains("`/nonexistent`")));
    }

    #[test]
    fn of_several_files_all_are_written_or_none() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| Sink::File(folder.path().join(name));
        let texts = |names: [&str; 2]| names.map(|name| (file(name), "x".to_owned()));
        write_all(&texts(["a", "none/b"])).unwrap_err();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        let error = write_all(&texts(["a", "./a"])).unwrap_err();
        assert!(error.message.contains("the same file"), "{error:?}");
        write_all(&texts(["a", "b"])).unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    fn appending_keeps_what_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows");
        append(&path, "1\n").unwrap();
        append(&path, "2\n").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "1\n2\n");
    }
}
