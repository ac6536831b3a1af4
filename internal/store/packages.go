package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// usage_state is not stored: a package is in use while an instance refers to it.
// usageState is computed: a package is in use while it has instances.
const usageState = `case when exists (select from vnf_instance where vnf_pkg_id = vnf_pkg.id) then 'IN_USE' else 'NOT_IN_USE' end`

const selectPackage = `
	select id, project_id, onboarding_state, operational_state, ` + usageState + `,
		vnfd_id, provider, product_name, software_version, vnfd_version, checksum_algo, checksum,
		user_defined_data, vnfd, artifacts, warnings, error, source, created, updated, version
	from vnf_pkg`

func scanPackage(row pgx.CollectableRow) (p lcm.VnfPkg, err error) {
	err = row.Scan(&p.ID, &p.ProjectID, &p.OnboardingState, &p.OperationalState, &p.UsageState, &p.VnfdID, &p.Provider,
		&p.ProductName,
		&p.SoftwareVersion, &p.VnfdVersion, &p.ChecksumAlgo, &p.Checksum, &p.UserDefinedData, &p.Vnfd, &p.Artifacts,
		&p.Warnings, &p.Error, &p.Source, &p.Created, &p.Updated, &p.Version)
	return p, err
}

func packageArgs(p lcm.VnfPkg) pgx.NamedArgs {
	return pgx.NamedArgs{
		"id": p.ID, "onboarding": p.OnboardingState, "operational": p.OperationalState, "vnfd": p.VnfdID,
		"provider": p.Provider, "product": p.ProductName, "software": p.SoftwareVersion, "vnfdVersion": p.VnfdVersion,
		"checksumAlgo": p.ChecksumAlgo, "checksum": p.Checksum, "data": p.UserDefinedData, "document": p.Vnfd,
		"artifacts": p.Artifacts, "warnings": p.Warnings, "error": textError(p.Error), "source": p.Source,
		"version": p.Version,
	}
}

// CreatePackage inserts the package with version 1 into the context's project. Here and in UpdatePackage, UsageState is
// ignored: it follows from the instances.
func (s *Store) CreatePackage(ctx context.Context, p lcm.VnfPkg) error {
	return s.packageError(ctx, "create the VNF package", p, insertPackage(ctx, s.pool, p))
}

func insertPackage(ctx context.Context, q querier, p lcm.VnfPkg) error {
	args, err := ownedBy(ctx, "create a VNF package", packageArgs(p))
	if err != nil {
		return err
	}
	_, err = q.Exec(ctx, `
		insert into vnf_pkg (id, onboarding_state, operational_state, vnfd_id, provider, product_name, software_version,
			vnfd_version, checksum_algo, checksum, user_defined_data, vnfd, artifacts, warnings, error, source, project_id)
		values (@id, @onboarding, @operational, @vnfd, @provider, @product, @software,
			@vnfdVersion, @checksumAlgo, @checksum, @data, @document, @artifacts, @warnings, @error, @source, @owner)`,
		args)
	return err
}

// AdoptPackage inserts a package whose archive is to come from the NFVO. If a package of that VNFD is being fetched for
// the context's project already, it returns that package.
func (s *Store) AdoptPackage(ctx context.Context, p lcm.VnfPkg, vnfd lcm.VnfdID) (adopted lcm.VnfPkg, err error) {
	args, err := ownedBy(ctx, "adopt a VNF package", pgx.NamedArgs{"vnfd": vnfd, "id": p.ID})
	if err != nil {
		return adopted, err
	}
	err = s.inTransaction(ctx, "adopt the VNF package", func(tx pgx.Tx) error {
		// One at a time: of two concurrent requests, the second must see the first.
		if _, err := tx.Exec(ctx, `select pg_advisory_xact_lock(3, hashtext(@vnfd))`, args); err != nil {
			return err
		}
		known, err := all(ctx, tx, scanPackage,
			selectPackage+` where source->>'nfvoVnfdId' = @vnfd and project_id = @owner limit 1`, args)
		if err != nil {
			return err
		}
		if len(known) > 0 {
			adopted = known[0]
			return nil
		}
		if err := insertPackage(ctx, tx, p); err != nil {
			return err
		}
		adopted, err = one(ctx, tx, scanPackage, notFound("VNF package", p.ID), selectPackage+` where id = @id`, args)
		return err
	})
	return adopted, err
}

// UpdatePackage writes the package and increments its Version, if the stored version is still the same.
func (s *Store) UpdatePackage(ctx context.Context, p lcm.VnfPkg) error {
	written := false
	err := s.inTransaction(ctx, "update the VNF package", func(tx pgx.Tx) (err error) {
		if err := noteOutcome(ctx, tx, string(p.ID)); err != nil {
			return err
		}
		if err := notifyPackage(ctx, tx, p); err != nil {
			return err
		}
		written, err = updatePackage(ctx, tx, p)
		return err
	})
	if err != nil || written {
		return s.packageError(ctx, "update the VNF package", p, err)
	}
	stored, err := s.Package(ctx, p.ID)
	if err != nil {
		return err
	}
	return changedMeanwhile("VNF package", p.ID, stored.Version, p.Version)
}

