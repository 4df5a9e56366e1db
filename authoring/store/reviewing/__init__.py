"""What reviewers leave: decisions, comments, suggestions, the roundtable, the queue, who works on what, tags, ticks."""
