package lcm

import (
	"encoding/json"
	"slices"
	"time"
)

// SubscriptionID names a subscription.
type SubscriptionID string

// NotificationType is the type of a notification (SOL003 clauses 5.5.2.17 to 5.5.2.19).
type NotificationType string

// The notifications of VNF lifecycle management.
const (
	NotifyOperation NotificationType = "VnfLcmOperationOccurrenceNotification"
	NotifyCreation  NotificationType = "VnfIdentifierCreationNotification"
	NotifyDeletion  NotificationType = "VnfIdentifierDeletionNotification"
)

// The notifications of VNF package management (SOL003 clauses 10.5.2.5 and 10.5.2.6).
const (
	NotifyPkgOnboarding NotificationType = "VnfPackageOnboardingNotification"
	NotifyPkgChange     NotificationType = "VnfPackageChangeNotification"
)

// The changes of a package that subscribers hear of (SOL003 clause 10.5.4.5).
const (
	PkgOpStateChange = "OP_STATE_CHANGE"
	PkgDelete        = "PKG_DELETE"
)

// SubscribedAPI is the API of a subscription.
type SubscribedAPI string

// The APIs that send notifications.
const (
	APILcm  SubscribedAPI = "vnflcm"
	APIPkgm SubscribedAPI = "vnfpkgm"
)

// Verbosity says how much a notification contains (SOL003 v3.3.1 clause 5.5.4.9).
type Verbosity string

// The verbosities of SOL003 v3.3.1 clause 5.5.4.9.
const (
	VerbosityFull  Verbosity = "FULL"
	VerbosityShort Verbosity = "SHORT" // without resources and other changes
)

// Subscription is SOL003 clause 5.5.2.16, or 10.5.2.4, with the subscriber's data for deliveries.
type Subscription struct {
	ID        SubscriptionID
	ProjectID ProjectID // set by the database
	API       SubscribedAPI
	// APIVersion is 1 or 2, the API root of the subscription; it sets the form of notifications.
	APIVersion int
	// Filter is nil when the subscriber wants everything. Packages is the filter of package management.
	Filter      *SubscriptionFilter
	Packages    *PackageFilter
	CallbackURI string
	Verbosity   Verbosity
	// Authentication is a SubscriptionAuthentication, sealed; empty when there is none.
	Authentication json.RawMessage
	// Endpoint begins the links in notifications: the URL of the API when the subscription was made.
	Endpoint string
	Created  time.Time
}

// SubscriptionAuthentication is SOL013 clause 8.3.4: how to authenticate to the subscriber.
type SubscriptionAuthentication struct {
	AuthType    []string `json:"authType"`
	ParamsBasic struct {
		UserName string `json:"userName,omitempty"`
		Password string `json:"password,omitempty"`
	} `json:"paramsBasic,omitzero"`
	ParamsOauth2 struct {
		ClientID       string `json:"clientId,omitempty"`
		ClientPassword string `json:"clientPassword,omitempty"`
		TokenEndpoint  string `json:"tokenEndpoint,omitempty"`
	} `json:"paramsOauth2ClientCredentials,omitzero"`
}

// The types of authentication of SOL013 clause 8.3.4.
const (
	AuthBasic  = "BASIC"
	AuthOauth2 = "OAUTH2_CLIENT_CREDENTIALS"
	AuthTLS    = "TLS_CERT"
)

// SubscriptionFilter is LifecycleChangeNotificationsFilter (SOL003 clause 5.5.3.12). Every given attribute must match,
// with any of its values.
type SubscriptionFilter struct {
	Instances         *SubscribedInstances `json:"vnfInstanceSubscriptionFilter,omitempty"`
	NotificationTypes []NotificationType   `json:"notificationTypes,omitempty"`
	OperationTypes    []Operation          `json:"operationTypes,omitempty"`
	OperationStates   []OperationState     `json:"operationStates,omitempty"`
}

