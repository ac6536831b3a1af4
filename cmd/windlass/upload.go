package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg"
)

// archiveOf is path itself, or a package built of it when it is a directory.
func archiveOf(path string) (file string, cleanup func(), err error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", nil, fmt.Errorf("read the package: %w", err)
	}
	if !info.IsDir() {
		return path, func() {}, nil
	}
	dir, err := os.MkdirTemp("", "windlass-package-")
	if err != nil {
		return "", nil, fmt.Errorf("build the package: %w", err)
	}
	cleanup = func() { _ = os.RemoveAll(dir) }
	file = filepath.Join(dir, "package.zip")
	if _, err := buildPackage(path, file); err != nil {
		cleanup()
		return "", nil, err
	}
	return file, cleanup, nil
}

// buildPackage writes beside the file and renames, so that a failed build leaves the former one alone.
func buildPackage(dir, file string) (size int64, err error) {
	tmp, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+"-*")
	if err != nil {
		return 0, fmt.Errorf("write %s: %w", file, err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(tmp.Name()))
		}
	}()
	if err := errors.Join(vnfpkg.Build(dir, tmp), tmp.Chmod(0o644)); err != nil {
		_ = tmp.Close()
		return 0, err
	}
	info, err := tmp.Stat()
	if err = errors.Join(err, tmp.Close()); err != nil {
		return 0, fmt.Errorf("write %s: %w", file, err)
	}
	return info.Size(), os.Rename(tmp.Name(), file)
}

// upload sends the file and waits until the package is on-boarded or refused.
func (c *cli) upload(ctx context.Context, id, file string) error {
	f, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("read the package: %w", err)
	}
	defer f.Close()
	path := packagesPath + "/" + id
	if _, err := c.client.exchange(ctx, http.MethodPut, path+"/package_content", &body{"application/zip", f}, nil); err != nil {
		return err
	}
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		var pkg vnfPackage
		if err := c.client.get(ctx, path, &pkg); err != nil {
			return err
		}
		switch {
		case pkg.Failure != nil:
			return pkg.Failure
		case pkg.OnboardingState == lcm.PkgOnboarded:
			return nil
		case pkg.OnboardingState == lcm.PkgCreated:
			return errors.New("the package was refused; the API server's log tells why")
		}
		select {
		case <-ctx.Done():
			return errors.New("interrupted; the upload goes on")
		case <-tick.C:
		}
	}
}
