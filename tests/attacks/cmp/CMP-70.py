"""
id: CMP-70
title: a zone whose offset is code
ending: [ok]
credit: honest
"""
import datetime, time


class Zone(datetime.tzinfo):
    utcoffset = dst = lambda s, when: time.sleep(60)
    tzname = lambda s, when: 1 / 0


class Fixed(datetime.tzinfo):
    utcoffset = lambda s, when: (globals().update(prev=0), datetime.timedelta(0))[1]
    dst = tzname = lambda s, when: None


when, then = datetime.datetime(2020, 1, 1, tzinfo=Zone()), datetime.time(12, tzinfo=Fixed())
