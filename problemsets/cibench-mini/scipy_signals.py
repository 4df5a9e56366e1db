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
  Make a noisy signal. `t` holds 2000 times in seconds, 0, 0.001, 0.002 and so on. `clean` is a sine of 5 Hz with
  amplitude 1 plus a sine of 40 Hz with amplitude 0.5, both with phase 0. `noisy` is `clean` plus normal noise of
  mean 0 and standard deviation 0.3 from `numpy.random.default_rng(7)`, 2000 values drawn in one call of `normal`.
  Print nothing.
family:
  cibench:
    step: 1
    thought: I build the time axis, add up the two sines and add noise from the seeded generator.
    modules: numpy
    step_type: exec
validator: {template: basic, namespace_check: {clean: , noisy: , t: }}
execution: {max_time: 30}
"""
import numpy as np

t = np.arange(2000) / 1000
clean = np.sin(2 * np.pi * 5 * t) + 0.5 * np.sin(2 * np.pi * 40 * t)
noisy = clean + np.random.default_rng(7).normal(0, 0.3, 2000)

# %%
"""
query: |
  At which two frequencies is the power of `noisy` largest? Compute its periodogram with `scipy.signal.periodogram`,
  sampled at 1000 Hz and otherwise with the default settings, and print the two frequencies in Hz, the one with the
  most power first. Print nothing but these numbers.
family:
  cibench:
    step: 2
    thought: I compute the periodogram and sort the frequencies by their power.
    modules: scipy
    step_type: num
validator: {template: basic, numeric: }
execution: {max_time: 30}
"""
from scipy import signal

frequencies, power = signal.periodogram(noisy, fs=1000)
strongest = np.argsort(power)[::-1][:2]
print(frequencies[strongest[0]], frequencies[strongest[1]])

# %%
"""
query: |
  Remove what is faster than 15 Hz from `noisy`: design a Butterworth low-pass filter of order 4 with a cutoff of 15
  Hz as second-order sections (sampling rate 1000 Hz), apply it forwards and backwards with `sosfiltfilt`, and keep
  the result as `smooth`. Print nothing.
family:
  cibench:
    step: 3
    thought: I design the filter with butter and apply it with sosfiltfilt so that the phase does not shift.
    modules: scipy
    step_type: exec
validator: {template: basic, namespace_check: {smooth: }}
execution: {max_time: 30}
"""
sections = signal.butter(4, 15, btype="lowpass", fs=1000, output="sos")
smooth = signal.sosfiltfilt(sections, noisy)

# %%
"""
query: |
  Draw the first 500 values of `noisy` and of `smooth` as two lines in one plot, with the times `t` in seconds on
  the x axis and a legend of the entries "noisy" and "smooth". Use the title "Low-pass filter", the x axis label
  "time (s)" and the y axis label "signal".
family:
  cibench:
    step: 4
    thought: I plot both signals over the first half second and add a legend.
    modules: matplotlib
    step_type: vis
validator: {template: basic, visual: {pass_at: 0, facts: [data, scales, labels]}}
execution: {max_time: 30}
"""
import matplotlib.pyplot as plt

fig, ax = plt.subplots(figsize=(8, 4))
ax.plot(t[:500], noisy[:500], label="noisy")
ax.plot(t[:500], smooth[:500], label="smooth")
ax.set_title("Low-pass filter")
ax.set_xlabel("time (s)")
ax.set_ylabel("signal")
ax.legend();

# %%
"""
query: |
  Find the peaks of `smooth` that are at least 0.5 high, with `scipy.signal.find_peaks`. Print the number of peaks,
  then the time of the first peak in seconds, rounded to three decimal places. Print nothing but these numbers.
family:
  cibench:
    step: 5
    thought: find_peaks with a minimum height gives the positions, and t turns them into times.
    modules: scipy
    step_type: num
validator: {template: basic, numeric: }
execution: {max_time: 30}
"""
peaks, _ = signal.find_peaks(smooth, height=0.5)
print(len(peaks), round(t[peaks[0]], 3))

# %%
"""
query: |
  Read the weekly carbon dioxide values in `data/co2.csv` with pandas; its column `date` holds dates of eight
  digits, such as 19580329. Drop the weeks without a value in `co2`. Keep the values as a NumPy array `ppm`, and
  their times as a NumPy array `when` of decimal years: the year plus (day of the year - 1) / 365.25. Print nothing.
family:
  cibench:
    step: 6
    thought: I parse the dates, drop the missing weeks and turn each date into a decimal year.
    modules: pandas
    step_type: exec
probes: {days: (when - 1958) * 365.25}
validator: {template: basic, namespace_check: {days: , ppm: , when: }}
execution: {max_time: 30}
"""
import pandas as pd

weeks = pd.read_csv("data/co2.csv").dropna(subset=["co2"])
dates = pd.to_datetime(weeks["date"].astype(str), format="%Y%m%d")
ppm = weeks["co2"].to_numpy()
when = (dates.dt.year + (dates.dt.day_of_year - 1) / 365.25).to_numpy()

# %%
"""
query: |
  Fit `ppm` by least squares with `scipy.optimize.curve_fit` as a + b x + c x² + d sin(2πx) + e cos(2πx), where x is
  `when` minus 1980. Keep the five fitted parameters as `parameters`. Print b, c and the amplitude of the seasonal
  wave, √(d² + e²), in this order, each rounded to three decimal places. Print nothing but these numbers.
