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

# Numbers of processes and threads, which may be shown as they are.
IDS = {"os.getpid", "os.getppid", "threading.get_ident", "threading.get_native_id"}

# Without a time of their own they take the present.
TEXTS_OF_DATES = {"time.strftime", "time.ctime", "time.asctime"}

# The kind of what they give, and with how many arguments they give it: any where no number stands.
READINGS = {
    **dict.fromkeys(CLOCKS, "reading"),
    **dict.fromkeys(DATES, "date"),
    **dict.fromkeys(IDS, "id"),
    **dict.fromkeys(TEXTS_OF_DATES, "text"),
}
ARGUMENTS_OF_READINGS = {**dict.fromkeys(CLOCKS | IDS | TEXTS_OF_DATES, 0), "time.strftime": 1}

# What libraries have measured, and keep under these keys and in these attributes: scikit-learn's
# searches, the Trainer of Transformers, tqdm's bars, gensim.
KEPT_KEYS = {
    "eval_runtime",
    "fit_time",
    "mean_fit_time",
    "mean_score_time",
    "score_time",
    "std_fit_time",
    "std_score_time",
    "train_runtime",
}
KEPT_ATTRIBUTES = {"format_dict", "last_print_t", "refit_time_", "start_t", "total_train_time"}
KEPT_OF_RECORDS = {"created", "msecs", "relativeCreated"}  # of logging's, which a handler is given

# Read as well, and give what is no number of seconds: a line with one is not looked into.
OTHER_CLOCKS = {"os.times", "resource.getrusage", "time.clock_gettime", "time.clock_gettime_ns"}

ALL_CLOCKS = CLOCKS | DATES | IDS | OTHER_CLOCKS

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

# What an attribute gives of a value, by the value's kind.
ATTRIBUTES = {
    "duration": dict.fromkeys(("seconds", "days", "microseconds"), "duration"),
    **dict.fromkeys(("constant", "count", "plain"), {"shape": "options"}),
}

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
STRICT_FUNCTIONS_OF_NUMBERS = {"round", "float"}  # for times that are surely times

# What rounding makes of a reading.
ROUNDED = dict.fromkeys(("round", "int", "float"), "scaled")
STRICTLY_ROUNDED = dict.fromkeys(STRICT_FUNCTIONS_OF_NUMBERS, "scaled")

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

# What a method makes of a value of a clock, by the value's kind.
METHODS = {
    "date": DATE_METHODS,
    "duration": {"total_seconds": "duration"},
    "durations": dict.fromkeys(("mean", "std", "sum", "min", "max"), "duration"),
    "text": dict.fromkeys(TEXT_METHODS, "text"),
}

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
METHODS_OF_LOGGERS = {"critical", "debug", "error", "exception", "info", "warn", "warning"}
SHOWING_METHODS = METHODS_OF_LOGGERS | {
    "add_scalar",
    "add_scalars",
    "add_text",
    "log",
    "log_dict",
    "log_metric",
    "log_metrics",
    "set_description",
    "set_description_str",
    "set_postfix",
    "set_postfix_str",
}

# What reads them is a terminal.
STANDARD = {"sys.stderr", "sys.stdout"}

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

# Arguments of a showing method, by name, that are what it shows.
SHOWN_WORDS = {"main_value", "metrics", "scalar_value", "tag_scalar_dict", "value", "values"}

# How the names of logging's classes end.
ENDINGS_OF_LOGGING = ("Adapter", "Filter", "Formatter", "Handler", "Logger")

# By these what was shown is read back.
READING_BACK = {
    "EarlyStopping",
    "ModelCheckpoint",
    "callback_metrics",
    "get_metric_history",
    "get_run",
    "logged_metrics",
    "postfix",
    "search_runs",
}

# Makers of objects that show, and libraries whose functions do.
WRITERS = {
    "logging.getLogger",
    "tensorboardX.SummaryWriter",
    "torch.utils.tensorboard.SummaryWriter",
    "torch.utils.tensorboard.writer.SummaryWriter",
    "tqdm.auto.tqdm",
    "tqdm.auto.trange",
    "tqdm.tqdm",
    "tqdm.trange",
}
SHOWING_LIBRARIES = {"absl", "logging", "loguru", "mlflow", "wandb"}

# By these a file reaches names, or what was printed, unseen.
HIDING_NAMES = {
    "BytesIO",
    "MemoryHandler",
    "QueueHandler",
    "QueueListener",
    "StringIO",
    "redirect_stderr",
    "redirect_stdout",
}
HIDING_BUILTINS = {"exec", "eval", "locals", "globals", "vars", "builtins", "__builtins__"}
HIDING_MODULES = {"__main__", "builtins", "inspect"}
HIDING_METHODS = {"eval", "evaluate", "exec", "query"}
HIDING_TEXTS = {"stdout", "stderr", "sys.stdout", "sys.stderr", "print", "builtins.print"}
HIDING_ATTRIBUTES = {
    *HIDING_NAMES,
    "__dict__",
    "__main__",
    "_getframe",
    "dup2",
    "f_globals",
    "f_locals",
}
STREAMS = {"emit", "print", "showwarning", "stderr", "stdout", "write"}

# By these a file reads objects as a whole, or attributes by their texts.
OBJECT_READERS = {
    "Memory",
    "__delattr__",
    "__dict__",
    "__getattr__",
    "__getattribute__",
    "__getstate__",
    "__import__",
    "__match_args__",
    "__reduce__",
    "__setattr__",
    "attrgetter",
    "delattr",
    "getattr",
    "setattr",
    "vars",
}
HIDING_MODULES_OF_OBJECTS = {
    "cloudpickle",
    "deepdiff",
    "dill",
    "diskcache",
    "glom",
    "importlib",
    "jinja2",
    "jsonpickle",
    "marshal",
    "operator",
    "pickle",
    "pystache",
    "runpy",
    "shelve",
    "sqlitedict",
    "yaml",
    "zmq",
}

# A function whose name has one of them may save what it is handed, and all that this holds.
SAVING_WORDS = {
    "checkpoint",
    "dump",
    "export",
    "hash",
    "hyperparam",
    "log_model",
    "pickle",
    "save",
    "serialize",
    "tokenize",
}
PLAIN_SAVES = {"hashlib", "imsave", "save_image", "savefig", "savetxt"}

# What these give are numbers, whatever they are asked of.
NUMBERS_OF_OBJECTS = {"abs", "float", "int", "item", "len", "range", "round"}

# Classes whose own code reads no attributes by names that a subclass gives. Those that libraries
# call back are such classes too.
PLAIN_BASES = {
    "ABC",
    "Dataset",
    "IterableDataset",
    "LightningDataModule",
    "LightningModule",
    "Module",
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
