package reach

import (
	"crypto/rand"
	"math/big"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// OperationRef names a secret that is deleted with the operation. An instanceRef secret lives as long as the VNF.
func OperationRef(id lcm.OpOccID, name string) lcm.SecretRef {
	return lcm.SecretRef("op/" + string(id) + "/" + name)
}

// InstanceRef names a secret that lives as long as the VNF.
func InstanceRef(cluster ClusterContext, name string) lcm.SecretRef {
	return lcm.SecretRef("vnf/" + string(cluster.Instance.ID) + "/cluster/" + name)
}

// VRRPPassword has eight characters: VRRP ignores any more.
func VRRPPassword() (string, error) { return RandomText(8) }

// RandomText is a random text of small letters and digits.
func RandomText(length int) (string, error) {
	const letters = "abcdefghijklmnopqrstuvwxyz0123456789"
	text := make([]byte, length)
	for i := range text {
		n, err := rand.Int(rand.Reader, big.NewInt(int64(len(letters))))
		if err != nil {
			return "", err
		}
		text[i] = letters[n.Int64()]
	}
	return string(text), nil
}
