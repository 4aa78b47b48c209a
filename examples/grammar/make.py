"""Makes sentences.pl: 150 sentences of the grammar in english.slp. The sentences are invented.

    python make.py

A noun phrase has a prepositional phrase behind its noun with probability 0.2, a verb has one with
0.35. Words are as probable as each other.
"""

import random

WORDS = {
    "noun": ["boy", "girl", "dog", "garden", "telescope"],
    "verb": ["saw", "met", "heard"],
    "prep": ["with", "in"],
}


def noun_phrase(chance):
    phrase = ["the", chance.choice(WORDS["noun"])]
    return phrase + prepositional_phrase(chance) if chance.random() < 0.2 else phrase


def prepositional_phrase(chance):
    return [chance.choice(WORDS["prep"]), *noun_phrase(chance)]


def sentence(chance):
    words = [*noun_phrase(chance), chance.choice(WORDS["verb"]), *noun_phrase(chance)]
    return words + prepositional_phrase(chance) if chance.random() < 0.35 else words


chance = random.Random(4)
with open("sentences.pl", "w", encoding="utf-8", newline="") as file:
    for _ in range(150):
        file.write(f"sentence([{', '.join(sentence(chance))}]).\n")
