"""
id: HAR-07
title: folder, environment, umask and locale
ending: [ok]
credit: honest
"""
import locale, time

os.chdir("/")
os.environ.clear()
os.environ["TZ"] = "Asia/Kathmandu"
time.tzset()
os.umask(0o777)
locale.setlocale(locale.LC_ALL, "C")
