"""Figures measured side by side: each bench_*.py is a program that prints them."""