family:
  cibench:
    step: 7
    thought: I write the model as a function, fit it and take the amplitude from the last two parameters.
    modules: scipy
    step_type: num
validator: {template: basic, numeric: }
execution: {max_time: 30}
"""
from scipy import optimize


def model(x, a, b, c, d, e):
    return a + b * x + c * x**2 + d * np.sin(2 * np.pi * x) + e * np.cos(2 * np.pi * x)


parameters, _ = optimize.curve_fit(model, when - 1980, ppm)
print(round(parameters[1], 3), round(parameters[2], 3), round(np.hypot(parameters[3], parameters[4]), 3))

# %%
"""
query: |
  Compute `residuals`, the values `ppm` minus what the fitted model gives at the same times. Draw them as a
  histogram: 25 bins, each 0.2 ppm wide, from -2.5 to 2.5, filled bars that show counts; what lies outside is left
  out. Use the title "Residuals of the fit", the x axis label "residual (ppm)" and the y axis label "weeks".
family:
  cibench:
    step: 8
    thought: I subtract the model from the data and draw a histogram with fixed edges.
    modules: numpy & matplotlib
    step_type: vis
validator: {template: basic, visual: {pass_at: 0, facts: [data, scales, labels]}}
execution: {max_time: 30}
"""
residuals = ppm - model(when - 1980, *parameters)
fig, ax = plt.subplots()
ax.hist(residuals, bins=25, range=(-2.5, 2.5))
ax.set_title("Residuals of the fit")
ax.set_xlabel("residual (ppm)")
ax.set_ylabel("weeks");

# %%
"""
query: |
  Describe the shape of `residuals` in three lines. First `skewness: `, the word `right` if the skewness
  (`scipy.stats.skew`) is positive or `left` if it is negative, and its absolute value. Then `tails: `, the word
  `heavier` if the excess kurtosis (Fisher's, `scipy.stats.kurtosis`) is positive or `lighter` if it is negative, and
  its absolute value. Both with the default settings and two decimal places, as in `skewness: left 1.23`. Last, after
  `scipy.stats.normaltest`, `normality: rejected` if its p-value is below 0.05, else `normality: kept`. Print nothing
  else.
family:
  cibench:
    step: 9
    thought: I compute skewness and kurtosis, tell their signs in words, run the test and print the three lines.
    modules: scipy
    step_type: text
validator: {template: basic, text: {pass_at: 0.95}, numeric: }
execution: {max_time: 30}
"""
from scipy import stats

skewness, kurtosis = stats.skew(residuals), stats.kurtosis(residuals)
print(f"skewness: {'right' if skewness > 0 else 'left'} {abs(skewness):.2f}")
print(f"tails: {'heavier' if kurtosis > 0 else 'lighter'} {abs(kurtosis):.2f}")
print(f"normality: {'rejected' if stats.normaltest(residuals).pvalue < 0.05 else 'kept'}")

# %%
"""
query: |
  Average `ppm` by calendar year, from 1959 to 2001, and keep the means as an array `yearly`. Lay a
  `scipy.interpolate.CubicSpline` with `bc_type="natural"` through them, each mean placed in the middle of its year
  (1959.5, 1960.5 and so on). Keep these places as an array `middles` and the spline as `spline`. Print nothing.
family:
  cibench:
    step: 10
    thought: I group the values by the whole part of the year, leave out 1958 and interpolate the means.
    modules: pandas & scipy
    step_type: exec
probes: {curve: 'spline([1959.75, 1965.0, 1980.25, 2001.25])'}
validator: {template: basic, namespace_check: {curve: , middles: , yearly: }}
execution: {max_time: 30}
"""
from scipy import interpolate

means = pd.Series(ppm).groupby(np.floor(when).astype(int)).mean().loc[1959:2001]
yearly = means.to_numpy()
middles = means.index.to_numpy() + 0.5
spline = interpolate.CubicSpline(middles, yearly, bc_type="natural")

# %%
"""
query: |
  When did the spline pass 350 ppm? Solve for it between 1980.5 and 1995.5 with `scipy.optimize.brentq` and print
  the decimal year, rounded to two decimal places. Print nothing but this number.
family:
  cibench:
    step: 11
    thought: I search the root of the spline minus 350 with brentq.
    modules: scipy
    step_type: num
validator: {template: basic, numeric: }
execution: {max_time: 30}
"""
print(round(optimize.brentq(lambda year: spline(year) - 350, 1980.5, 1995.5), 2))

# %%
"""
query: |
  Draw the yearly means as a scatter plot (`middles` on the x axis, `yearly` on the y axis) and, in the same plot,
  `spline` as a line of 500 equally spaced points from 1959.5 to 2001.5, both ends included. Add a legend of the
  entries "yearly mean" and "spline". Use the title "Carbon dioxide at Mauna Loa", the x axis label "year" and the y
  axis label "CO2 (ppm)".
family:
  cibench:
    step: 12
    thought: I evaluate the spline on a fine grid and draw it with the points.
    modules: scipy & matplotlib
    step_type: vis
validator: {template: basic, visual: {pass_at: 0, facts: [data, scales, labels]}}
execution: {max_time: 30}
"""
grid = np.linspace(1959.5, 2001.5, 500)
fig, ax = plt.subplots()
ax.scatter(middles, yearly, label="yearly mean")
ax.plot(grid, spline(grid), color="C1", label="spline")
ax.set_title("Carbon dioxide at Mauna Loa")
ax.set_xlabel("year")
ax.set_ylabel("CO2 (ppm)")
ax.legend();
