"""All measurements, one after the other."""

from bench import hands, rounds

if __name__ == "__main__":
    hands.main()
    rounds.main()
