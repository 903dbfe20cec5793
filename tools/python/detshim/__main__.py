"""`python -m detshim` and the script `detshim`: become the command."""

import os
import sys

from detshim import command


def main() -> None:
    try:
        os.execv(command(), ["detshim", *sys.argv[1:]])
    except OSError as error:
        sys.exit("detshim: cannot run '{}': {}".format(command(), error.strerror))
    except RuntimeError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
