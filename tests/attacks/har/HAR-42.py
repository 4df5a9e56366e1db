"""
id: HAR-42
title: importers that refuse, at a time when only we import
ending: [ok]
credit: honest
problem: frame
"""
class Refuse:
    find_spec = find_module = lambda s, *a: (_ for _ in ()).throw(SystemExit(1))


sys.meta_path.insert(0, Refuse())
sys.path_hooks.insert(0, lambda path: 1 / 0)
sys.path.clear()
sys.path_importer_cache.clear()
