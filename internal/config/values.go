package config

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Functions that read the values of settings: each reports a wrong value, and the form that it should have.

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

// variable is the name of an environment variable.
var variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

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
