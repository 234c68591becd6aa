/*
 * SQLite on memory alone: a VFS that opens nothing, a script of SQL whose rows are all printed, and the C interface
 * (bound values, own functions, collations, blobs, backup). With -DWITH_THREADS the library is built thread-safe on
 * mutexes of ours, and four threads use it at once.
 */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The operating system that SQLite sees: no files, the same random numbers every time, a clock that stands still. */

static int vfs_open(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *file, int flags, int *out)
{
    (void)vfs, (void)name, (void)flags, (void)out;
    file->pMethods = NULL;
    return SQLITE_CANTOPEN;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *name, int sync)
{
    (void)vfs, (void)name, (void)sync;
    return SQLITE_IOERR_DELETE;
}

static int vfs_access(sqlite3_vfs *vfs, const char *name, int flags, int *out)
{
    (void)vfs, (void)name, (void)flags;
    *out = 0;
    return SQLITE_OK;
}

static int vfs_full_pathname(sqlite3_vfs *vfs, const char *name, int room, char *out)
{
    (void)vfs;
    sqlite3_snprintf(room, out, "%s", name);
    return SQLITE_OK;
}

static int vfs_randomness(sqlite3_vfs *vfs, int count, char *out)
{
    (void)vfs;
    for (int i = 0; i < count; i++)
        out[i] = (char)(i * 37 + 11);
    return count;
}

static int vfs_sleep(sqlite3_vfs *vfs, int microseconds)
{
    (void)vfs;
    return microseconds;
}

static int vfs_current_time(sqlite3_vfs *vfs, double *out)
{
    (void)vfs;
    *out = 2460000.5;
    return SQLITE_OK;
}

static int vfs_last_error(sqlite3_vfs *vfs, int room, char *out)
{
    (void)vfs, (void)room, (void)out;
    return 0;
}

int sqlite3_os_init(void)
{
    static sqlite3_vfs nowhere = {
        .iVersion = 1,
        .szOsFile = sizeof(sqlite3_file),
        .mxPathname = 256,
        .zName = "nowhere",
        .xOpen = vfs_open,
        .xDelete = vfs_delete,
        .xAccess = vfs_access,
        .xFullPathname = vfs_full_pathname,
        .xRandomness = vfs_randomness,
        .xSleep = vfs_sleep,
        .xCurrentTime = vfs_current_time,
        .xGetLastError = vfs_last_error,
    };
    return sqlite3_vfs_register(&nowhere, 1);
}

int sqlite3_os_end(void)
{
    return SQLITE_OK;
}

static void check(int holds, const char *what)
{
    if (!holds) {
        printf("FAILED: %s\n", what);
        exit(1);
    }
}

/* Prints one row; the type of each value shows, and a blob is printed in hexadecimal. */
static void print_row(sqlite3_stmt *statement)
{
    for (int i = 0; i < sqlite3_column_count(statement); i++) {
        if (i)
            printf("|");
        switch (sqlite3_column_type(statement, i)) {
        case SQLITE_NULL:
            printf("NULL");
            break;
        case SQLITE_INTEGER:
            printf("%lld", (long long)sqlite3_column_int64(statement, i));
            break;
        case SQLITE_FLOAT:
            printf("%.12g", sqlite3_column_double(statement, i));
            break;
        case SQLITE_BLOB: {
            const unsigned char *bytes = sqlite3_column_blob(statement, i);
            printf("x'");
            for (int at = 0; at < sqlite3_column_bytes(statement, i); at++)
                printf("%02x", bytes[at]);
            printf("'");
            break;
        }
        default:
            printf("%s", (const char *)sqlite3_column_text(statement, i));
        }
    }
    printf("\n");
}

