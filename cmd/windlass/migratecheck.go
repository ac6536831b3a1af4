package main

import (
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/windlass-nfv/windlass/internal/tacker"
)

func newMigrateCheck(con *console) *cobra.Command {
	c := &cli{console: con}
	var address, caCert string
	cmd := &cobra.Command{
		Use:   "migrate-check --tacker URL",
		Short: "Show which resources of an OpenStack Tacker carry over to Windlass",
		Long: `Read an OpenStack Tacker by its API. Report for each of its packages, VIMs, VNFs, unfinished operations
and subscriptions whether Windlass can take it over. The command changes nothing, there or here.

The command downloads the packages, and checks them as Windlass does when you on-board them. Log in as a user who
may read them, with the variables of Tacker's own client (OS_AUTH_URL, OS_USERNAME, OS_PASSWORD, OS_PROJECT_NAME and
the domains, an application credential, or OS_TOKEN). Without OS_AUTH_URL and OS_TOKEN the command does not log in,
as for a Tacker without Keystone.

  CARRIES_OVER  it works as it is
  NEEDS_WORK    it works after the work that the line names
  STAYS_BEHIND  it does not work; the line says why`,
		Example: `  windlass migrate-check --tacker http://controller:9890
  windlass migrate-check --tacker http://controller:9890 -o json`,
		Args: exactly(),
	}
	flags := cmd.Flags()
	flags.StringVar(&address, "tacker", "", "`URL` of the root of Tacker's API")
	flags.StringVar(&caCert, "ca-cert", os.Getenv("OS_CACERT"),
		"`file` with the authorities of Tacker's and Keystone's certificates; OS_CACERT sets it too")
	cmd.PersistentFlags().StringVarP(&c.format, "output", "o", formatTable, "`format` of the output: table, json or yaml")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := c.chooseFormat(cmd, false, ""); err != nil {
			return err
		}
		u, err := url.Parse(address)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return usageErrorf(cmd, "--tacker must be a URL like http://controller:9890, not %q.", address)
		}
		who := credentials{mode: authNone, caCert: caCert}
		if os.Getenv("OS_AUTH_URL") != "" || os.Getenv("OS_TOKEN") != "" {
			who.mode = authKeystone
		}
		base := strings.TrimRight(address, "/")
		client, err := who.client(cmd.Context(), base)
		if err != nil {
			return usageErrorf(cmd, "%s", sentence(err.Error()))
		}
		report, err := (&tacker.Client{Base: base, HTTP: client}).Check(cmd.Context())
		if err != nil {
			return err
		}
		return c.print(report, func(w io.Writer) { showReport(w, report) })
	}
	return cmd
}

// showReport prints a line for each reason: the work to do stands beside its subject.
func showReport(w io.Writer, r *tacker.Report) {
	if len(r.Findings) > 0 {
		row(w, "KIND", "NAME", "ID", "VERDICT", "WHY, AND WHAT TO DO")
	}
	for _, f := range r.Findings {
		row(w, f.Kind, f.Name, f.ID, f.Verdict, first(f.Reasons))
		for _, reason := range f.Reasons[min(1, len(f.Reasons)):] {
			fmt.Fprintf(w, "\t\t\t\t%s\n", reason)
		}
	}
	for _, note := range r.Notes {
		fmt.Fprintln(w, note)
	}
	fmt.Fprintf(w, "%d carry over, %d need work, %d stay behind.\n", r.Counts[tacker.Carries], r.Counts[tacker.Changes],
		r.Counts[tacker.Stays])
}

func first(texts []string) string {
	if len(texts) == 0 {
		return ""
	}
	return texts[0]
}
