"""Which problems an edit reaches, and the dry run of those alone."""
