package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// defaultAPI is where `windlass dev` serves.
const defaultAPI = "http://127.0.0.1:9890"

// cli is the shared state of all client commands.
type cli struct {
	*console
	client *apiClient
	// format is the format in which answers of the API are printed.
	format string
	// render prints by a template; it is nil for formats without a template.
	render renderer
}

// addFlags adds the flags of every client command to cmd and its subcommands.
func (c *cli) addFlags(cmd *cobra.Command) {
	api := os.Getenv("WINDLASS_API")
	if api == "" {
		api = defaultAPI
	}
	var version int
	var chosen string
	var asJSON bool
	who := credentials{
		mode: authMode(), caCert: os.Getenv("WINDLASS_CA_CERT"), clientCert: os.Getenv("WINDLASS_CLIENT_CERT"),
		clientKey: os.Getenv("WINDLASS_CLIENT_KEY"),
	}
	flags := cmd.PersistentFlags()
	flags.StringVar(&api, "api", api, "`URL` of the API; WINDLASS_API in the environment sets it too")
	flags.IntVar(&version, "lcm-version", 1, "major `version` of the lifecycle API: 1 (SOL003 v2.6.1) or 2 (v3.3.1)")
	flags.StringVarP(&c.format, "output", "o", formatTable,
		"`format` of the output: table, wide, name, json, yaml, jsonpath=TEMPLATE or go-template=TEMPLATE; json and yaml "+
			"print the whole answer of the API, templates choose parts of it as in kubectl")
	flags.BoolVar(&asJSON, "json", false, "the same as -o json")
	flags.StringVar(&chosen, "profile", "",
		"`name` of the profile with the address of the API; WINDLASS_PROFILE in the environment sets it too")
	flags.StringVar(&who.mode, "auth", who.mode, "`how` to authenticate: none, token (WINDLASS_TOKEN), oauth2 "+
		"(WINDLASS_OAUTH2_...) or keystone (OS_...); WINDLASS_AUTH sets it too")
	flags.StringVar(&who.caCert, "ca-cert", who.caCert,
		"`file` with the authorities of the API's certificate; WINDLASS_CA_CERT sets it too")
	flags.StringVar(&who.clientCert, "client-cert", who.clientCert,
		"`file` with the certificate to show to the API; WINDLASS_CLIENT_CERT sets it too")
	flags.StringVar(&who.clientKey, "client-key", who.clientKey,
		"`file` with the key, if it is not in that file; WINDLASS_CLIENT_KEY sets it too")
	cmd.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		p, err := profileOf(chosen)
		if err != nil {
			return usageErrorf(cmd, "%s", sentence(err.Error()))
		}
		if !cmd.Flags().Changed("api") {
			api = cmp.Or(p.API, api)
		}
		if !cmd.Flags().Changed("lcm-version") {
			version = cmp.Or(p.LcmVersion, version)
		}
		who.complete(cmd, p)
		if err := c.chooseFormat(cmd, asJSON, p.Output); err != nil {
			return err
		}
		if lcmVersions[version] == "" {
			return usageErrorf(cmd, "--lcm-version must be 1 or 2, not %d.", version)
		}
		if !strings.HasPrefix(api, "http://") && !strings.HasPrefix(api, "https://") {
			return usageErrorf(cmd, "--api must be a URL like %s, not %q.", defaultAPI, api)
		}
		base := strings.TrimSuffix(api, "/")
		client, err := who.client(cmd.Context(), base)
		if err != nil {
			return usageErrorf(cmd, "%s", sentence(err.Error()))
		}
		c.client = &apiClient{
			base: base, lcm: fmt.Sprintf("/vnflcm/v%d", version), version: lcmVersions[version], http: client,
			slowAfter: c.slowAfter, slow: func(format string, args ...any) { fmt.Fprintf(c.err, format, args...) },
		}
		return nil
	}
}

// terminal is the console of a process.
func terminal(in io.Reader, out, err *os.File) *console {
	return &console{in: in, out: out, err: err, now: time.Now, relist: relistEvery, slowAfter: 10 * time.Second, size: func() (width, height int) {
		width, height, err := term.GetSize(int(out.Fd()))
		if err != nil || os.Getenv("TERM") == "dumb" {
			return 0, 0
		}
		return width, height
	}}
}

// row writes cells in columns; an empty cell is shown as a dash.
func row(w io.Writer, cells ...any) {
	texts := make([]string, len(cells))
	for i, cell := range cells {
		if texts[i] = strings.TrimSpace(fmt.Sprint(cell)); texts[i] == "" {
			texts[i] = "-"
		}
	}
	fmt.Fprintln(w, strings.Join(texts, "\t"))
}

// field writes one line of a resource's description, unless the value is empty.
func field(w io.Writer, name string, value any) {
	if text := fmt.Sprint(value); text != "" && text != "[]" && text != "map[]" {
		fmt.Fprintf(w, "%s\t%s\n", name, text)
	}
}

// readRequest reads a file with a request, or standard input for "-".
func (c *cli) readRequest(name string) (json.RawMessage, error) {
	var b []byte
	var err error
	if name == "-" {
		b, err = io.ReadAll(c.in)
	} else {
		b, err = os.ReadFile(name)
	}
	if err != nil {
		return nil, fmt.Errorf("read the request: %w", err)
	}
	return requestJSON(name, b)
}

// checkJSON tells where a file is no JSON.
func checkJSON(name string, b []byte) error {
	if name == "-" {
		name = "standard input"
	}
	var v any
	err := json.Unmarshal(b, &v)
	e, ok := errors.AsType[*json.SyntaxError](err)
	if !ok {
		return err
	}
	before := b[:min(max(int(e.Offset)-1, 0), len(b))] // the offset is behind the mistake
	line, column := 1+bytes.Count(before, []byte("\n")), len(before)-bytes.LastIndexByte(before, '\n')
	return fmt.Errorf("the file %s is not JSON: line %d, column %d: %w", name, line, column, err)
}
