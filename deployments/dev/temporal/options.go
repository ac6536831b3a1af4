package main

import (
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"strings"
	"time"
)

// databaseURLEnv names the variable that holds the database's URL.
const databaseURLEnv = "WINDLASS_TEMPORAL_DATABASE_URL"

// codecEnv names the variable that holds the URL at which the Web UI has payloads decrypted; none when empty.
const codecEnv = "WINDLASS_TEMPORAL_CODEC_ENDPOINT"

// options is everything that can be said on the command line and in the environment.
type options struct {
	listen, ui, health netip.AddrPort
	namespace          string
	retention          time.Duration
	searchAttributes   []string
	database           database
	codec              string
	access             access
	level              slog.Level
}

func parse(args []string, getenv func(string) string) (command string, o options, err error) {
	flags := flag.NewFlagSet("windlass-temporal", flag.ContinueOnError)
	flags.Usage = func() {
		fmt.Fprint(flags.Output(), usage)
		flags.PrintDefaults()
	}
	var listen, ui, health, attributes string
	flags.StringVar(&listen, "listen", "127.0.0.1:7233",
		"`address` of the gRPC frontend; whoever reaches it is an administrator")
	flags.StringVar(&ui, "ui", "127.0.0.1:8233", "`address` of the Web UI; empty for none")
	flags.StringVar(&health, "health", "",
		"`address` of /readyz, which answers 200 once the namespace can be used; empty for none")
	flags.StringVar(&o.namespace, "namespace", "windlass", "namespace to create")
	flags.DurationVar(&o.retention, "retention", 30*24*time.Hour, "how long finished workflows are kept")
	flags.StringVar(&attributes, "search-attributes", "",
		"comma separated keyword search attributes to add to the namespace")
	flags.StringVar(&o.database.name, "database", "temporal", "database of the histories")
	flags.StringVar(&o.database.visibility, "visibility-database", "temporal_visibility",
		"database of the visibility records")
	flags.StringVar(&o.access.certFile, "tls-cert", "", "`file` with the frontend's certificate; empty for no TLS")
	flags.StringVar(&o.access.keyFile, "tls-key", "", "`file` with the key of that certificate")
	flags.StringVar(&o.access.caFile, "tls-ca", "",
		"`file` with the authority of that certificate, and of those that clients must show")
	flags.StringVar(&o.access.apiKeyFile, "api-key-file", "",
		"`file` with the API key that clients must have, but for users of the Web UI; empty for none")
	flags.TextVar(&o.level, "log-level", slog.LevelWarn, "least `level` to log: DEBUG, INFO, WARN or ERROR")

	if len(args) == 0 {
		flags.Usage()
		return "", o, flag.ErrHelp
	}
	command, args = args[0], args[1:]
	if err := flags.Parse(args); err != nil {
		return "", o, err
	}
	if command == "help" || command == "-h" || command == "--help" {
		flags.Usage()
		return "", o, flag.ErrHelp
	}
	if command != "serve" && command != "migrate" {
		return "", o, fmt.Errorf("there is no command %q, only serve and migrate", command)
	}
	if flags.NArg() > 0 {
		return "", o, fmt.Errorf("there are no arguments but flags, and %q is none", flags.Arg(0))
	}
	if attributes != "" {
		o.searchAttributes = strings.Split(attributes, ",")
	}
	o.codec = getenv(codecEnv)
	return command, o, errors.Join(
		address(listen, "listen", &o.listen), address(ui, "ui", &o.ui), address(health, "health", &o.health),
		o.database.parse(getenv(databaseURLEnv)), o.access.check())
}

// address reads IP:port into to; an empty text leaves it invalid, which means "none".
func address(text, name string, to *netip.AddrPort) error {
	if text == "" {
		return nil
	}
	resolved, err := net.ResolveTCPAddr("tcp", text)
	if err != nil {
		return fmt.Errorf("--%s must be an address like 127.0.0.1:7233, not %q", name, text)
	}
	*to = resolved.AddrPort()
	*to = netip.AddrPortFrom(to.Addr().Unmap(), to.Port())
	return nil
}
