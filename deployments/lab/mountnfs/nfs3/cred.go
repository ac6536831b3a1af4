package nfs3

import "errors"

// ErrDenied is a server that does not accept the caller's credentials.
var ErrDenied = errors.New("the server does not accept the caller")

// Cred is in whose name a call is made (AUTH_SYS, RFC 5531 appendix A).
type Cred struct {
	UID, GID uint32
	Groups   []uint32
}

// maxGroups is what AUTH_SYS has room for.
const maxGroups = 16

func (c Cred) encode(e *encoder) {
	var body encoder
	body.u32(0) // the stamp
	body.text("windlass-lab")
	body.u32(c.UID)
	body.u32(c.GID)
	groups := c.Groups[:min(len(c.Groups), maxGroups)]
	body.u32(uint32(len(groups)))
	for _, g := range groups {
		body.u32(g)
	}
	e.u32(1)
	e.opaque(body.b)
}
