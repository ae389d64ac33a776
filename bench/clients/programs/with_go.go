// database/sql on lib/pq or pgx: unnamed statements described before they are bound, contexts that cancel.
package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"sort"
	"strconv"
	"time"

	"github.com/jackc/pgconn"
	_ "github.com/jackc/pgx/v4/stdlib"
	"github.com/lib/pq"
)

var (
	question = os.Getenv("ASKWIRE_QUESTION")
	ask      = "ASK '" + question + "'"
	wrapped  = "SELECT * FROM (" + ask + ") AS t"
	called   = "SELECT * FROM ask('" + question + "')"
	wanted   [][]string
	columns  []string
)

type refused struct{ code string }

func (r refused) Error() string { return r.code }

func same(found, expected any) error {
	if reflect.DeepEqual(found, expected) {
		return nil
	}
	return fmt.Errorf("found %.200v, expected %.200v", found, expected)
}

func code(err error) string {
	var ofPq *pq.Error
	var ofPgx *pgconn.PgError
	switch {
	case errors.As(err, &ofPq):
		return string(ofPq.Code)
	case errors.As(err, &ofPgx):
		return ofPgx.Code
	}
	return ""
}

func rowsAreRight(rows *sql.Rows, err error) error {
	if err != nil {
		return err
	}
	defer rows.Close()
	found := [][]string{}
	for rows.Next() {
		var title, price string
		if err := rows.Scan(&title, &price); err != nil {
			return err
		}
		number, err := strconv.ParseFloat(price, 64)
		if err != nil {
			return err
		}
		found = append(found, []string{title, strconv.FormatFloat(number, 'f', 2, 64)})
	}
	if err := rows.Err(); err != nil {
		return err
	}
	sort.Slice(found, func(a, b int) bool { return found[a][0] < found[b][0] })
	return same(found, wanted)
}

func cell(name string, work func() (string, error)) {
	note, err := work()
	outcome := "ok"
	if err != nil {
		outcome, note = "failed", err.Error()
		var r refused
		if errors.As(err, &r) {
			outcome = "refused"
		}
	}
	noted, _ := json.Marshal(note)
	fmt.Printf("{\"cell\": %q, \"outcome\": %q, \"note\": %s}\n", name, outcome, noted)
}

func main() {
	must(json.Unmarshal([]byte(os.Getenv("ASKWIRE_ROWS")), &wanted))
	must(json.Unmarshal([]byte(os.Getenv("ASKWIRE_COLUMNS")), &columns))
	place := fmt.Sprintf("host=%s port=%s user=%s dbname=%s sslmode=disable",
		os.Getenv("PGHOST"), os.Getenv("PGPORT"), os.Getenv("PGUSER"), os.Getenv("PGDATABASE"))
	db, err := sql.Open(os.Args[1], place)
	must(err)
	db.SetMaxOpenConns(1)
	cell("plain", func() (string, error) { return "", rowsAreRight(db.Query(ask)) })
	cell("question", func() (string, error) {
		err := rowsAreRight(db.Query("ASK $1", question))
		if code(err) == "NL007" {
			return "", refused{"NL007"}
		}
		return "", err
	})
	cell("parameters", func() (string, error) {
		return "", rowsAreRight(db.Query(wrapped+" WHERE price > $1 OR title = $2", -1, "x"))
	})
	cell("prepared", func() (string, error) {
		statement, err := db.Prepare(ask)
		if err != nil {
			return "", err
		}
		defer statement.Close()
		for n := 0; n < 8; n++ {
			if err := rowsAreRight(statement.Query()); err != nil {
				return "", err
			}
		}
		return "", nil
	})
	cell("limit 0", func() (string, error) {
		for _, text := range []string{wrapped, called} {
			rows, err := db.Query(text + " LIMIT 0")
			if err != nil {
				return "", err
			}
			found, err := rows.Columns()
			rows.Close()
			if err != nil {
				return "", err
			}
			if err := same(found, columns); err != nil {
				return "", err
			}
		}
		return "", nil
	})
	cell("count", func() (string, error) {
		var found int
		if err := db.QueryRow("SELECT count(*) FROM (" + ask + ") AS t").Scan(&found); err != nil {
			return "", err
		}
		return "", same(found, len(wanted))
	})
	cell("cursor", func() (string, error) {
		tx, err := db.Begin()
		if err != nil {
			return "", err
		}
		defer tx.Rollback()
		if _, err := tx.Exec("DECLARE portions CURSOR FOR " + ask); err != nil {
			return "", err
		}
		return "DECLARE", rowsAreRight(tx.Query("FETCH ALL FROM portions"))
	})
	if os.Args[1] != "pgx" {
		// database/sql on pgx always prepares, and PostgreSQL prepares one statement at a time
		cell("multi", func() (string, error) {
			_, err := db.Exec("SET application_name TO 'multi'; " + ask)
			return "", err
		})
	}
	cell("transaction", func() (string, error) {
		tx, err := db.Begin()
		if err != nil {
			return "", err
		}
		if err := rowsAreRight(tx.Query(ask)); err != nil {
			return "", err
		}
		return "", tx.Commit()
	})
	cell("error", func() (string, error) {
		_, err := db.Query("ASK 'why is the sky blue?'")
		seen := code(err)
		if seen != "NL001" && seen != "NL002" && seen != "NL003" {
			return "", fmt.Errorf("error %v", err)
		}
		var one int
		return seen, db.QueryRow("SELECT 1").Scan(&one)
	})
	cell("cancel", func() (string, error) {
		limited, stop := context.WithTimeout(context.Background(), time.Second)
		defer stop()
		_, err := db.ExecContext(limited, "SELECT t.* FROM ("+ask+") AS t, pg_sleep(10)")
		if err == nil {
			return "", errors.New("not canceled")
		}
		var one int
		return "", db.QueryRow("SELECT 1").Scan(&one)
	})
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
