"""Tables and summaries of finished runs."""
