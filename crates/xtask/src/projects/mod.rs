//! `projects`: test suites of published projects, compiled by solc and by `cairn-solc`, test by test.
//!
//! forge, solc and the projects come from npm into `target/projects`; nothing of them is in the
//! repository. Each project is built from clean by solc (without and with its IR) and by `cairn-solc`
//! at each level; then its tests run with one fuzz seed. What a test does must not depend on who
//! compiled it: a difference that is not in the project's own short list of reasons fails.
//! `--examples` runs the projects below `examples/` instead, `--slither` compares what slither finds,
//! `--coverage` what `forge coverage` counts.
//!
//! What needs node, npm or the network says what it skips and passes where they are absent.

mod compare;
mod counted;
mod coverage;
mod examples;
mod forge;
mod hardhat;
mod install;
mod list;
mod must_fail;
mod one_example;
mod options;
mod record;
mod report;
mod slither;
mod targets;
mod tools;
mod traces;
mod way;

use crate::project::{Outcome, build_release, root};
use compare::Difference;
use list::Project;
use options::{Request, Suites};
use record::Record;
use slither::Slither;
use std::path::{Path, PathBuf};
use tools::Tools;
pub(crate) use tools::{node_is_installed, npm_install};
use way::{Pipeline, Way};

/// One project built and tested in several ways; the first is what the others are compared with.
struct Measured<'a> {
    project: &'a Project,
    records: Vec<(Way, Record)>,
}

/// Runs what is asked for.
///
/// # Errors
/// Wrong usage, a project that does not build, a difference without a reason.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    let request = options::parse(arguments)?;
    let projects = chosen(&request)?;
    let tools = match Tools::install(&folder()) {
        Ok(tools) => tools,
        Err(reason) => {
            println!("projects: skipped, {reason}");
            return Ok(());
        }
    };
    let compiler = compiler(&request)?;
    match request.suites {
        Suites::Examples => examples::run(&request, &tools, &compiler, &folder()),
        Suites::Published => published(&projects, &request, &tools, &compiler),
        Suites::Slither => found_by_slither(&projects, &tools, &compiler),
        Suites::Coverage => {
            each(&projects, |project, place| coverage::compare_project(project, place, &tools, &compiler))
        }
    }
}

/// The projects that are asked for, with the front end that is.
fn chosen(request: &Request) -> Outcome<Vec<Project>> {
    let named = list::PROJECTS.iter().filter(|project| project.name.contains(&request.filter)).copied();
    let mut projects: Vec<Project> = named.collect();
    if projects.is_empty() {
        return Err(format!("no project is called `{}`; there are {}", request.filter, list::names()));
    }
    if let Some(wanted) = &request.solc {
        let solc = tools::versions().into_iter().find(|version| version == wanted);
        let solc = solc.ok_or_else(|| format!("no project has solc {wanted}, so it is not installed"))?;
        projects.iter_mut().for_each(|project| project.solc = solc);
    }
    Ok(projects)
}

/// Compares what slither finds in published projects.
fn found_by_slither(projects: &[Project], tools: &Tools, compiler: &Path) -> Outcome {
    match Slither::install(tools, compiler, &folder()) {
        Some(slither) => each(projects, |project, place| slither.compare_project(project, place)),
        None => Ok(()),
    }
}

/// Does the same with each project that can be installed; what is wrong, if anything.
fn each(projects: &[Project], compare: impl Fn(&Project, &Path) -> Option<String>) -> Outcome {
    let mut faults = Vec::new();
    for project in projects {
        match install::install(project, &folder()) {
            Ok(place) => faults.extend(compare(project, &place)),
            Err(reason) => println!("{}: skipped, {reason}", project.name),
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(faults.join("\n")) }
}

/// Runs the suites of published projects.
fn published(projects: &[Project], request: &Request, tools: &Tools, compiler: &Path) -> Outcome {
    let mut faults = Vec::new();
    for project in projects {
        match measure(project, request, tools, compiler) {
            Ok(Some(measured)) => faults.extend(show(&measured)),
            Ok(None) => {}
            Err(fault) => {
                println!("{}: {fault}", project.name);
                faults.push(format!("{}: {}", project.name, fault.lines().next().unwrap_or("")));
            }
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(format!("projects: {}\n{}", faults.len(), faults.join("\n"))) }
}

/// Where everything that is downloaded or built stands.
fn folder() -> PathBuf {
    root().join("target/projects")
}

/// The compiler that is tried: given, or built here.
fn compiler(request: &Request) -> Outcome<PathBuf> {
    if let Some(path) = &request.compiler {
        return path.canonicalize().map_err(|error| format!("{}: {error}", path.display()));
    }
    Ok(build_release()?.join("cairn-solc"))
}

/// Builds and tests one project in all ways; `None` where it can't be installed.
fn measure<'a>(
    project: &'a Project,
    request: &Request,
    tools: &Tools,
    compiler: &Path,
) -> Outcome<Option<Measured<'a>>> {
    let place = match install::install(project, &folder()) {
        Ok(place) => place,
        Err(reason) => {
            println!("{}: skipped, {reason}", project.name);
            return Ok(None);
        }
    };
    let mut records = Vec::new();
    for way in way::of(project, request) {
        let kept = folder().join(format!("results/{}-{}-{}.json", project.name, project.solc, way.name()));
        let old = match way {
            Way::Solc(_) if !request.is_fresh => Record::read(&kept),
            _ => None,
        };
        let is_dear = way == Way::Solc(Pipeline::ViaIr) && project.is_legacy_possible;
        let record = match old {
            Some(record) => record,
            None if is_dear && !request.is_patient => continue,
            None => forge::measure(project, &place, &way, tools, compiler)?,
        };
        record.write(&kept)?;
        println!("{} {}: {}", project.name, way.name(), record.summary());
        records.push((way, record));
    }
    Ok(Some(Measured { project, records }))
}

/// Prints the table and all differences; returns those without a reason.
fn show(measured: &Measured<'_>) -> Vec<String> {
    print!("{}", report::table(measured));
    let differences = compare::differences(measured);
    differences.iter().for_each(|difference| println!("  {difference}"));
    let unexplained = differences.iter().filter(|difference| difference.reason.is_none());
    unexplained.map(Difference::to_string).collect()
}
