"""What language models are asked, how their answers are read, and how what is wrong is repaired."""
