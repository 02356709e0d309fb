//! solc as the front end: where it is found, which version a project needs, and how it runs.
//!
//! A front end turns Solidity into unoptimized Yul, and gives the ABI, metadata, syntax trees,
//! storage layouts and warnings, which pass through. It is a native program or `soljson.js`, which
//! `node` runs.
//!
//! * [`find`](find::installed) lists what is installed, in the order of preference.
//! * [`find::for_sources`] chooses among them and completes the version.
//! * [`version`] reads version pragmas, and [`version::choose`] takes the newest that satisfies all.
//! * [`Running::compile`] hands over a request in standard JSON and returns the answer. One
//!   process serves all requests of a `Running` where that is possible (`soljson.js`).
//! * [`end_with_this_program`] is for programs: front ends do not outlive them.
//!
//! Nothing here reads the meaning of requests and answers: both are text.

pub mod access;
mod children;
pub mod fault;
pub mod find;
mod installed;
mod native;
mod pragma;
mod process;
mod signals;
mod soljson;
pub mod version;

pub use access::{FileAccess, Imports};
pub use fault::Fault;
pub use find::Places;
pub use installed::{FrontEnd, Kind};
pub use pragma::Requirement;
pub use process::Stop;
pub use signals::end_with_this_program;

use native::Native;
use soljson::Soljson;

/// A front end that takes requests.
pub struct Running {
    engine: Engine,
}

enum Engine {
    Native(Native),
    Soljson(Box<Soljson>),
}

impl FrontEnd {
    /// Makes it ready for requests. `soljson.js` is loaded; a native one starts with each request.
    ///
    /// # Errors
    /// When it does not start, or is another version than `self` says.
    pub fn start(&self, places: &Places, access: &FileAccess) -> Result<Running, Fault> {
        self.start_until(places, access, &Stop::default())
    }

    /// Makes it ready for requests that are answered until `stop` is told.
    ///
    /// # Errors
    /// Those of [`start`](FrontEnd::start).
    pub fn start_until(&self, places: &Places, access: &FileAccess, stop: &Stop) -> Result<Running, Fault> {
        let engine = match self.kind {
            Kind::Native => {
                Engine::Native(Native::new(&self.path, &self.version, access, places.patience, stop)?)
            }
            Kind::Soljson => Engine::Soljson(Box::new(self.start_soljson(places, access, stop)?)),
        };
        Ok(Running { engine })
    }

    fn start_soljson(&self, places: &Places, access: &FileAccess, stop: &Stop) -> Result<Soljson, Fault> {
        let node = places.find_node().ok_or_else(|| Fault::NoNode { soljson: self.path.clone() })?;
        let soljson = Soljson::start(&node, &self.path, access, places.patience, stop)?;
        let found = soljson.version();
        if version::without_build(found) != version::without_build(&self.version) {
            let (told, found) = (self.version.clone(), found.clone());
            return Err(Fault::WrongVersion { path: self.path.clone(), told, found });
        }
        Ok(soljson)
    }
}

impl Running {
    /// The answer to a request in standard JSON: text that begins and ends as a JSON object. After
    /// a fault the next request starts afresh.
    ///
    /// # Errors
    /// When there is no answer, not within the patience of the [`Places`], or when it is wanted no more.
    pub fn compile(&mut self, request: &str) -> Result<String, Fault> {
        match &mut self.engine {
            Engine::Native(native) => native.compile(request),
            Engine::Soljson(soljson) => soljson.compile(request),
        }
    }
}
