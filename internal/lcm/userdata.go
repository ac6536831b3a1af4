package lcm

import "encoding/json"

// Tacker's parameters that choose a user data class: what makes the template and the parameters of a VNF's stack.
const (
	UserDataParam      = "lcm-operation-user-data"
	UserDataClassParam = UserDataParam + "-class"
)

// StandardUserData is Tacker's class that makes each VNFC a resource of its own.
const StandardUserData = "StandardUserData"

// UserData is the user data class of a request; its zero value is the one that Windlass takes when none is named.
type UserData struct {
	// Path is where the package has the script, as the request writes it; Class is the class in it.
	Path, Class string
}

// ParseUserData reads the user data class from additionalParams; what is no text counts as not given.
func ParseUserData(additionalParams json.RawMessage) (out UserData) {
	var params map[string]json.RawMessage
	if json.Unmarshal(additionalParams, &params) != nil {
		return out
	}
	_ = json.Unmarshal(params[UserDataParam], &out.Path)
	_ = json.Unmarshal(params[UserDataClassParam], &out.Class)
	return out
}

// BuiltIn tells whether Windlass itself does what the class does. python tells whether scripts are run: Tacker's
// samples all call their class SampleUserData, whatever it does, so it is taken for the usual one only where it could
// not be run.
func (u UserData) BuiltIn(python bool) bool {
	switch u.Class {
	case "", "DefaultUserData", StandardUserData, "KubernetesClusterUserData":
		return true
	case "SampleUserData":
		return !python
	}
	return false
}

// SeparateResources tells whether each VNFC is a resource of its own in the top template.
func (u UserData) SeparateResources() bool { return u.Class == StandardUserData }
