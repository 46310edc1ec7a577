"""Pod security standards: what pods of a namespace may ask for, by levels and versions of them."""
