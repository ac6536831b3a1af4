package dev

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

const (
	temporalBinary = "windlass-temporal"
	temporalModule = "deployments/dev/temporal"
	modulePath     = "module github.com/windlass-nfv/windlass\n"
)

// findTemporal is the given windlass-temporal, else the binary beside the running one, else a build from a checkout of
// the source.
func (t *tree) findTemporal(ctx context.Context) (string, error) {
	if given := t.opts.TemporalBin; given != "" {
		if _, err := os.Stat(given); err != nil {
			return "", invalid(err, "There is no %s.", given)
		}
		return given, nil
	}
	beside := filepath.Join(filepath.Dir(t.opts.Executable), temporalBinary)
	if _, err := os.Stat(beside); err == nil {
		return beside, nil
	}
	root, ok := checkout(filepath.Dir(t.opts.Executable))
	if !ok {
		return "", lcm.Errorf(lcm.KindInvalid,
			"There is no %s beside %s, and this is no checkout of the source to build it from.",
			temporalBinary, t.opts.Executable)
	}
	return t.buildTemporal(ctx, root)
}

// checkout finds the root of the source from the working directory or from dir upwards.
func checkout(dir string) (string, bool) {
	wd, err := os.Getwd()
	if err != nil {
		wd = dir
	}
	for _, start := range []string{wd, dir} {
		for at := start; ; at = filepath.Dir(at) {
			b, err := os.ReadFile(filepath.Join(at, "go.mod"))
			if err == nil && bytes.HasPrefix(b, []byte(modulePath)) {
				return at, true
			}
			if at == filepath.Dir(at) {
				break
			}
		}
	}
	return "", false
}

// buildTemporal builds the nested module, unless a binary of the same source exists already.
func (t *tree) buildTemporal(ctx context.Context, root string) (string, error) {
	source := filepath.Join(root, temporalModule)
	sum, err := hashSource(source)
	if err != nil {
		return "", invalid(err, "The source of %s cannot be read.", temporalBinary)
	}
	bin := filepath.Join(root, ".build", temporalBinary+"-"+sum)
	if _, err := os.Stat(bin); err == nil {
		return bin, nil
	}
	t.say("Building %s; the first time this takes some minutes.", temporalBinary)
	begun := time.Now()
	tmp := fmt.Sprintf("%s.%d", bin, os.Getpid())
	build := exec.CommandContext(ctx, "go", "build", "-C", source, "-ldflags", "-s -w", "-o", tmp, ".")
	// A workspace over both modules would bring their versions together, which do not compile.
	build.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-buildvcs=false")
	if out, err := build.CombinedOutput(); err != nil {
		return "", lcm.Wrap(lcm.KindBroken, err, "%s cannot be built:\n%s", temporalBinary, out)
	}
	removeOld(bin)
	if err := os.Rename(tmp, bin); err != nil {
		return "", invalid(err, "%s cannot be kept as %s.", temporalBinary, bin)
	}
	t.say("%s is built after %.0f s", temporalBinary, time.Since(begun).Seconds())
	return bin, nil
}

// removeOld removes binaries of older source. A binary that still runs keeps running.
func removeOld(bin string) {
	old, _ := filepath.Glob(filepath.Join(filepath.Dir(bin), temporalBinary+"-????????????"))
	for _, file := range old {
		_ = os.Remove(file)
	}
}

// hashSource is a digest of all that the binary depends on: the sources, the pinned modules, the compiler.
func hashSource(dir string) (string, error) {
	sum := sha256.New()
	fmt.Fprintln(sum, runtime.Version(), runtime.GOARCH)
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		name := entry.Name()
		if err != nil || entry.IsDir() || strings.HasSuffix(name, "_test.go") {
			return err
		}
		if !strings.HasSuffix(name, ".go") && name != "go.mod" && name != "go.sum" {
			return nil
		}
		content, err := os.ReadFile(path)
		fmt.Fprintln(sum, name, len(content))
		sum.Write(content)
		return err
	})
	if err != nil {
		return "", errors.Join(err)
	}
	return hex.EncodeToString(sum.Sum(nil))[:12], nil
}
