# language_version: 3

# %% The session of CIBench: data/ is inputs/, no GPU, no input, no shell
import os

os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
if not os.path.exists("data") and os.path.isdir("inputs"):
    os.symlink("inputs", "data")


def input(*args, **kwargs):
    raise NotImplementedError("input() is disabled here")


get_ipython().system = lambda *command: print("The package is assumed to be here: shell commands are disabled")

# %%
"""
query: |
  Each line of `data/reviews.txt` holds the stars of a product review (1 to 5), a tab, and the text of the review.
  Split the file into lines with NLTK's `LineTokenizer` and each line at the tab with its `TabTokenizer`. Keep the
  reviews as two lists, `stars` (whole numbers) and `texts`, and print how many reviews there are and how many stars
  they have on average, not rounded. Print nothing but these numbers.
family:
  cibench:
    step: 1
    thought: The tokenizers of NLTK split the file into lines and each line at the tab; then I compute the mean of the stars.
    modules: nltk
    step_type: num
validator: {template: basic, numeric: }
execution: {max_time: 30}
"""
from nltk.tokenize import LineTokenizer, TabTokenizer

with open("data/reviews.txt", encoding="utf-8") as file:
    rows = [TabTokenizer().tokenize(line) for line in LineTokenizer().tokenize(file.read())]
stars = [int(row[0]) for row in rows]
texts = [row[1] for row in rows]
print(len(texts), sum(stars) / len(stars))

# %%
"""
query: |
  Tokenise every text in lower case with NLTK's `RegexpTokenizer` and the pattern `[a-z]+`. Keep the result as `tokens`, a list
  with one list of words per review, and all words of all reviews, in order, in one list `words`.
family:
  cibench:
    step: 2
    thought: I tokenise each lower-case text and join the lists of words.
    modules: nltk
    step_type: exec
validator: {template: basic, namespace_check: {tokens: , words: }}
execution: {max_time: 30}
"""
from nltk.tokenize import RegexpTokenizer

tokenizer = RegexpTokenizer("[a-z]+")
tokens = [tokenizer.tokenize(text.lower()) for text in texts]
words = [word for review in tokens for word in review]

# %%
"""
query: |
  Count the words with an NLTK `FreqDist` called `frequencies`. Print the number of words altogether, the number of
  different words, and the number of words that occur only once. Print nothing but these numbers.
family:
  cibench:
    step: 3
    thought: I build the FreqDist and read N, B and the hapaxes from it.
    modules: nltk
    step_type: num
validator: {template: basic, numeric: }
execution: {max_time: 30}
"""
from nltk import FreqDist

frequencies = FreqDist(words)
print(frequencies.N(), frequencies.B(), len(frequencies.hapaxes()))

# %%
"""
query: |
  What do people write about? Of the words with at least five letters print those that occur four times or more, each
  on its own line with its count, such as "battery 6", the most frequent first and equally frequent ones in
  alphabetical order. Print nothing else.
family:
  cibench:
    step: 4
    thought: I filter the counts by length and frequency and sort them by count and then by word.
    modules: nltk
    step_type: text
validator: {template: basic, text: {pass_at: 0.97}, numeric: }
execution: {max_time: 30}
"""
frequent = [(word, count) for word, count in frequencies.items() if len(word) >= 5 and count >= 4]
for word, count in sorted(frequent, key=lambda pair: (-pair[1], pair[0])):
    print(word, count)

# %%
"""
query: |
  Draw a vertical bar chart of the lengths of all words, repeated ones included: one bar for each length from 1 to 11 letters at
  that number on the x axis, as high as the number of words of that length. Title: "Lengths of the words", x axis: "Letters",
  y axis: "Words".
family:
  cibench:
    step: 5
    thought: I count the lengths of all words with a FreqDist and draw bars from 1 to 11.
    modules: nltk & matplotlib
    step_type: vis
validator: {template: basic, visual: {pass_at: 0, facts: [data, scales, labels]}}
execution: {max_time: 30}
"""
import matplotlib.pyplot as plt

lengths = FreqDist(len(word) for word in words)
letters = list(range(1, 12))
fig, ax = plt.subplots()
ax.bar(letters, [lengths[n] for n in letters])
ax.set_title("Lengths of the words")
ax.set_xlabel("Letters")
ax.set_ylabel("Words")

# %%
"""
query: |
  Draw as one line which share of all words (a fraction from 0 to 1) the n most frequent words of `frequencies` cover together,
  for every n from 1 to 50. Title: "Coverage by frequent words", x axis: "Number of words", y axis: "Share of the text".
family:
  cibench:
    step: 6
    thought: I add up the counts of the 50 most common words and divide by the number of all words.
    modules: nltk & matplotlib
    step_type: vis
validator: {template: basic, visual: {pass_at: 0, facts: [data, scales, labels]}}
execution: {max_time: 30}
"""
from itertools import accumulate

covered = list(accumulate(count for _, count in frequencies.most_common(50)))
fig, ax = plt.subplots()
ax.plot(range(1, 51), [count / frequencies.N() for count in covered])
ax.set_title("Coverage by frequent words")
ax.set_xlabel("Number of words")
ax.set_ylabel("Share of the text")

