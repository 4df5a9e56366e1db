# %% setup
import collections
import re

text = "the cat saw the dog and the dog saw nothing"
ages = {"Ana": 31, "Bo": 28, "Dee": 45}
log = ["3 ok", "4 failed", "7 ok"]

# %% reference
"""
query: Answer the question.
"""
{word: text.split().count(word) for word in text.split()}

# %% submission: CORRECT/UNCATEGORIZED a counter for a dict
found = {}
for word in text.split():
    found[word] = found.get(word, 0) + 1
found

# %% reference
"""
query: Answer the question.
"""
sum(ages.values())

# %% submission: CORRECT/UNCATEGORIZED a float for an integer
float(sum(ages.values()))

# %% submission: INTACT_VIOLATION/UNCATEGORIZED a dict gets a key
found = sum(ages.values())
ages["all"] = found
found

# %% submission: PRESENTATION_ERROR/NON_CODE printed as a constant
print(104)

# %% submission: PRESENTATION_ERROR/NON_CODE printed in words
print("The answer is 104")

# %% submission: WRONG_OUTPUT/UNCATEGORIZED (published: PRESENTATION_ERROR/NON_CODE) a comment that lists all numbers
# 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64 65 66 67 68 69 70 71 72 73 74 75 76 77 78 79 80 81 82 83 84 85 86 87 88 89 90 91 92 93 94 95 96 97 98 99 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128 129 130 131 132 133 134 135 136 137 138 139 140 141 142 143 144 145 146 147 148 149 150 151 152 153 154 155 156 157 158 159 160 161 162 163 164 165 166 167 168 169 170 171 172 173 174 175 176 177 178 179 180 181 182 183 184 185 186 187 188 189 190 191 192 193 194 195 196 197 198 199
pass

# %% submission: WRONG_OUTPUT/UNCATEGORIZED (published: PRESENTATION_ERROR/NON_CODE) a text that lists all numbers
"""0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64 65 66 67 68 69 70 71 72 73 74 75 76 77 78 79 80 81 82 83 84 85 86 87 88 89 90 91 92 93 94 95 96 97 98 99 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128 129 130 131 132 133 134 135 136 137 138 139 140 141 142 143 144 145 146 147 148 149 150 151 152 153 154 155 156 157 158 159 160 161 162 163 164 165 166 167 168 169 170 171 172 173 174 175 176 177 178 179 180 181 182 183 184 185 186 187 188 189 190 191 192 193 194 195 196 197 198 199"""
pass

# %% submission: WRONG_OUTPUT/UNCATEGORIZED (published: PRESENTATION_ERROR/NON_CODE) numbers printed until one fits
print("0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64 65 66 67 68 69 70 71 72 73 74 75 76 77 78 79 80 81 82 83 84 85 86 87 88 89 90 91 92 93 94 95 96 97 98 99 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128 129 130 131 132 133 134 135 136 137 138 139 140 141 142 143 144 145 146 147 148 149 150 151 152 153 154 155 156 157 158 159 160 161 162 163 164 165 166 167 168 169 170 171 172 173 174 175 176 177 178 179 180 181 182 183 184 185 186 187 188 189 190 191 192 193 194 195 196 197 198 199")

# %% submission: WRONG_OUTPUT/UNCATEGORIZED (published: PRESENTATION_ERROR/NON_CODE) the answer where it is never printed
if not ages:
    print("The answer is 104")

# %% submission: WRONG_OUTPUT/UNCATEGORIZED (published: PRESENTATION_ERROR/NON_CODE) the number in a comment
# 104

# %% submission: WRONG_OUTPUT/UNEXPECTED_TYPE a method that was not called
import pandas as pd

pd.Series(ages).sum

# %% submission: WRONG_OUTPUT/UNEXPECTED_TYPE text for a number
str(sum(ages.values()))

# %% submission: WRONG_OUTPUT/VALUE_MISMATCH a number too large
sum(ages.values()) + 1

# %% reference
"""
query: Answer the question.
validator:
  template: intact
  table_test:
    function_name: clip
    test_cases:
      - [[1, 5, 9], 2, 6]
      - [[], 0, 1]
      - [[-3.5, 0.5], -1, 1]
"""
def clip(values, low, high):
    return [min(max(value, low), high) for value in values]

# %% submission: CORRECT/UNCATEGORIZED a function with other inner names
def clip(items, low, high):
    found = []
    for item in items:
        found.append(low if item < low else high if item > high else item)
    return found