// SubscribedInstances is VnfInstanceSubscriptionFilter (SOL003 clause 4.4.1.5).
type SubscribedInstances struct {
	VnfdIDs   []VnfdID             `json:"vnfdIds,omitempty"`
	Providers []SubscribedProvider `json:"vnfProductsFromProviders,omitempty"`
	IDs       []VnfInstanceID      `json:"vnfInstanceIds,omitempty"`
	Names     []string             `json:"vnfInstanceNames,omitempty"`
}

// SubscribedProvider chooses products of a provider; without products, all of them.
type SubscribedProvider struct {
	Provider string              `json:"vnfProvider"`
	Products []SubscribedProduct `json:"vnfProducts,omitempty"`
}

// SubscribedProduct chooses versions of a product; without versions, all of them.
type SubscribedProduct struct {
	Name     string              `json:"vnfProductName"`
	Versions []SubscribedVersion `json:"versions,omitempty"`
}

// SubscribedVersion chooses a version of the software, and versions of the VNFD in it; without VNFD versions, all of
// them.
type SubscribedVersion struct {
	Software VersionText   `json:"vnfSoftwareVersion"`
	Vnfds    []VersionText `json:"vnfdVersions,omitempty"`
}

// PackageFilter is PkgmNotificationsFilter (SOL003 clause 10.5.3.4). Every given attribute must match, with any of its
// values. v2.4.1 has one notification type in place of a list.
type PackageFilter struct {
	NotificationTypes Texts                `json:"notificationTypes,omitempty"`
	Providers         []SubscribedProvider `json:"vnfProductsFromProviders,omitempty"`
	VnfdIDs           []VnfdID             `json:"vnfdId,omitempty"`
	VnfPkgIDs         []VnfPkgID           `json:"vnfPkgId,omitempty"`
	OperationalStates []string             `json:"operationalState,omitempty"`
	UsageStates       []string             `json:"usageState,omitempty"`
}

func (f *PackageFilter) wants(e VnfEvent) bool {
	if f == nil {
		return true
	}
	return oneOf(f.NotificationTypes, string(e.Type)) && oneOf(f.VnfdIDs, e.VnfdID) && oneOf(f.VnfPkgIDs, e.VnfPkgID) &&
		oneOf(f.OperationalStates, e.OperationalState) && oneOf(f.UsageStates, e.UsageState) &&
		(len(f.Providers) == 0 || slices.ContainsFunc(f.Providers, func(p SubscribedProvider) bool { return p.wants(e) }))
}

// Wants reports whether the subscriber wants to hear of the event.
func (s Subscription) Wants(e VnfEvent) bool {
	if e.OfPackage() || s.API == APIPkgm {
		return e.OfPackage() && s.API == APIPkgm && s.Packages.wants(e)
	}
	f := s.Filter
	if f == nil {
		return true
	}
	if !oneOf(f.NotificationTypes, e.Type) || !f.Instances.wants(e) {
		return false
	}
	return e.Type != NotifyOperation || oneOf(f.OperationTypes, e.Operation) && oneOf(f.OperationStates, e.State)
}

// oneOf accepts everything when wanted is empty.
func oneOf[T comparable](wanted []T, is T) bool {
	return len(wanted) == 0 || slices.Contains(wanted, is)
}

func (f *SubscribedInstances) wants(e VnfEvent) bool {
	if f == nil {
		return true
	}
	return oneOf(f.VnfdIDs, e.VnfdID) && oneOf(f.IDs, e.VnfInstanceID) && oneOf(f.Names, e.VnfInstanceName) &&
		(len(f.Providers) == 0 || slices.ContainsFunc(f.Providers, func(p SubscribedProvider) bool { return p.wants(e) }))
}

func (p SubscribedProvider) wants(e VnfEvent) bool {
	return p.Provider == e.Provider && (len(p.Products) == 0 ||
		slices.ContainsFunc(p.Products, func(q SubscribedProduct) bool {
			return q.Name == e.ProductName && (len(q.Versions) == 0 ||
				slices.ContainsFunc(q.Versions, func(v SubscribedVersion) bool {
					return string(v.Software) == e.SoftwareVersion && oneOf(v.Vnfds, VersionText(e.VnfdVersion))
				}))
		}))
}

