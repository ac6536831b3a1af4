package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// VimNameHolder returns the holder of a VIM's name in the project of an instance. It is a VIM, an instantiation that
// has not ended, or a heal that makes a cluster anew. The instance's own VIM and operations do not count. Without a
// holder, it returns a zero value.
func (s *Store) VimNameHolder(ctx context.Context, inst lcm.VnfInstance, name string) (lcm.VimNameHolder, error) {
	return vimNameHolder(ctx, s.pool, inst.ID, inst.ProjectID, name)
}

// reserveVimName refuses a name that is taken, before the operation that will register the name is inserted. Until the
// transaction ends, no other transaction checks the name.
func reserveVimName(ctx context.Context, tx pgx.Tx, op lcm.VnfLcmOpOcc) error {
	if op.RegistersVim.Name == "" || !op.Operation.Makes() { // a heal has the name already
		return nil
	}
	var project lcm.ProjectID
	if err := tx.QueryRow(ctx, `select project_id from vnf_instance where id = @id`,
		pgx.NamedArgs{"id": op.VnfInstanceID}).Scan(&project); err != nil {
		return err
	}
	if err := lockVimName(ctx, tx, project, op.RegistersVim.Name); err != nil {
		return err
	}
	holder, err := vimNameHolder(ctx, tx, op.VnfInstanceID, project, op.RegistersVim.Name)
	if err != nil {
		return err
	}
	return holder.Problem(op.RegistersVim)
}

// checkVimName refuses to write a VIM when an operation in progress will register another VIM of that name. The
// database itself detects registered VIMs of the name. Until the transaction ends, no other transaction checks the
// name.
func checkVimName(ctx context.Context, tx pgx.Tx, project lcm.ProjectID, v lcm.Vim) error {
	if err := lockVimName(ctx, tx, project, v.Name); err != nil {
		return err
	}
	cluster, _ := v.Extra[lcm.ClusterOfParam].(string)
	holder, err := vimNameHolder(ctx, tx, lcm.VnfInstanceID(cluster), project, v.Name)
	if err != nil {
		return err
	}
	return holder.Reserved(v.Name)
}

// lockVimName makes other transactions that want the name wait until this one ends. VIMs are locked before names.
func lockVimName(ctx context.Context, tx pgx.Tx, project lcm.ProjectID, name string) error {
	lock := "vim name/" + string(project) + "/" + name
	_, err := tx.Exec(ctx, `select pg_advisory_xact_lock(hashtextextended(@lock::text, 0))`, pgx.NamedArgs{"lock": lock})
	return err
}

func vimNameHolder(
	ctx context.Context, q querier, inst lcm.VnfInstanceID, project lcm.ProjectID, name string,
) (lcm.VimNameHolder, error) {
	rows, _ := q.Query(ctx, `
		select id, '', '' from vim
		where name = @name and project_id = @project and coalesce(extra ->> @cluster::text, '') <> @instance
		union all
		select '', id, vnf_instance_id from vnf_lcm_op_occ
		where registers_vim = @name and project_id = @project and vnf_instance_id <> @instance
			and state in ('STARTING', 'PROCESSING', 'FAILED_TEMP')
		limit 1`, pgx.NamedArgs{"name": name, "project": project, "instance": inst, "cluster": lcm.ClusterOfParam})
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (h lcm.VimNameHolder, err error) {
		err = row.Scan(&h.VimID, &h.OpOccID, &h.VnfInstanceID)
		return h, err
	})
	if err != nil || len(found) == 0 {
		return lcm.VimNameHolder{}, interpret("look for the name of a VIM", err)
	}
	return found[0], nil
}
