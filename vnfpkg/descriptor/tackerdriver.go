package descriptor

import (
	"strings"
)

// ofTackerV1 is the base class of the management drivers of Tacker's v1: classes of its conductor, not programs.
const ofTackerV1 = "VnflcmMgmtAbstractDriver"

// IsTackerV1Driver tells whether Python is a management driver of Tacker's v1, which would do nothing as a script.
func IsTackerV1Driver(text []byte) bool { return strings.Contains(string(text), ofTackerV1) }
