fn main() {
    let text = std::fs::read_to_string(std::env::args().nth(1).unwrap()).unwrap();
    let mut m = cairn_ir::text::parse(&text, cairn_diag::FileId(0)).unwrap_or_else(|e| panic!("{e:?}"));
    let t = std::time::Instant::now();
    let r =
        cairn_legalize::legalize(&mut m, &cairn_legalize::Options { explain: true, ..Default::default() });
    let d = t.elapsed();
    match r {
        Ok(r) => {
            eprintln!("{:?} {}", d, r.total());
            println!("{}", cairn_ir::text::print(&m));
            let v = cairn_ir::verify::verify(&m, cairn_ir::verify::Form::Canonical);
            for d in v.iter().take(20) {
                println!("{} {:?}", d.message, d.notes);
            }
        }
        Err(e) => println!("{e:?}"),
    }
}
