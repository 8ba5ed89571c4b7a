"""How does text become findable? `chunk` and `plan` are pure; `sync` carries a plan out."""
