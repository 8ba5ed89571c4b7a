"""Make text findable: `chunk` and `plan` are pure, `sync` carries a plan out, `indexing` is the index in use."""
