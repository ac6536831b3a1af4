package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

const selectSnapshot = `
	select id, project_id, vnf_snapshot_pkg_id, vnf_snapshot, version
	from vnf_snapshot_info`

func scanSnapshot(row pgx.CollectableRow) (s lcm.VnfSnapshotInfo, err error) {
	err = row.Scan(&s.ID, &s.ProjectID, &s.VnfSnapshotPkgID, &s.VnfSnapshot, &s.Version)
	return s, err
}

func snapshotArgs(s lcm.VnfSnapshotInfo) pgx.NamedArgs {
	return pgx.NamedArgs{"id": s.ID, "pkg": s.VnfSnapshotPkgID, "snapshot": s.VnfSnapshot, "version": s.Version}
}

// CreateSnapshot inserts the VNF snapshot with version 1 into the context's project.
func (s *Store) CreateSnapshot(ctx context.Context, snapshot lcm.VnfSnapshotInfo) error {
	args, err := ownedBy(ctx, "create a VNF snapshot", snapshotArgs(snapshot))
	if err != nil {
		return err
	}
	_, err = s.pool.Exec(ctx, `
		insert into vnf_snapshot_info (id, project_id, vnf_snapshot_pkg_id, vnf_snapshot)
		values (@id, @owner, @pkg, @snapshot)`,
		args)
	return interpret("create the VNF snapshot", err)
}

// UpdateSnapshot writes the VNF snapshot and increments its Version, if the stored version is still the same. Otherwise
// it returns a Conflict.
func (s *Store) UpdateSnapshot(ctx context.Context, snapshot lcm.VnfSnapshotInfo) error {
	tag, err := s.pool.Exec(ctx, `
		update vnf_snapshot_info set vnf_snapshot_pkg_id = @pkg, vnf_snapshot = @snapshot, version = version + 1
		where id = @id and version = @version`,
		snapshotArgs(snapshot))
	if err != nil || tag.RowsAffected() == 1 {
		return interpret("update the VNF snapshot", err)
	}
	stored, err := s.Snapshot(ctx, snapshot.ID)
	if err != nil {
		return err
	}
	return changedMeanwhile("VNF snapshot", snapshot.ID, stored.Version, snapshot.Version)
}

// DeleteSnapshot removes the VNF snapshot. If versions are given, it must have one of them.
func (s *Store) DeleteSnapshot(ctx context.Context, id lcm.VnfSnapshotInfoID, versions ...int64) error {
	args := pgx.NamedArgs{"id": id}
	return s.inTransaction(ctx, "delete the VNF snapshot", func(tx pgx.Tx) error {
		// Because of the lock, a concurrent change waits or is seen.
		stored, err := one(ctx, tx, scanSnapshot, notFound("VNF snapshot", id), selectSnapshot+` where id = @id for update`,
			args)
		if err != nil {
			return err
		}
		if err := isOneOf(versions, stored.Version, "VNF snapshot", id); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `delete from vnf_snapshot_info where id = @id`, args)
		return err
	})
}

// Snapshot reads one VNF snapshot.
func (s *Store) Snapshot(ctx context.Context, id lcm.VnfSnapshotInfoID) (lcm.VnfSnapshotInfo, error) {
	return one(ctx, s.pool, scanSnapshot, notFound("VNF snapshot", id), selectSnapshot+` where id = @id and`+ofProject,
		owned(ctx, pgx.NamedArgs{"id": id}))
}

var snapshots = list[lcm.VnfSnapshotInfo]{
	"vnf_snapshot_info", selectSnapshot, scanSnapshot, SnapshotAttributes,
	[]part{{"vnf_snapshot", " vnf_snapshot,", nothing}},
}

// SnapshotPage reads a page of the VNF snapshots, ordered by id.
func (s *Store) SnapshotPage(ctx context.Context, p Page) ([]lcm.VnfSnapshotInfo, error) {
	return snapshots.page(ctx, s.forList(len(p.Filter) > 0), snapshots.where(ctx, p), p)
}