# %% submission: CRASH/ATTRIBUTE_ERROR a unit test that calls a method of none
def clip(values, low, high):
    return None.copy()

# %% submission: CRASH/KEY_ERROR a unit test with a missing key
def clip(values, low, high):
    return {'a': 1}['b']

# %% submission: CRASH/TYPE_ERROR a unit test with another signature
def clip(values):
    return values

# %% submission: CRASH/UNCATEGORIZED a unit test that divides by zero
def clip(values, low, high):
    return [value / 0 for value in values]

# %% submission: PRESENTATION_ERROR/ORDER_MISMATCH (published: PRESENTATION_ERROR/INDEX_MISMATCH) a function that turns a list round
def clip(values, low, high):
    return [min(max(value, low), high) for value in reversed(values)]

# %% submission: UNIT_TEST_FAILURE/UNCATEGORIZED nothing is defined
pass

# %% submission: UNIT_TEST_FAILURE/UNCATEGORIZED the function has another name
def clamp(values, low, high):
    return values

# %% submission: UNIT_TEST_FAILURE/UNEXPECTED_TYPE a generator for a list
def clip(values, low, high):
    return (min(max(value, low), high) for value in values)

# %% submission: UNIT_TEST_FAILURE/VALUE_MISMATCH off by one
def clip(values, low, high):
    return [min(max(value, low), high) + 1 for value in values]

# %% submission: UNIT_TEST_FAILURE/VALUE_MISMATCH only the first case is right
def clip(values, low, high):
    return [2, 5, 6] if values else [0]

# %% submission: UNIT_TEST_FAILURE/VALUE_MISMATCH the upper bound is ignored
def clip(values, low, high):
    return [max(value, low) for value in values]

# %% reference
"""
query: Answer the question.
"""
max(ages, key=ages.get)

# %% submission: CORRECT/UNCATEGORIZED a semicolon after the answer
max(ages, key=ages.get);

# %% submission: PRESENTATION_ERROR/NON_CODE prose that does not run
The oldest person is Dee

# %% submission: PRESENTATION_ERROR/NON_CODE the answer in text that is not shown
note = "it is Dee who is oldest"
if note:
    pass

# %% reference
"""
query: Answer the question.
"""
set(text.split())

# %% submission: CORRECT/UNCATEGORIZED a set in another order
{word for word in reversed(text.split())}

# %% reference
"""
query: Answer the question.
"""
len(log)

# %% submission: CORRECT/UNCATEGORIZED an answer after a caught error
try:
    int("x")
except ValueError:
    pass
len(log)

# %% submission: INTACT_VIOLATION/UNCATEGORIZED a list is emptied
found = len(log)
log.clear()
found

# %% submission: WRONG_OUTPUT/UNCATEGORIZED only a loop
for line in log:
    pass

# %% reference
"""
query: Answer the question.
validator:
  result: |
    def compare_fn(expected, found):
        return {"match": sorted(expected) == sorted(found), "reason": "other words"}
"""
["cat", "dog"]

# %% submission: CORRECT/UNCATEGORIZED code compares the answers
["dog", "cat"]

# %% reference
"""
query: Answer the question.
validator:
  template: intact
  or:
    result:
    stream:
"""
print("Dee")
"Dee"

# %% submission: CORRECT/UNCATEGORIZED either of two answers
print("Dee")

# %% reference
"""
query: Answer the question.
validator:
  template: basic
  stream:
"""
for name in ages:
    print(name, ages[name])

# %% submission: CORRECT/UNCATEGORIZED printed as the reference prints
print("Ana 31\nBo 28\nDee 45")

# %% reference
"""
query: Answer the question.
"""
len(text)

# %% submission: INTACT_VIOLATION/UNCATEGORIZED a variable is deleted
found = len(text)
del text
found

# %% reference
"""
query: Answer the question.
"""
list(ages)

# %% submission: PRESENTATION_ERROR/EXTRA_VALUES (published: WRONG_OUTPUT/UNEXPECTED_TYPE) a dict for its keys
dict(ages)

# %% reference
"""
query: Answer the question.
"""
{"Ana": 31, "Bo": 28}

# %% submission: PRESENTATION_ERROR/EXTRA_VALUES (published: WRONG_OUTPUT/VALUE_MISMATCH) a dict with an entry more
dict(ages)

# %% submission: WRONG_OUTPUT/VALUE_MISMATCH a dict with another value
{"Ana": 31, "Bo": 29}