/* Runs statement by statement; an error is printed and the script goes on, as the script holds errors on purpose. */
static void run(sqlite3 *db, const char *sql)
{
    while (*sql) {
        sqlite3_stmt *statement;
        const char *rest;
        if (sqlite3_prepare_v2(db, sql, -1, &statement, &rest) != SQLITE_OK) {
            printf("error %d: %s\n", sqlite3_extended_errcode(db), sqlite3_errmsg(db));
            const char *end = strchr(sql, ';');
            sql = end ? end + 1 : "";
            continue;
        }
        sql = rest;
        if (statement == NULL)
            continue;
        int status;
        while ((status = sqlite3_step(statement)) == SQLITE_ROW)
            print_row(statement);
        if (status != SQLITE_DONE)
            printf("error %d: %s\n", sqlite3_extended_errcode(db), sqlite3_errmsg(db));
        sqlite3_finalize(statement);
    }
}

static const char *const chapters[][2] = {
    {"tables, recursive CTE, index",
     "CREATE TABLE town(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, height REAL);"
     "CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT, town INT REFERENCES town(id), age INT CHECK(age >= 0),"
     "                    pay NUMERIC DEFAULT 10.5, initials TEXT GENERATED ALWAYS AS (substr(name, 1, 2)) STORED);"
     "INSERT INTO town VALUES(1, 'Leiden', -0.5), (2, 'Kiruna', 530), (3, 'La Paz', 3640.25), (4, 'Nowhere', NULL);"
     "WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 400)"
     "  INSERT INTO person(id, name, town, age, pay)"
     "  SELECT i, char(65 + i * 7 % 26, 97 + i * 11 % 26, 97 + i * i % 26), 1 + i * i % 3, i * 31 % 90, i * 1.25 FROM n;"
     "CREATE INDEX person_age ON person(age, town);"
     "CREATE INDEX person_young ON person(name COLLATE NOCASE) WHERE age < 18;"
     "ANALYZE;"
     "SELECT count(*), sum(age), total(pay), min(name), max(name), avg(age) FROM person;"
     "SELECT * FROM person WHERE age = 31 AND town = 2 ORDER BY id;"
     "EXPLAIN QUERY PLAN SELECT * FROM person WHERE age = 31 AND town = 2;"
     "SELECT * FROM person WHERE rowid IN (3, 33, 333) ORDER BY rowid DESC;"},
    {"joins, aggregates, group by",
     "SELECT t.name, count(p.id), sum(p.age), group_concat(DISTINCT p.age / 30) FROM town t"
     "  LEFT JOIN person p ON p.town = t.id GROUP BY t.id ORDER BY t.name;"
     "SELECT age / 10 AS decade, count(*) c, round(avg(pay), 3) FROM person GROUP BY decade HAVING c > 40 ORDER BY 1;"
     "SELECT a.name, b.name FROM person a JOIN person b ON b.id = a.id + 1 WHERE a.age > 85 AND b.town = 1 LIMIT 5 OFFSET 1;"
     "SELECT t.name, p.name FROM person p RIGHT JOIN town t ON p.town = t.id AND p.id < 3 ORDER BY t.id, p.id;"
     "SELECT count(*) FROM (SELECT town FROM person UNION SELECT id FROM town EXCEPT SELECT 2);"
     "SELECT name FROM town WHERE id NOT IN (SELECT town FROM person) AND EXISTS (SELECT 1 FROM person WHERE age = 89);"
     "SELECT count(*) FILTER (WHERE age < 20), count(DISTINCT name), sum(DISTINCT town) FROM person;"},
    {"window functions",
     "SELECT id, age, row_number() OVER w, rank() OVER w, dense_rank() OVER w, lag(id, 1, -1) OVER w, ntile(3) OVER w"
     "  FROM person WHERE id <= 12 WINDOW w AS (ORDER BY age % 7) ORDER BY id;"
     "SELECT id, sum(id) OVER (PARTITION BY town ORDER BY id ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING),"
     "  first_value(name) OVER (PARTITION BY town ORDER BY pay DESC), round(percent_rank() OVER (ORDER BY age), 4),"
     "  avg(age) OVER (ORDER BY id RANGE BETWEEN 2 PRECEDING AND CURRENT ROW EXCLUDE CURRENT ROW)"
     "  FROM person WHERE id BETWEEN 100 AND 110 ORDER BY id;"},
    {"strings, numbers, dates",
     "SELECT upper('straw'), lower('BERRY'), length('na\xc3\xafve'), instr('threadbare', 'bare'), substr('threadbare', -4),"
     "  replace('aXbXc', 'X', '--'), trim('  x '), ltrim('xxy', 'x'), hex('abc'), quote('it''s'), unicode('\xe2\x82\xac');"
     "SELECT printf('%5d|%-5s|%05.2f|%x|%e|%,d|%q', 42, 'ab', 3.14159, 255, 12345.678, 1234567, 'it''s');"
     "SELECT 'abc' LIKE 'A_C', 'abc' GLOB 'a*', 'abc' LIKE 'a\\%' ESCAPE '\\', 'a' || 1 || 2.5, coalesce(NULL, 7), nullif(3, 3),"
     "  iif(1 > 2, 'y', 'n'), typeof(1), typeof(1.0), typeof('1'), typeof(x'01'), typeof(NULL), CAST('12abc' AS INTEGER);"
     "SELECT 7 / 2, -7 / 2, 7 % -3, 7.0 / 2, 1 << 40, ~5, 9223372036854775807 + 1, abs(-3.5), round(2.567, 2), 1 / 0, 5 & 3 | 8;"
     "SELECT sqrt(2), pow(2, 0.5), floor(-2.5), ceil(2.1), trunc(-2.7), mod(10, 3.5), sign(-4), exp(0), ln(1), log10(1000);"
     "SELECT date('2024-02-29', '+1 year'), time('12:34:56', '-2 hours'), julianday('2000-01-01'), strftime('%Y-%j %W %w', '2023-12-31'),"
     "  datetime(1700000000, 'unixepoch'), date('now'), date('2023-01-31', 'start of month', '+1 month', '-1 day', 'weekday 0'),"
     "  unixepoch('1970-01-02'), timediff('2024-03-01', '2023-01-15');"
     "SELECT 0.1 + 0.2, 1e300 * 1e10, -1e300 * 1e10, 1e-320, 123456789012345678, 1.0, 1e15, 1e16, .5, 0x1F, 3.0e-5;"},
    {"JSON",
     "SELECT json('{ \"a\" : [1, 2.5, \"x\", null, true] }'), json_extract('{\"a\":{\"b\":[10,20]}}', '$.a.b[1]'), '[1,2]' -> 1;"
     "SELECT key, value, type, path FROM json_tree('{\"q\":[1,{\"w\":\"\\u00e9\"}],\"e\":1e3}');"
     "SELECT json_group_array(name), json_group_object(name, id) FROM town;"
     "SELECT json_set('{\"a\":1}', '$.b', json_array(1, 'two')), json_remove('[0,1,2]', '$[1]'), json_patch('{\"a\":1}', '{\"a\":null,\"c\":3}'),"
     "  json_valid('{bad'), json_type('[]'), json_quote('a\"b'), json_array_length('[1,2,3]');"
     "SELECT sum(value ->> '$.n') FROM json_each('[{\"n\":1},{\"n\":2},{\"n\":39}]'); SELECT json('{bad');"},
    {"views, triggers, upsert, returning",
     "CREATE TABLE log(what TEXT, old, new);"
     "CREATE VIEW elder AS SELECT id, name, age FROM person WHERE age >= 80;"
     "CREATE TRIGGER aged AFTER UPDATE OF age ON person WHEN new.age <> old.age"
     "  BEGIN INSERT INTO log VALUES('age of ' || new.id, old.age, new.age); END;"
     "CREATE TRIGGER elder_gone INSTEAD OF DELETE ON elder BEGIN UPDATE person SET age = 0 WHERE id = old.id; END;"
     "UPDATE person SET age = age + 5 WHERE id % 100 = 0;"
     "SELECT count(*) FROM elder; DELETE FROM elder WHERE id < 60; SELECT count(*) FROM elder; SELECT * FROM log ORDER BY rowid;"
     "INSERT INTO town VALUES(9, 'Leiden', 1) ON CONFLICT(name) DO UPDATE SET height = excluded.height + 100 RETURNING *;"
     "UPDATE person SET pay = t.height FROM town t WHERE t.id = person.town AND person.id < 5 RETURNING person.id, pay;"
     "DELETE FROM person WHERE id > 398 RETURNING id, initials; SELECT changes(), total_changes(), last_insert_rowid();"},
    {"transactions",
     "BEGIN; DELETE FROM person; SELECT count(*) FROM person; ROLLBACK; SELECT count(*) FROM person;"
     "BEGIN; INSERT INTO town VALUES(10, 'A', 1); SAVEPOINT s; INSERT INTO town VALUES(11, 'B', 2);"
     "ROLLBACK TO s; INSERT INTO town VALUES(12, 'C', 3); RELEASE s; COMMIT; SELECT id, name FROM town ORDER BY id;"
     "BEGIN; CREATE TABLE gone(x); INSERT INTO gone VALUES(1); ROLLBACK; SELECT * FROM gone;"
     "COMMIT; PRAGMA integrity_check; VACUUM; PRAGMA page_count; PRAGMA foreign_keys = ON;"},
    {"errors",
     "SELEC 1; SELECT * FROM nowhere; SELECT missing FROM town; INSERT INTO town VALUES(1, 'X', 0);"
     "INSERT INTO town VALUES(20, 'Leiden', 0); INSERT INTO town(id) VALUES(21); INSERT INTO person(id, age) VALUES(900, -1);"
     "INSERT INTO person(id, town) VALUES(901, 77); SELECT abs(-9223372036854775808); SELECT sum(x) FROM (SELECT 9223372036854775807 x UNION ALL SELECT 1);"
     "SELECT 1 UNION SELECT 1, 2; CREATE TABLE town(x); ATTACH 'file.db' AS other; SELECT load_nothing(1); SELECT 'open"},
    {"many rows, sorting, temporary tables, without rowid",
     "CREATE TEMP TABLE big AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 2999)"
     "  SELECT i, i * 7919 % 3001 AS k, hex(i * 104729) AS t, zeroblob(i % 50) AS z FROM n;"
     "SELECT count(*), sum(k), sum(length(z)) FROM big; SELECT i, k, t FROM big ORDER BY t DESC, k LIMIT 5;"
     "CREATE TABLE pair(a INT, b TEXT, PRIMARY KEY(b, a)) WITHOUT ROWID, STRICT; INSERT INTO pair SELECT k, t FROM big WHERE i % 10 = 0;"
     "SELECT * FROM pair WHERE b > '39' ORDER BY b LIMIT 3; INSERT INTO pair VALUES('x', 'y'); DELETE FROM pair WHERE a % 2; SELECT count(*) FROM pair;"
     "WITH RECURSIVE m(x, y, zx, zy, n) AS (SELECT -0.75, 0.1, 0.0, 0.0, 0 UNION ALL SELECT x, y, zx * zx - zy * zy + x, 2 * zx * zy + y, n + 1 FROM m"
     "  WHERE n < 200 AND zx * zx + zy * zy < 4) SELECT max(n) FROM m;"
     "DROP TABLE pair; DROP TABLE big;"},
#ifdef SQLITE_ENABLE_FTS5
    {"full text search and R-tree",
     "CREATE VIRTUAL TABLE note USING fts5(title, body, tokenize = 'porter');"
     "INSERT INTO note VALUES('Locks', 'A thread waits for a lock that another thread holds'), ('Queues', 'Producers and consumers are waiting'),"
     "  ('Atomics', 'no locking at all, only loads and stores');"
     "SELECT title, snippet(note, 1, '[', ']', '...', 6) FROM note WHERE note MATCH 'wait OR lock' ORDER BY title;"
     "SELECT title, round(bm25(note), 6) FROM note WHERE note MATCH 'thread'; DELETE FROM note WHERE title = 'Locks';"
     "SELECT count(*) FROM note WHERE note MATCH 'body : lock*'; INSERT INTO note(note) VALUES('integrity-check');"
     "CREATE VIRTUAL TABLE box USING rtree(id, x0, x1, y0, y1);"
     "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)"
     "  INSERT INTO box SELECT i, i % 20, i % 20 + 1.5, i / 20, i / 20 + 1.5 FROM n;"
     "SELECT id FROM box WHERE x0 < 3 AND x1 > 2 AND y1 < 4 ORDER BY id;"},
#endif
};

