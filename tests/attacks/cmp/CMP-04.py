"""
id: CMP-04
title: an object that lies about its class
ending: [ok]
credit: none
"""
class P:
    __class__ = int
    __eq__ = lambda s, o: True
    __int__ = __index__ = lambda s: 42


ans = P()
