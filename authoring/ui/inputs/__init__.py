"""Fields that lose nothing of what is typed: the code editor, and fields of forms."""