// updatePackage returns false when another version is stored, or none.
func updatePackage(ctx context.Context, tx pgx.Tx, p lcm.VnfPkg) (written bool, err error) {
	tag, err := tx.Exec(ctx, `
		update vnf_pkg set
			onboarding_state = @onboarding, operational_state = @operational, vnfd_id = @vnfd, provider = @provider,
			product_name = @product, software_version = @software, vnfd_version = @vnfdVersion,
			checksum_algo = @checksumAlgo, checksum = @checksum, user_defined_data = @data, vnfd = @document,
			artifacts = @artifacts, warnings = @warnings, error = @error, source = @source, updated = now(), version = version + 1
		where id = @id and version = @version`,
		packageArgs(p))
	return tag.RowsAffected() == 1, err
}

func (s *Store) packageError(ctx context.Context, op string, p lcm.VnfPkg, err error) error {
	switch {
	case violates(err, "vnf_pkg_vnfd_id"):
		if p.ProjectID != "" { // the stored package's project, whoever changes it
			ctx = lcm.InProject(ctx, p.ProjectID)
		}
		other, err := s.PackageByVnfd(ctx, p.VnfdID)
		if err != nil {
			return lcm.Errorf(lcm.KindConflict, "Another VNF package held the VNFD %s; try again.", p.VnfdID)
		}
		return lcm.Errorf(lcm.KindConflict, "The VNFD %s is on board already, in VNF package %s; delete that one first.",
			p.VnfdID, other.ID)
	case violates(err, "vnf_pkg_pkey"):
		return lcm.Errorf(lcm.KindConflict, "There is a VNF package %s already.", p.ID)
	}
	return interpret(op, err)
}

// Package reads one package.
func (s *Store) Package(ctx context.Context, id lcm.VnfPkgID) (lcm.VnfPkg, error) {
	return one(ctx, s.pool, scanPackage, notFound("VNF package", id), selectPackage+` where id = @id and`+ofProject,
		owned(ctx, pgx.NamedArgs{"id": id}))
}

// PackageByVnfd reads the on-boarded package of the context's project that contains that VNFD.
func (s *Store) PackageByVnfd(ctx context.Context, id lcm.VnfdID) (lcm.VnfPkg, error) {
	args, err := ownedBy(ctx, "look a VNF package up by its VNFD", pgx.NamedArgs{"vnfd": id})
	if err != nil {
		return lcm.VnfPkg{}, err
	}
	return one(ctx, s.pool, scanPackage, lcm.Errorf(lcm.KindNotFound, "No VNF package on board has the VNFD %s.", id),
		selectPackage+` where vnfd_id = @vnfd and onboarding_state = 'ONBOARDED' and project_id = @owner`, args)
}

// ToFetch lists the packages with an archive to fetch.
func (s *Store) ToFetch(ctx context.Context) ([]lcm.VnfPkgID, error) {
	return all(ctx, s.pool, pgx.RowTo[lcm.VnfPkgID], `select id from vnf_pkg where source is not null order by id`, nil)
}

// Nudge wakes the relays of all workers. They also look every few seconds on their own.
func (s *Store) Nudge(ctx context.Context) error {
	_, err := s.pool.Exec(ctx, `select pg_notify(@channel, '')`, pgx.NamedArgs{"channel": outboxChannel})
	return interpret("wake the workers", err)
}

// DeletePackage removes the package with its content. It returns a Conflict when an instance uses the package. If
// versions are given, the package must have one of them.
func (s *Store) DeletePackage(ctx context.Context, id lcm.VnfPkgID, versions ...int64) error {
	args := pgx.NamedArgs{"id": id}
	err := s.inTransaction(ctx, "delete the VNF package", func(tx pgx.Tx) error {
		// Because of the lock, a concurrent change of the package waits or is seen.
		pkg, err := one(ctx, tx, scanPackage, notFound("VNF package", id), selectPackage+` where id = @id for update`, args)
		if err != nil {
			return err
		}
		if err := isOneOf(versions, pkg.Version, "VNF package", id); err != nil {
			return err
		}
		if err := notifyPackageGone(ctx, tx, id); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `delete from vnf_pkg where id = @id`, args)
		return err
	})
	if violates(err, "vnf_instance_vnf_pkg") {
		if err := s.CheckPackageUnused(ctx, id); err != nil {
			return err
		}
		return lcm.Errorf(lcm.KindConflict, "VNF package %s was in use by a VNF instance that is deleted by now; try again.", id)
	}
	return err
}

// CheckPackageUnused returns a Conflict that names an instance of the package, if there is one.
func (s *Store) CheckPackageUnused(ctx context.Context, id lcm.VnfPkgID) error {
	users, err := all(ctx, s.pool, pgx.RowTo[string],
		`select trim(id || ' ' || case when name <> '' then '(' || name || ')' else '' end) from vnf_instance
		where vnf_pkg_id = @id order by id limit 1`, pgx.NamedArgs{"id": id})
	if err != nil || len(users) == 0 {
		return err
	}
	return lcm.Errorf(lcm.KindConflict, "VNF package %s is in use by VNF instance %s.", id, users[0])
}
