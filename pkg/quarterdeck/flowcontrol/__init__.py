"""API Priority and Fairness: which request is served now, which waits, which is refused (KEP-1040).

classifier.py  flow schemas, compiled: of which flow and level a request is
estimates.py   how many seats it takes, and for how long
queueset.py    the seats of one level, and the fair queues before them; dealer.py picks the queues of a flow
allocation.py  how seats are lent from level to level; demand.py is what that is decided by
controller.py  follows the configuration and holds all of it together
"""
