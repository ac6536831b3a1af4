package lifecycle

import (
	"github.com/google/uuid"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// BuiltInGrant is the id of the grant (SOL003 clause 9.4) that Windlass gives its own operation when no NFVO is
// configured. It comes from the operation's id, so that a replay makes the same one.
func BuiltInGrant(id lcm.OpOccID) string {
	return uuid.NewSHA1(uuid.NameSpaceURL, []byte("windlass:grant:"+id)).String()
}
