"""What a process may see and do: namespaces, Landlock, system call filters, and the starts of sandboxed processes."""
