//go:build !linux || (!amd64 && !arm64)

package userdata

import (
	"context"
	"errors"
	"syscall"
	"time"
)

var errUnsupported = errors.New("scripts are confined on Linux only, on amd64 and arm64")

// Confine returns an error, because there is no confinement on this system.
func Confine() error { return errUnsupported }

func apart() *syscall.SysProcAttr { return nil }

func bound(int, time.Duration) error { return errUnsupported }

// PrepareGroups returns an error, because this system has no control groups.
func PrepareGroups() error { return errUnsupported }

type network struct{}

func (*child) isolate() error { return errUnsupported }

func (*child) connect(context.Context) error { return errUnsupported }

func overTime(error) bool { return false }
