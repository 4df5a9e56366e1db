"""
id: HAR-06
title: options and filters
ending: [ok]
credit: honest
"""
import warnings

pd.set_option("display.max_rows", 1)
pd.set_option("display.width", 1)
np.set_printoptions(threshold=0, formatter={"all": lambda x: 1 / 0})
warnings.simplefilter("error")
sys.set_int_max_str_digits(640)
