// Tokens are named as they were written.
//! run: verify
object 5 { code { } } // error: expected string but got number `5`
