"""The Rounds page: plans of the outer loop, and a release in one step."""
