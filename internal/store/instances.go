package store

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

const selectInstance = `
	select id, project_id, name, description, vnfd_id, vnf_pkg_id, provider, product_name, software_version, vnfd_version,
		instantiation_state, metadata, extensions, configurable_properties, vim_connections, instantiated, created, updated, version
	from vnf_instance`

func scanInstance(row pgx.CollectableRow) (i lcm.VnfInstance, err error) {
	err = row.Scan(&i.ID, &i.ProjectID, &i.Name, &i.Description, &i.VnfdID, &i.VnfPkgID, &i.Provider, &i.ProductName,
		&i.SoftwareVersion,
		&i.VnfdVersion, &i.InstantiationState, &i.Metadata, &i.Extensions, &i.ConfigurableProperties, &i.VimConnections,
		&i.Instantiated, &i.Created, &i.Updated, &i.Version)
	return i, err
}

func instanceArgs(i lcm.VnfInstance) pgx.NamedArgs {
	return pgx.NamedArgs{
		"id": i.ID, "name": i.Name, "description": i.Description, "vnfd": i.VnfdID, "pkg": i.VnfPkgID,
		"provider": i.Provider, "product": i.ProductName, "software": i.SoftwareVersion, "vnfdVersion": i.VnfdVersion,
		"state": i.InstantiationState, "metadata": i.Metadata, "extensions": i.Extensions,
		"properties": i.ConfigurableProperties, "vims": i.VimConnections, "instantiated": i.Instantiated,
		"version": i.Version,
	}
}

// CreateInstance inserts the instance with version 1 into the context's project. Its package must exist.
func (s *Store) CreateInstance(ctx context.Context, inst lcm.VnfInstance) error {
	err := s.inTransaction(ctx, "create the VNF instance", func(tx pgx.Tx) error {
		if err := noteOutcome(ctx, tx, string(inst.ID)); err != nil {
			return err
		}
		if err := insertInstance(ctx, tx, inst); err != nil {
			return err
		}
		inst.ProjectID = lcm.ScopeOf(ctx).Project
		return notifyInstance(ctx, tx, lcm.NotifyCreation, inst)
	})
	switch {
	case violates(err, "vnf_instance_vnf_pkg"):
		return notFound("VNF package", inst.VnfPkgID)
	case violates(err, "vnf_instance_pkey"):
		return lcm.Errorf(lcm.KindConflict, "There is a VNF instance %s already.", inst.ID)
	}
	return err
}

func insertInstance(ctx context.Context, tx pgx.Tx, inst lcm.VnfInstance) error {
	args, err := ownedBy(ctx, "create a VNF instance", instanceArgs(inst))
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `
		insert into vnf_instance (id, name, description, vnfd_id, vnf_pkg_id, provider, product_name, software_version,
			vnfd_version, instantiation_state, metadata, extensions, configurable_properties, vim_connections, instantiated, project_id)
		values (@id, @name, @description, @vnfd, @pkg, @provider, @product, @software,
			@vnfdVersion, @state, @metadata, @extensions, @properties, @vims, @instantiated, @owner)`,
		args)
	return err
}

// Instance reads one instance.
func (s *Store) Instance(ctx context.Context, id lcm.VnfInstanceID) (lcm.VnfInstance, error) {
	return one(ctx, s.pool, scanInstance, notFound("VNF instance", id), selectInstance+` where id = @id and`+ofProject,
		owned(ctx, pgx.NamedArgs{"id": id}))
}

// UpdateInstance writes the instance and increments its Version, if the stored version is still the same.
func (s *Store) UpdateInstance(ctx context.Context, inst lcm.VnfInstance) error {
	return updateInstance(ctx, s.pool, inst)
}

func updateInstance(ctx context.Context, q querier, inst lcm.VnfInstance) error {
	tag, err := q.Exec(ctx, `
		update vnf_instance set
			name = @name, description = @description, vnfd_id = @vnfd, vnf_pkg_id = @pkg, provider = @provider,
			product_name = @product, software_version = @software, vnfd_version = @vnfdVersion,
			instantiation_state = @state, metadata = @metadata, extensions = @extensions,
			configurable_properties = @properties, vim_connections = @vims, instantiated = @instantiated,
			updated = now(), version = version + 1
		where id = @id and version = @version`,
		instanceArgs(inst))
	if violates(err, "vnf_instance_vnf_pkg") {
		return notFound("VNF package", inst.VnfPkgID)
	}
	if err != nil || tag.RowsAffected() == 1 {
		return interpret("update the VNF instance", err)
	}
	stored, err := one(ctx, q, scanInstance, notFound("VNF instance", inst.ID), selectInstance+` where id = @id`,
		pgx.NamedArgs{"id": inst.ID})
	if err != nil {
		return err
	}
	return changedMeanwhile("VNF instance", inst.ID, stored.Version, inst.Version)
}

func changedMeanwhile(what string, id any, stored, given int64) error {
	return lcm.Errorf(lcm.KindConflict,
		"The %s %s was changed meanwhile: it has version %d, the change was made on version %d. Read it again.",
		what, id, stored, given)
}

// isOneOf returns a Conflict when versions are given and the stored version is not among them.
func isOneOf(versions []int64, stored int64, what string, id any) error {
	if len(versions) == 0 || slices.Contains(versions, stored) {
		return nil
	}
	return changedMeanwhile(what, id, stored, versions[0])
}

