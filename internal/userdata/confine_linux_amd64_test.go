package userdata

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// TestRun_callsOfOtherArchitecturesEndTheScript calls getpid of another architecture. There, the number of each call
// has another meaning.
func TestRun_callsOfOtherArchitecturesEndTheScript(t *testing.T) {
	r := newRunner(t)
	for name, lines := range map[string][]string{
		"i386": {
			"import ctypes, mmap", "code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)",
			"code.write(bytes.fromhex('b814000000cd80c3'))", // mov $20, %eax; int $0x80; ret
			"ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))()",
		},
		"x32": {"import ctypes", "ctypes.CDLL(None).syscall(0x40000000 + 39)"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := r.body(t, append(lines, "return {}")...)
			require.True(t, lcm.Is(err, lcm.KindInvalid), "%v", err)
			require.ErrorContains(t, err, "bad system call")
		})
	}
}
