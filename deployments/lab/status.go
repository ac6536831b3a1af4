package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/windlass-nfv/windlass/deployments/lab/image"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

func newStatus() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:     "status",
		Short:   "Show whether the lab runs, its machines, and the numbers of its resources",
		Example: "  windlass-lab status --state-dir /tmp/lab",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			lab, err := running(dir)
			if err != nil {
				return err
			}
			return status(cmd, lab)
		},
	}
	cmd.Flags().StringVar(&dir, "state-dir", defaultStateDir(), "`directory` with the state of the lab")
	return cmd
}

// running finds the lab of a state directory and checks that it runs.
func running(dir string) (info, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return info{}, err
	}
	lab, err := readInfo(dir)
	if err != nil {
		return lab, err
	}
	lock, err := takeStateDir(dir)
	if err == nil {
		_ = lock.Close()
		return lab, lcm.Errorf(lcm.KindUnavailable, "The lab in %s does not run, but its state is still there. Continue "+
			"with windlass-lab up, or remove the state with windlass-lab down.", dir)
	}
	if !lcm.Is(err, lcm.KindConflict) {
		return lab, err
	}
	if !lab.Ready {
		return lab, lcm.Errorf(lcm.KindUnavailable, "The lab in %s is still starting.", dir)
	}
	return lab, nil
}

func status(cmd *cobra.Command, lab info) error {
	out := cmd.OutOrStdout()
	fmt.Fprintf(out, "The lab runs as process %d and answers at %s/identity/v3, with %s machines.\n\n", lab.PID, lab.URL,
		lab.Machines)
	var machines struct {
		Machines []struct {
			ID, Name, Status, Machine string
			Addresses                 map[string][]struct{ Addr string }
		}
	}
	if err := ask(cmd, lab.URL+"/lab/machines", &machines); err != nil {
		return err
	}
	if len(machines.Machines) > 0 {
		w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "ID\tNAME\tSTATUS\tMACHINE\tADDRESSES")
		for _, m := range machines.Machines {
			var all []string
			for _, list := range m.Addresses {
				for _, a := range list {
					all = append(all, a.Addr)
				}
			}
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", m.ID, m.Name, m.Status, m.Machine, strings.Join(all, " "))
		}
		if err := w.Flush(); err != nil {
			return err
		}
		fmt.Fprintln(out)
	}
	return counts(cmd, out, lab)
}

func counts(cmd *cobra.Command, out io.Writer, lab info) error {
	var all map[string][]any
	if err := ask(cmd, lab.URL+"/lab/resources", &all); err != nil {
		return err
	}
	for _, kind := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(out, "%-16s %d\n", strings.ReplaceAll(kind, "_", " "), len(all[kind]))
	}
	return nil
}

func ask(cmd *cobra.Command, url string, into any) error {
	req, err := http.NewRequestWithContext(cmd.Context(), http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return lcm.Wrap(lcm.KindUnavailable, err, "The lab does not answer at %s.", url)
	}
	defer func() { _ = res.Body.Close() }() // only read
	if res.StatusCode != http.StatusOK {
		return lcm.Errorf(lcm.KindBroken, "%s answers %s.", url, res.Status)
	}
	return json.NewDecoder(res.Body).Decode(into)
}

func newImage() *cobra.Command {
	var o image.Options
	cmd := &cobra.Command{
		Use:   "image",
		Short: "Build the image of the machines, if it does not exist yet",
		Example: `  windlass-lab image
  windlass-lab image --image-dir /srv/images`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Progress = os.Stderr
			img, err := image.Ensure(cmd.Context(), o)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s\n", img.Node)
			return err
		},
	}
	imageFlags(cmd, &o)
	return cmd
}
