package tacker

import (
	"context"
	"fmt"
	"strings"
)

// vim is the used part of a VIM in Tacker's own API.
type vim struct {
	ID        string         `json:"id"`
	Name      string         `json:"name"`
	Type      string         `json:"type"`
	AuthURL   string         `json:"auth_url"`
	IsDefault bool           `json:"is_default"`
	Extra     map[string]any `json:"extra"`
}

func (c *Client) vims(ctx context.Context, path string) (out []Finding, err error) {
	var answer struct {
		Vims []vim `json:"vims"`
	}
	if _, err := c.read(ctx, path, &answer); err != nil {
		return nil, err
	}
	for _, v := range answer.Vims {
		out = append(out, v.judge())
	}
	return out, nil
}

// judge never takes a VIM over unchanged: Tacker does not give out its secrets.
func (v vim) judge() Finding {
	f := Finding{Kind: KindVIM, ID: v.ID, Name: v.Name}
	register := fmt.Sprintf("windlass vim register %s --config FILE", v.Name)
	if v.IsDefault {
		register += " --default"
	}
	switch v.Type {
	case "openstack":
		f.because(Changes, "Register it anew, with the file that Tacker's client took and its password: "+register+".")
		if strings.HasSuffix(strings.TrimRight(v.AuthURL, "/"), "/v2.0") {
			f.because(Changes, fmt.Sprintf("Its address %s is Keystone's v2.0. Give the address of v3.", v.AuthURL))
		}
	case "kubernetes":
		if strings.HasPrefix(v.Name, "kubernetes_vim_") {
			f.because(Stays, "A cluster VNF of Tacker has registered it. Its successor at Windlass registers its own; "+
				"register this one for other VNFs with: "+register+".")
			break
		}
		f.because(Changes, "Register it anew, with its token or password: "+register+".")
		if _, has := v.Extra["helm_info"]; has {
			f.because(Changes, "Leave helm_info out: Windlass renders charts itself and logs in to no node for them.")
		}
	default:
		f.because(Stays, fmt.Sprintf("VIMs of type %q are not supported. Windlass has openstack and kubernetes.", v.Type))
	}
	return f
}