/* Functions of ours, called from SQL. */

static void gcd(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    sqlite3_int64 a = sqlite3_value_int64(values[0]), b = sqlite3_value_int64(values[1]);
    while (b) {
        sqlite3_int64 rest = a % b;
        a = b;
        b = rest;
    }
    if (a == 1)
        sqlite3_result_text(context, "coprime", -1, SQLITE_STATIC);
    else
        sqlite3_result_int64(context, a);
}

static void product_step(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    double *so_far = sqlite3_aggregate_context(context, sizeof *so_far);
    *so_far = (*so_far ? *so_far : 1) * sqlite3_value_double(values[0]);
}

static void product_end(sqlite3_context *context)
{
    double *so_far = sqlite3_aggregate_context(context, 0);
    if (so_far)
        sqlite3_result_double(context, *so_far);
}

static int backwards(void *none, int a_length, const void *a, int b_length, const void *b)
{
    (void)none;
    int order = memcmp(b, a, (size_t)(a_length < b_length ? a_length : b_length));
    return order ? order : b_length - a_length;
}

static int hook_count;

static void hook(void *none, int what, const char *base, const char *table, sqlite3_int64 row)
{
    (void)none;
    if (++hook_count <= 3)
        printf("hook: %d %s.%s row %lld\n", what, base, table, (long long)row);
}

