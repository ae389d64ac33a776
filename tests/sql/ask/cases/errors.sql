-- lateral subquery
SELECT * FROM t, LATERAL (ASK 'q') s
--! 27: an ASK cannot be LATERAL
--? An ASK cannot refer to other items of FROM; leave out LATERAL.

-- lateral function
SELECT * FROM t CROSS JOIN LATERAL ask('q') s
--! 36: an ASK cannot be LATERAL
--? An ASK cannot refer to other items of FROM; leave out LATERAL.

-- lateral in parentheses
SELECT * FROM t, LATERAL ((ASK 'q')) s
--! 28: an ASK cannot be LATERAL
--? An ASK cannot refer to other items of FROM; leave out LATERAL.

-- lateral behind a join
SELECT * FROM t LEFT JOIN LATERAL (ASK 'q') s ON true
--! 36: an ASK cannot be LATERAL
--? An ASK cannot refer to other items of FROM; leave out LATERAL.

-- item of FROM without parentheses
SELECT * FROM ASK 'q'
--! 19: syntax error at or near "'q'"
--? Write an ASK among the items of FROM in parentheses: FROM (ASK 'question').

-- item of FROM behind a join, without parentheses
SELECT * FROM t JOIN ask 'q' ON true
--! 26: syntax error at or near "'q'"
--? Write an ASK among the items of FROM in parentheses: FROM (ASK 'question').

-- item of FROM with options, without parentheses
SELECT * FROM ASK (SQL) 'q'
--! 25: syntax error at or near "'q'"
--? Write an ASK among the items of FROM in parentheses: FROM (ASK 'question').

-- question that became an alias
SELECT * FROM (ASK AS "how many orders")
--! 23: syntax error at or near ""how many orders""
--? The question of an ASK is a string constant. A tool that rewrites SQL may have changed the quotes; the form ask('question') survives that.

-- question that became a bare alias
SELECT * FROM (ask "how many orders") AS virtual_table
--! 20: syntax error at or near ""how many orders""
--? The question of an ASK is a string constant. A tool that rewrites SQL may have changed the quotes; the form ask('question') survives that.

-- ordinality
SELECT * FROM ask('q') WITH ORDINALITY
--! 24: syntax error at or near "WITH"
--? An ASK has no ordinality; use row_number() over its rows.

-- ordinality with an alias
SELECT * FROM ask('q') WITH ORDINALITY AS s (a, n)
--! 24: syntax error at or near "WITH"
--? An ASK has no ordinality; use row_number() over its rows.

-- column definitions
SELECT * FROM ask('q') AS (a int, b text)
--! 27: syntax error at or near "("
--? The columns of an ASK have their types; write only names: AS t (a, b).

-- column definitions of an alias
SELECT * FROM ask('q') AS s (a int)
--! 32: syntax error at or near "int"

-- function without its question
SELECT * FROM ask('')
--! 19: the question of an ASK must not be empty
--? Write ask('question'), or ask('question', 'option, …').

