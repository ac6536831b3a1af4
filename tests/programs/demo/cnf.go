package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

const (
	webSample    = "vnfpkg/samples/cnf-manifests"
	webVnfdID    = "b7a3f6de-2c0b-4d43-9a5e-0c1f6d8e7b24"
	webInstance  = "demo-web"
	brokenName   = "demo-broken"
	webNamespace = "windlass-demo"
	brokenFile   = "Files/kubernetes/broken/web.yaml"
	// webObjects is the number of objects in the sample's manifests.
	webObjects = 3
)

// cnfResult is the part of --json about the VNF of containers.
type cnfResult struct {
	ObjectsReady    int `json:"objects_ready"`
	ObjectsExpected int `json:"objects_expected"`
	// BrokenImageSeconds is the time from the kubelet's first report of the image to FAILED_TEMP.
	BrokenImageSeconds float64 `json:"broken_image_seconds"`
	// LeftOver is the number of objects that are left after the VNFs are terminated.
	LeftOver int `json:"left_over"`
}

// showContainers takes a VNF of containers through its life, on the cluster that the demo has made.
func (d *demo) showContainers(ctx context.Context) error {
	d.result.CNF = &cnfResult{ObjectsExpected: webObjects}
	d.title("A VNF of containers on the cluster")
	if err := d.onboard(ctx, webVnfdID, webSample); err != nil {
		return err
	}
	if _, err := d.runKubectl(ctx, "get", "namespace", webNamespace); err != nil {
		if _, err := d.runKubectl(ctx, "create", "namespace", webNamespace); err != nil {
			return err
		}
	}
	for _, part := range []func(context.Context) error{d.webLife, d.brokenImage, d.leftOver} {
		if err := part(ctx); err != nil {
			return errors.Join(err, d.save())
		}
	}
	r := d.result.CNF
	d.say("\n%d of %d objects were ready; the broken image was told %.1f s after the kubelet had reported it; %d objects are "+
		"left over.", r.ObjectsReady, r.ObjectsExpected, r.BrokenImageSeconds, r.LeftOver)
	if err := d.save(); err != nil {
		return err
	}
	if r.ObjectsReady != r.ObjectsExpected || r.LeftOver > 0 {
		return errors.New("the VNF of containers was not as it must be")
	}
	return nil
}

// webLife instantiates the web server, opens its page, scales, heals and terminates it.
func (d *demo) webLife(ctx context.Context) error {
	instance, err := d.instance(ctx, webVnfdID, webInstance)
	if err != nil {
		return err
	}
	if instance.State != string(lcm.Instantiated) {
		if err := d.bringUp(ctx, instance); err != nil {
			return err
		}
	}
	if d.result.CNF.ObjectsReady, err = d.objectsReady(ctx); err != nil {
		return err
	}
	if err := d.openPage(ctx); err != nil {
		return err
	}
	d.title("More of it, and one Pod anew")
	if err := d.show(ctx, "vnf", "scale", instance.ID, "--aspect", "web_pods", "--out", "2", "--watch"); err != nil {
		return err
	}
	if instance, err = query[vnf](ctx, d, "vnf", "show", instance.ID); err != nil {
		return err
	}
	if len(instance.Instantiated.Vnfcs) == 0 {
		return errors.New("the web server has no Pods")
	}
	if err := d.show(ctx, "vnf", "heal", instance.ID, "--vnfc", instance.Instantiated.Vnfcs[0].ID, "--watch"); err != nil {
		return err
	}
	if err := d.openPage(ctx); err != nil {
		return err
	}
	return d.remove(ctx, instance)
}

func (d *demo) bringUp(ctx context.Context, instance vnf) error {
	file, err := d.webRequest(ctx, "Files/kubernetes/web.yaml")
	if err != nil {
		return err
	}
	op, err := d.instantiateBy(ctx, instance, file)
	if err != nil {
		return err
	}
	return d.follow(ctx, op, "op", "watch", op)
}

// remove terminates and deletes a VNF instance.
func (d *demo) remove(ctx context.Context, instance vnf) error {
	if err := d.show(ctx, "vnf", "terminate", instance.ID, "--watch"); err != nil {
		return err
	}
	return d.show(ctx, "vnf", "delete", instance.ID)
}

// webRequest changes the sample's request for the demo's cluster, with another file for the web server.
func (d *demo) webRequest(ctx context.Context, web string) (string, error) {
	b, err := os.ReadFile(filepath.Join(d.env.Root, "vnfpkg/samples/requests/instantiate-cnf-manifests.json"))
	if err != nil {
		return "", err
	}
	var request map[string]any
	if err := json.Unmarshal(b, &request); err != nil {
		return "", err
	}
	vims, err := query[[]vim](ctx, d, "vim", "list")
	if err != nil {
		return "", err
	}
	for _, v := range vims {
		if v.Name == d.product().cluster {
			request["vimConnectionInfo"] = []any{map[string]any{"id": "cluster", "vimId": v.ID, "vimType": "kubernetes"}}
		}
	}
	request["additionalParams"] = map[string]any{
		"lcm-kubernetes-def-files": []string{"Files/kubernetes/page.yaml", web}, "namespace": webNamespace,
	}
	if b, err = json.MarshalIndent(request, "", "  "); err != nil {
		return "", err
	}
	file := filepath.Join(d.Dir, "instantiate-cnf.json")
	return file, os.WriteFile(file, b, 0o600)
}

