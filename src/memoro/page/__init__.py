"""The page: what agents remember and were told, for the owner's browser. A view is one template and one function."""
