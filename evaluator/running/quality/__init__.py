"""What is doubtful about problems whose references pass: read from query and code, and tried in throw-away trials."""
