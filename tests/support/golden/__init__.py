"""Replays recordings of kube-apiserver's answers against a server: language, placeholders and what is compared.

scenario.py   runs one recording: set-up, steps, clean-up
placeholders.py   what differs from run to run (uids, times, revisions) gets names
webhook.py    the webhook server that recordings call
ages.py       ages in tables
echoes.py     objects inside texts
pace.py       what controllers write a moment after a client's write
settle.py     what differs between two runs of kube-apiserver itself, for recordings of random scenarios
compare.py    the differences between what was recorded and what came
"""