// VnfEvent is the subject of notifications: a transition of an operation, the creation or deletion of a VNF instance,
// or a change of a VNF package.
type VnfEvent struct {
	// ID is the notification's id, the same for all subscribers.
	ID   string           `json:"id"`
	Type NotificationType `json:"type"`
	At   time.Time        `json:"at"`

	VnfInstanceID   VnfInstanceID `json:"vnfInstanceId"`
	VnfInstanceName string        `json:"vnfInstanceName,omitempty"`
	VnfdID          VnfdID        `json:"vnfdId"`
	Provider        string        `json:"vnfProvider,omitempty"`
	ProductName     string        `json:"vnfProductName,omitempty"`
	SoftwareVersion string        `json:"vnfSoftwareVersion,omitempty"`
	VnfdVersion     string        `json:"vnfdVersion,omitempty"`

	// For events of packages.
	VnfPkgID         VnfPkgID `json:"vnfPkgId,omitempty"`
	ChangeType       string   `json:"changeType,omitempty"`
	OperationalState string   `json:"operationalState,omitempty"`
	UsageState       string   `json:"usageState,omitempty"`

	// For events of operations.
	OpOccID               OpOccID          `json:"opOccId,omitempty"`
	Operation             Operation        `json:"operation,omitempty"`
	State                 OperationState   `json:"operationState,omitempty"`
	IsAutomaticInvocation bool             `json:"isAutomaticInvocation,omitempty"`
	Error                 *Error           `json:"error,omitempty"`
	ResourceChanges       *ResourceChanges `json:"resourceChanges,omitempty"`
	// Connectivity is the plan of a completed CHANGE_EXT_CONN, with the changed links.
	Connectivity *Plan `json:"connectivity,omitempty"`
	// ChangedInfo is set for a completed MODIFY_INFO or CHANGE_VNFPKG.
	ChangedInfo *VnfInfoModifications `json:"changedInfo,omitempty"`
}

// OfPackage tells whether the event is about a VNF package.
func (e VnfEvent) OfPackage() bool { return e.VnfPkgID != "" }

// PackageEvent returns the event for a package; change is "" when the package was on-boarded.
func PackageEvent(p VnfPkg, change string) VnfEvent {
	e := VnfEvent{
		Type: NotifyPkgOnboarding, VnfPkgID: p.ID, VnfdID: p.VnfdID, Provider: p.Provider, ProductName: p.ProductName,
		SoftwareVersion: p.SoftwareVersion, VnfdVersion: p.VnfdVersion, ChangeType: change,
		OperationalState: p.OperationalState, UsageState: p.UsageState,
	}
	if change != "" {
		e.Type = NotifyPkgChange
	}
	return e
}

// Of fills in the instance that the event is about.
func (e VnfEvent) Of(i VnfInstance) VnfEvent {
	e.VnfInstanceID, e.VnfInstanceName, e.VnfdID = i.ID, i.Name, i.VnfdID
	e.Provider, e.ProductName, e.SoftwareVersion, e.VnfdVersion = i.Provider, i.ProductName, i.SoftwareVersion,
		i.VnfdVersion
	return e
}

// Starts reports whether an operation that enters the state has begun, or begun again. Then its notificationStatus is
// START, else RESULT (SOL003 clause 5.6.2.2).
func (s OperationState) Starts() bool { return s == Starting || s == Processing || s == RollingBack }

// Delivery is one notification to one subscriber that has not arrived yet.
type Delivery struct {
	ID             int64
	SubscriptionID SubscriptionID
	Event          VnfEvent
	Dead           bool // given up
	Attempts       int
	LastError      string
	// Since is when the event happened, or when its delivery was started again.
	Since time.Time
}

// WorkflowDeliver delivers the notifications of one subscription, in order, until none is left.
const WorkflowDeliver WorkflowName = "DeliverNotifications"

// DeliverInput starts WorkflowDeliver.
type DeliverInput struct {
	SubscriptionID SubscriptionID `json:"subscriptionId"`
}

// DeliverWorkflowID is the workflow id for the notifications of a subscription. It is the same for all, so that only
// one delivery runs at a time.
func DeliverWorkflowID(id SubscriptionID) string { return "deliver-" + string(id) }
