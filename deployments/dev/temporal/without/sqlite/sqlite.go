// Package sqlite stands in for SQLite, which windlass-temporal never opens: it is kept in PostgreSQL. The real package
// takes longer to compile than all of Windlass. See ../README.md.
package sqlite

// Error is the error of a driver that is not there.
type Error struct{}

func (*Error) Error() string { return "windlass-temporal has no SQLite" }

// Code is SQLite's number of the error.
func (*Error) Code() int { return 0 }
