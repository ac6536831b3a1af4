package main

import (
	"context"
	"fmt"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/protobuf/types/known/durationpb"
)

// prepareNamespace waits for the frontend, creates the namespace with its search attributes where they
// are missing, and returns when workflows can be listed by them.
func prepareNamespace(ctx context.Context, sdk client.Client, o options) error {
	err := until(ctx, func() error { return ensureNamespace(ctx, sdk, o) })
	if err != nil {
		return fmt.Errorf("create namespace %s: %w", o.namespace, err)
	}
	if err := until(ctx, func() error { return ensureAttributes(ctx, sdk, o) }); err != nil {
		return fmt.Errorf("add search attributes to namespace %s: %w", o.namespace, err)
	}
	return nil
}

func ensureNamespace(ctx context.Context, sdk client.Client, o options) error {
	_, err := sdk.WorkflowService().RegisterNamespace(ctx, &workflowservice.RegisterNamespaceRequest{
		Namespace:                        o.namespace,
		Description:                      "Lifecycle operations of Windlass",
		WorkflowExecutionRetentionPeriod: durationpb.New(o.retention),
	})
	if _, exists := err.(*serviceerror.NamespaceAlreadyExists); exists { //nolint:errorlint // the client returns it bare
		return nil
	}
	return err
}

// ensureAttributes succeeds once the frontend's registry knows the namespace with all attributes.
func ensureAttributes(ctx context.Context, sdk client.Client, o options) error {
	if len(o.searchAttributes) == 0 {
		_, err := sdk.WorkflowService().CountWorkflowExecutions(ctx,
			&workflowservice.CountWorkflowExecutionsRequest{Namespace: o.namespace})
		return err
	}
	known, err := sdk.OperatorService().ListSearchAttributes(ctx,
		&operatorservice.ListSearchAttributesRequest{Namespace: o.namespace})
	if err != nil {
		return err
	}
	missing := map[string]enums.IndexedValueType{}
	for _, name := range o.searchAttributes {
		if _, found := known.GetCustomAttributes()[name]; !found {
			missing[name] = enums.INDEXED_VALUE_TYPE_KEYWORD
		}
	}
	if len(missing) > 0 {
		_, err = sdk.OperatorService().AddSearchAttributes(ctx, &operatorservice.AddSearchAttributesRequest{
			Namespace: o.namespace, SearchAttributes: missing,
		})
		if err != nil {
			return err
		}
	}
	query := fmt.Sprintf("`%s` = 'x'", o.searchAttributes[0])
	_, err = sdk.WorkflowService().CountWorkflowExecutions(ctx,
		&workflowservice.CountWorkflowExecutionsRequest{Namespace: o.namespace, Query: query})
	return err
}

// until repeats try until it succeeds or ctx ends: caches of the server follow its database with a delay.
func until(ctx context.Context, try func() error) error {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		err := try()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-tick.C:
		}
	}
}
