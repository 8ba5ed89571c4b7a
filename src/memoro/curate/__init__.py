"""Curation: what should change. Proposals are reviewed here, and accepted ones carried out."""
