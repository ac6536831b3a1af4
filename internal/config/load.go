package config

import (
	"net"
	"net/url"
	"os"
	"reflect"
	"slices"

	"github.com/spf13/pflag"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// AddFlags adds the flags of the needed parts, or of all parts if needs is empty, and the flags of every command.
func AddFlags(flags *pflag.FlagSet, needs ...Need) {
	flags.String(fileFlag, "", "YAML `file` with settings")
	for _, s := range settings {
		if s.neededBy(needs) {
			// The defaults stand in the usage only: the loader must tell a set flag from an unset one.
			usage := s.usage()
			if s.fallback != "" {
				usage += " (default " + s.fallback + ")"
			}
			flags.String(s.flag(), "", usage)
			if s.field.Type.Kind() == reflect.Bool {
				flags.Lookup(s.flag()).NoOptDefVal = "true"
			}
		}
	}
}

// Load reads the settings from the flags that AddFlags added, the environment and the file. The settings that a command
// needs must be present; other given settings must still be valid. It reports all mistakes together, in one Invalid
// error.
func Load(flags *pflag.FlagSet, needs ...Need) (Config, error) {
	l := loader{flags: flags, needs: needs}
	l.readFile()
	for _, s := range settings {
		l.load(s)
	}
	l.finish()
	return l.config, lcm.InvalidAll("The configuration has mistakes.", l.problems)
}

type loader struct {
	flags    *pflag.FlagSet
	needs    []Need
	file     map[string]fileValue
	config   Config
	problems []lcm.Problem
	given    []string // keys that have a value, right or wrong
}

func (l *loader) problem(path, detail string) {
	l.problems = append(l.problems, lcm.Problem{Path: path, Detail: detail})
}

func (l *loader) load(s setting) {
	value, place := l.find(s)
	if place == "" {
		return
	}
	l.given = append(l.given, s.key)
	v, err := s.read(value)
	if err != nil {
		l.problem(place, err.Error())
	}
	field := s.in(&l.config)
	field.Set(reflect.ValueOf(v).Convert(field.Type())) // an enum's type is one of its own
}

// find returns the value of the first source that has one, and the name of that source.
func (l *loader) find(s setting) (value, place string) {
	if f := l.flags.Lookup(s.flag()); f != nil && f.Changed {
		if s.secret && hasPassword(f.Value.String()) {
			l.problem("--"+s.flag(), "has a password, which every user of this host could see among the arguments; use "+
				s.env()+" or the file")
		}
		return f.Value.String(), "--" + s.flag()
	}
	// An empty variable counts as not set: compose files and charts leave empty variables behind.
	if v := os.Getenv(s.env()); v != "" {
		return v, s.env()
	}
	if v, ok := l.file[s.key]; ok {
		return v.value, v.place + " " + s.key
	}
	if s.fallback != "" {
		return s.fallback, "default of " + s.key
	}
	return "", ""
}

func hasPassword(databaseURL string) bool {
	u, err := url.Parse(databaseURL)
	if err != nil {
		return true // who knows
	}
	_, has := u.User.Password()
	return has || u.Query().Has("password")
}

// finish checks and completes settings that depend on each other.
func (l *loader) finish() {
	needed := func(n Need) bool { return len(l.needs) == 0 || slices.Contains(l.needs, n) }
	for _, s := range settings {
		if s.required && s.neededBy(l.needs) && !slices.Contains(l.given, s.key) {
			l.problem(s.key, "is missing: set "+s.env()+", or "+s.key+" in the file")
		}
	}
	if needed(NeedKeys) && l.config.Keys.File == "" && l.config.Keys.Env != "" && os.Getenv(l.config.Keys.Env) == "" {
		l.problem("keys.file", "is missing, and there is no environment variable "+l.config.Keys.Env+" with keys in its place")
	}
	if needed(NeedPackages) && l.config.Packages.SignatureRequired && l.config.Packages.TrustFile == "" {
		l.problem("packages.signatureRequired", "needs packages.trustFile, the authorities of those who sign")
	}
	if needed(NeedNFVO) {
		l.finishNFVO()
	}
	if needed(NeedWorker) {
		l.finishApt()
		l.finishPodNetwork()
	}
	if !slices.Contains(l.given, "api.endpoint") {
		l.config.API.Endpoint = endpointOf(l.config.API.Listen, l.config.API.TLS)
	}
	if needed(NeedAPI) {
		l.finishAuth()
	}
	if needed(NeedTelemetry) {
		l.finishTelemetry()
	}
}

// finishNFVO refuses a setting if its counterpart is missing.
func (l *loader) finishNFVO() {
	n := l.config.NFVO
	if n.Endpoint == "" {
		if n.Packages != PackagesOff && n.Packages != "" {
			l.problem("nfvo.packages", "needs nfvo.endpoint")
		}
		return
	}
	if (n.ClientID == "") != (n.SecretFile == "") {
		l.problem("nfvo.clientId", "goes with nfvo.secretFile; give both or neither")
	}
	if n.TokenEndpoint != "" && n.ClientID == "" {
		l.problem("nfvo.tokenEndpoint", "needs nfvo.clientId and nfvo.secretFile")
	}
}

// endpointOf is how clients on this host reach the address.
func endpointOf(listen string, files TLS) string {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return "" // reported as a mistake of api.listen
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	scheme := "http://"
	if files.CertFile != "" {
		scheme = "https://"
	}
	return scheme + net.JoinHostPort(host, port)
}
