"""The engines that answer questions: DuckDB in this process, or Spark, both behind Ibis.

Both read the same Parquet files of the same snapshot, as Delta's log lists them: DuckDB through
Arrow, Spark by their addresses. So neither needs an extension that is downloaded when it runs.
"""

import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum, unique
from typing import Any, Final

import duckdb
import ibis
import pyarrow as pa
import sqlglot
from sqlglot import expressions as sql

from resume_rig.lake.facts import PARTITIONS, SCHEMAS
from resume_rig.lake.tables import Snapshot
from resume_rig.model.errors import RecordError, UsageError

# With it a question to 10 million cycles stays below 1 GB (benchmarks/lake.py); what does not fit
# goes to disk, to half of what is free there, and to no more than this.
DUCKDB_MEMORY: Final = "768MB"
_SPILL_MOST_BYTES: Final = 4 * 1024**3
SPARK_MEMORY: Final = "1g"
# They run Java of the caller's choice, and read what no table is.
_REFUSED_FUNCTIONS: Final = ("reflect", "java_method", "try_reflect", "getvariable", "getenv")
_TABLES: Final = ", ".join(SCHEMAS)


@unique
class EngineName(StrEnum):
    """Which engine."""

    DUCKDB = "duckdb"
    SPARK = "spark"


