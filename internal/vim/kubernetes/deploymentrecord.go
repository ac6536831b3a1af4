package kubernetes

import (
	"context"
	"encoding/json"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// record is the stored data of a deployment: a Secret with the deployment's name in the VIM's namespace, like Helm's
// releases. It is written before any object is made, so that later operations find every object.
type record struct {
	Owner     string                      `json:"owner"`
	Operation string                      `json:"operation"`
	Complete  bool                        `json:"complete"` // Windlass has applied all objects once
	Objects   []unstructured.Unstructured `json:"objects"`
	// Dropped are objects of a former definition that Windlass has yet to remove.
	Dropped   []unstructured.Unstructured `json:"dropped,omitempty"`
	Workloads map[string]Workload         `json:"workloads"`
	// Attachments are the Pods' networks besides the cluster's own network.
	Attachments []Attachment `json:"attachments,omitempty"`
	// Releases are the Helm releases; Hooks are the objects that their hooks may have made.
	Releases []heldRelease               `json:"releases,omitempty"`
	Hooks    []unstructured.Unstructured `json:"hooks,omitempty"`
	// Former are releases of a former definition that Windlass has yet to remove.
	Former []heldRelease `json:"former,omitempty"`

	// FormerClaims are the UIDs of the owner's claims that existed before the deployment was made.
	FormerClaims []string `json:"formerClaims,omitempty"`
	// ClaimMakers are StatefulSets of former definitions. Their claims go with the deployment.
	ClaimMakers []unstructured.Unstructured `json:"claimMakers,omitempty"`

	// Over are the Jobs that have done their work, with the digests of their definitions: one that has removed itself is
	// not made again.
	Over map[string]string `json:"over,omitempty"`

	// Halted is set from the beginning of Halt to the end of Resume. Stopped are the Pods that existed before Halt.
	Halted  bool         `json:"halted,omitempty"`
	Stopped []stoppedPod `json:"stopped,omitempty"`
	// Standing are the workloads of hooks that existed before Halt.
	Standing []unstructured.Unstructured `json:"standing,omitempty"`

	undoes  bool   // the change takes back what Operation has changed
	name    string // the deployment's
	id      string // the Secret's UID
	version string // the Secret's resourceVersion, for optimistic locking
}

const (
	recordType = "windlass/deployment"
	recordKey  = "deployment"
	// ownerLabel is on everything that belongs to a deployment. Its value is the deployment's owner.
	ownerLabel = "windlass.nfv/owner"
	// fieldManager is Windlass's name as a field manager of server-side apply.
	fieldManager = "windlass"
	// largestRecord bounds the unpacked size, in bytes. The Secret itself has 1 MiB at most.
	largestRecord = 16 << 20
)

func (c *Connection) noDeployment(name string) error {
	return lcm.Errorf(lcm.KindNotFound, "There is no deployment %s in the namespace %s of the VIM %s.", name, c.namespace,
		c.name)
}

// recordOf reads a deployment's record. The error is NotFound when there is none.
func (c *Connection) recordOf(ctx context.Context, name string) (*record, error) {
	secret, err := c.core.Secrets(c.namespace).Get(ctx, name, metav1.GetOptions{})
	switch {
	case errors.IsNotFound(err) && errors.IsUnexpectedServerError(err): // of a proxy, which does not know what exists
		return nil, lcm.Wrap(lcm.KindUnavailable, err, "The VIM %s does not answer as a Kubernetes at its address: "+
			"the answer to the question for the deployment %s is 404 Not Found.", c.name, name)
	case errors.IsNotFound(err):
		return nil, c.noDeployment(name)
	case err != nil:
		return nil, translate("read the deployment "+name, err)
	case secret.Type != recordType:
		return nil, lcm.Errorf(lcm.KindConflict, "Windlass has not made the secret %s in the namespace %s.", name,
			c.namespace)
	}
	var r record
	if err := unpack(secret.Data[recordKey], largestRecord, &r); err != nil {
		return nil, lcm.Wrap(lcm.KindBroken, err, "Windlass cannot read the secret %s in the namespace %s, its record of the "+
			"VNF's resources.", name, c.namespace)
	}
	r.name, r.id, r.version = name, string(secret.UID), secret.ResourceVersion
	return &r, nil
}

// keep writes a deployment's record.
func (c *Connection) keep(ctx context.Context, name string, r *record) error {
	doc, err := json.Marshal(r)
	if err != nil {
		return lcm.Wrap(lcm.KindBug, err, "Windlass cannot write the record of %s.", name)
	}
	if len(doc) > largestRecord {
		return lcm.Errorf(lcm.KindInvalid, "The objects of the VNF are together larger than the limit of %d MiB: divide them "+
			"among several VNFs.", largestRecord>>20)
	}
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: c.namespace, ResourceVersion: r.version,
			Labels: map[string]string{ownerLabel: r.Owner},
		},
		Type: recordType, Data: map[string][]byte{recordKey: pack(doc)},
	}
	secrets, write := c.core.Secrets(c.namespace), metav1.CreateOptions{FieldManager: fieldManager}
	if r.version == "" {
		secret, err = secrets.Create(ctx, secret, write)
	} else {
		secret, err = secrets.Update(ctx, secret, metav1.UpdateOptions{FieldManager: fieldManager})
	}
	switch {
	case errors.IsConflict(err), errors.IsAlreadyExists(err):
		return lcm.Wrap(lcm.KindUnavailable, err, "Another attempt has changed the record of the deployment %s; "+
			"Windlass reads it again.", name)
	case err != nil:
		return translate("record the deployment "+name, err)
	}
	r.name, r.id, r.version = name, string(secret.UID), secret.ResourceVersion
	return nil
}

// forget deletes a deployment's record, after everything else of the deployment.
func (c *Connection) forget(ctx context.Context, name string, r *record) error {
	err := c.core.Secrets(c.namespace).Delete(ctx, name, metav1.DeleteOptions{
		Preconditions: metav1.NewUIDPreconditions(r.id),
	})
	if err != nil && !errors.IsNotFound(err) {
		return translate("forget the deployment "+name, err)
	}
	return nil
}
