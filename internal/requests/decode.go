package requests

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/params"
)

// standard reads the standard's own requests: strictly, but for the leniencies of the types of some members.
var standard = params.Manner{Standard: true, Checks: map[string]params.Check{
	"IP address":  params.Of(addressProblem),
	"MAC address": params.Of(macProblem),
	"time":        params.Of(timeProblem),
}}

// kept reads requests that were accepted before.
var kept = params.Manner{Standard: true, Kept: true, Checks: standard.Checks}

// Decode reads a JSON body into T and reports all mistakes at once, each with its JSON path. Members that T does not
// know are ignored, as Tacker does. With mistakes, T still has what could be read.
func Decode[T any](body []byte) (out T, err error) {
	if err := wellFormed(body); err != nil {
		return out, err
	}
	problems, _ := standard.Read("$", body, &out)
	if len(problems) == 0 {
		problems = unfitProblems(body)
	}
	return out, lcm.InvalidAll("The request has mistakes", problems)
}

// Unknown returns the members of a body that T does not know.
func Unknown[T any](body []byte) []lcm.Problem {
	var out T
	_, unknown := standard.Read("$", body, &out)
	return unknown
}

func unfitProblems(body []byte) []lcm.Problem {
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	var doc any
	if err := dec.Decode(&doc); err != nil {
		return []lcm.Problem{{Path: "$", Detail: "is not JSON"}}
	}
	if p := unfit(doc, deepest); p != nil {
		return []lcm.Problem{{Path: "$" + p.Path, Detail: p.Detail}}
	}
	return nil
}

func wellFormed(body []byte) error {
	if len(bytes.TrimSpace(body)) == 0 {
		return lcm.Errorf(lcm.KindInvalid, "The request has no body; a JSON object is expected.")
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	var any json.RawMessage
	err := dec.Decode(&any)
	if err == nil {
		if _, err = dec.Token(); errors.Is(err, io.EOF) {
			return nil
		}
		return lcm.Errorf(lcm.KindInvalid, "The request's body is not JSON: there is text after the end of the document.")
	}
	if e, ok := errors.AsType[*json.SyntaxError](err); ok {
		line := 1 + bytes.Count(body[:min(int(e.Offset), len(body))], []byte("\n"))
		return lcm.Errorf(lcm.KindInvalid, "The request's body is not JSON: %s in line %d.", e, line)
	}
	return lcm.Wrap(lcm.KindInvalid, err, "The request's body is not JSON: it ends too early.")
}

func macProblem(text string) string {
	if mac, err := net.ParseMAC(text); err != nil || len(mac) != 6 {
		return fmt.Sprintf("must be a MAC address such as fa:16:3e:00:00:01, not %q", text)
	}
	return ""
}

func timeProblem(text string) string {
	if _, err := time.Parse(time.RFC3339, text); err != nil {
		return fmt.Sprintf("must be a time such as 2030-01-02T03:04:05Z, not %q", text)
	}
	return ""
}

func addressProblem(text string) string {
	if _, err := netip.ParseAddr(text); err != nil {
		return fmt.Sprintf("must be an IP address, not %q", text)
	}
	return ""
}

func asError(err error) (*lcm.Error, bool) { return errors.AsType[*lcm.Error](err) }
