package nfs3

import (
	"fmt"
	"syscall"
)

// Status is why an NFS server did not do it (RFC 1813, section 2.6).
type Status uint32

// jukebox asks the client to come again later; servers say so while they recover.
const jukebox Status = 10008

// Errno is the kernel's number for it. NFS kept those of Unix, but not those that Linux has others for.
func (s Status) Errno() syscall.Errno {
	switch s {
	case 63:
		return syscall.ENAMETOOLONG
	case 66:
		return syscall.ENOTEMPTY
	case 69:
		return syscall.EDQUOT
	case 70, 10001:
		return syscall.ESTALE
	case 71:
		return syscall.EREMOTE
	case 10004:
		return syscall.ENOTSUP
	case 10007:
		return syscall.EINVAL
	default:
		if s < 63 {
			return syscall.Errno(s)
		}
		return syscall.EIO
	}
}

func (s Status) Error() string {
	return fmt.Sprintf("%s (NFS status %d)", s.Errno().Error(), uint32(s))
}