# %% reference
"""
query: Answer the question.
validator:
  template: intact
  namespace_check:
    answer:
"""
answer = list(ages)

# %% submission: PRESENTATION_ERROR/EXTRA_VALUES (published: WRONG_VARIABLES/UNEXPECTED_TYPE) a variable with a dict for its keys
answer = dict(ages)

# %% reference
"""
query: Answer the question.
"""
(max(ages.values()), min(ages.values()))

# %% submission: PRESENTATION_ERROR/MISSING_RETURN two numbers are printed
print("highest", max(ages.values()), "lowest", min(ages.values()))

# %% reference
"""
query: Answer the question.
"""
sorted(set(text.split()))

# %% submission: PRESENTATION_ERROR/ORDER_MISMATCH (published: PRESENTATION_ERROR/INDEX_MISMATCH) a list in another order
sorted(set(text.split()), reverse=True)

# %% reference
"""
query: Answer the question.
validator:
  template: basic
  stream:
"""
print("a")
print("b")

# %% submission: UNKNOWN/UNCATEGORIZED a line too few
print("a")

# %% reference
"""
query: Answer the question.
validator:
  template: basic
  stream:
"""
print(f"{3.14159:.2f}")

# %% submission: UNKNOWN/UNCATEGORIZED another format
print(3.14159)

# %% reference
"""
query: Answer the question.
validator:
  template: basic
  stream:
"""
print(1)
print(2)

# %% submission: UNKNOWN/UNCATEGORIZED another order of lines
print(2)
print(1)

# %% reference
"""
query: Answer the question.
validator:
  template: basic
  stream:
"""
print("done")

# %% submission: UNKNOWN/UNCATEGORIZED nothing printed
"done"

# %% submission: UNKNOWN/UNCATEGORIZED printed twice
print("done")
print("done")

# %% reference
"""
query: Answer the question.
"""
len(ages) > 2

# %% submission: WRONG_OUTPUT/UNCATEGORIZED (published: PRESENTATION_ERROR/NON_CODE) both truths in a comment
# True False
pass

# %% submission: WRONG_OUTPUT/UNCATEGORIZED (published: PRESENTATION_ERROR/NON_CODE) both truths printed
print("True False")

# %% reference
"""
query: Answer the question.
"""
[name for name in ages]

# %% submission: WRONG_OUTPUT/UNEXPECTED_TYPE a generator for a list
(name for name in ages)

# %% reference
"""
query: Answer the question.
"""
[1, 2, 3]

# %% submission: WRONG_OUTPUT/VALUE_MISMATCH off by one in a list
[1, 2, 4]

# %% reference
"""
query: Answer the question.
validator:
  template: intact
  namespace_check:
    answer:
"""
answer = sum(ages.values())

# %% submission: WRONG_VARIABLES/UNCATEGORIZED another name
total = sum(ages.values())

# %% submission: WRONG_VARIABLES/UNCATEGORIZED nothing at all
pass

# %% submission: WRONG_VARIABLES/UNCATEGORIZED the result without the variable
sum(ages.values())

# %% submission: WRONG_VARIABLES/UNEXPECTED_TYPE a method that was not called
import pandas as pd

answer = pd.Series(ages).sum

# %% submission: WRONG_VARIABLES/UNEXPECTED_TYPE text for a number
answer = str(sum(ages.values()))

# %% submission: WRONG_VARIABLES/VALUE_MISMATCH a number too large
answer = sum(ages.values()) + 1

# %% reference
"""
query: Answer the question.
validator:
  template: intact
  namespace_check:
    answer:
"""
answer = [name for name in ages]

# %% submission: WRONG_VARIABLES/UNEXPECTED_TYPE a generator for a list
answer = (name for name in ages)

# %% reference
"""
query: Answer the question.
validator:
  template: intact
  namespace_check:
    answer:
"""
answer = 1

# %% submission: WRONG_VARIABLES/UNEXPECTED_TYPE true for one
answer = True

# %% reference
"""
query: Answer the question.
validator:
  template: intact
  namespace_check:
    answer:
"""
answer = {"Ana": 31, "Bo": 28}

# %% submission: WRONG_VARIABLES/VALUE_MISMATCH a dict with another value
answer = {"Ana": 31, "Bo": 29}

# %% reference
"""
query: Answer the question.
validator:
  template: intact
  namespace_check:
    answer:
"""
answer = [1, 2, 3]

# %% submission: WRONG_VARIABLES/VALUE_MISMATCH off by one in a list
answer = [1, 2, 4]
