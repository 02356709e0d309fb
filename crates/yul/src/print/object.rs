//! Printing of objects.

use std::fmt::Write;

use super::literal::quoted;
use super::{DebugComments, NO_LOCATION, Printer};
use crate::ast::{DataBlob, Object};

impl<'a> Printer<'a> {
    pub(super) fn object(&mut self, object: &'a Object, debug: DebugComments) {
        if object.is_bare {
            self.block(&object.code);
            return;
        }
        let has_debug = debug == DebugComments::Print && !object.source_names.is_empty();
        if has_debug {
            self.use_src(object);
            self.line_break();
        }
        self.locations = has_debug.then_some(&*object.src_locs);
        self.location = NO_LOCATION;
        self.comments = if object.source_names.is_empty() { &object.comments } else { &[] };
        self.push("object ");
        self.push(&quoted(object.name.as_bytes()));
        self.push(" {");
        self.indent += 1;
        self.line_break();
        self.push("code ");
        self.block(&object.code);
        self.object_items(object, debug);
        self.indent -= 1;
        self.line_break();
        self.push("}");
    }

    /// Nested objects and data, in the order in which they were written.
    fn object_items(&mut self, object: &'a Object, debug: DebugComments) {
        let (mut objects, mut data) = (object.objects.iter(), object.data.iter());
        for is_object in &object.order {
            if *is_object {
                let nested = objects.next().expect("invariant: `order` counts the nested objects");
                self.line_break();
                self.object(nested, debug);
            } else {
                let blob = data.next().expect("invariant: `order` counts the data");
                self.line_break();
                self.data(blob);
            }
        }
    }

    fn use_src(&mut self, object: &Object) {
        self.push("/// @use-src ");
        for (position, (index, name)) in object.source_names.iter().enumerate() {
            if position > 0 {
                self.push(", ");
            }
            self.push(&format!("{index}:{}", quoted_name(name)));
        }
    }

    /// Data is always printed in hexadecimal.
    fn data(&mut self, blob: &DataBlob) {
        self.push("data ");
        self.push(&quoted(blob.name.as_bytes()));
        self.push(" hex\"");
        for byte in &blob.bytes {
            write!(self.out, "{byte:02x}").expect("invariant: writing to a string succeeds");
        }
        self.push("\"");
    }
}

/// A quoted file name, which may hold any characters.
fn quoted_name(name: &str) -> String {
    format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
}
