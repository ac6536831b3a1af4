package nfvo

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// packageURI is the NFVO's URI of an onboarded package (SOL003 clause 10.4).
func (o *Orchestrator) packageURI(id lcm.VnfdID) string {
	return o.endpoint + "/vnfpkgm/" + o.packages + "/onboarded_vnf_packages/" + url.PathEscape(string(id))
}

// pkgVersions are the versions of the NFVO's package management, for the Version header.
var pkgVersions = map[string]string{"v2": "2.1.0"}

func (o *Orchestrator) pkgHeader(accept string) http.Header {
	h := http.Header{"Accept": {accept}}
	if v, ok := pkgVersions[o.packages]; ok {
		h.Set("Version", v)
	}
	return h
}

// HasPackage tells whether the NFVO has a package of that VNFD that may be used.
func (o *Orchestrator) HasPackage(ctx context.Context, id lcm.VnfdID) (bool, error) {
	resp, err := o.caller.do(ctx, request{
		method: http.MethodGet, uri: o.packageURI(id), header: o.pkgHeader("application/json"), auth: o.auth,
	})
	if err != nil {
		return false, err
	}
	defer finish(resp)
	if resp.StatusCode == http.StatusNotFound {
		return false, nil
	}
	if resp.StatusCode != http.StatusOK {
		return false, o.noPackage(resp)
	}
	var info struct {
		OperationalState string `json:"operationalState"`
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxAnswer)).Decode(&info); err != nil {
		return false, lcm.Wrap(lcm.KindBroken, err, "The NFVO's answer about the VNFD %s is no VnfPkgInfo.", id)
	}
	return info.OperationalState == lcm.PkgEnabled, nil
}

// PackageContent begins to read the archive of the NFVO's package of that VNFD; the caller closes it. Errors that may
// pass with time are Unavailable, also while reading.
func (o *Orchestrator) PackageContent(ctx context.Context, id lcm.VnfdID) (io.ReadCloser, error) {
	ctx, stop := context.WithCancel(ctx)
	resp, err := o.streams.do(ctx, request{
		method: http.MethodGet, uri: o.packageURI(id) + "/package_content", header: o.pkgHeader("application/zip"),
		auth: o.auth,
	})
	if err == nil && resp.StatusCode != http.StatusOK {
		err = o.noPackage(resp)
		finish(resp)
	}
	if err != nil {
		stop()
		return nil, err
	}
	return watched(resp.Body, o.maxPackage, defaultPatience, stop), nil
}

// noPackage translates an answer without a package.
func (o *Orchestrator) noPackage(resp *http.Response) error {
	err := o.refusal(resp)
	e, ok := errors.AsType[*lcm.Error](err)
	if !ok || e.Kind == lcm.KindUnavailable || resp.StatusCode == http.StatusUnauthorized {
		return err
	}
	return lcm.Errorf(e.Kind, "The NFVO answers %d to the request for a VNF package.", resp.StatusCode)
}
