"""
id: HAR-01
title: hooks of IPython
ending: [ok]
credit: honest
"""
shell = get_ipython()


def f(*a):
    print("hooked")
    globals()["prev"] = 0 if not a else prev


shell.events.register("post_run_cell", lambda result: f(result))
shell.input_transformers_post.append(lambda lines: ["1 / 0\n"])
shell.set_custom_exc((Exception,), lambda *a: None)
shell.display_formatter.formatters["text/plain"].for_type(int, lambda *a: 1 / 0)
