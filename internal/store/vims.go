package store

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

const (
	vimColumns = `
	id, project_id, name, description, type, auth_url, auth_cred, project, regions, is_default, status, last_check, extra, created,
	updated`

	selectVim = `select ` + vimColumns + ` from vim`
)

func scanVim(row pgx.CollectableRow) (v lcm.Vim, err error) {
	err = row.Scan(&v.ID, &v.ProjectID, &v.Name, &v.Description, &v.Type, &v.AuthURL, &v.AuthCred, &v.Project, &v.Regions,
		&v.IsDefault,
		&v.Status, &v.Check, &v.Extra, &v.Created, &v.Updated)
	return v, err
}

func vimArgs(v lcm.Vim) pgx.NamedArgs {
	return pgx.NamedArgs{
		"id": v.ID, "name": v.Name, "description": v.Description, "type": v.Type, "url": v.AuthURL, "cred": v.AuthCred,
		"project": v.Project, "regions": v.Regions, "default": v.IsDefault, "status": v.Status, "check": v.Check, "extra": v.Extra,
	}
}

// CreateVim inserts the VIM into the context's project. It returns a Conflict when the project has a VIM of that name,
// an operation in progress will use the name, or the project has a default VIM already.
func (s *Store) CreateVim(ctx context.Context, v lcm.Vim) error {
	args, err := ownedBy(ctx, "create a VIM", vimArgs(v))
	if err != nil {
		return err
	}
	return s.inTransaction(ctx, "create the VIM", func(tx pgx.Tx) error {
		if err := noteOutcome(ctx, tx, string(v.ID)); err != nil {
			return err
		}
		if err := checkVimName(ctx, tx, lcm.ScopeOf(ctx).Project, v); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `
			insert into vim (id, name, description, type, auth_url, auth_cred, project, regions, is_default, status, last_check, extra,
				project_id)
			values (@id, @name, @description, @type, @url, @cred, @project, @regions, @default, @status, @check, @extra, @owner)`,
			args)
		return vimError("create the VIM", v, err)
	})
}

// UpdateVim replaces all but the id, if v.Updated is still the stored time. Otherwise it returns a Conflict, because v
// may refer to deleted secrets. A zero Updated means that the caller did not read the VIM before; then UpdateVim
// replaces any stored state.
func (s *Store) UpdateVim(ctx context.Context, v lcm.Vim) error {
	args := vimArgs(v)
	args["updated"] = pgtype.Timestamptz{Time: v.Updated, Valid: !v.Updated.IsZero()}
	written := false
	err := s.inTransaction(ctx, "update the VIM", func(tx pgx.Tx) error {
		if err := noteOutcome(ctx, tx, string(v.ID)); err != nil {
			return err
		}
		stored, err := one(ctx, tx, scanVim, notFound("VIM", v.ID), selectVim+` where id = @id for update`, args)
		if err != nil {
			return err
		}
		if stored.Name != v.Name {
			if err := checkVimName(ctx, tx, stored.ProjectID, v); err != nil {
				return err
			}
		}
		tag, err := tx.Exec(ctx, `
			update vim set
				name = @name, description = @description, type = @type, auth_url = @url, auth_cred = @cred, project = @project,
				regions = @regions, is_default = @default, status = @status, last_check = @check, extra = @extra,
				-- It tells versions apart, so it never stands still.
				updated = greatest(clock_timestamp(), updated + interval '1 microsecond')
			where id = @id and updated = coalesce(@updated, updated)`,
			args)
		written = tag.RowsAffected() == 1
		return vimError("update the VIM", v, err)
	})
	if err != nil || written {
		return err
	}
	stored, err := s.Vim(ctx, v.ID)
	if err != nil {
		return err
	}
	return lcm.Errorf(lcm.KindConflict, "The VIM %s was changed meanwhile; read it again.", stored.Name)
}

func vimError(op string, v lcm.Vim, err error) error {
	switch {
	case violates(err, "vim_name"):
		return lcm.Errorf(lcm.KindConflict, "There is a VIM named %q already.", v.Name)
	case violates(err, "vim_one_default"):
		return lcm.Errorf(lcm.KindConflict, "Another VIM is the default; make that one an ordinary one first.")
	case violates(err, "vim_pkey"):
		return lcm.Errorf(lcm.KindConflict, "There is a VIM %s already.", v.ID)
	}
	return interpret(op, err)
}

