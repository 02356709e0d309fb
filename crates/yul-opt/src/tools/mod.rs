//! What steps share: walks, analyses, builders of syntax.

pub(crate) mod builder;
pub(crate) mod call_graph;
pub(crate) mod data_flow_analyzer;
pub(crate) mod dispenser;
pub(crate) mod expressions;
pub(crate) mod knowledge_base;
pub(crate) mod metrics;
pub(crate) mod name_collector;
pub(crate) mod name_set;
pub(crate) mod renamer;
pub(crate) mod semantics;
pub(crate) mod ssa_value_tracker;
pub(crate) mod stack_depth;
mod stack_slots;
mod stack_tables;
pub(crate) mod substitution;
pub(crate) mod syntactical_equality;
pub(crate) mod walk;
