package store

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// The codes of PostgreSQL's errors that Windlass handles (PostgreSQL manual, appendix A).
const (
	codeUniqueViolation     = "23505"
	codeForeignKeyViolation = "23503"
	codeBadText             = "22021" // bytes that are not UTF-8, or a NUL
	codeBadUnicode          = "22P05" // \u0000 in jsonb
	codeBadNumber           = "22003" // more digits than a number of jsonb may have
	codeNoDatabase          = "3D000"
	codeUndefinedTable      = "42P01"
	codeReadOnly            = "25006" // a standby that is not promoted yet
	codeTimeout             = "57014" // statement_timeout, or the caller has gone
)

// interpret turns an error of the driver into an *lcm.Error, and nil into nil.
func interpret(op string, err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*lcm.Error](err); ok {
		return err
	}
	if pgErr, ok := errors.AsType[*pgconn.PgError](err); ok {
		return interpretCode(op, pgErr, err)
	}
	e := &lcm.Error{Kind: lcm.KindBug, Op: op, Detail: "The database's answer was not understood.", Err: err}
	if isConnectionTrouble(err) {
		e.Kind, e.Detail = lcm.KindUnavailable, "The database does not answer."
	}
	return e
}

// interpretMissing is interpret for a row that must exist.
func interpretMissing(op string, err error, missing *lcm.Error) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return missing
	}
	return interpret(op, err)
}

func interpretCode(op string, pgErr *pgconn.PgError, err error) error {
	e := &lcm.Error{Op: op, Err: err}
	switch class := pgErr.Code[:min(2, len(pgErr.Code))]; {
	case pgErr.Code == codeUniqueViolation:
		e.Kind, e.Detail = lcm.KindConflict, "It exists already."
	case pgErr.Code == codeForeignKeyViolation:
		e.Kind, e.Detail = lcm.KindConflict, "It refers to something that does not exist, or something refers to it."
	case pgErr.Code == codeBadText, pgErr.Code == codeBadUnicode:
		e.Kind, e.Detail = lcm.KindInvalid, "A text holds a NUL character or is not UTF-8."
	// Class 54 is for limits: the size of an index entry, the depth of a nested document.
	case pgErr.Code == codeBadNumber, class == "54":
		e.Kind, e.Detail = lcm.KindInvalid,
			"A text is too long, a number too large, or a document nested too deeply to be kept."
	case pgErr.Code == codeNoDatabase:
		e.Kind, e.Detail = lcm.KindInvalid, "The database that the database URL names does not exist; create it first."
	case pgErr.Code == codeUndefinedTable:
		e.Kind, e.Detail = lcm.KindInvalid, schemaAdvice
	case class == "28":
		e.Kind, e.Detail = lcm.KindDenied, "The database refuses the user or the password of the database URL."
	case class == "53":
		e.Kind, e.Detail = lcm.KindUnavailable,
			"The database is short of memory, disk space or connections: "+pgErr.Message+"."
	// Connection trouble, a shutdown, a conflict of two transactions, a lock or statement timeout.
	case class == "08", class == "57", class == "40", pgErr.Code == "55P03", pgErr.Code == codeReadOnly:
		e.Kind, e.Detail = lcm.KindUnavailable, "The database cannot answer now."
	default:
		e.Kind, e.Detail = lcm.KindBug, "The database refused a statement."
	}
	return e
}

func isConnectionTrouble(err error) bool {
	_, isConnect := errors.AsType[*pgconn.ConnectError](err)
	_, isNet := errors.AsType[net.Error](err)
	return isConnect || isNet || pgconn.Timeout(err) || pgconn.SafeToRetry(err) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) ||
		errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) ||
		// pgconn has no sentinel for a connection that an earlier error closed, and the pool has none either.
		strings.Contains(err.Error(), "conn closed") || strings.Contains(err.Error(), "closed pool")
}

// violates reports whether err comes from that constraint or unique index.
func violates(err error, constraint string) bool {
	pgErr, ok := errors.AsType[*pgconn.PgError](err)
	return ok && pgErr.ConstraintName == constraint
}

func notFound(what string, id any) *lcm.Error {
	return lcm.Errorf(lcm.KindNotFound, "There is no %s %s.", what, id)
}

// text makes s valid for a text column. Output of remote machines may contain any bytes.
func text(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "")
}

// textError makes the sentences of e valid for jsonb, which accepts no NUL.
func textError(e *lcm.Error) *lcm.Error {
	if e == nil {
		return nil
	}
	clean := *e
	clean.Op, clean.Detail, clean.Problems = text(e.Op), text(e.Detail), nil
	for _, p := range e.Problems {
		clean.Problems = append(clean.Problems, lcm.Problem{Path: text(p.Path), Detail: text(p.Detail)})
	}
	return &clean
}
