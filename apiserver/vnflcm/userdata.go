package vnflcm

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/driver"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/userdata"
)

// Tacker's parameters that choose a user data class: a Python class of the package that makes the stack's parameters.
const (
	userDataParam      = lcm.UserDataParam
	userDataClassParam = lcm.UserDataClassParam
)

// builtInUserData are classes of Tacker and of its packages; Windlass itself does their work.
var builtInUserData = []string{"DefaultUserData", lcm.StandardUserData, "KubernetesClusterUserData", "SampleUserData"}

// checkUserData refuses a request for a Python class that no worker runs: without the class, the stack would differ
// from the intent of the package's author.
func (h *Handler) checkUserData(req lcm.InstantiateRequest, pkg lcm.VnfPkg, found *driver.Findings) {
	var params map[string]json.RawMessage
	if len(req.AdditionalParams) == 0 || json.Unmarshal(req.AdditionalParams, &params) != nil {
		return // told elsewhere
	}
	script, hasScript := params[userDataParam]
	named, hasClass := params[userDataClassParam]
	if !hasScript && !hasClass {
		return
	}
	for name, given := range map[string]json.RawMessage{userDataParam: script, userDataClassParam: named} {
		var text string
		if json.Unmarshal(given, &text) != nil || text == "" {
			found.Mistake(lcm.Problem{Path: "$.additionalParams." + name, Detail: "must be a text: give both " +
				userDataParam + " and " + userDataClassParam})
			return
		}
	}
	class := lcm.ParseUserData(req.AdditionalParams)
	if class.BuiltIn(h.Python) {
		return
	}
	if !h.Python {
		found.Names("$.additionalParams."+userDataClassParam, "%q is Python of the VNF package, which Windlass runs only "+
			"where its operator has set userData.python; what %s do is built in",
			class.Class, strings.Join(builtInUserData, ", "))
		return
	}
	path, err := userdata.ScriptPath(class.Path)
	switch {
	case err != nil:
		found.Mistake(lcm.Problem{Path: "$.additionalParams." + userDataParam, Detail: rest.Sentence(err)})
	case !slices.ContainsFunc(pkg.Artifacts, func(a lcm.PkgArtifact) bool { return a.Path == path }):
		found.Names("$.additionalParams."+userDataParam, "the VNF package has no file %q", path)
	}
}
