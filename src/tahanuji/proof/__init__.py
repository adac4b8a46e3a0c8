"""What cannot happen: certificates that no edit of a named set changes an answer.

`edits` names the sets, `exhaustive` asks about every one of them, `pairs` about every two of them,
and `smoothed` certifies the most frequent answer to texts with words left out, against any edits
of words.
"""
