package charts

import (
	"fmt"
	"os"
	"syscall"
	"time"
)

// self is this program, even if its file was replaced after the start.
func self() (string, error) { return "/proc/self/exe", nil }

// confine limits the host resources that the process may use.
func confine() error {
	var size, resident, shared, text, library, data uint64
	statm, err := os.ReadFile("/proc/self/statm")
	if err == nil {
		_, err = fmt.Sscan(string(statm), &size, &resident, &shared, &text, &library, &data)
	}
	if err != nil {
		return fmt.Errorf("the memory of the process is not known: %w", err)
	}
	for resource, limit := range map[int]uint64{
		syscall.RLIMIT_CPU:    uint64(timeLimit / time.Second),
		syscall.RLIMIT_DATA:   data*uint64(os.Getpagesize()) + memoryLimit, //nolint:gosec // a page has a size
		syscall.RLIMIT_CORE:   0,
		syscall.RLIMIT_FSIZE:  0,
		syscall.RLIMIT_NOFILE: 32,
	} {
		if err := syscall.Setrlimit(resource, &syscall.Rlimit{Cur: limit, Max: limit}); err != nil {
			return fmt.Errorf("the process cannot be limited: %w", err)
		}
	}
	return nil
}