# %%
"""
query: |
  Reduce all words to stems with NLTK's `PorterStemmer` (default settings) and print how many different stems there
  are, and how many words of `words`, repeated ones included, have the stem "work". Print nothing but these numbers.
family:
  cibench:
    step: 7
    thought: I stem every word and count the different stems and those equal to work.
    modules: nltk
    step_type: num
validator: {template: basic, numeric: }
execution: {max_time: 30}
"""
from nltk.stem import PorterStemmer

stemmer = PorterStemmer()
stems = [stemmer.stem(word) for word in words]
print(len(set(stems)), stems.count("work"))

# %%
"""
query: |
  Find typical pairs of neighbouring words with NLTK's `BigramCollocationFinder.from_documents(tokens)`: only pairs
  that occur at least three times, scored by the likelihood ratio of `BigramAssocMeasures`. Keep the three pairs with
  the highest score, best first, as a list `pairs` of two words each, such as `("good", "sound")`, and print them, each on
  its own line with the score rounded to two decimals, such as "good sound 12.34". Print nothing else.
family:
  cibench:
    step: 8
    thought: I filter the bigrams by frequency, score them by the likelihood ratio and print the best three.
    modules: nltk
    step_type: text
probes: {neighbours: '[tuple(pair) for pair in pairs]'}
validator: {template: basic, namespace_check: {neighbours: }, text: {pass_at: 0.96}, numeric: }
execution: {max_time: 30}
"""
from nltk.collocations import BigramAssocMeasures, BigramCollocationFinder

finder = BigramCollocationFinder.from_documents(tokens)
finder.apply_freq_filter(3)
best = finder.score_ngrams(BigramAssocMeasures.likelihood_ratio)[:3]
pairs = [pair for pair, _ in best]
for (first, second), score in best:
    print(first, second, f"{score:.2f}")

# %%
"""
query: |
  A customer searched for "hedphone". Print the word of the reviews that is nearest to it by NLTK's `edit_distance`
  (default settings) in the form "Did you mean WORD (distance N)?"; of several nearest words take the alphabetically first.
family:
  cibench:
    step: 9
    thought: I compute the distance of each word of the vocabulary and take the smallest.
    modules: nltk
    step_type: text
validator: {template: basic, text: {pass_at: 0.9}, numeric: }
execution: {max_time: 30}
"""
from nltk.metrics.distance import edit_distance

distance, nearest = min((edit_distance("hedphone", word), word) for word in frequencies)
print(f"Did you mean {nearest} (distance {distance})?")

# %%
"""
query: |
  Do satisfied customers use longer words? Compare good reviews (4 or 5 stars) with bad ones (1 or 2 stars); leave out those with 3.
  Draw two lines, with a legend of the texts "good" and "bad": for each length from 1 to 10 letters (x axis) the share, as a
  fraction, of all words of that group of reviews that have this length (y axis). Title: "Word lengths in good and bad reviews",
  x axis: "Letters", y axis: "Share of words".
family:
  cibench:
    step: 10
    thought: I count word lengths per group with a ConditionalFreqDist and draw the relative frequencies as two lines.
    modules: nltk & matplotlib
    step_type: vis
validator: {template: basic, visual: {pass_at: 0, facts: [data, scales, labels]}}
execution: {max_time: 30}
"""
from nltk import ConditionalFreqDist

by_group = ConditionalFreqDist(
    ("good" if star > 3 else "bad", len(word)) for star, review in zip(stars, tokens) if star != 3 for word in review
)
fig, ax = plt.subplots()
for group in ("good", "bad"):
    ax.plot(range(1, 11), [by_group[group].freq(n) for n in range(1, 11)], label=group)
ax.set_title("Word lengths in good and bad reviews")
ax.set_xlabel("Letters")
ax.set_ylabel("Share of words")
ax.legend()

# %%
"""
query: |
  Train an NLTK `NaiveBayesClassifier` on all good reviews (4 or 5 stars) and bad ones (1 or 2 stars), labelled "good"
  and "bad"; leave out those with 3. The features of a text are a dictionary with `True` for each of its words,
  tokenised like the reviews. Print the probability of "good" that the classifier gives to "The chair is quiet, but
  the battery stopped working." and to "Easy to carry and light, but the handle broke.", both rounded to 4 decimals.
  Print nothing but these numbers.
family:
  cibench:
    step: 11
    thought: I build the features of the labelled reviews, train the classifier and ask it for the probability of each new text.
    modules: nltk
    step_type: num
validator: {template: basic, numeric: }
execution: {max_time: 30}
"""
from nltk import NaiveBayesClassifier


def features(words):
    return {word: True for word in words}


labelled = [(features(review), "good" if star > 3 else "bad") for star, review in zip(stars, tokens) if star != 3]
classifier = NaiveBayesClassifier.train(labelled)
new = ["The chair is quiet, but the battery stopped working.", "Easy to carry and light, but the handle broke."]
for text in new:
    print(round(classifier.prob_classify(features(tokenizer.tokenize(text.lower()))).prob("good"), 4))
