//! The pipeline from imported IR to emittable IR.
