"""What reviewers say becomes changes of the guide for authors, and the effect of the guide is counted."""
