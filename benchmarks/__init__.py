"""What Memoro costs and how well it finds, measured beside the naive way in the same run."""
