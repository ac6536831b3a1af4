package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

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

// buildPackage writes beside the file and renames, so that a failed build does not touch the former file.
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

// source is where the content of a package comes from when Windlass is to fetch it.
type source struct{ uri, user, passwordFile string }

// accountVariable has the password of a source's account in the environment.
const accountVariable = "WINDLASS_PACKAGE_PASSWORD"

func (s *source) addSourceFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&s.uri, "uri", "", "`URI` of the archive, which Windlass fetches, in place of a file")
	flags.StringVar(&s.user, "user", "",
		"`name` of the account at that place; its password is in "+accountVariable+" or --password-file")
	flags.StringVar(&s.passwordFile, "password-file", "", "`file` with the password of that account")
}

// inPlaceOf requires the arguments with those names and the file, unless there is a --uri.
func (s *source) inPlaceOf(file string, before ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case s.uri == "" && (s.user != "" || s.passwordFile != ""):
			return usageErrorf(cmd, "--user and --password-file are for --uri.")
		case s.uri == "":
			return exactly(append(slices.Clone(before), file)...)(cmd, args)
		case len(args) > len(before):
			return usageErrorf(cmd, "Give either %s or --uri.", file)
		default:
			return exactly(before...)(cmd, args)
		}
	}
}

// request is SOL005's UploadVnfPackageFromUriRequest.
func (s *source) request(cmd *cobra.Command) (map[string]string, error) {
	request := map[string]string{"addressInformation": s.uri}
	if s.user == "" {
		return request, nil
	}
	password := os.Getenv(accountVariable)
	if s.passwordFile != "" {
		b, err := os.ReadFile(s.passwordFile)
		if err != nil {
			return nil, fmt.Errorf("read the password: %w", err)
		}
		password = strings.TrimRight(string(b), "\r\n")
	}
	if password == "" {
		return nil, usageErrorf(cmd, "--user needs a password, in %s or by --password-file.", accountVariable)
	}
	request["userName"], request["password"] = s.user, password
	return request, nil
}

// shown is the URI without user and password.
func (s *source) shown() string {
	if u, err := url.Parse(s.uri); err == nil {
		return u.Redacted()
	}
	return "its URI"
}

// sender makes the function that sends a package's content: from a file, from a directory that it builds first, or as
// an address for Windlass to fetch.
func (c *cli) sender(
	cmd *cobra.Command, from source, args []string,
) (send func(ctx context.Context, path string) error, cleanup func(), err error) {
	if from.uri != "" {
		request, err := from.request(cmd)
		fmt.Fprintf(c.err, "Windlass fetches the package from %s.\n", from.shown())
		return func(ctx context.Context, path string) error {
			_, err := c.client.send(ctx, http.MethodPost, path+"/package_content/upload_from_uri", request, nil)
			return err
		}, func() {}, err
	}
	file, cleanup, err := archiveOf(args[0])
	return func(ctx context.Context, path string) error {
		f, err := os.Open(file)
		if err != nil {
			return fmt.Errorf("read the package: %w", err)
		}
		defer f.Close()
		_, err = c.client.exchange(ctx, http.MethodPut, path+"/package_content", &body{"application/zip", f}, nil)
		return err
	}, cleanup, err
}

// tellEvery is the interval of the messages to a waiting user.
const tellEvery = 5 * time.Second

// tellWaiting reports that a package is not on board yet; told is the number of earlier reports.
func (c *cli) tellWaiting(elapsed time.Duration, told int) int {
	if n := int(elapsed / tellEvery); n > told {
		fmt.Fprintf(c.err, "Windlass is still on-boarding the package (%s).\n", duration(elapsed))
		return n
	}
	return told
}

// onboard gives the package its content and waits until it is on-boarded or refused.
func (c *cli) onboard(ctx context.Context, id string, send func(ctx context.Context, path string) error) error {
	path := packagesPath + "/" + id
	if err := send(ctx, path); err != nil {
		return err
	}
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for begun, told := c.now(), 0; ; {
		told = c.tellWaiting(c.now().Sub(begun), told)
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
			return errors.New("the server has refused the package; its log says why")
		}
		select {
		case <-ctx.Done():
			return errors.New("interrupted; the upload goes on")
		case <-tick.C:
		}
	}
}
