"""Renew the profiles stored beside the shipped seeds: after `collect.py`, or when the form of profiles has changed."""

from authoring.seeds.shipped import renew_profiles

if __name__ == "__main__":
    renew_profiles()