// DeleteInstance removes an instance that is NOT_INSTANTIATED, has no operation in progress and has left no resources
// behind. Otherwise it returns a Conflict. The instance's operation occurrences stay. If versions are given, the
// instance must have one of them.
func (s *Store) DeleteInstance(ctx context.Context, id lcm.VnfInstanceID, versions ...int64) error {
	return s.inTransaction(ctx, "delete the VNF instance", func(tx pgx.Tx) error {
		// Because of the lock, BeginOperation waits or its operation is seen: the second statement reads the new state.
		inst, err := one(ctx, tx, scanInstance, notFound("VNF instance", id), selectInstance+` where id = @id for update`,
			pgx.NamedArgs{"id": id})
		if err != nil {
			return err
		}
		if err := isOneOf(versions, inst.Version, "VNF instance", id); err != nil {
			return err
		}
		open, err := all(ctx, tx, scanOperation, selectOperation+`
			where vnf_instance_id = @id and state in ('STARTING', 'PROCESSING', 'FAILED_TEMP', 'ROLLING_BACK')`,
			pgx.NamedArgs{"id": id})
		switch {
		case err != nil:
			return err
		case len(open) > 0:
			return lcm.Errorf(lcm.KindConflict, "%s", underWaySentence(open[0]))
		case inst.InstantiationState != lcm.NotInstantiated:
			return lcm.Errorf(lcm.KindConflict, "VNF instance %s is %s; terminate it first.", id, inst.InstantiationState)
		}
		if err := checkNothingLeft(ctx, tx, id); err != nil {
			return err
		}
		if _, err = tx.Exec(ctx, `delete from vnf_instance where id = @id`, pgx.NamedArgs{"id": id}); err != nil {
			return err
		}
		return notifyInstance(ctx, tx, lcm.NotifyDeletion, inst)
	})
}

// checkNothingLeft returns a Conflict when resources are left behind: only the instance leads to them.
func checkNothingLeft(ctx context.Context, tx pgx.Tx, id lcm.VnfInstanceID) error {
	_, left, err := leftBehind(ctx, tx, id, time.Time{})
	if err != nil || !left {
		return err
	}
	return lcm.Errorf(lcm.KindConflict, "The last instantiation failed and its resources may still exist. Delete them first: "+
		"windlass vnf terminate %s --leftovers, or POST /windlass/v1/vnf_instances/%s/clean_up. Or instantiate the VNF again, "+
		"which replaces them, and terminate it.", id, id)
}

// Gone reports whether a VNF instance of any project has no resources, or will soon have none, and has left none
// behind. An unknown instance does not count as gone: another database may have it.
func (s *Store) Gone(ctx context.Context, id lcm.VnfInstanceID) (gone bool, err error) {
	err = s.pool.QueryRow(ctx, `
		select exists (select 1 from vnf_lcm_op_occ where vnf_instance_id = @id)
			and not exists (select 1 from vnf_instance where id = @id and instantiation_state = 'INSTANTIATED')
			and not exists (select 1 from vnf_lcm_op_occ where vnf_instance_id = @id
				and state in ('STARTING', 'PROCESSING', 'FAILED_TEMP', 'ROLLING_BACK'))`,
		pgx.NamedArgs{"id": id}).Scan(&gone)
	if err != nil || !gone {
		return false, interpret("look whether a VNF instance is gone", err)
	}
	_, left, err := leftBehind(ctx, s.pool, id, time.Time{})
	return !left && err == nil, err
}

// LeftBehind returns the INSTANTIATE that was declared FAILED and left resources behind. It returns none if a later
// operation succeeded, as that operation removed or replaced the resources. An operation that was rolled back before it
// did anything, because it got no grant, removed nothing. An INSTANTIATE whose worker has seen that the VIM has nothing
// of it (lcm.OperationRecord) left nothing. Operations that began after before do not count, unless
// before is zero.
func (s *Store) LeftBehind(ctx context.Context, id lcm.VnfInstanceID, before time.Time) (lcm.VnfLcmOpOcc, bool, error) {
	return leftBehind(ctx, s.pool, id, before)
}

func leftBehind(ctx context.Context, q querier, id lcm.VnfInstanceID, before time.Time) (lcm.VnfLcmOpOcc, bool, error) {
	if before.IsZero() {
		before = time.Now().AddDate(1, 0, 0) // later than any clock
	}
	last, err := all(ctx, q, scanOperation, selectOperation+`
		where vnf_instance_id = @id and start_time < @before and operation <> 'MODIFY_INFO'
			and (operation = 'INSTANTIATE' and state = 'FAILED' and not coalesce(plan ? 'nothingLeft', false)
				or state = 'COMPLETED' or state = 'ROLLED_BACK' and exists (
				select 1 from event where op_occ_id = vnf_lcm_op_occ.id and type = 'operation' and data ->> 'state' = 'ROLLING_BACK'))
		order by start_time desc, id limit 1`,
		pgx.NamedArgs{"id": id, "before": before})
	if err != nil || len(last) == 0 || last[0].State != lcm.Failed {
		return lcm.VnfLcmOpOcc{}, false, err
	}
	return last[0], true, nil
}
