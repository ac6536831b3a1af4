package vnfd

import (
	"cmp"
	"path"
	"regexp"
	"strings"

	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/document"
)

// idleDriver is the driver of Tacker's v1 that does nothing. Packages name it for the conductor, which wants a driver.
const idleDriver = "vnflcm_noop"

// isIdle tells whether an implementation is a driver that does nothing: by its name alone if the package lacks its
// file, else by the file.
func (r *hookReader) isIdle(hook descriptor.Hook, artifact *document.Value) bool {
	if hook.Driver != "" {
		return false
	}
	if hook.File == "" {
		name := cmp.Or(artifact.At("file").Str(), artifact.Str(), hook.Implementation)
		return strings.ReplaceAll(strings.TrimSuffix(path.Base(name), ".py"), "-", "_") == idleDriver
	}
	if !descriptor.IsPython(hook.File) {
		return false
	}
	text, err := r.Zip.Read(hook.File, r.Limits.YAML.MaxSize)
	return err == nil && doesNothing(text)
}

// doesNothing tells whether a driver of Tacker's v1 has nothing but methods that do nothing. It is strict: whatever it does
// not know is work.
func doesNothing(text []byte) bool {
	if !descriptor.IsTackerV1Driver(text) {
		return false
	}
	for _, what := range idlePython {
		text = what.ReplaceAll(text, nil)
	}
	return strings.TrimSpace(string(text)) == ""
}

// idlePython matches what a class that does nothing consists of, in the order in which doesNothing takes it away.
var idlePython = []*regexp.Regexp{
	regexp.MustCompile(`(?m)^[ \t]*#.*$`),
	regexp.MustCompile(`(?s)""".*?"""`),
	regexp.MustCompile(`(?m)^(import|from) [\w., ]+$`),
	regexp.MustCompile(`(?m)^LOG = logging\.getLogger\(__name__\)$`),
	regexp.MustCompile(`(?m)^class \w+\([\w.\s]*\):$`),
	regexp.MustCompile(`(?m)^[ \t]+@log\.log$`),
	regexp.MustCompile(`(?m)^[ \t]+def \w+\([\w\s,*=]*\):$`),
	regexp.MustCompile(`LOG\.debug\((?:[^()]|%\(\w+\)s)*\)`),
	regexp.MustCompile(`(?m)^[ \t]+(pass|return '[^']*')$`),
}
