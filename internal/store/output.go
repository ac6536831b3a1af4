package store

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// OutputLine is one captured line of a step.
type OutputLine struct {
	// Number belongs to this line alone. Lines of one node are stored in the order of their numbers. A line of another
	// node may be stored after a line with a higher number.
	Number  int64
	Node    string
	Attempt int
	At      time.Time
	Line    string
}

// longestLine limits the stored part of one line: a progress bar without line feeds is not worth more.
const longestLine = 16 << 10

// cutOff is the last stored line of a node that prints too much in a step.
const cutOff = "[More than %d MiB were printed here in this step; what follows is not kept.]"

// AppendOutput appends lines to the captured output of a step, shows the last line in the step's progress and appends
// one event. An attempt of 0 means the step's current one. It stores lcm.MaxStepOutput for one node's part of a step.
// Output beyond that leaves a line that says so, and no event.
func (s *Store) AppendOutput(ctx context.Context, ref lcm.StepRef, attempt int, lines []string) error {
	if len(lines) == 0 {
		return nil
	}
	clean, sizes, size := make([]string, len(lines)), make([]int, len(lines)), 0
	for i, line := range lines {
		clean[i] = text(line[:min(len(line), longestLine)])
		size += lcm.OutputSize(clean[i])
		sizes[i] = size
	}
	_, err := s.pool.Exec(ctx, appendOutput, pgx.NamedArgs{
		"op": ref.OpOccID, "index": ref.Step, "phase": ref.Phase(), "node": text(ref.Node), "attempt": attempt,
		"lines": clean, "sizes": sizes, "size": size, "most": lcm.MaxStepOutput,
		"cutOff": fmt.Sprintf(cutOff, lcm.MaxStepOutput>>20), "lastLine": lastLine(clean),
	})
	return stepError("store the output of a step", ref.OpOccID, err)
}

// When too much was printed already, the counting part changes no row: before is empty, and nothing else happens. Each
// part reads the part above it, so that all transactions lock rows in the same order: the size, the step, and then the
// event's lock.
const appendOutput = `
		with current as (
			select case when @attempt::integer > 0 then @attempt::integer else coalesce((
				select attempt from op_step where op_occ_id = @op and step_index = @index and phase = @phase and node = @node), 1) end as attempt
		), before as (
			insert into step_output_size as old (op_occ_id, step_index, phase, node, bytes)
			values (@op, @index, @phase, @node, @size::bigint)
			on conflict (op_occ_id, step_index, phase, node) do update set bytes = old.bytes + excluded.bytes
			where old.bytes <= @most::bigint
			returning bytes - @size::bigint as bytes
		), added as (
			insert into step_output (op_occ_id, step_index, phase, node, attempt, line)
			select @op, @index, @phase, @node, current.attempt, line
			from current, before, (
				select line, upto, n from unnest(@lines::text[], @sizes::bigint[]) with ordinality as given (line, upto, n)
				union all select @cutOff, null, cardinality(@lines::text[]) + 1
			) as given
			where case when upto is null then before.bytes + @size::bigint > @most::bigint else before.bytes + upto <= @most::bigint end
			order by n
			returning 1
		), touched as (
			update op_step set last_line = @lastLine
			where op_occ_id = @op and step_index = @index and phase = @phase and node = @node
				and attempt = (select attempt from current) and @lastLine <> '' and exists (select from added)
			returning 1
		)
		select append_event(@op::text, 'output', jsonb_strip_nulls(jsonb_build_object(
			'index', @index::integer, 'phase', @phase::text, 'node', nullif(@node::text, ''), 'attempt', (select attempt from current),
			'lines', (select count(*) from added) + 0 * (select count(*) from touched),
			'lastLine', nullif(@lastLine::text, ''))))
		from before`

// lastLine returns the last line that is not blank.
func lastLine(lines []string) string {
	for _, line := range slices.Backward(lines) {
		if strings.TrimSpace(line) != "" {
			return line
		}
	}
	return ""
}

// Output reads the captured output of a step in its order of arrival, page by page. Without a node, it reads the output
// of all nodes.
func (s *Store) Output(ctx context.Context, ref lcm.StepRef) iter.Seq2[OutputLine, error] {
	const page = 1000
	return func(yield func(OutputLine, error) bool) {
		var after int64
		for {
			lines, err := all(ctx, s.pool, scanOutput, `
				select id, node, attempt, at, line
				from step_output
				where op_occ_id = @op and step_index = @index and phase = @phase and (node = @node or @node = '') and id > @after
				order by id
				limit @page`,
				pgx.NamedArgs{
					"op": ref.OpOccID, "index": ref.Step, "phase": ref.Phase(), "node": ref.Node, "after": after,
					"page": page,
				})
			if err != nil {
				yield(OutputLine{}, err)
				return
			}
			for _, line := range lines {
				if !yield(line, nil) {
					return
				}
				after = line.Number
			}
			if len(lines) < page {
				return
			}
		}
	}
}

func scanOutput(row pgx.CollectableRow) (o OutputLine, err error) {
	err = row.Scan(&o.Number, &o.Node, &o.Attempt, &o.At, &o.Line)
	return o, err
}