// object is what the demo reads of an object of the VNF.
type object struct {
	Kind     string `json:"kind"`
	Metadata struct {
		Name string `json:"name"`
	} `json:"metadata"`
	Spec struct {
		Replicas int `json:"replicas"`
	} `json:"spec"`
	Status struct {
		Available  int `json:"availableReplicas"`
		Containers []struct {
			State struct {
				Waiting *struct {
					Reason string `json:"reason"`
				} `json:"waiting"`
			} `json:"state"`
		} `json:"containerStatuses"`
	} `json:"status"`
}

// objects returns the objects of the kinds in the namespace.
func (d *demo) objects(ctx context.Context, kinds string) ([]object, error) {
	return d.get(ctx, kinds, "--namespace", webNamespace)
}

func (d *demo) get(ctx context.Context, args ...string) ([]object, error) {
	out, err := d.runKubectl(ctx, append([]string{"get", "-o", "json"}, args...)...)
	if err != nil {
		return nil, err
	}
	var list struct {
		Items []object `json:"items"`
	}
	err = json.Unmarshal([]byte(out), &list)
	return list.Items, err
}

// objectsReady shows the objects of the manifests, and counts those that are ready.
func (d *demo) objectsReady(ctx context.Context) (ready int, err error) {
	const kinds = "deployments,services,configmaps"
	d.say("\n$ %s --kubeconfig %s get pods,%s --namespace %s", d.kubectl(), d.kubeconfig(), kinds, webNamespace)
	out, err := d.runKubectl(ctx, "get", "pods,"+kinds, "--namespace", webNamespace)
	if err != nil {
		return 0, err
	}
	d.say("%s", out)
	all, err := d.objects(ctx, kinds)
	for _, o := range all {
		if strings.HasPrefix(o.Metadata.Name, "web") && (o.Kind != "Deployment" || o.Status.Available == o.Spec.Replicas) {
			ready++
		}
	}
	return ready, err
}

// openPage reads the page of the web server through the cluster's API.
func (d *demo) openPage(ctx context.Context) error {
	path := "/api/v1/namespaces/" + webNamespace + "/services/http:web:80/proxy/index.html"
	d.say("\n$ %s --kubeconfig %s get --raw %s", d.kubectl(), d.kubeconfig(), path)
	var page string
	var err error
	for range 100 { // the cluster's proxies need a moment before they use a new Pod
		if page, err = d.runKubectl(ctx, "get", "--raw", path); err == nil {
			d.say("%s", strings.TrimSpace(page))
			return nil
		}
		if err := pause(ctx); err != nil {
			return err
		}
	}
	return err
}

// pause waits for a moment between two requests.
func pause(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(100 * time.Millisecond):
		return nil
	}
}

// brokenImage instantiates the web server with an image that no registry has, and measures the time until Windlass
// reports this.
func (d *demo) brokenImage(ctx context.Context) error {
	d.title("An image that no registry has")
	instance, err := d.instance(ctx, webVnfdID, brokenName)
	if err != nil {
		return err
	}
	file, err := d.webRequest(ctx, brokenFile)
	if err != nil {
		return err
	}
	op, err := d.instantiateBy(ctx, instance, file)
	if err != nil {
		return err
	}
	reported, err := d.kubeletReports(ctx)
	if err != nil {
		return err
	}
	if err := d.show(ctx, "op", "watch", op); err == nil {
		return errors.New("the operation with the broken image has not failed")
	}
	failed, err := query[operation](ctx, d, "op", "show", op)
	if err != nil {
		return err
	}
	if failed.State != lcm.FailedTemp {
		return fmt.Errorf("the operation with the broken image is %s", failed.State)
	}
	// The demo may have seen the kubelet's report later than Windlass.
	d.result.CNF.BrokenImageSeconds = max(0, failed.StateEntered.Sub(reported).Seconds())
	if err := d.show(ctx, "op", "rollback", op, "--watch"); err != nil {
		// After a complete rollback the operation is ROLLED_BACK, so the client's exit code says that it has failed.
		if rolled, e := query[operation](ctx, d, "op", "show", op); e != nil || rolled.State != lcm.RolledBack {
			return cmp.Or(e, err)
		}
	}
	return d.show(ctx, "vnf", "delete", instance.ID)
}

// kubeletReports waits until the kubelet reports that the image cannot be pulled.
func (d *demo) kubeletReports(ctx context.Context) (time.Time, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	for {
		pods, err := d.objects(ctx, "pods")
		if err != nil {
			return time.Time{}, err
		}
		for _, pod := range pods {
			for _, c := range pod.Status.Containers {
				if w := c.State.Waiting; w != nil && (w.Reason == "ErrImagePull" || w.Reason == "ImagePullBackOff") {
					return time.Now(), nil
				}
			}
		}
		if err := pause(ctx); err != nil {
			return time.Time{}, errors.New("the kubelet has said nothing of the broken image in two minutes")
		}
	}
}

// leftOver counts the objects that are still in the namespace, without those that Kubernetes puts into each namespace,
// and the objects with Windlass's label in any namespace.
func (d *demo) leftOver(ctx context.Context) error {
	const kinds = "all,configmaps,secrets,serviceaccounts,persistentvolumeclaims,roles,rolebindings,ingresses"
	all, err := d.objects(ctx, kinds)
	if err != nil {
		return err
	}
	marked, err := d.get(ctx, kinds, "--all-namespaces", "--selector", "windlass.nfv/owner")
	if err != nil {
		return err
	}
	all = append(all, marked...)
	for _, o := range all {
		if o.Metadata.Name != "kube-root-ca.crt" && o.Metadata.Name != "default" {
			d.say("Left over: %s %s", o.Kind, o.Metadata.Name)
			d.result.CNF.LeftOver++
		}
	}
	_, err = d.runKubectl(ctx, "delete", "namespace", webNamespace)
	return err
}
