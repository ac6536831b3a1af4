package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// population fills the database with copies of one VNF and of its operations. They are the rows that real operations
// have written, with their own names, ids and times. It does not copy steps, events and output, because no list reads
// them.
type population struct {
	conn *pgx.Conn
	// instance and operations are the original rows, as JSON.
	instance   []byte
	operations [][]byte
	// columns are the columns to write, by table; the database generates the others from them.
	columns map[string]string
	// shared are the ids that all copies have in common: of the package, the VNFD and the VIM.
	shared map[string]bool
	// original is the id of the VNF; made is the number of copies.
	original string
	made     int
}

// newPopulation reads the VNF. The caller must close the connection.
func newPopulation(ctx context.Context, databaseURL, vnf string, shared ...string) (*population, error) {
	conn, err := pgx.Connect(ctx, databaseURL)
	if err != nil {
		return nil, err
	}
	p := &population{conn: conn, original: vnf, shared: map[string]bool{}}
	for _, id := range shared {
		p.shared[id] = true
	}
	if err := p.read(ctx); err != nil {
		_ = conn.Close(ctx)
		return nil, fmt.Errorf("read the rows of the VNF: %w", err)
	}
	return p, nil
}

func (p *population) read(ctx context.Context) error {
	var pkg string
	err := p.conn.QueryRow(ctx, `select to_jsonb(i)::text, vnf_pkg_id from vnf_instance i where id = $1`,
		p.original).Scan(&p.instance, &pkg)
	if err != nil {
		return err
	}
	p.shared[pkg] = true
	rows, err := p.conn.Query(ctx,
		`select to_jsonb(o)::text from vnf_lcm_op_occ o where vnf_instance_id = $1 order by start_time`, p.original)
	if err != nil {
		return err
	}
	if p.operations, err = pgx.CollectRows(rows, pgx.RowTo[[]byte]); err != nil {
		return err
	}
	p.columns = map[string]string{}
	for _, table := range []string{"vnf_instance", "vnf_lcm_op_occ"} {
		var columns string
		err := p.conn.QueryRow(ctx, `select string_agg(quote_ident(column_name), ', ') from information_schema.columns
			where table_schema = current_schema and table_name = $1 and is_generated = 'NEVER'`, table).Scan(&columns)
		if err != nil {
			return err
		}
		p.columns[table] = columns
	}
	return nil
}

func (p *population) close(ctx context.Context) error { return p.conn.Close(ctx) }

// copiesAtOnce is the number of copies in one statement.
const copiesAtOnce = 100

// grow makes copies until there are count.
func (p *population) grow(ctx context.Context, count int) error {
	for p.made < count {
		until := min(p.made+copiesAtOnce, count)
		var instances, operations []json.RawMessage
		for ; p.made < until; p.made++ {
			one, err := p.copy(p.instance, p.made)
			if err != nil {
				return err
			}
			instances = append(instances, one)
			for _, o := range p.operations {
				if one, err = p.copy(o, p.made); err != nil {
					return err
				}
				operations = append(operations, one)
			}
		}
		for _, table := range []struct {
			name string
			rows []json.RawMessage
		}{{"vnf_instance", instances}, {"vnf_lcm_op_occ", operations}} {
			doc, err := json.Marshal(table.rows)
			columns := p.columns[table.name]
			if err == nil {
				_, err = p.conn.Exec(ctx, `insert into `+table.name+` (`+columns+`) select `+columns+` from jsonb_populate_recordset(null::`+table.name+`, $1::jsonb)`, string(doc))
			}
			if err != nil {
				return fmt.Errorf("fill %s: %w", table.name, err)
			}
		}
	}
	// Autovacuum does the same a little later.
	_, err := p.conn.Exec(ctx, `vacuum analyze vnf_instance, vnf_lcm_op_occ`)
	return err
}

var anyID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

// id returns the id in the n-th copy that replaces an id of the original.
func (p *population) id(original string, n int) string {
	if p.shared[original] {
		return original
	}
	return uuid.NewSHA1(uuid.NameSpaceOID, fmt.Appendf(nil, "%d/%s", n, original)).String()
}

// times are the columns with a time; the times of two copies differ by a minute.
var times = []string{"created", "updated", "start_time", "state_entered_time"}

// copy returns the n-th copy of a row.
func (p *population) copy(row []byte, n int) (json.RawMessage, error) {
	text := anyID.ReplaceAllFunc(row, func(id []byte) []byte { return []byte(p.id(string(id), n)) })
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var doc map[string]any
	if err := dec.Decode(&doc); err != nil {
		return nil, err
	}
	for _, name := range times {
		if at, err := time.Parse(time.RFC3339Nano, fmt.Sprint(doc[name])); err == nil {
			doc[name] = at.Add(-time.Duration(n) * time.Minute)
		}
	}
	if _, isInstance := doc["metadata"]; isInstance {
		doc["name"], doc["metadata"] = nameOfCopy(n),
			map[string]string{"site": siteOfCopy(n), "rack": fmt.Sprintf("rack-%d", n)}
	}
	return json.Marshal(doc)
}

func nameOfCopy(n int) string { return fmt.Sprintf("edge-%d", n) }

// siteOfCopy returns the site of a copy; ten copies have the same.
func siteOfCopy(n int) string { return fmt.Sprintf("site-%d", n/10) }
