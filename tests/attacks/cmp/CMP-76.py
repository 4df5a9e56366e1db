"""
id: CMP-76
title: containers that change while they are read
ending: [ok, bad_report, died]
credit: none
problem: truth
"""
import threading

ans = {0: 0}


def churn():
    number = 0
    while True:
        number += 1
        ans[number % 50] = number
        ans.pop(number * 7 % 50, None)


threading.Thread(target=churn, daemon=True).start()
