package main

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"runtime/debug"
	"strconv"
	"strings"
)

const (
	// usualMemory is the soft limit of a server's memory where neither GOMEMLIMIT nor a control group has one, in bytes. An
	// idle server needs some 60 MiB.
	usualMemory = 2 << 30
	// ofGroup is the part of a control group's limit, in percent, that the soft limit leaves to Go.
	ofGroup = 90
)

// limitMemory sets the soft limit of this process's memory: near it, Go collects garbage more often. Otherwise the kernel
// ends a server whose garbage, such as large answers, was not collected yet.
func limitMemory() {
	if os.Getenv("GOMEMLIMIT") == "" { // else Go has read it
		debug.SetMemoryLimit(memoryOf(os.DirFS("/")))
	}
}

// memoryOf reads the limit of this process's control group, of version 2 or 1. root is the root of all files.
func memoryOf(root fs.FS) int64 {
	limit := int64(usualMemory)
	own, _ := fs.ReadFile(root, "proc/self/cgroup")
	for line := range strings.Lines(string(own)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) < 3 {
			continue
		}
		file := ""
		switch {
		case parts[0] == "0" && parts[1] == "":
			file = path.Join("sys/fs/cgroup", parts[2], "memory.max")
		case parts[1] == "memory":
			file = path.Join("sys/fs/cgroup/memory", parts[2], "memory.limit_in_bytes")
		default:
			continue
		}
		text, err := fs.ReadFile(root, file)
		if err != nil { // in a container, the group is the root of what is mounted
			text, _ = fs.ReadFile(root, path.Join(strings.TrimSuffix(path.Dir(file), parts[2]), path.Base(file)))
		}
		// Without a limit, it is "max", or a number near the largest one.
		if n, err := strconv.ParseInt(string(bytes.TrimSpace(text)), 10, 64); err == nil && n > 0 {
			limit = min(limit, n/100*ofGroup)
		}
	}
	return limit
}
