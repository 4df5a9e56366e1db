"""Commands on a workspace as a whole: the app, its worker and jobs, backup, effort."""