static void through_c(sqlite3 *db)
{
    check(sqlite3_create_function(db, "gcd", 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL, gcd, NULL, NULL) == SQLITE_OK, "gcd");
    check(sqlite3_create_function(db, "product", 1, SQLITE_UTF8, NULL, NULL, product_step, product_end) == SQLITE_OK, "product");
    check(sqlite3_create_collation(db, "backwards", SQLITE_UTF8, NULL, backwards) == SQLITE_OK, "backwards");
    run(db, "SELECT gcd(12, 18), gcd(7, 9), product(id) FROM town; SELECT name FROM town ORDER BY name COLLATE backwards;");

    sqlite3_update_hook(db, hook, NULL);
    sqlite3_stmt *insert;
    run(db, "CREATE TABLE bound(id INTEGER PRIMARY KEY, d, t, b); BEGIN;");
    check(sqlite3_prepare_v2(db, "INSERT INTO bound VALUES(?1, :d, $t, @b)", -1, &insert, NULL) == SQLITE_OK, "prepare");
    for (int i = 0; i < 50; i++) {
        char text[32];
        snprintf(text, sizeof text, "row %d of %.3f", i, i / 7.0);
        sqlite3_bind_int64(insert, 1, (sqlite3_int64)i * i);
        sqlite3_bind_double(insert, sqlite3_bind_parameter_index(insert, ":d"), i * 0.5);
        sqlite3_bind_text(insert, 3, text, -1, SQLITE_TRANSIENT);
        if (i % 2)
            sqlite3_bind_blob(insert, 4, &text[i % 5], 4, SQLITE_TRANSIENT);
        else
            sqlite3_bind_null(insert, 4);
        check(sqlite3_step(insert) == SQLITE_DONE, "insert");
        sqlite3_reset(insert);
    }
    check(sqlite3_finalize(insert) == SQLITE_OK, "finalize");
    run(db, "COMMIT; SELECT * FROM bound WHERE id % 3 = 1 LIMIT 6; SELECT count(b), max(t) FROM bound;");
    sqlite3_update_hook(db, NULL, NULL);
    printf("hooks: %d\n", hook_count);

    sqlite3_blob *blob;
    char bytes[5] = "";
    check(sqlite3_blob_open(db, "main", "bound", "b", 9, 1, &blob) == SQLITE_OK, "blob_open");
    check(sqlite3_blob_write(blob, "ZZ", 2, 1) == SQLITE_OK && sqlite3_blob_read(blob, bytes, 4, 0) == SQLITE_OK, "blob");
    printf("blob of %d bytes: %s\n", sqlite3_blob_bytes(blob), bytes);
    sqlite3_blob_close(blob);

    sqlite3 *copy;
    check(sqlite3_open(":memory:", &copy) == SQLITE_OK, "open copy");
    sqlite3_backup *backup = sqlite3_backup_init(copy, "main", db, "main");
    check(backup != NULL, "backup_init");
    while (sqlite3_backup_step(backup, 3) == SQLITE_OK)
        ;
    printf("backup: %d pages, %d left\n", sqlite3_backup_pagecount(backup), sqlite3_backup_remaining(backup));
    check(sqlite3_backup_finish(backup) == SQLITE_OK, "backup_finish");
    run(copy, "SELECT count(*), sum(age) FROM person; PRAGMA integrity_check; PRAGMA quick_check;");
    check(sqlite3_close(copy) == SQLITE_OK, "close copy");
}

