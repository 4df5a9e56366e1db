"""The grader process: how alike two texts, two numbers or two pictures are. It executes nothing of a submission."""
