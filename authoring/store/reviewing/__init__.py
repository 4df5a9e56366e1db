"""What reviewers leave: decisions and comments, suggestions, the roundtable, the queue and who works on what."""
