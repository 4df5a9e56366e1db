"""The comparator process: the validators, what each looks at in two outcomes, and an author's own code."""