-- function left open
SELECT * FROM ask('q'
--! 22: syntax error at end of input
--? Write ask('question'), or ask('question', 'option, …').

-- function with a third argument
SELECT * FROM ask('q', 'sql', 1)
--! 29: syntax error at or near ","
--? Write ask('question'), or ask('question', 'option, …').

-- function with options that are no text
SELECT * FROM ask('q', 3)
--! 24: syntax error at or near "3"
--? Write the options of ask() as a string constant.

-- function with unknown options
SELECT * FROM ask('q', 'foo')
--! 24: unrecognized ASK option "foo"
--? Options are SQL, WHY, CHOICES, FRESH, FORMAT, CANDIDATES, TIMEOUT, EVIDENCE, BUDGET, EXPERTS, ACCEPT.

-- function with broken options
SELECT * FROM ask('q', 'sql) x')
--! 24: syntax error at or near "x"

-- function with a cast to another type
SELECT * FROM ask('q'::int)
--! 24: syntax error at or near "int"
--? Write ask('question'), or ask('question', 'option, …').

-- function with an invalid escape
SELECT * FROM ask(E'\u12')
--! 21: invalid Unicode escape
--? Unicode escapes must be \uXXXX or \UXXXXXXXX.

-- subquery with an unknown option
SELECT * FROM (ASK (foo) 'q') s
--! 21: unrecognized ASK option "foo"
--? Options are SQL, WHY, CHOICES, FRESH, FORMAT, CANDIDATES, TIMEOUT, EVIDENCE, BUDGET, EXPERTS, ACCEPT.

-- subquery with an empty question
SELECT * FROM (ASK '') s
--! 20: the question of an ASK must not be empty
--? Write ASK 'question', or ASK (option, …) 'question'.

-- subquery with something behind
SELECT * FROM (ASK 'q' foo) s
--! 24: syntax error at or near "foo"

-- subquery with a number behind
SELECT * FROM (ASK 'q' 3) s
--! 24: syntax error at or near "3"

-- subquery left open
SELECT * FROM (ASK 'q'
--! 23: syntax error at end of input

-- question left open
SELECT * FROM (ASK 'q) s
--! 20: unterminated quoted string

-- operand with something behind
SELECT 1 UNION ASK 'q' foo
--! 24: syntax error at or near "foo"

-- operand in front of a condition
SELECT 1 UNION ASK 'q' WHERE true
--! 24: syntax error at or near "WHERE"

-- explain with something behind
EXPLAIN ASK 'q' foo
--! 17: syntax error at or near "foo"

-- table as with something behind
CREATE TABLE n AS ASK 'q' WITH foo
--! 32: syntax error at or near "foo"

-- insert with something behind
INSERT INTO t ASK 'q' VALUES (1)
--! 23: syntax error at or near "VALUES"

-- cte with something behind
WITH x AS (ASK 'q' foo) SELECT 1
--! 20: syntax error at or near "foo"

-- error somewhere else
SELECT * FORM t WHERE a IN (ASK 'q')
--! 10: syntax error at or near "FORM"

-- error behind the ASK
SELECT * FROM (ASK 'q') s WHERE
--! 32: syntax error at end of input

-- error behind other characters
SELECT 'é😀' FROM (ASK 'q') s GROUP foo
--! 36: syntax error at or near "foo"

-- error in another statement
ASK 'q'; SELEC 1
--! 10: syntax error at or near "SELEC"

-- parameter zero
SELECT * FROM (ASK $0) s
--! 20: there is no parameter $0

-- parameter too large
SELECT * FROM ask($70000) s
--! 19: parameter number too large

-- copy with something behind
COPY (ASK 'q') TWO STDOUT
--! 16: syntax error at or near "TWO"

-- scalar with an unknown option
SELECT (ASK (foo) 'q')
--! 14: unrecognized ASK option "foo"
--? Options are SQL, WHY, CHOICES, FRESH, FORMAT, CANDIDATES, TIMEOUT, EVIDENCE, BUDGET, EXPERTS, ACCEPT.

-- explained choice
EXPLAIN ASK CHOOSE 1
--! 9: ASK CHOOSE is not possible inside another statement
--? Write it as a statement of its own.

-- explained choice, with options
explain (analyze) ask choose 1;
--! 19: ASK CHOOSE is not possible inside another statement
--? Write it as a statement of its own.

-- prepared judgement
PREPARE p AS ASK RIGHT
--! 14: ASK RIGHT is not possible inside another statement
--? Write it as a statement of its own.

-- copied judgement
COPY (ASK WRONG 'SELECT 1') TO STDOUT
--! 7: ASK WRONG is not possible inside another statement
--? Write it as a statement of its own.

-- lesson in a WITH query
WITH q AS (ASK LEARN 'a' AS 'b') SELECT * FROM q
--! 12: ASK LEARN is not possible inside another statement
--? Write it as a statement of its own.

-- lesson as a cursor
DECLARE c CURSOR FOR ASK FORGET 'a'
--! 22: ASK FORGET is not possible inside another statement
--? Write it as a statement of its own.

-- choice as a table
CREATE TABLE n AS ASK CHOOSE 2
--! 19: ASK CHOOSE is not possible inside another statement
--? Write it as a statement of its own.

-- choice that is inserted
INSERT INTO t ASK CHOOSE 2
--! 15: ASK CHOOSE is not possible inside another statement
--? Write it as a statement of its own.
