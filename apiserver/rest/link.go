package rest

// Link is the type of the members of _links.
type Link struct {
	Href string `json:"href"`
}
