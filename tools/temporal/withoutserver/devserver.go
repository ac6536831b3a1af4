// Package devserver takes the place of the CLI's own package of that name when bin/temporal is built (Taskfile.yml,
// temporal:tools). The CLI is only a client here: windlass dev has its own server, and compiling another one, with all
// its databases and archives, takes minutes.
package devserver

import (
	"errors"
	"log/slog"

	"go.temporal.io/api/enums/v1"
	"google.golang.org/grpc"
)

// StartOptions are what `temporal server start-dev` reads of its flags.
type StartOptions struct {
	FrontendIP             string
	FrontendPort           int
	Namespaces             []string
	ClusterID              string
	MasterClusterName      string
	CurrentClusterName     string
	InitialFailoverVersion int
	Logger                 *slog.Logger
	LogLevel               slog.Level
	UIIP                   string
	UIPort                 int
	UIAssetPath            string
	UICodecEndpoint        string
	PublicPath             string
	DatabaseFile           string
	MetricsPort            int
	PProfPort              int
	SqlitePragmas          map[string]string
	FrontendHTTPPort       int
	EnableGlobalNamespace  bool
	DynamicConfigValues    map[string]any
	SearchAttributes       map[string]enums.IndexedValueType
	LogConfig              func([]byte)
	GRPCInterceptors       []grpc.UnaryServerInterceptor
}

// Server is never started.
type Server struct{}

// Start says where the server is.
func Start(StartOptions) (*Server, error) {
	return nil, errors.New("this build of the CLI has no server; run windlass dev")
}

// Stop does nothing.
func (*Server) Stop() {}