class Engine:
    """Tables of a snapshot in an engine.

    Args:
        connection: Ibis's, with a table of each name of SCHEMAS.
        dialect: of the engine, as sqlglot names it.
        run: carries out a statement in that dialect, and returns an Arrow table. Ibis's own way
            back goes through pandas with Spark, where whole numbers of a column with nulls are
            floats.
        refusal: what the engine raises of a statement that it does not take.
        url: of the lake.
    """

    def __init__(
        self,
        connection: Any,
        dialect: str,
        run: Callable[[str], Any],
        refusal: type[Exception],
        url: str,
    ) -> None:
        self._connection = connection
        self._dialect = dialect
        self._run = run
        self._refusal = refusal
        self._url = url

    def table(self, name: str) -> Any:
        """Return a table as an Ibis expression."""
        return self._connection.table(name)

    def rows(self, expression: Any) -> list[dict[str, Any]]:
        """Return the rows of an expression.

        Raises:
            RecordError: a file of the lake is missing, damaged or of another form.
        """
        try:
            found: list[dict[str, Any]] = self._run(
                self._connection.compile(expression)
            ).to_pylist()
        except (self._refusal, pa.ArrowException, OSError, ValueError) as error:
            raise self._unreadable(error) from error
        return found

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Read rows, which may be anybody's, in the block.

        Raises:
            RecordError: a value is not of the form that it has to have.
        """
        try:
            yield
        except (ValueError, TypeError, KeyError, ArithmeticError, RecursionError) as error:
            raise self._unreadable(error) from error

    def _unreadable(self, error: Exception) -> RecordError:
        reason = " ".join(f"{error}".split())[:300] or type(error).__name__
        return RecordError(
            f"could not read the lake {self._url}: its tables are damaged, or no program of this "
            f"kind wrote them ({reason})"
        )

    def asked(
        self, text: str, most: int, most_bytes: int
    ) -> tuple[list[str], list[tuple[Any, ...]]]:
        """Return columns and rows of a question of the user's own, one more than `most` at most.

        Raises:
            UsageError: it is no question to these tables alone, the engine refuses it, or the
                answer has more than `most_bytes`.
        """
        question = checked_question(text).subquery("question")
        limited = sql.select("*").from_(question).limit(most + 1)
        try:
            found = self._run(limited.sql(dialect=self._dialect))
        except self._refusal as error:
            # What follows is advice to set what a question cannot set.
            reason = " ".join(str(error).partition("Possible solutions")[0].split())[:400]
            raise UsageError(f"could not answer {text[:80]!r}: {reason}") from error
        if found.nbytes > most_bytes:
            raise UsageError(
                f"could not answer {text[:80]!r}: the answer has {found.nbytes} bytes; allowed are "
                f"{most_bytes}; ask for fewer rows or shorter texts"
            )
        columns = [found.column(place).to_pylist() for place in range(found.num_columns)]
        return list(found.column_names), list(zip(*columns, strict=True))


def checked_question(text: str) -> sql.Query:
    """Return a question as one SELECT that reads the lake's tables and nothing else.

    Raises:
        UsageError: it writes, reads something else, or is not SQL.
    """
    try:
        parsed = [each for each in sqlglot.parse(text, dialect="duckdb") if each is not None]
    except sqlglot.errors.SqlglotError as error:
        reason = " ".join(str(error).split())[:300]
        raise UsageError(f"could not read the question {text[:80]!r}: {reason}") from error
    if len(parsed) != 1 or not isinstance(parsed[0], sql.Query):
        raise UsageError(
            f"could not ask {text[:80]!r}: one SELECT is allowed, and nothing that writes"
        )
    question = parsed[0]
    named = {each.alias_or_name.lower() for each in question.find_all(sql.CTE)}
    for table in question.find_all(sql.Table):
        plain = isinstance(table.this, sql.Identifier) and not table.db and not table.catalog
        if not plain or table.name.lower() not in {*named, *SCHEMAS}:
            raise UsageError(
                f"could not ask {text[:80]!r}: {table.sql()[:80]!r} is no table of the lake; there "
                f"are {_TABLES}"
            )
    for function in question.find_all(sql.Anonymous):
        if str(function.this).lower() in _REFUSED_FUNCTIONS:
            raise UsageError(f"could not ask {text[:80]!r}: {function.this} is not allowed")
    if question.find(sql.Into) is not None:
        raise UsageError(f"could not ask {text[:80]!r}: INTO writes, and only reading is allowed")
    return question


@contextmanager
def opened_engine(
    name: EngineName, snapshot: Snapshot, master: str | None = None
) -> Iterator[Engine]:
    """Open an engine on a snapshot for the length of the block.

    Args:
        name: which.
        snapshot: of the lake.
        master: URL of Spark's master; None: two workers on this machine.

    Raises:
        UsageError: the engine is not there.
    """
    opened = _duckdb(snapshot) if name is EngineName.DUCKDB else _spark(snapshot, master)
    with opened as engine:
        yield engine


def _views() -> Iterator[str]:
    """Yield the statements that make the tables: rows of the loads that a campaign names."""
    yield "CREATE TEMPORARY VIEW campaigns AS SELECT * FROM all_campaigns"
    for name in SCHEMAS:
        if name != "campaigns":
            yield (
                f"CREATE TEMPORARY VIEW {name} AS SELECT * FROM all_{name} "
                "WHERE load_id IN (SELECT load_id FROM all_campaigns)"
            )


@contextmanager
def _duckdb(snapshot: Snapshot) -> Iterator[Engine]:
    with tempfile.TemporaryDirectory(prefix="resume-rig-lake-") as spill:
        yield from _duckdb_in(snapshot, spill)


def _duckdb_in(snapshot: Snapshot, spill: str) -> Iterator[Engine]:
    connection = ibis.duckdb.connect()
    try:
        raw = connection.con
        raw.execute(f"SET memory_limit = '{DUCKDB_MEMORY}'")
        raw.execute("SET temp_directory = ?", [spill])
        room = min(_SPILL_MOST_BYTES, shutil.disk_usage(spill).free // 2)
        raw.execute("SET max_temp_directory_size = ?", [f"{room // 1000}KB"])
        raw.execute("SET preserve_insertion_order = false")
        for name in SCHEMAS:
            raw.register(f"all_{name}", snapshot.rows_of(name))
        for statement in _views():
            raw.execute(statement)
        # A question reads the tables that are registered, and no file, network or variable.
        raw.execute("SET python_enable_replacements = false")
        raw.execute("SET enable_external_access = false")
        raw.execute("SET lock_configuration = true")
        yield Engine(
            connection,
            "duckdb",
            lambda text: raw.sql(text).to_arrow_table(),
            duckdb.Error,
            snapshot.url,
        )
    finally:
        connection.disconnect()


@contextmanager
def _spark(snapshot: Snapshot, master: str | None) -> Iterator[Engine]:
    try:
        from pyspark.errors import PySparkException
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise UsageError(
            "could not ask Spark: PySpark is not installed; install resume-rig[lab,spark], or "
            "leave --engine out for DuckDB"
        ) from error
    if shutil.which("java") is None:
        raise UsageError(
            "could not ask Spark: there is no Java on the PATH; install Java 17 or later, or leave "
            "--engine out for DuckDB"
        )
    builder = SparkSession.builder.master(master or "local[2]").appName("resume-rig")
    if master is None or master.startswith("local"):
        builder = builder.config("spark.driver.host", "127.0.0.1")
        builder = builder.config("spark.driver.bindAddress", "127.0.0.1")
        builder = builder.config("spark.sql.shuffle.partitions", "8")
    session = (
        builder.config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.runSQLOnFiles", "false")
        .config("spark.log.level", "ERROR")
        .config("spark.driver.memory", SPARK_MEMORY)
        .config("spark.local.dir", tempfile.gettempdir())
        .getOrCreate()
    )
    try:
        connection = ibis.pyspark.connect(session)
        for name, table in snapshot.tables.items():
            _spark_rows(session, name, f"{snapshot.url}/{name}", table.file_uris())
        for statement in _views():
            session.sql(statement)
        yield Engine(
            connection,
            "spark",
            lambda text: session.sql(text).toArrow(),
            PySparkException,
            snapshot.url,
        )
    except OSError as error:
        raise RecordError(f"could not ask Spark: {error}") from error
    finally:
        session.stop()


def _spark_rows(session: Any, name: str, base: str, uris: Sequence[str]) -> None:
    """Make a view of a table's files, or of none."""
    wanted = _spark_schema(name)
    if not uris:
        session.createDataFrame([], wanted).createOrReplaceTempView(f"all_{name}")
        return
    # Hadoop's name of S3 with the client that is maintained.
    places = [each.replace("s3://", "s3a://", 1) for each in (base, *uris)]
    session.read.schema(wanted).option("basePath", places[0]).parquet(
        *places[1:]
    ).createOrReplaceTempView(f"all_{name}")


def _spark_schema(name: str) -> str:
    kinds = {"int64": "BIGINT", "int32": "INT", "double": "DOUBLE", "bool": "BOOLEAN"}
    columns = [each for each in SCHEMAS[name] if each.name not in PARTITIONS]
    columns += [each for each in SCHEMAS[name] if each.name in PARTITIONS]
    return ", ".join(f"`{each.name}` {kinds.get(str(each.type), 'STRING')}" for each in columns)
