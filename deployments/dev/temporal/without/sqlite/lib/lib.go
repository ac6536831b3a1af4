// Package sqlite3 has the numbers of SQLite's errors that Temporal's plugin names.
package sqlite3

const (
	SQLITE_CONSTRAINT            = 19
	SQLITE_CONSTRAINT_PRIMARYKEY = 1555
	SQLITE_CONSTRAINT_UNIQUE     = 2067
)
