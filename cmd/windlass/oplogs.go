package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

func newOpLogs(c *cli) *cobra.Command {
	var number int
	var node string
	var follow bool
	cmd := &cobra.Command{
		Use:     "logs ID",
		Aliases: []string{"log"},
		Short:   "Print the captured output of an operation, or of one of its steps",
		Long: `Print the captured output of an operation, step by step, or of one step, by the number that
'windlass op steps' shows. With --follow the command prints new output until the operation has ended or waits for a
decision; its exit codes are then the same as those of 'windlass op watch'.`,
		Example: `  windlass op logs edge-1 --follow
  windlass op logs edge-1 --step 5
  windlass op logs edge-1 --step 5 --node worker-3f2a91c0`,
		Args: exactly("ID"),
	}
	cmd.Flags().IntVar(&number, "step", -1, "`number` of the step; default: all steps")
	cmd.Flags().StringVar(&node, "node", "", "only the output of this `node`")
	cmd.Flags().BoolVarP(&follow, "follow", "f", false, "print new output until the operation has ended")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if number < 0 && cmd.Flags().Changed("step") {
			return usageErrorf(cmd, "--step must be a number that 'windlass op steps' shows, not %d.", number)
		}
		if follow {
			return c.followLogs(cmd.Context(), args[0], number, node)
		}
		return c.printLogs(cmd.Context(), args[0], number, node)
	}
	return cmd
}

func (c *cli) printLogs(ctx context.Context, op string, number int, node string) error {
	query := url.Values{}
	if number >= 0 {
		query.Set("step", strconv.Itoa(number))
	}
	if node != "" {
		query.Set("node", node)
	}
	resp, err := c.client.do(ctx, http.MethodGet, progressPath+"/"+op+"/logs?"+query.Encode(), nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	output := bufio.NewReader(resp.Body)
	headings, err := leadingHeadings(output)
	switch {
	case errors.Is(err, io.EOF) && number >= 0:
		return c.explainSilence(ctx, op, number, node)
	case errors.Is(err, io.EOF) && node != "":
		return fmt.Errorf("no step of operation %s has printed anything on a node %q; 'windlass op steps %s' shows the nodes",
			op, node, op)
	}
	w := bufio.NewWriter(c.out)
	if _, err := io.Copy(w, io.MultiReader(strings.NewReader(headings), output)); err != nil {
		return fmt.Errorf("read the output: %w", err)
	}
	return w.Flush()
}

// leadingHeadings removes the headings of steps at the beginning of the output. It is EOF if there is nothing else.
func leadingHeadings(output *bufio.Reader) (headings string, err error) {
	const mark = "==> "
	for {
		begin, err := output.Peek(len(mark))
		if string(begin) != mark {
			if len(begin) > 0 {
				err = nil
			}
			return headings, err
		}
		line, err := output.ReadString('\n')
		headings += line
		if err != nil {
			return headings, err
		}
	}
}

// followLogs prints output as it comes until the operation is over.
func (c *cli) followLogs(ctx context.Context, op string, number int, node string) error {
	following, stop := context.WithCancel(ctx)
	defer stop()
	v := &logView{c: c, ctx: ctx, op: op, number: number, node: node, read: map[stepKey]readOutput{}}
	w := &watcher{want: lcm.Completed}
	last, err := c.follow(ctx, op, v, w, followEvents(following, c.client, op))
	if err != nil {
		return err
	}
	return verdict(last, w.want)
}

// logView prints the lines that have come since the last look.
type logView struct {
	c *cli
	// ctx is the context of the command: a view's methods take none.
	ctx    context.Context
	op     string
	number int // -1 for all steps
	node   string
	read   map[stepKey]readOutput
	// heading is the step of the last printed lines.
	heading *stepKey
}

// readOutput is the output of a step that was read so far: the numbers of the lines, and the step's state at that time.
type readOutput struct {
	seen  map[int64]bool
	stood string
}

func (v *logView) show(s snapshot) {
	stood, titles, order := map[stepKey]string{}, map[stepKey]string{}, []stepKey{}
	running := map[stepKey]bool{} // a new last line may have the same text
	for _, st := range s.steps {
		key := stepKey{index: st.Index, phase: st.Phase}
		if v.number >= 0 && st.Index != v.number || st.State == lcm.StepPending {
			continue
		}
		if _, known := stood[key]; !known {
			order, titles[key] = append(order, key), st.Title
		}
		stood[key] += fmt.Sprintf("%s %s %d %s\n", st.Node, st.State, st.Attempt, st.LastLine)
		running[key] = running[key] || st.State == lcm.StepRunning
	}
	for _, key := range order {
		before, known := v.read[key]
		if before.stood == stood[key] && !running[key] && !s.op.over() {
			continue
		}
		if !known {
			before.seen = map[int64]bool{}
		}
		if err := v.print(key, titles[key], before.seen); err != nil { // it is read again with the next look
			v.note(describe(err))
			stood[key] = ""
		}
		v.read[key] = readOutput{before.seen, stood[key]}
	}
}

// print prints the lines of a step that were not seen yet. Nodes print at the same time, so a line may be stored before
// other lines that were read already. So lines are identified by their numbers, not by their positions.
func (v *logView) print(key stepKey, title string, seen map[int64]bool) error {
	path := fmt.Sprintf("%s/%s/steps/%d/output?numbered=true&phase=%s", progressPath, v.op, key.index, key.phase)
	resp, err := v.c.client.do(v.ctx, http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	all := bufio.NewReader(resp.Body)
	for place := int64(1); ; place++ {
		line, err := all.ReadString('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read the output: %w", err)
		}
		number, line := numbered(line, place)
		if seen[number] {
			continue
		}
		seen[number] = true
		if v.node != "" && !strings.HasPrefix(line, v.node+": ") {
			continue
		}
		if v.heading == nil || *v.heading != key {
			fmt.Fprintf(v.c.out, "==> %d. %s\n", key.index, title)
			v.heading = &key
		}
		fmt.Fprint(v.c.out, line)
	}
}

// numbered returns the number and the text of a line. API servers of earlier releases give no numbers: the line's
// position counts then.
func numbered(line string, place int64) (int64, string) {
	before, text, found := strings.Cut(line, "\t")
	number, err := strconv.ParseInt(before, 10, 64)
	if !found || err != nil {
		return place, line
	}
	return number, text
}

func (v *logView) tick() {}

func (v *logView) note(text string) { fmt.Fprintln(v.c.err, text) }
