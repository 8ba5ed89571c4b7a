"""Where do notes live? Layout, Markdown and encodings are pure; `files` alone touches the disk."""
