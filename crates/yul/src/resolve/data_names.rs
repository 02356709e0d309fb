//! Which names `datasize` and `dataoffset` can ask for.
//!
//! An object can name itself, its data and objects, and what is inside those objects by a path with
//! dots. Names that hold dots themselves cannot be reached, so `.metadata` is out of reach.

use rustc_hash::FxHashMap;

use crate::ast::Object;

/// What is directly inside an object, by name; data has nothing inside.
type Inside<'a> = FxHashMap<&'a str, Option<&'a Object>>;

/// The reachable names of objects, collected when they are first asked for.
#[derive(Default)]
pub(super) struct DataNames<'a> {
    /// By address, since an object has no other identity.
    inside: FxHashMap<*const Object, Inside<'a>>,
}

impl<'a> DataNames<'a> {
    /// True when the code of `object` can ask for `path`.
    pub(super) fn contains(&mut self, object: &'a Object, path: &str) -> bool {
        if path.is_empty() || path == &*object.name {
            return !path.is_empty();
        }
        let mut parts = path.split('.');
        let mut current = Some(object);
        parts.all(|part| {
            let found = current.and_then(|object| self.inside(object).get(part).copied());
            current = found.flatten();
            found.is_some()
        })
    }

    fn inside(&mut self, object: &'a Object) -> &Inside<'a> {
        self.inside.entry(object).or_insert_with(|| {
            let data = object.data.iter().map(|data| (&*data.name, None));
            let objects = object.objects.iter().map(|nested| (&*nested.name, Some(nested)));
            data.chain(objects).filter(|(name, _)| !name.is_empty() && !name.contains('.')).collect()
        })
    }
}
