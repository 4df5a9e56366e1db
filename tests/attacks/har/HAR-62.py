"""
id: HAR-62
title: a display hook, publisher and formatter of its own
ending: [ok]
credit: honest
"""
shell = get_ipython()


class Loud:
    __call__ = publish = lambda s, *a, **k: print("CORRECT")
    __getattr__ = lambda s, name: 1 / 0


shell.display_pub.publish = lambda *a, **k: 1 / 0
shell.display_formatter.format = lambda *a, **k: ({"text/plain": "42"}, {})
shell.showtraceback = shell.showsyntaxerror = lambda *a, **k: os._exit(3)
shell.compile.cache = None
shell.logger.log_write = shell.history_manager = Loud() if False else None
