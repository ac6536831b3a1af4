package kubecluster

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"strings"
	"time"

	"go.temporal.io/sdk/activity"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/activities/reach"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/scripts"
)

// JoinRefs is the data that nodes need to join: references to the secrets, and the public values.
type JoinRefs struct {
	TokenRef lcm.SecretRef `json:"tokenRef"`
	// CertificateKeyRef decrypts the certificates that control planes share; "" for workers only.
	CertificateKeyRef lcm.SecretRef `json:"certificateKeyRef,omitempty"`
	// CACertHash lets a joining node verify the cluster.
	CACertHash string `json:"caCertHash"`
}

// MintJoinInput names the control planes.
type MintJoinInput struct {
	reach.ClusterInput
	// ForControlPlanes also shares the control planes' certificates.
	ForControlPlanes bool `json:"forControlPlanes,omitempty"`
}

// tokenLife is long enough for control planes that join one by one, each with its full timeout. RevokeJoin ends the
// token earlier.
func tokenLife(p k8s.Params, controlPlanes int) time.Duration {
	return max(time.Hour, reach.Seconds(p.Timeouts.Join)*time.Duration(controlPlanes+1))
}

// MintJoin makes a bootstrap token for the joins of this operation and shares the control planes' certificates under a
// new key. Kubernetes deletes the shared certificates after two hours.
//
// Idempotent: token and key are fixed for each scheduled activity, and the activity deletes tokens of earlier tries. If
// the step runs again, it gets new ones. Takes seconds.
func (c *Activities) MintJoin(ctx context.Context, in MintJoinInput) (out JoinRefs, err error) {
	defer func() { err = activities.Boundary(ctx, "make a join token", err) }()
	defer activities.Heartbeat(ctx)()
	info := activity.GetInfo(ctx)
	ref := "join/" + info.WorkflowExecution.RunID + "/" + info.ActivityID
	out.TokenRef = reach.OperationRef(in.OpOccID, ref+"/token")
	token, err := c.Reach.Secrets.Ensure(ctx, out.TokenRef, bootstrapToken)
	if err != nil {
		return out, err
	}
	inputs, mask := []scripts.Input{{Name: "token", Value: token}}, []string{token}
	if in.ForControlPlanes {
		out.CertificateKeyRef = reach.OperationRef(in.OpOccID, ref+"/certificate_key")
		key, err := c.Reach.Secrets.Ensure(ctx, out.CertificateKeyRef, certificateKey)
		if err != nil {
			return out, err
		}
		inputs, mask = append(inputs, scripts.Input{Name: "certificate_key", Value: key}), append(mask, key)
	}
	results, err := c.Reach.RunOnAny(
		ctx, in.ClusterInput,
		func(cluster reach.ClusterContext, m scripts.Member) reach.Task {
			mint := reach.Command(cluster, scripts.MintJoin{
				Member: m, Operation: string(in.OpOccID), TTL: int(tokenLife(cluster.Params, len(in.ControlPlanes)).Seconds()),
				Timeout: reach.Briefly(cluster),
			})
			mint.Stdin, mint.Mask = scripts.Stdin(inputs...), mask
			return mint
		},
	)
	if err != nil {
		return out, err
	}
	out.CACertHash, err = caCertHash(results.Text("ca"))
	return out, err
}

// caCertHash is the hash that kubeadm checks: of the public key, not of the certificate.
func caCertHash(certificate string) (string, error) {
	block, _ := pem.Decode([]byte(certificate))
	if block == nil {
		return "", lcm.Errorf(lcm.KindBroken, "Windlass cannot read the cluster's CA certificate.")
	}
	cert, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return "", lcm.Wrap(lcm.KindBroken, err, "Windlass cannot read the cluster's CA certificate.")
	}
	sum := sha256.Sum256(cert.RawSubjectPublicKeyInfo)
	return "sha256:" + hex.EncodeToString(sum[:]), nil
}

// RevokeJoinOutput is empty: nobody can join any more.
type RevokeJoinOutput struct{}

