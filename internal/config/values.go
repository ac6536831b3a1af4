package config

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/windlass-nfv/windlass/internal/sources"
)

// kind is how values of one kind are read. The error completes the sentence "worker.metrics ...": it says what is
// wrong, or the form that the value should have.
type kind struct {
	of   reflect.Type
	read func(text string) (any, error)
}

// kinds are the kinds of values, by the name that a tag has after "is=". Kinds with the name of a type are for all
// settings of the type without an "is=".
var kinds = map[string]kind{
	"string":         read(func(v string) (string, error) { return v, nil }),
	"bool":           read(parseBool),
	"float64":        read(parseRatio),
	"time.Duration":  read(parseDuration),
	"time.Time":      read(parseDate),
	"slog.Level":     read(parseLevel),
	"[]string":       read(func(v string) ([]string, error) { return parseList(v), nil }),
	"[]netip.Prefix": read(parseNetworks),
	"address":        checked(checkAddress),
	"addressOrOff":   read(parseAddressOrOff),
	"baseUrl":        read(parseBaseURL),
	"collector":      checked(checkCollector),
	"hosts":          read(parseHosts),
	"modes":          read(parseModes),
	"notEmpty":       checked(checkNotEmpty),
	"origins":        read(parseOrigins),
	"podNetwork":     checked(checkPodNetwork),
	"positive":       read(parsePositive),
	"postgres":       checked(checkDatabaseURL),
	"protocol":       read(parseProtocol),
	"sources":        read(parseSources),
	"traceUrl":       checked(checkTraceURL),
	"url":            checked(checkEndpoint),
	"variable":       read(parseVariable),
}

func read[T any](parse func(string) (T, error)) kind {
	return kind{reflect.TypeFor[T](), func(v string) (any, error) { return parse(v) }}
}

// checked are texts that are kept as they are.
func checked(check func(string) error) kind {
	return read(func(v string) (string, error) { return v, check(v) })
}

func checkOneOf(v string, allowed []string) error {
	if slices.Contains(allowed, v) {
		return nil
	}
	last := len(allowed) - 1
	return fmt.Errorf("is %q, not %s or %s", v, strings.Join(allowed[:last], ", "), allowed[last])
}

func checkDatabaseURL(v string) error {
	u, err := url.Parse(v)
	// The cause would quote the URL, password and all.
	if err != nil || (u.Scheme != "postgres" && u.Scheme != "postgresql") || u.Path == "" || u.Path == "/" {
		return errors.New("is not a URL like postgres://user:password@host:5432/windlass")
	}
	return nil
}

func checkAddress(v string) error {
	_, port, err := net.SplitHostPort(v)
	if err != nil {
		return fmt.Errorf("is %q, not host:port", v)
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return fmt.Errorf("is %q, whose port is not a number from 1 to 65535", v)
	}
	return nil
}

func checkEndpoint(v string) error {
	u, err := url.Parse(v)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.User != nil || u.RawQuery != "" ||
		u.Fragment != "" {
		return errors.New("is not an absolute URL like https://vnfm.example:9890")
	}
	return nil
}

// parseBaseURL reads a URL to which paths are appended.
func parseBaseURL(v string) (string, error) { return strings.TrimRight(v, "/"), checkEndpoint(v) }

func checkTraceURL(v string) error {
	if !strings.Contains(v, "{traceId}") {
		return errors.New("has no {traceId}, where the id of the trace goes")
	}
	return checkEndpoint(strings.ReplaceAll(strings.SplitN(v, "?", 2)[0], "{traceId}", "1"))
}

func parseAddressOrOff(v string) (string, error) {
	if v == "off" {
		return "", nil
	}
	return v, checkAddress(v)
}

// parseOrigins reads origins in the form that browsers send: scheme, host and port, and nothing behind them.
func parseOrigins(v string) ([]string, error) {
	var out []string
	for origin := range strings.SplitSeq(v, ",") {
		origin = strings.TrimRight(strings.TrimSpace(origin), "/")
		u, err := url.Parse(origin)
		if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || origin != u.Scheme+"://"+u.Host {
			return nil, fmt.Errorf("has %q, which is no origin like https://temporal.example:8080", origin)
		}
		out = append(out, origin)
	}
	return out, nil
}

// hostPattern matches names of hosts, without a port.
var hostPattern = regexp.MustCompile(`^[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?$`)

// parseHosts reads names of hosts, as clients have them in the Host header but without a port.
func parseHosts(v string) ([]string, error) {
	hosts := parseList(strings.ToLower(v))
	for _, host := range hosts {
		if !hostPattern.MatchString(host) {
			return nil, fmt.Errorf("has %q, not the name of a host like vnfm.example, without a port", host)
		}
	}
	return hosts, nil
}

func checkNotEmpty(v string) error {
	if strings.TrimSpace(v) == "" {
		return errors.New("is empty")
	}
	return nil
}

var variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// parseVariable reads the name of an environment variable with secrets. A wrong value is neither quoted nor kept:
// somebody may have put the secrets themselves here.
func parseVariable(v string) (string, error) {
	if !variable.MatchString(v) {
		return "", errors.New("is not the name of an environment variable")
	}
	return v, nil
}

func parseLevel(v string) (level slog.Level, err error) {
	if level.UnmarshalText([]byte(v)) != nil {
		return slog.LevelInfo, errors.New("is not debug, info, warn or error")
	}
	return level, nil
}

func parseList(v string) []string {
	var out []string
	for item := range strings.SplitSeq(v, ",") {
		if item = strings.TrimSpace(item); item != "" {
			out = append(out, item)
		}
	}
	return out
}

// parseSources reads beginnings of URLs.
func parseSources(v string) ([]string, error) {
	list := parseList(v)
	return list, sources.CheckAllowed(list)
}

func parseInt(v string, least, most int) (int, error) {
	n, err := strconv.Atoi(v)
	if err != nil || n < least || n > most {
		return least, fmt.Errorf("is %q, not a number from %d to %d", v, least, most)
	}
	return n, nil
}

func parseBool(v string) (bool, error) {
	b, err := strconv.ParseBool(v)
	if err != nil {
		return false, fmt.Errorf("is %q, neither true nor false", v)
	}
	return b, nil
}

func parseDuration(v string) (time.Duration, error) {
	d, err := time.ParseDuration(v)
	if err != nil || d < 0 {
		return 0, fmt.Errorf("is %q, not a duration like 30s or 2m", v)
	}
	return d, nil
}

// parseDate reads a date; the time is the end of that day, UTC.
func parseDate(v string) (time.Time, error) {
	if v == "" {
		return time.Time{}, nil
	}
	day, err := time.Parse(time.DateOnly, v)
	if err != nil {
		return day, fmt.Errorf("is %q, not a date like 2026-12-31", v)
	}
	return day.AddDate(0, 0, 1), nil
}

// parsePositive is for limits that cannot be 0.
func parsePositive(v string) (time.Duration, error) {
	d, err := parseDuration(v)
	if err == nil && d == 0 {
		err = errors.New("must be more than 0")
	}
	return d, err
}

func parseNetworks(v string) ([]netip.Prefix, error) {
	if v == "none" {
		return nil, nil
	}
	var out []netip.Prefix
	for part := range strings.SplitSeq(v, ",") {
		p, err := netip.ParsePrefix(strings.TrimSpace(part))
		if err != nil {
			return nil, fmt.Errorf("has %q, not a network like 10.0.0.0/8", part)
		}
		out = append(out, p.Masked())
	}
	return out, nil
}
