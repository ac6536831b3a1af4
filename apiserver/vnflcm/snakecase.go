package vnflcm

import "encoding/json"

// snakeCase maps the names that Tacker's v1 also takes in vimConnectionInfo of a modification to the standard's names.
var snakeCase = map[string]string{
	"vim_id": "vimId", "vim_type": "vimType", "interface_info": "interfaceInfo", "access_info": "accessInfo",
}

// inCamelCase is a modification of v1 with the standard's names in vimConnectionInfo. A body of another form, or without
// such names, stays as it is.
func inCamelCase(body []byte) []byte {
	var members map[string]json.RawMessage
	var entries []map[string]json.RawMessage
	if json.Unmarshal(body, &members) != nil || json.Unmarshal(members["vimConnectionInfo"], &entries) != nil {
		return body
	}
	changed := false
	for _, entry := range entries {
		for from, to := range snakeCase {
			value, given := entry[from]
			if _, twice := entry[to]; given && !twice {
				delete(entry, from)
				entry[to], changed = value, true
			}
		}
	}
	if !changed {
		return body
	}
	var err error
	if members["vimConnectionInfo"], err = json.Marshal(entries); err != nil {
		return body
	}
	if out, err := json.Marshal(members); err == nil {
		return out
	}
	return body
}
