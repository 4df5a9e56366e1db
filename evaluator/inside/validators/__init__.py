"""The validators: what each looks at in two outcomes, and what it answers."""
