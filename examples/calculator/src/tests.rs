//! Programs give what they say, and faults are named.

use super::*;

#[test]
fn formulas_give_what_they_say() {
    let result = |method: &str, arguments: &[u64]| shown(&run(SOURCE, method, arguments).expect("executed"));
    assert_eq!(result("variance(uint256,uint256)", &[10, 30]), "100");
    assert_eq!(result("distance(uint256,uint256)", &[3, 2]), "1");
    assert_eq!(result("factorial(uint256)", &[20]), "2432902008176640000");
    assert_eq!(result("factorial(uint256)", &[58])[..15], *"revert 4e487b71");
}

#[test]
fn faults_are_named() {
    let fault = |source: &str| compile(source).expect_err("a fault").to_string();
    assert_eq!(fault("(define (f x) y)"), "unknown variable `y`");
    assert_eq!(fault("(define (f x) (f x x))"), "`f` takes 1 arguments");
    assert_eq!(fault("(define (f x) (g x))"), "unknown formula `g`");
    assert_eq!(fault("(define (f x) x) (define (f) 1)"), "a formula is defined twice");
    assert_eq!(fault("(f x)"), "expected `(define (name parameters…) body)`");
    assert_eq!(fault("(define (f x) (+ x 1)"), "a list is not closed");
    assert_eq!(fault(&"(".repeat(100_000)), "lists are nested too deeply");
}

#[test]
fn the_example_is_short() {
    assert!(include_str!("main.rs").lines().count() < 200);
}
