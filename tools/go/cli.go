//go:build tools

// Package tools pins the modules from which the Pulumi CLI is built.
package tools

import _ "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi"