// RevokeJoin deletes the operation's bootstrap tokens and the shared certificates.
// Idempotent: deleting them again is no error. Takes seconds.
func (c *Activities) RevokeJoin(ctx context.Context, in reach.ClusterInput) (out RevokeJoinOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "delete the join token", err) }()
	defer activities.Heartbeat(ctx)()
	_, err = c.Reach.RunOnAny(ctx, in, func(cluster reach.ClusterContext, m scripts.Member) reach.Task {
		return reach.Command(cluster, scripts.RevokeJoin{Member: m, Operation: string(in.OpOccID)})
	})
	return out, err
}

// JoinWorkerInput names the node to join and refers to the secrets of the join.
type JoinWorkerInput struct {
	reach.NodeInput
	// The endpoint is the virtual IP, or the address of the only control plane.
	VirtualIP    string   `json:"virtualIp,omitempty"`
	ControlPlane string   `json:"controlPlane,omitempty"`
	Join         JoinRefs `json:"join"`
}

// JoinWorker joins one worker; all workers join in parallel.
//
// Idempotent: it does not change a working member, and resets an interrupted join first. Takes about a minute
// (timeouts.join). On cancellation it kills kubeadm.
func (c *Activities) JoinWorker(ctx context.Context, in JoinWorkerInput) (out JoinOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "join "+in.Node.Name, err) }()
	defer activities.Heartbeat(ctx)()
	cluster, err := c.Reach.Cluster(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	host, err := c.Reach.Hosts.Dial(ctx, in.OpOccID, in.Node)
	if err != nil {
		return out, err
	}
	defer func() { _ = host.Close() }()
	to := endpoint(cluster.Params, in.VirtualIP, lcm.Nodes{{Address: in.ControlPlane}})
	in.Join.CertificateKeyRef = "" // it would make the node a control plane
	return out, c.join(ctx, host, cluster, in.NodeInput, to, in.Join)
}

// join runs kubeadm join on the node.
func (c *Activities) join(
	ctx context.Context, host reach.Host, cluster reach.ClusterContext, in reach.NodeInput, to string, refs JoinRefs,
) error {
	conf := scripts.KubeadmJoinConfig{
		Node: in.Node.Name, Address: in.Node.Address, Endpoint: to, CACertHash: refs.CACertHash,
		IgnorePreflightErrors: cluster.Params.IgnorePreflightErrors, Waits: waits(cluster.Params),
	}
	var err error
	if conf.Token, err = c.Reach.Secrets.Get(ctx, refs.TokenRef); err != nil {
		return err
	}
	if refs.CertificateKeyRef != "" {
		if conf.CertificateKey, err = c.Reach.Secrets.Get(ctx, refs.CertificateKeyRef); err != nil {
			return err
		}
	}
	if conf.Extra, err = cluster.OptionalFile(ctx, cluster.Params.KubeadmConfigPath); err != nil {
		return err
	}
	text, err := conf.Render()
	if err != nil {
		return lcm.Wrap(lcm.KindInvalid, err, "Windlass cannot use the file %s of the package: %s.",
			cluster.Params.KubeadmConfigPath, err)
	}
	limit := cluster.Params.Timeouts.Join
	_, err = c.Reach.Run(ctx, host, in.Step, reach.Task{
		Script: scripts.KubeadmJoin{Member: reach.MemberOf(cluster, in.Node), Endpoint: to, Timeout: limit},
		Stdin:  scripts.Stdin(scripts.Input{Name: "config", Value: text}),
		Mask:   []string{conf.Token, conf.CertificateKey}, Limit: reach.Slack(limit), Parameter: joinTimeout,
	})
	return err
}

// joinTimeout is the parameter that limits kubeadm.
const joinTimeout = "timeouts.join"

func tokenID(token string) string {
	id, _, _ := strings.Cut(token, ".")
	return id
}

// bootstrapToken makes a token in Kubernetes' format.
func bootstrapToken() (string, error) {
	id, err := reach.RandomText(6)
	if err != nil {
		return "", err
	}
	secret, err := reach.RandomText(16)
	return id + "." + secret, err
}

// certificateKey is a key for AES-256 in hexadecimal.
func certificateKey() (string, error) {
	key := make([]byte, 32)
	_, err := rand.Read(key)
	return hex.EncodeToString(key), err
}
