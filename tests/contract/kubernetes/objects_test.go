package kubernetes

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

type object = unstructured.Unstructured
