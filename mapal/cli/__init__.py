"""The command line: arguments in, text and exit statuses out; the work is done elsewhere.

One module per command. Each is imported when its command is called, so that `mapal --help` and
the commands that only forward to doit start quickly.
"""
