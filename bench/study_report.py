"""The table and the plot of bench/pfor_study.py."""


def write(results, document):
    raise NotImplementedError
