"""The functions that the flow of a reading knows, by the names that their modules give them."""

CLOCKS = {
    f"time.{name}{suffix}"
    for name in ("time", "perf_counter", "monotonic", "process_time", "thread_time")
    for suffix in ("", "_ns")
} | {"timeit.default_timer"}

DATES = {
    "datetime.datetime.now",
    "datetime.datetime.utcnow",
    "datetime.datetime.today",
    "datetime.date.today",
}

# With so many arguments: without a time of their own they take the present.
TEXTS_OF_DATES = {"time.strftime": 1, "time.ctime": 0, "time.asctime": 0}

# Read as well, and give what is no number of seconds: a line with one is not looked into.
OTHER_CLOCKS = {"os.times", "resource.getrusage", "time.clock_gettime", "time.clock_gettime_ns"}

# These read a clock where they are given no time.
WRITERS_OF_TIMES = {*TEXTS_OF_DATES, "time.gmtime", "time.localtime"}

DATE_METHODS = {
    "strftime": "text",
    "isoformat": "text",
    "ctime": "text",
    "date": "date",
    "time": "date",
    "replace": "date",
    "astimezone": "date",
    "timestamp": "reading",
}

DURATION_ATTRIBUTES = {"seconds", "days", "microseconds"}

TEXT_METHODS = {
    "ljust",
    "rjust",
    "center",
    "strip",
    "rstrip",
    "lstrip",
    "format",
    "upper",
    "lower",
    "replace",
}

TEXT_FUNCTIONS = {"str", "repr", "format", "json.dumps"}

FUNCTIONS_OF_NUMBERS = {"round", "int", "float", "abs", "max", "min", "divmod"}

FUNCTIONS_OF_LISTS = {
    "len": "plain",
    "sum": "duration",
    "max": "duration",
    "min": "duration",
    "sorted": "durations",
    "list": "durations",
    "numpy.array": "durations",
    "numpy.asarray": "durations",
    **{
        f"numpy.{name}": "duration"
        for name in ("mean", "median", "std", "sum", "min", "max", "percentile", "quantile")
    },
    **{f"statistics.{name}": "duration" for name in ("mean", "median", "stdev", "pstdev", "fmean")},
}

LIST_METHODS = {name: "duration" for name in ("mean", "std", "sum", "min", "max")}

# What a function makes of a value of a clock, by its kind.
TIMES_OF_NUMBERS = {
    "datetime.timedelta": {"duration": "duration"},
    "datetime.datetime.fromtimestamp": {"reading": "date", "scaled": "date"},
    "time.gmtime": {"duration": "date", "reading": "date"},
    "time.localtime": {"reading": "date"},
    "time.strftime": {"date": "text"},
    "time.ctime": {"reading": "text"},
}

# By what a time is divided to be written: hours, minutes, thousandths.
PARTS_OF_TIMES = {1, 24, 60, 3600, 86400, 1000, 10**6, 10**9, 1e6, 1e9}

SHOWING_FUNCTIONS = {
    "print",
    "rich.print",
    "click.echo",
    "click.secho",
    "typer.echo",
    "warnings.warn",
    "tqdm.tqdm.write",
    "tqdm.auto.tqdm.write",
    "sys.stdout.write",
    "sys.stderr.write",
}

# Of a logger, a bar of progress, a writer of metrics. What they return is not used.
SHOWING_METHODS = {
    "debug",
    "info",
    "warning",
    "warn",
    "error",
    "critical",
    "exception",
    "log",
    "log_dict",
    "log_metric",
    "log_metrics",
    "add_scalar",
    "add_scalars",
    "add_text",
    "set_postfix",
    "set_postfix_str",
    "set_description",
    "set_description_str",
}

# Whose first argument names what is shown, or is a level or a limit of time.
METHODS_WITH_NAMES = {
    "add_scalar",
    "add_scalars",
    "add_text",
    "exception",
    "log",
    "log_metric",
}

# Their functions by the names of a logger's methods compute.
NUMBER_MODULES = {"cupy", "jax", "math", "numpy", "tensorflow", "torch"}

# By these a file reaches names, or what was printed, unseen.
HIDING_NAMES = {"redirect_stdout", "redirect_stderr", "StringIO", "BytesIO"}
HIDING_BUILTINS = {"exec", "eval", "locals", "globals", "vars", "builtins", "__builtins__"}
HIDING_MODULES = {"__main__", "builtins", "inspect"}
HIDING_METHODS = {"eval", "evaluate", "exec", "query"}
HIDING_TEXTS = {"stdout", "stderr", "sys.stdout", "sys.stderr", "print", "builtins.print"}
HIDING_ATTRIBUTES = {"__dict__", "__main__", "_getframe", "dup2", "f_globals", "f_locals"}
STREAMS = {"print", "stderr", "stdout", "write"}

# By these a file reads objects as a whole, or attributes by their texts.
OBJECT_READERS = {
    "vars",
    "getattr",
    "setattr",
    "delattr",
    "attrgetter",
    "asdict",
    "astuple",
    "__dict__",
    "__getstate__",
    "__reduce__",
    "Memory",
}
HIDING_MODULES_OF_OBJECTS = {
    "cloudpickle",
    "dill",
    "jsonpickle",
    "marshal",
    "operator",
    "pickle",
    "shelve",
    "yaml",
}

# Functions by such names may pickle what they are handed.
SAVING_NAMES = {"dump", "dumps", "hash", "save", "to_pickle"}

# Classes whose own code reads no attributes by names that a subclass gives.
PLAIN_BASES = {
    "ABC",
    "Callback",
    "Dataset",
    "IterableDataset",
    "LightningDataModule",
    "LightningModule",
    "Module",
    "TrainerCallback",
    "object",
}

# A call by such a name, of whatever object, may read a clock.
NAMES_OF_CLOCKS = {
    "datetime64",
    "localtime",
    "monotonic",
    "now",
    "perf_counter",
    "time",
    "time_ns",
    "timeit",
    "today",
    "utcnow",
    "uuid1",
}
