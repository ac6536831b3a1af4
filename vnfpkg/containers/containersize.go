package containers

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/document"
	"github.com/windlass-nfv/windlass/vnfpkg/tosca"
)

// extendedName matches an extended resource: a name with a domain, which Kubernetes itself does not define.
var extendedName = regexp.MustCompile(`^[a-z0-9][-a-z0-9.]{0,251}[a-z0-9]/[A-Za-z0-9]([-_.A-Za-z0-9]{0,61}[A-Za-z0-9])?$`)

// containerSize holds a container's requests and limits.
type containerSize struct{ requests, limits map[string]string }

// sizesOf reads the resources of a container. A container with pinned CPUs has whole CPUs and equal requests and
// limits: kubelet pins no others.
func (r *textReader) sizesOf(name string, node *document.Value) containerSize {
	s := containerSize{map[string]string{}, map[string]string{}}
	pinned := r.pinned(node)
	amounts := []struct {
		resource, request, limit string
		read                     func(*document.Value) float64
		write                    func(float64) string
	}{
		{descriptor.ResourceCPU, "requested_cpu_resources", "cpu_resource_limit", r.milli, milliText},
		{descriptor.ResourceMemory, "requested_memory_resources", "memory_resource_limit", r.bytes, bytesText},
		{
			descriptor.ResourceStorage, "requested_ephemeral_storage_resources", "ephemeral_storage_resource_limit", r.bytes,
			bytesText,
		},
	}
	for _, a := range amounts {
		request, limit := a.read(r.Property(node, a.request)), a.read(r.Property(node, a.limit))
		if limit > 0 && request > limit {
			r.Problem(r.Property(node, a.request).Place(), "%s of the container %s is more than its %s", a.request, name,
				a.limit)
			request = limit
		}
		if pinned && a.resource != descriptor.ResourceStorage {
			request, limit = r.same(name, node, request, limit, a.request, a.limit)
			if a.resource == descriptor.ResourceCPU && math.Mod(request, 1000) != 0 {
				r.Problem(node.Place(), "the container %s is pinned to CPUs (cpu_pinning_requirements), but %s "+
					"thousandths of a CPU are not a whole number of CPUs", name, strconv.Itoa(int(request)))
			}
		}
		put(s.requests, a.resource, request, a.write)
		put(s.limits, a.resource, limit, a.write)
	}
	r.hugePages(name, node, s)
	r.extended(node, s)
	return s
}

func put(into map[string]string, resource string, amount float64, write func(float64) string) {
	if amount > 0 {
		into[resource] = write(amount)
	}
}

// pinned tells whether a container wants CPUs of its own.
func (r *textReader) pinned(node *document.Value) bool {
	pinning := r.Property(node, "cpu_pinning_requirements")
	if rule := pinning.At("virtual_cpu_pinning_rule"); !rule.IsNull() {
		r.Warn(rule.Place(), "kubelets choose CPUs themselves: Windlass ignores the rules of "+
			"cpu_pinning_requirements")
	}
	return pinning.IsMap()
}

// same reads the request and the limit of a pinned container, which must be one number.
func (r *textReader) same(
	name string, node *document.Value, request, limit float64, requestName, limitName string,
) (float64, float64) {
	switch {
	case request == 0 && limit == 0:
		r.Problem(node.Place(), "the container %s is pinned to CPUs (cpu_pinning_requirements): it needs %s", name,
			requestName)
	case request > 0 && limit > 0 && request != limit:
		r.Problem(node.Place(), "the container %s is pinned to CPUs (cpu_pinning_requirements): its %s and its %s must be "+
			"the same", name, requestName, limitName)
	}
	both := max(request, limit)
	return both, both
}

// milli reads thousandths of a CPU.
func (r *textReader) milli(v *document.Value) float64 {
	if v.IsNull() {
		return 0
	}
	n, ok := v.Number()
	if !ok || n < 0 || n > mostMilli {
		r.Problem(v.Place(), "%s is no number of thousandths of a CPU", document.Quote(v.Str()))
		return 0
	}
	return float64(n)
}

