"""Explaining: why an object of a log is as it is at any moment, as frozen data, text and JSON.

It prints nothing: the command line, the timeline page and the server show what is given here.
"""
