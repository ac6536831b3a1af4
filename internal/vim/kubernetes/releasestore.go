package kubernetes

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"helm.sh/helm/v4/pkg/release/common"
	release "helm.sh/helm/v4/pkg/release/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Windlass stores releases as Helm does: one Secret per revision. So helm list, get, history and rollback know them.
const (
	releaseType = "helm.sh/release.v1"
	releaseKey  = "release"
	// largestRelease bounds the unpacked size, in bytes.
	largestRelease = 32 << 20
	// mostRevisions is the number of revisions that Helm keeps of a release.
	mostRevisions = 10
	// revisionsAtOnce is the page size of a list. It keeps an answer small: a Secret has up to 1 MiB.
	revisionsAtOnce = 5
)

// digestLabel is the label of a revision with its shortened digest: a label's value has 63 characters at most.
const digestLabel = "windlass.nfv/digest"

func shortDigest(digest string) string { return digest[:min(len(digest), 63)] }

func releaseSecret(name string, revision int) string {
	return fmt.Sprintf("sh.helm.release.v1.%s.v%d", name, revision)
}

// revisions returns the Secrets of a release, the newest first. foreign is true if any Secret has another owner.
func (c *Connection) revisions(
	ctx context.Context, namespace, name, owner string,
) (secrets []corev1.Secret, foreign bool, err error) {
	err = eachPage(ctx, metav1.ListOptions{LabelSelector: "owner=helm,name=" + name, Limit: revisionsAtOnce},
		func(ctx context.Context, page metav1.ListOptions) (string, error) {
			list, err := c.core.Secrets(namespace).List(ctx, page)
			if err != nil {
				return "", translate("list the revisions of the release "+name, err)
			}
			secrets = append(secrets, list.Items...)
			return list.Continue, nil
		})
	if err != nil {
		return nil, false, err
	}
	number := func(s corev1.Secret) int { n, _ := strconv.Atoi(s.Labels["version"]); return n }
	slices.SortFunc(secrets, func(a, b corev1.Secret) int { return cmp.Compare(number(b), number(a)) })
	for _, s := range secrets {
		foreign = foreign || s.Labels[ownerLabel] != owner
	}
	return secrets, foreign, nil
}

// latest returns the newest revision of a release; nil when there is none.
func (c *Connection) latest(ctx context.Context, namespace, name, owner string) (*release.Release, error) {
	secrets, foreign, err := c.revisions(ctx, namespace, name, owner)
	switch {
	case err != nil || len(secrets) == 0:
		return nil, err
	case foreign:
		return nil, lcm.Errorf(lcm.KindConflict, "The release %s in the namespace %s does not belong to this VNF.",
			name, namespace)
	}
	return unpackRelease(secrets[0])
}

func unpackRelease(s corev1.Secret) (*release.Release, error) {
	r := &release.Release{}
	packed, err := base64.StdEncoding.DecodeString(string(s.Data[releaseKey]))
	if err == nil {
		err = unpack(packed, largestRelease, r)
	}
	if err != nil || r.Info == nil {
		return nil, lcm.Wrap(lcm.KindBroken, err, "Windlass cannot read the secret %s/%s with Helm's release.", s.Namespace, s.Name)
	}
	r.Labels = map[string]string{ownerLabel: s.Labels[ownerLabel], digestLabel: s.Labels[digestLabel]}
	return r, nil
}

func packRelease(r *release.Release) (*corev1.Secret, error) {
	doc, err := json.Marshal(r)
	if err != nil {
		return nil, lcm.Wrap(lcm.KindBug, err, "The release %s cannot be written.", r.Name)
	}
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Name: releaseSecret(r.Name, r.Version), Namespace: r.Namespace,
			Labels: map[string]string{
				"owner": "helm", "name": r.Name, "version": strconv.Itoa(r.Version), "status": r.Info.Status.String(),
				"modifiedAt": strconv.FormatInt(time.Now().Unix(), 10), ownerLabel: r.Labels[ownerLabel],
				digestLabel: r.Labels[digestLabel],
			},
		},
		Type: releaseType,
		Data: map[string][]byte{releaseKey: []byte(base64.StdEncoding.EncodeToString(pack(doc)))},
	}, nil
}

// store writes a revision with that status and description.
func (c *Connection) store(ctx context.Context, r *release.Release, status common.Status, says string) error {
	r.SetStatus(status, says)
	secret, err := packRelease(r)
	if err != nil {
		return err
	}
	secrets := c.core.Secrets(r.Namespace)
	_, err = secrets.Update(ctx, secret, metav1.UpdateOptions{FieldManager: fieldManager})
	if errors.IsNotFound(err) {
		_, err = secrets.Create(ctx, secret, metav1.CreateOptions{FieldManager: fieldManager})
	}
	if err != nil {
		return translate("record the release "+r.Name, err)
	}
	return nil
}

// rehearseRelease checks with a dry run that a revision can be written: it has to fit into a Secret.
func (c *Connection) rehearseRelease(ctx context.Context, r *release.Release) error {
	secret, err := packRelease(r)
	if err != nil {
		return err
	}
	_, err = c.core.Secrets(r.Namespace).Create(ctx, secret, metav1.CreateOptions{
		FieldManager: fieldManager, DryRun: []string{metav1.DryRunAll},
	})
	if err != nil && !errors.IsAlreadyExists(err) {
		return translate("record the release "+r.Name, err)
	}
	return nil
}

// deployed marks a revision as deployed and the earlier deployed revisions as superseded. It deletes the oldest
// revisions beyond mostRevisions.
func (c *Connection) deployed(ctx context.Context, r *release.Release, says string) error {
	r.Info.LastDeployed = time.Now()
	if err := c.store(ctx, r, common.StatusDeployed, says); err != nil {
		return err
	}
	secrets, _, err := c.revisions(ctx, r.Namespace, r.Name, r.Labels[ownerLabel])
	if err != nil {
		return err
	}
	for i, s := range secrets {
		switch {
		case s.Name == releaseSecret(r.Name, r.Version):
		case i >= mostRevisions:
			err = c.forgetRevision(ctx, s)
		case s.Labels["status"] == common.StatusDeployed.String():
			var old *release.Release
			if old, err = unpackRelease(s); err == nil {
				err = c.store(ctx, old, common.StatusSuperseded, old.Info.Description)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *Connection) forgetRevision(ctx context.Context, s corev1.Secret) error {
	err := c.core.Secrets(s.Namespace).Delete(ctx, s.Name, metav1.DeleteOptions{})
	if err != nil && !errors.IsNotFound(err) {
		return translate("forget the release "+s.Labels["name"], err)
	}
	return nil
}

// forgetRelease deletes the owner's revisions of a release.
func (c *Connection) forgetRelease(ctx context.Context, namespace, name, owner string) error {
	secrets, _, err := c.revisions(ctx, namespace, name, owner)
	if err != nil {
		return err
	}
	for _, s := range secrets {
		if s.Labels[ownerLabel] != owner {
			continue
		}
		if err := c.forgetRevision(ctx, s); err != nil {
			return err
		}
	}
	return nil
}