// bytes reads a size with its unit; 0 for none.
func (r *textReader) bytes(v *document.Value) float64 {
	if v.IsNull() {
		return 0
	}
	size := math.Ceil(descriptor.SizeOf(v.Str()))
	if size == 0 {
		r.Problem(v.Place(), "%s is not a size with a unit, such as 512 MB", document.Quote(v.Str()))
	}
	return size
}

func milliText(milli float64) string {
	if math.Mod(milli, 1000) == 0 {
		return strconv.Itoa(int(milli) / 1000)
	}
	return strconv.Itoa(int(milli)) + "m"
}

func bytesText(size float64) string {
	n := int64(size)
	for _, unit := range []struct {
		name  string
		bytes int64
	}{{"Gi", descriptor.GiB}, {"Mi", descriptor.MiB}, {"Ki", descriptor.KiB}} {
		if n%unit.bytes == 0 {
			return strconv.FormatInt(n/unit.bytes, 10) + unit.name
		}
	}
	return strconv.FormatInt(n, 10)
}

// hugePages sets equal requests and limits, in whole pages, and needs memory or CPUs beside them: Kubernetes refuses
// anything else.
func (r *textReader) hugePages(name string, node *document.Value, s containerSize) {
	for _, item := range r.Property(node, "huge_pages_resources").List() {
		page, want := r.bytes(tosca.ResolveInput(r.Root, item.At("hugepage_size"))),
			r.bytes(tosca.ResolveInput(r.Root, item.At("requested_size")))
		switch {
		case page == 0 || want == 0:
			r.Problem(item.Place(), "huge pages of the container %s need a hugepage_size and a requested_size", name)
			continue
		case math.Mod(want, page) != 0:
			r.Problem(item.Place(), "the requested_size %s of the container %s is not a whole number of huge pages of %s",
				bytesText(want), name, bytesText(page))
		case s.requests[descriptor.ResourceCPU]+s.requests[descriptor.ResourceMemory]+
			s.limits[descriptor.ResourceCPU]+s.limits[descriptor.ResourceMemory] == "":
			r.Problem(item.Place(), "the container %s requests huge pages, but neither memory nor CPUs: "+
				"Kubernetes requires memory or CPUs for huge pages", name)
		}
		resource := "hugepages-" + bytesText(page)
		s.requests[resource], s.limits[resource] = bytesText(want), bytesText(want)
	}
}

// extended reads extended resources. The map of SOL001 has one member, which gives the resource by its name or by its
// value.
func (r *textReader) extended(node *document.Value, s containerSize) {
	for _, item := range r.Property(node, "extended_resource_requests").List() {
		named := item.At("extended_resource")
		candidates := []string{named.Str()}
		for key, v := range named.Members() {
			candidates = append(candidates, key, v.Str())
		}
		resource := ""
		for _, c := range candidates {
			if resource == "" && extendedName.MatchString(c) && !strings.HasPrefix(c, "kubernetes.io/") {
				resource = c
			}
		}
		if resource == "" {
			r.Problem(item.Place(), "the extended_resource does not name a resource of a cluster, such as "+
				"example.com/gpu")
			continue
		}
		amount := r.Count(item.At("amount"))
		if amount == 0 {
			r.Problem(item.Place(), "the extended_resource %s has no amount", resource)
			continue
		}
		s.limits[resource] = strconv.Itoa(amount)
	}
}

// cpus reads a number of CPUs, which may have a fraction, in thousandths.
func (r *textReader) cpus(v *document.Value) float64 {
	text := r.word(v)
	if text == "" {
		return 0
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || !(n >= 0.001 && n*1000 <= mostMilli) {
		r.Problem(v.Place(), "%s is not a number of CPUs, such as 0.5", document.Quote(text))
		return 0
	}
	return math.Round(n * 1000)
}