// usesVim finds the instances with a connection to the VIM @id. A complete connection may name any id, also that of
// another project's VIM (lcm.VimConnectionInfo.Registered). So it does not count as a use.
const usesVim = `vim_connections @> @connection::jsonb and exists (
	select from jsonb_array_elements(vim_connections) as c where c ->> 'vimId' = @id and not (
		coalesce(c #>> '{interfaceInfo,endpoint}', '') <> ''
		and exists (select from jsonb_each_text(coalesce(nullif(c -> 'accessInfo', 'null'), '{}')) as a
			where a.key = any(@secrets) and a.value <> '')))`

// usersOf are the arguments of usesVim.
func usersOf(id lcm.VimID) pgx.NamedArgs {
	return pgx.NamedArgs{
		"id": id, "connection": []map[string]any{{"vimId": id}}, "secrets": lcm.VimSecrets(),
	}
}

// DeleteVim removes the VIM. It returns a Conflict when a VNF instance names the VIM in its VIM connections. If times
// are given, the VIM's last change must have been at one of them.
func (s *Store) DeleteVim(ctx context.Context, id lcm.VimID, updated ...time.Time) error {
	args := usersOf(id)
	return s.inTransaction(ctx, "delete the VIM", func(tx pgx.Tx) error {
		// Because of the lock, BeginOperation waits or its operation is seen: the second statement reads the new state.
		vim, err := one(ctx, tx, scanVim, notFound("VIM", id), selectVim+` where id = @id for update`, args)
		if err != nil {
			return err
		}
		if len(updated) > 0 && !slices.ContainsFunc(updated, vim.Updated.Equal) {
			return lcm.Errorf(lcm.KindConflict, "The VIM %s was changed meanwhile; read it again.", vim.Name)
		}
		users, err := all(ctx, tx, pgx.RowTo[string], `
			select id from vnf_instance where `+usesVim+` order by id limit 1`, args)
		if err != nil {
			return err
		}
		if len(users) > 0 {
			return lcm.Errorf(lcm.KindConflict, "VIM %s is in use by VNF instance %s.", vim.ID, users[0])
		}
		_, err = tx.Exec(ctx, `delete from vim where id = @id`, args)
		return err
	})
}

// VimUsers returns the VNF instances that name the VIM in their VIM connections.
func (s *Store) VimUsers(ctx context.Context, id lcm.VimID) ([]lcm.VnfInstanceID, error) {
	args := usersOf(id)
	return all(ctx, s.pool, pgx.RowTo[lcm.VnfInstanceID], `select id from vnf_instance where `+usesVim+` order by id`, args)
}

// connect merges the connections into those of the instance, and locks the instance. It also locks the VIMs until the
// end of the transaction, so that DeleteVim sees the new connections.
func connect(ctx context.Context, tx pgx.Tx, id lcm.VnfInstanceID, added []lcm.VimConnectionInfo) error {
	if len(added) == 0 {
		return nil
	}
	if err := holdVims(ctx, tx, id, added); err != nil {
		return err
	}
	inst, err := one(ctx, tx, scanInstance, notFound("VNF instance", id), selectInstance+` where id = @id`,
		pgx.NamedArgs{"id": id})
	if err != nil {
		return err
	}
	inst.VimConnections = mergeConnections(inst.VimConnections, added)
	return updateInstance(ctx, tx, inst)
}

// holdVims protects the VIMs of an instance's connections from deletion until the end of the transaction. It returns a
// Conflict when one is gone; a VIM of another project than the instance's counts as gone.
func holdVims(ctx context.Context, tx pgx.Tx, inst lcm.VnfInstanceID, connections []lcm.VimConnectionInfo) error {
	for _, vim := range vimIDs(connections) {
		if _, err := one(ctx, tx, scanVim, lcm.Errorf(lcm.KindConflict, "VIM %s was deleted meanwhile; name another one.",
			vim),
			selectVim+` where id = @id and project_id = (select project_id from vnf_instance where id = @instance) for key share`,
			pgx.NamedArgs{"id": vim, "instance": inst}); err != nil {
			return err
		}
	}
	return nil
}

