"""
id: CMP-77
title: a decimal context in which everything is an error
ending: [ok]
credit: honest
"""
import decimal

trap_all = decimal.Context(prec=1, Emax=1, Emin=-1, traps=[decimal.Inexact, decimal.Rounded, decimal.FloatOperation])
decimal.setcontext(trap_all)
decimal.DefaultContext.prec = 1
price = decimal.Decimal("sNaN")
cheap = [decimal.Decimal("1.23456789"), decimal.Decimal("-Infinity")]
