"""Tables made up from a statement of their fields and distributions; our code draws them, no model's."""