#ifdef WITH_THREADS
#include <pthread.h>

/* Mutexes for SQLite from pthreads: the amalgamation has its own only where it knows the operating system. */

struct sqlite3_mutex {
    pthread_mutex_t lock;
    int kind;
};

static struct sqlite3_mutex static_mutexes[SQLITE_MUTEX_STATIC_VFS3 + 1];

static void mutex_prepare(struct sqlite3_mutex *mutex, int kind)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, kind == SQLITE_MUTEX_RECURSIVE ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_NORMAL);
    pthread_mutex_init(&mutex->lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
    mutex->kind = kind;
}

static int mutexes_init(void)
{
    for (int kind = SQLITE_MUTEX_STATIC_MAIN; kind <= SQLITE_MUTEX_STATIC_VFS3; kind++)
        mutex_prepare(&static_mutexes[kind], kind);
    return SQLITE_OK;
}

static int mutexes_end(void)
{
    for (int kind = SQLITE_MUTEX_STATIC_MAIN; kind <= SQLITE_MUTEX_STATIC_VFS3; kind++)
        pthread_mutex_destroy(&static_mutexes[kind].lock);
    return SQLITE_OK;
}

static sqlite3_mutex *mutex_new(int kind)
{
    if (kind != SQLITE_MUTEX_FAST && kind != SQLITE_MUTEX_RECURSIVE)
        return &static_mutexes[kind];
    struct sqlite3_mutex *mutex = malloc(sizeof *mutex);
    if (mutex)
        mutex_prepare(mutex, kind);
    return mutex;
}

