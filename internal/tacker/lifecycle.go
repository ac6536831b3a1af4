package tacker

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
)

// vnfInstance is the used part of SOL003's VnfInstance, in either version.
type vnfInstance struct {
	ID      string `json:"id"`
	Name    string `json:"vnfInstanceName"`
	VnfdID  string `json:"vnfdId"`
	State   string `json:"instantiationState"`
	Product string `json:"vnfProductName"`
	// Connections is a list in v1 and a map in v2; lists may leave it out.
	Connections json.RawMessage `json:"vimConnectionInfo"`
}

// opOcc is the used part of SOL003's VnfLcmOpOcc.
type opOcc struct {
	ID        string `json:"id"`
	Operation string `json:"operation"`
	State     string `json:"operationState"`
	Instance  string `json:"vnfInstanceId"`
}

type subscription struct {
	ID       string `json:"id"`
	Callback string `json:"callbackUri"`
}

// lifecycle reads the VNFs, the operations and the subscriptions of one version of the API.
func (c *Client) lifecycle(ctx context.Context, path string) (out []Finding, err error) {
	instances, err := list[vnfInstance](ctx, c, path+"/vnf_instances")
	if err != nil {
		return nil, err
	}
	for _, i := range instances {
		f, err := c.instance(ctx, path, i)
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	operations, err := list[opOcc](ctx, c, path+"/vnf_lcm_op_occs")
	if err != nil {
		return nil, err
	}
	for _, o := range operations {
		if f, inFlight := o.judge(); inFlight {
			out = append(out, f)
		}
	}
	subscriptions, err := list[subscription](ctx, c, path+"/subscriptions")
	if err != nil {
		return nil, err
	}
	for _, s := range subscriptions {
		f := Finding{Kind: KindSubscription, ID: s.ID, Name: s.Callback}
		f.because(Changes, "Subscribe anew at Windlass, with the same body and the password: POST "+path+"/subscriptions.")
		out = append(out, f)
	}
	return out, nil
}

func (c *Client) instance(ctx context.Context, path string, i vnfInstance) (Finding, error) {
	f := Finding{Kind: KindVNF, ID: i.ID, Name: i.Name}
	if i.State != "INSTANTIATED" {
		f.because(Changes, fmt.Sprintf("It is a record only. Create it again: windlass vnf create %s --name %q.", i.VnfdID,
			i.Name))
		return f, nil
	}
	if len(i.Connections) == 0 {
		if _, err := c.read(ctx, path+"/vnf_instances/"+url.PathEscape(i.ID), &i); err != nil {
			return f, err
		}
	}
	f.because(Stays, "It runs, and Windlass takes over no running VNF. Leave it to Tacker until it is terminated; "+
		"instantiate its successor at Windlass beside it, and move its load.")
	for _, kind := range vimTypes(i.Connections) {
		if !known[kind] {
			f.because(Stays, fmt.Sprintf("It is on a VIM of type %q, which Windlass does not have: there is no place for a "+
				"successor.", kind))
		}
	}
	return f, nil
}

// known are the types of VIMs that requests may name.
var known = map[string]bool{
	"": true, "openstack": true, "kubernetes": true,
	"ETSINFV.OPENSTACK_KEYSTONE.V_2": true, "ETSINFV.OPENSTACK_KEYSTONE.V_3": true, "ETSINFV.OPENSTACK_KEYSTONE.v_2": true,
	"ETSINFV.OPENSTACK_KEYSTONE.v_3": true, "ETSINFV.KUBERNETES.V_1": true, "ETSINFV.HELM.V_3": true,
}

// vimTypes are the types of the VIMs in vimConnectionInfo.
func vimTypes(connections json.RawMessage) (out []string) {
	type connection struct {
		Type string `json:"vimType"`
	}
	var asList []connection
	var asMap map[string]connection
	if json.Unmarshal(connections, &asList) != nil {
		_ = json.Unmarshal(connections, &asMap) // neither: nothing is known of them
	}
	for _, c := range asMap {
		asList = append(asList, c)
	}
	for _, c := range asList {
		out = append(out, c.Type)
	}
	return out
}

// judge reports operations in progress. Ended operations are history, which stays with Tacker.
func (o opOcc) judge() (f Finding, inFlight bool) {
	f = Finding{Kind: KindOperation, ID: o.ID, Name: fmt.Sprintf("%s of VNF %s", o.Operation, o.Instance)}
	switch o.State {
	case "STARTING", "PROCESSING", "ROLLING_BACK":
		f.because(Stays, "It is "+o.State+" in Tacker. Wait for its end before you move anything of this VNF.")
	case "FAILED_TEMP":
		f.because(Stays, "It waits in FAILED_TEMP in Tacker. Decide there first: retry, rollback or fail.")
	default:
		return f, false
	}
	return f, true
}
