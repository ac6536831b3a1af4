package lcm

import "encoding/json"

// Tacker's parameters that choose a user data class. The class makes the template and the parameters of a VNF's stack.
const (
	UserDataParam      = "lcm-operation-user-data"
	UserDataClassParam = UserDataParam + "-class"
)

// StandardUserData is Tacker's class that makes each VNFC a resource of its own.
const StandardUserData = "StandardUserData"

// UserData is the user data class of a request. The zero value is Windlass's own class, for a request that names none.
type UserData struct {
	// Path is the script's path in the package, as the request writes it. Class is the class in the script.
	Path, Class string
}

// ParseUserData reads the user data class from additionalParams; a value that is no string counts as missing.
func ParseUserData(additionalParams json.RawMessage) (out UserData) {
	var params map[string]json.RawMessage
	if json.Unmarshal(additionalParams, &params) != nil {
		return out
	}
	_ = json.Unmarshal(params[UserDataParam], &out.Path)
	_ = json.Unmarshal(params[UserDataClassParam], &out.Class)
	return out
}

// BuiltIn reports whether Windlass itself does the work of the class. python says whether Windlass runs scripts.
// Tacker's samples all call their class SampleUserData, whatever it does. So Windlass treats this name as its own class
// only where it cannot run scripts.
func (u UserData) BuiltIn(python bool) bool {
	switch u.Class {
	case "", "DefaultUserData", StandardUserData, "KubernetesClusterUserData":
		return true
	case "SampleUserData":
		return !python
	}
	return false
}

// SeparateResources reports whether each VNFC is a resource of its own in the top template.
func (u UserData) SeparateResources() bool { return u.Class == StandardUserData }