static void mutex_free(sqlite3_mutex *mutex)
{
    pthread_mutex_destroy(&mutex->lock);
    free(mutex);
}

static void mutex_enter(sqlite3_mutex *mutex)
{
    check(pthread_mutex_lock(&mutex->lock) == 0, "pthread_mutex_lock");
}

static int mutex_try(sqlite3_mutex *mutex)
{
    return pthread_mutex_trylock(&mutex->lock) == 0 ? SQLITE_OK : SQLITE_BUSY;
}

static void mutex_leave(sqlite3_mutex *mutex)
{
    check(pthread_mutex_unlock(&mutex->lock) == 0, "pthread_mutex_unlock");
}

static sqlite3 *shared;

/* A database of its own, and rows in the one that all share. */
static void *worker(void *argument)
{
    int me = *(int *)argument;
    char sql[256];
    sqlite3 *own;
    check(sqlite3_open(":memory:", &own) == SQLITE_OK, "open own");
    snprintf(sql, sizeof sql,
             "CREATE TABLE n AS WITH RECURSIVE c(i) AS (SELECT %d UNION ALL SELECT i + 1 FROM c WHERE i < %d) SELECT i FROM c", me,
             me + 150);
    check(sqlite3_exec(own, sql, NULL, NULL, NULL) == SQLITE_OK, "fill own");
    sqlite3_stmt *sum;
    check(sqlite3_prepare_v2(own, "SELECT sum(i * i) FROM n", -1, &sum, NULL) == SQLITE_OK, "prepare");
    check(sqlite3_step(sum) == SQLITE_ROW, "sum");
    long long result = sqlite3_column_int64(sum, 0);
    sqlite3_finalize(sum);
    check(sqlite3_close(own) == SQLITE_OK, "close own");

    for (int i = 0; i < 10; i++) {
        snprintf(sql, sizeof sql, "INSERT INTO result VALUES(%d, %d, %lld)", me, i, result + i);
        check(sqlite3_exec(shared, sql, NULL, NULL, NULL) == SQLITE_OK, "insert shared");
    }
    return NULL;
}

