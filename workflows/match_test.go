package workflows

import "github.com/stretchr/testify/mock"

var (
	anyContext = mock.Anything
	anyWork    = mock.Anything
)

func workIs(name string) any {
	return mock.MatchedBy(func(in workInput) bool { return in.Name == name })
}
