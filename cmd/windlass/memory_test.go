package main

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
)

func TestMemoryOf_isThatOfTheControlGroup(t *testing.T) {
	const v2, v1 = "0::/system.slice/windlass\n", "5:cpu:/x\n4:memory:/docker/1\n0::/\n"
	for name, c := range map[string]struct {
		files map[string]string
		want  int64
	}{
		"no control group":       {nil, usualMemory},
		"version 2":              {map[string]string{"proc/self/cgroup": v2, "sys/fs/cgroup/system.slice/windlass/memory.max": "1073741824\n"}, 966367620},
		"version 2, no limit":    {map[string]string{"proc/self/cgroup": v2, "sys/fs/cgroup/system.slice/windlass/memory.max": "max\n"}, usualMemory},
		"version 2, a container": {map[string]string{"proc/self/cgroup": v2, "sys/fs/cgroup/memory.max": "100000000\n"}, 90000000},
		"version 1":              {map[string]string{"proc/self/cgroup": v1, "sys/fs/cgroup/memory/docker/1/memory.limit_in_bytes": "100000000\n"}, 90000000},
		"version 1, a container": {map[string]string{"proc/self/cgroup": v1, "sys/fs/cgroup/memory/memory.limit_in_bytes": "100000000\n"}, 90000000},
		"version 1, no limit":    {map[string]string{"proc/self/cgroup": v1, "sys/fs/cgroup/memory/docker/1/memory.limit_in_bytes": "9223372036854771712\n"}, usualMemory},
		"a large machine":        {map[string]string{"proc/self/cgroup": v2, "sys/fs/cgroup/system.slice/windlass/memory.max": "1099511627776\n"}, usualMemory},
	} {
		t.Run(name, func(t *testing.T) {
			files := fstest.MapFS{}
			for at, text := range c.files {
				files[at] = &fstest.MapFile{Data: []byte(text)}
			}
			assert.Equal(t, c.want, memoryOf(files))
		})
	}
}
