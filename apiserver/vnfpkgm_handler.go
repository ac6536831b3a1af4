package apiserver

// Sources tells where packages may be fetched from.
type Sources interface {
	Check(uri string) error
}
