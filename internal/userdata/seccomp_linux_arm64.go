package userdata

import "golang.org/x/sys/unix"

const (
	architecture = unix.AUDIT_ARCH_AARCH64
	foreignCalls = 0x40000000
)

// deniedHere are calls that only this architecture has.
var deniedHere = []uint32{unix.SYS_KEXEC_FILE_LOAD}