// vimIDs lists the VIMs in the order that every transaction uses to lock them.
func vimIDs(connections []lcm.VimConnectionInfo) []lcm.VimID {
	var ids []lcm.VimID
	for _, c := range connections {
		if registered := c.Registered(); registered != "" {
			ids = append(ids, registered)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// mergeConnections merges vimConnectionInfo as SOL003 requires: an entry replaces the entry with the same id.
func mergeConnections(have, added []lcm.VimConnectionInfo) []lcm.VimConnectionInfo {
	byID := map[string]lcm.VimConnectionInfo{}
	for _, c := range slices.Concat(have, added) {
		byID[c.ID] = c
	}
	var merged []lcm.VimConnectionInfo
	for _, id := range slices.Sorted(maps.Keys(byID)) {
		merged = append(merged, byID[id])
	}
	return merged
}

// DeleteClusterVim deletes the VIM that a cluster is registered as, and its entry in the connections of the cluster's
// VNF instance. It returns a Conflict while another instance uses the VIM. It is no error if there is no such VIM.
func (s *Store) DeleteClusterVim(ctx context.Context, id lcm.VimID, cluster lcm.VnfInstanceID) error {
	args := usersOf(id)
	args["cluster"] = cluster
	return s.inTransaction(ctx, "delete the cluster's VIM", func(tx pgx.Tx) error {
		users, err := all(ctx, tx, pgx.RowTo[string], `
			select id from vnf_instance where `+usesVim+` and id <> @cluster order by id limit 1`, args)
		if err != nil {
			return err
		}
		if len(users) > 0 {
			return lcm.Errorf(lcm.KindConflict,
				"The cluster is VIM %s, which VNF instance %s uses. Terminate that VNF first, then retry.", id, users[0])
		}
		_, err = tx.Exec(ctx, `
			update vnf_instance set updated = now(), version = version + 1, vim_connections = (
				select coalesce(jsonb_agg(c), '[]') from jsonb_array_elements(vim_connections) as c where c ->> 'vimId' is distinct from @id)
			where id = @cluster and vim_connections @> @connection::jsonb`, args)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `delete from vim where id = @id`, args)
		return err
	})
}

// ReleaseVim removes the VIM from the connections of an instance that is not instantiated and has no operation in
// progress. For any other instance that names the VIM, it returns a Conflict.
func (s *Store) ReleaseVim(ctx context.Context, vim lcm.VimID, of lcm.VnfInstanceID) error {
	args := usersOf(vim)
	args["instance"] = of
	return s.inTransaction(ctx, "take a VIM out of the connections", func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `
			update vnf_instance set updated = now(), version = version + 1, vim_connections = (
				select coalesce(jsonb_agg(c), '[]') from jsonb_array_elements(vim_connections) as c where c ->> 'vimId' is distinct from @id)
			where id = @instance and vim_connections @> @connection::jsonb and instantiation_state = 'NOT_INSTANTIATED' and not exists (
				select from vnf_lcm_op_occ where vnf_instance_id = @instance
				and state in ('STARTING', 'PROCESSING', 'FAILED_TEMP', 'ROLLING_BACK'))`, args)
		if err != nil {
			return err
		}
		users, err := all(ctx, tx, pgx.RowTo[string], `select id from vnf_instance where id = @instance and `+usesVim, args)
		if err == nil && len(users) > 0 {
			return lcm.Errorf(lcm.KindConflict, "The VNF instance %s uses the VIM %s still, or an operation of it is under way.", of,
				vim)
		}
		return err
	})
}

// Vim reads one VIM.
func (s *Store) Vim(ctx context.Context, id lcm.VimID) (lcm.Vim, error) {
	return one(ctx, s.pool, scanVim, notFound("VIM", id), selectVim+` where id = @id and`+ofProject,
		owned(ctx, pgx.NamedArgs{"id": id}))
}

// VimByName reads the VIM of that name in the context's project.
func (s *Store) VimByName(ctx context.Context, name string) (lcm.Vim, error) {
	args, err := ownedBy(ctx, "look a VIM up by its name", pgx.NamedArgs{"name": name})
	if err != nil {
		return lcm.Vim{}, err
	}
	return one(ctx, s.pool, scanVim, lcm.Errorf(lcm.KindNotFound, "There is no VIM named %q.", name),
		selectVim+` where name = @name and project_id = @owner`, args)
}

// DefaultVim reads the default VIM of the context's project, for requests that name none.
func (s *Store) DefaultVim(ctx context.Context) (lcm.Vim, error) {
	args, err := ownedBy(ctx, "look for the default VIM", nil)
	if err != nil {
		return lcm.Vim{}, err
	}
	return one(ctx, s.pool, scanVim, lcm.Errorf(lcm.KindNotFound,
		"There is no default VIM; register one with is_default, or name a VIM in the request."),
		selectVim+` where is_default and project_id = @owner`, args)
}

// Vims reads all VIMs that the context sees, ordered by id.
func (s *Store) Vims(ctx context.Context) ([]lcm.Vim, error) {
	return all(ctx, s.pool, scanVim, selectVim+` where`+ofProject+` order by id`, owned(ctx, nil))
}