static void with_threads(void)
{
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    int numbers[THREADS];
    check(sqlite3_open(":memory:", &shared) == SQLITE_OK, "open shared");
    run(shared, "CREATE TABLE result(thread INT, i INT, value INT)");
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        check(pthread_create(&threads[i], NULL, worker, &numbers[i]) == 0, "pthread_create");
    }
    for (int i = 0; i < THREADS; i++)
        check(pthread_join(threads[i], NULL) == 0, "pthread_join");
    run(shared, "SELECT thread, count(*), min(value), max(value) FROM result GROUP BY thread; PRAGMA integrity_check;");
    check(sqlite3_close(shared) == SQLITE_OK, "close shared");
}
#endif

int main(void)
{
    sqlite3 *db;
#ifdef WITH_THREADS
    static const sqlite3_mutex_methods mutexes = {.xMutexInit = mutexes_init,
                                                  .xMutexEnd = mutexes_end,
                                                  .xMutexAlloc = mutex_new,
                                                  .xMutexFree = mutex_free,
                                                  .xMutexEnter = mutex_enter,
                                                  .xMutexTry = mutex_try,
                                                  .xMutexLeave = mutex_leave};
    check(sqlite3_config(SQLITE_CONFIG_MUTEX, &mutexes) == SQLITE_OK, "SQLITE_CONFIG_MUTEX");
#endif
    printf("SQLite %s, thread-safe %d\n", sqlite3_libversion(), sqlite3_threadsafe());
    check(sqlite3_open("no/such/file.db", &db) == SQLITE_CANTOPEN, "a file was opened");
    sqlite3_close(db);
    check(sqlite3_open(":memory:", &db) == SQLITE_OK, "sqlite3_open");
    for (size_t i = 0; i < sizeof chapters / sizeof *chapters; i++) {
        printf("-- %s\n", chapters[i][0]);
        run(db, chapters[i][1]);
    }
    printf("-- through C\n");
    through_c(db);
    check(sqlite3_close(db) == SQLITE_OK, "sqlite3_close");
#ifdef WITH_THREADS
    printf("-- with threads\n");
    with_threads();
#endif
    check(sqlite3_memory_used() == 0, "memory is still in use");
    check(sqlite3_shutdown() == SQLITE_OK, "sqlite3_shutdown");
    return 0;
}
