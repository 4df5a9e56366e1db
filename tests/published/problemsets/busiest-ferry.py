'''
### Description ###

Notes of whoever wrote the problem. They stand before the first marker, hold "quotes", even """three of them""",
and are no part of the problem.
'''

# %%

import pandas as pd

# %%

"""
question: |
  Write a function `def busiest_ferry(crossings: pd.DataFrame) -> pd.DataFrame`.

  `crossings` has the columns `ferry` (text) and `passengers` (whole numbers).
  Return the ferry or ferries with the most passengers in total, in **any order**, in one column `ferry`.

  ```
  +-------+------------+
  | ferry | passengers |
  +-------+------------+
  | Alba  | 120        |
  +-------+------------+
  ```

validator:
  table_test:
    function_name: busiest_ferry
    input_validator: |
      def _validate(crossings):
        assert crossings.shape[0] > 0
        assert crossings.ferry.str.match(r'^\w+$').all()
        assert crossings.passengers.between(0, 1000).all()

    input_checker: true

    output_checker:
      ignore_order: true

    test_cases:
    - # an example
      - "`pd.DataFrame({'ferry': ['Alba', 'Brisa', 'Alba'], 'passengers': [120, 180, 97]})`"
    - # a tie
      - "`pd.DataFrame({'ferry': ['Alba', 'Brisa'], 'passengers': [5, 5]})`"
    - | # any crossings
      ```
      import string
      def _generate():
        names = np.random.choice(list(string.ascii_uppercase[:6]), 50)
        return pd.DataFrame({'ferry': names, 'passengers': np.random.randint(0, 1000, 50)}),
      ```
    # three more
    - //
    - //
    - //
"""

def busiest_ferry(crossings: pd.DataFrame) -> pd.DataFrame:
    totals = crossings.groupby("ferry")["passengers"].sum()
    return totals[totals == totals.max()].reset_index()[["ferry"]]
