package e2e

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/windlass-nfv/windlass/internal/driver/k8s"
)

const (
	className = "files"
	classDir  = "/volume/files"
)

// addClass adds a storage class on its own export to a cluster of the storage sample, with the lab's provisioner.
func addClass(cluster map[string]any) {
	s := cluster["storage_server"].(map[string]any)
	exports := s["nfs_server_setup_params"].([]any)
	s["nfs_server_setup_params"] = append(exports,
		map[string]any{"export_dir": classDir, "export_to": exports[0].(map[string]any)["export_to"]})
	cluster["storage_class_params"] = []any{
		map[string]any{"name": className, "export_dir": classDir, "image": "lab.local/nfs-subdir-external-provisioner:v1"},
	}
}

// ownVolume is a volume that was made for a claim.
type ownVolume struct {
	claim        string
	claimUID     types.UID
	name         string
	server, path string
}

// claimOfClass makes a claim of the class, and checks that it has got its own directory.
func (s *sharedFiles) claimOfClass(t *testing.T) ownVolume {
	t.Helper()
	s.createClaim(t, "own", "")
	v := s.bound(t, "own")
	require.Equal(t, classDir+"/"+namespace+"-own-"+v.name, v.path)
	return v
}

// leftBehind makes a claim whose volume is at a former address of the storage server, where nothing answers.
func (s *sharedFiles) leftBehind(t *testing.T) ownVolume {
	t.Helper()
	const name, claim = "pvc-left-behind", "left"
	_, err := s.c.CoreV1().PersistentVolumes().Create(t.Context(), &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{
			Name:        name,
			Annotations: map[string]string{"pv.kubernetes.io/provisioned-by": k8s.ProvisionerOf(className)},
		},
		Spec: corev1.PersistentVolumeSpec{
			StorageClassName: className, AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteMany},
			Capacity:                      corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")},
			ClaimRef:                      &corev1.ObjectReference{Namespace: namespace, Name: claim},
			PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimDelete,
			PersistentVolumeSource: corev1.PersistentVolumeSource{NFS: &corev1.NFSVolumeSource{
				Server: "192.0.2.7",
				Path:   classDir + "/left",
			}},
		},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	s.createClaim(t, claim, name)
	return s.bound(t, claim)
}

func (s *sharedFiles) createClaim(t *testing.T, name, volume string) {
	t.Helper()
	class := className
	_, err := s.c.CoreV1().PersistentVolumeClaims(namespace).Create(t.Context(), &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteMany}, StorageClassName: &class, VolumeName: volume,
			Resources: corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}},
		},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
}

// bound waits until a claim and its volume are bound to each other.
func (s *sharedFiles) bound(t *testing.T, claim string) (v ownVolume) {
	t.Helper()
	require.Eventually(t, func() bool {
		c, err := s.c.CoreV1().PersistentVolumeClaims(namespace).Get(t.Context(), claim, metav1.GetOptions{})
		if err != nil || c.Status.Phase != corev1.ClaimBound {
			return false
		}
		pv, err := s.c.CoreV1().PersistentVolumes().Get(t.Context(), c.Spec.VolumeName, metav1.GetOptions{})
		if err != nil || pv.Status.Phase != corev1.VolumeBound || pv.Spec.ClaimRef == nil || pv.Spec.ClaimRef.UID != c.UID {
			return false
		}
		v = ownVolume{claim: claim, claimUID: c.UID, name: pv.Name, server: pv.Spec.NFS.Server, path: pv.Spec.NFS.Path}
		return true
	}, 2*time.Minute, time.Second, "the claim %s is not bound", claim)
	return v
}
