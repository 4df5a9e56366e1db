"""
id: HAR-08
title: tracers, audit hooks and the collector
ending: [ok]
credit: honest
"""
import gc

sys.addaudithook(lambda event, arguments: None)
sys.setprofile(lambda *a: None)
sys.settrace(lambda *a: None)
gc.freeze()
gc.disable()
gc.set_threshold(1)
sys.setswitchinterval(1e-6)
