// nfsprovisioner is the lab's stand-in for nfs-subdir-external-provisioner, whose image could not be had without a
// registry: the same controller library, settings, parameters of StorageClasses and names of directories.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	"sigs.k8s.io/sig-storage-lib-external-provisioner/v11/controller"
)

// mountPath is where the Deployment mounts the export.
const mountPath = "/persistentvolumes"

func main() {
	if err := run(); err != nil {
		klog.ErrorS(err, "nfsprovisioner")
		klog.Flush()
		os.Exit(1)
	}
}

func run() error {
	p := &provisioner{server: os.Getenv("NFS_SERVER"), path: os.Getenv("NFS_PATH"), mounted: mountPath}
	name := os.Getenv("PROVISIONER_NAME")
	if p.server == "" || p.path == "" || name == "" {
		return errors.New("NFS_SERVER, NFS_PATH and PROVISIONER_NAME must be set")
	}
	elect := true
	if v := os.Getenv("ENABLE_LEADER_ELECTION"); v != "" {
		var err error
		if elect, err = strconv.ParseBool(v); err != nil {
			return fmt.Errorf("ENABLE_LEADER_ELECTION: %w", err)
		}
	}
	config, err := rest.InClusterConfig()
	if err != nil {
		return err
	}
	if p.client, err = kubernetes.NewForConfig(config); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	controller.NewProvisionController(ctx, p.client, name, p, controller.LeaderElection(elect)).Run(ctx)
	return nil
}

// provisioner makes a directory for each claim.
type provisioner struct {
	client       kubernetes.Interface
	server, path string // the export
	mounted      string
}

// Provision implements controller.Provisioner.
func (p *provisioner) Provision(
	_ context.Context, o controller.ProvisionOptions,
) (*corev1.PersistentVolume, controller.ProvisioningState, error) {
	if o.PVC.Spec.Selector != nil {
		return nil, controller.ProvisioningFinished, errors.New("a claim with a selector cannot be provisioned")
	}
	directory := strings.Join([]string{o.PVC.Namespace, o.PVC.Name, o.PVName}, "-")
	here := filepath.Join(p.mounted, directory)
	if err := os.MkdirAll(here, 0o777); err != nil {
		return nil, controller.ProvisioningFinished, err
	}
	if err := os.Chmod(here, 0o777); err != nil { // whatever the umask is
		return nil, controller.ProvisioningFinished, err
	}
	return &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: o.PVName},
		Spec: corev1.PersistentVolumeSpec{
			PersistentVolumeReclaimPolicy: *o.StorageClass.ReclaimPolicy,
			AccessModes:                   o.PVC.Spec.AccessModes,
			MountOptions:                  o.StorageClass.MountOptions,
			Capacity:                      corev1.ResourceList{corev1.ResourceStorage: o.PVC.Spec.Resources.Requests[corev1.ResourceStorage]},
			PersistentVolumeSource: corev1.PersistentVolumeSource{
				NFS: &corev1.NFSVolumeSource{Server: p.server, Path: filepath.Join(p.path, directory)},
			},
		},
	}, controller.ProvisioningFinished, nil
}

// Delete implements controller.Provisioner: the class says whether the directory goes or is kept under another name.
func (p *provisioner) Delete(ctx context.Context, volume *corev1.PersistentVolume) error {
	base := filepath.Base(volume.Spec.NFS.Path)
	here := filepath.Join(p.mounted, base)
	if _, err := os.Stat(here); errors.Is(err, os.ErrNotExist) {
		klog.InfoS("There is no such directory any more", "path", here)
		return nil
	}
	class, err := p.client.StorageV1().StorageClasses().Get(ctx, volume.Spec.StorageClassName, metav1.GetOptions{})
	if err != nil {
		return err
	}
	archive := true
	if v, given := class.Parameters["archiveOnDelete"]; given {
		if archive, err = strconv.ParseBool(v); err != nil {
			return fmt.Errorf("archiveOnDelete of the class %s: %w", class.Name, err)
		}
	}
	switch {
	case class.Parameters["onDelete"] == "retain":
		return nil
	case class.Parameters["onDelete"] == "delete", class.Parameters["onDelete"] == "" && !archive:
		return os.RemoveAll(here)
	}
	return os.Rename(here, filepath.Join(p.mounted, "archived-"+base))
}
